"""Help, `config`, `capabilities`, `schema`, `instructions`, `init`: the program about itself."""

from __future__ import annotations

import json

import pytest

from memgit.cli import verbs
from memgit.cli.grammar import Noun
from memgit.protocol.table import OPERATIONS
from tests.cli.conftest import SCOPE, Shell


def paths() -> list[tuple[str, ...]]:
    """Return the words of every verb."""
    found: list[tuple[str, ...]] = []
    for name in verbs.VERBS:
        command = verbs.load(name)
        assert command is not None
        below = list(command.commands) if isinstance(command, Noun) else []
        found += [(name, verb) for verb in below] or [(name,)]
    return found


@pytest.mark.parametrize("words", paths(), ids=" ".join)
def test_every_verb_explains_itself(shell: Shell, words: tuple[str, ...]) -> None:
    """-h and --help are the same: usage, a summary of one line, at least one example, in plain ASCII."""
    text = shell.ok(*words, "-h").text
    assert shell.ok(*words, "--help").text == text
    lines = text.splitlines()
    assert lines[0].startswith(f"Usage: git memory {' '.join(words)} ")
    assert lines[2].startswith("  ") and lines[3] == "", lines[:4]
    assert "  Example" in text and f"git memory {' '.join(words)}" in text.split("Example")[1]
    assert text.isascii()
    assert all(len(line) <= 100 for line in lines)
    assert "--json" in text and "--quiet" in text


def test_the_help_of_all_lists_every_verb_once(shell: Shell) -> None:
    """In sections, each with its summary."""
    text = shell.ok("-h").text
    for name in verbs.VERBS:
        assert text.count(f"\n  {name} ") == 1, name


def test_every_operation_has_a_verb() -> None:
    """What a program can ask, a person can: each operation's name stands in some verb's source."""
    from pathlib import Path

    sources = "".join(path.read_text() for path in Path(verbs.__file__).parent.rglob("*.py"))
    assert [name for name in OPERATIONS if f'"{name}"' not in sources] == []


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [(("recal",), "'recall'"), (("claim", "asert"), "'assert'"), (("stauts",), "'status'"), (("--jsno",), "--json")],
)
def test_a_wrong_word_gets_the_nearest_verb(shell: Shell, words: tuple[str, ...], suggestion: str) -> None:
    """Wrong usage, status 2."""
    assert suggestion in shell.refused(*words, status=2)


def test_a_noun_alone_lists_its_verbs(shell: Shell) -> None:
    """Wrong usage that helps."""
    assert "assert, revise, retract, get, history" in shell.refused("claim", status=2)


def test_config_reads_and_writes_git_config(shell: Shell) -> None:
    """Set, get, list, unset; a pipe gets tab-separated rows; a wrong value or name is refused."""
    assert "is safe" in shell.ok("config", "set", "durability", "safe").err
    assert shell.git("config", "memgit.durability") == "safe"
    assert shell.ok("config", "get", "durability").text == "safe\n"
    assert "durability\tsafe\tGit config memgit.durability\n" in shell.ok("config", "list").text
    shell.ok("config", "unset", "durability")
    assert shell.ok("config", "get", "durability").text == "balanced\n"
    shell.ok("config", "set", "--global", "personalProject", "mine")
    assert shell.ok("config", "get", "personal-project").text == "mine\n"
    shell.git("config", "memgit.typo", "1")
    assert "memgit.typo" in shell.ok("config", "list").err
    for words in (("get", "durabilty"), ("set", "durability", "never"), ("set", "horizon", "personal"), ("unset", "x")):
        shell.refused("config", *words)


def test_config_needs_no_repository(empty: Shell) -> None:
    """Settings hold outside a repository too, or say that there is none."""
    outside = empty.directory.parent / "nowhere"
    outside.mkdir()
    assert Shell(outside).ok("capabilities").text.startswith("git-memgit ")


def test_capabilities_schema_instructions(shell: Shell) -> None:
    """People get text, and the schema as it is; an unknown operation gets the nearest one."""
    assert all(name in shell.ok("capabilities").text for name in OPERATIONS)
    assert json.loads(shell.ok("schema", "claim.assert").out)["title"] == "ClaimAssert"
    assert set(json.loads(shell.ok("schema").out)) == set(OPERATIONS)
    assert shell.ok("instructions").text.startswith("# Memory of this repository\n")
    assert "claim.assert" in shell.refused("schema", "claim.asert")


def test_init_says_what_it_did(empty: Shell) -> None:
    """A marker unless told not to; again changes nothing."""
    text = empty.ok("init", *SCOPE).text
    assert "Began the memory" in text and "wsp-tests" in text and ".memoree.toml (new: commit it)" in text
    refs = empty.refs()
    assert "There is a memory already" in empty.ok("init").text
    assert empty.refs() == refs


def test_init_without_a_marker(empty: Shell) -> None:
    """Nothing appears in the working tree, and everything works."""
    empty.ok("init", "--no-marker")
    assert empty.git("status", "--porcelain", "--ignored") == ""
    empty.ok("remember", "It works without a marker.")
    assert "store: " in empty.ok("context", "show").text
    assert empty.ok("recall", "does it work without a marker").text.startswith("presence: claims")


@pytest.mark.parametrize("words", [("--workspace", "a/b"), ("--project", ".."), ("--workspace", "x" * 200)])
def test_init_refuses_ids_that_are_paths(empty: Shell, words: tuple[str, ...]) -> None:
    """No slashes, no `..`, no length without end."""
    empty.refused("init", *words)
