"""Memory and code on the command line: `--anchor`, `why`, `for`, `stale`, `confirm`, `check`, and states in answers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import Shell

LINES = "".join(f"def step_{number}(): return {number}\n" for number in range(1, 21))


@pytest.fixture
def code(shell: Shell) -> Shell:
    """A memory in a repository with code."""
    shell.write("src/a.py", LINES)
    shell.git("add", "-A")
    shell.git("commit", "-q", "-m", "code")
    return shell


def change(code: Shell, *, commit: bool = True) -> None:
    """Change line 5."""
    code.write("src/a.py", LINES.replace("return 5\n", "return 55\n"))
    if commit:
        code.git("commit", "-q", "-a", "-m", "changed")


def anchors(code: Shell, claim: str) -> list[tuple[str | None, int | None, str | None]]:
    """Return what a claim is tied to: path, first line, symbol."""
    found = code.run("claim.get", claim_id=claim)["anchors"]
    return [(one.get("path"), one.get("start_line"), one.get("symbol")) for one in found]


def test_anchors_from_the_command_line(code: Shell) -> None:
    """Places, symbols and commits; a symbol belongs to the one file that is named without lines."""
    one = code.ok("remember", "x", "--anchor", "src/a.py:3-4", "--anchor", "src/a.py").first
    assert anchors(code, one) == [("src/a.py", 3, None), ("src/a.py", None, None)]
    two = code.ok("claim", "assert", "y", "--anchor", "src/a.py", "--anchor-symbol", "step_7").first
    assert anchors(code, two) == [("src/a.py", 7, "step_7")]
    three = code.ok("claim", "assert", "z", "--anchor-commit", "HEAD").first
    assert anchors(code, three) == [(None, None, None)]
    code.ok("claim", "revise", one, "--anchor-symbol", "step_9")
    assert anchors(code, one) == [("src/a.py", 9, "step_9")]
    code.ok("claim", "revise", one, "--no-anchors")
    assert anchors(code, one) == []
    code.write("note.md", "Words")
    artifact = code.ok("artifact", "put", "note.md", "--anchor", "src/a.py:2").first
    code.ok("artifact", "revise", artifact, "note.md", "--anchor", "src/a.py:4")
    shown = code.ok("show", artifact).text
    assert "code      src/a.py:4  fresh: unchanged, truth unchecked" in shown
    code.refused("claim", "revise", two, "--no-anchors", "--anchor", "src/a.py", status=2)
    code.refused("remember", "x", "--anchor", "src/none.py")
    code.refused("remember", "x", "--anchor", "src/a.py:99")


def test_paths_are_seen_from_where_one_is(code: Shell) -> None:
    """In a directory below the top, and for a file whose name ends like lines."""
    below = Shell(code.directory / "src")
    assert anchors(code, below.ok("remember", "x", "--anchor", "a.py:3").first) == [("src/a.py", 3, None)]
    code.write("odd:12", "one\ntwo\n")
    assert anchors(code, code.ok("remember", "y", "--anchor", "odd:12:").first) == [("odd:12", None, None)]
    assert "x" in below.ok("why", "a.py:3").text
    assert "x" in below.ok("for", "a.py").text


def test_how_the_code_stands_is_shown(code: Shell) -> None:
    """In recall, search, claim get and show, with the difference where it is asked for."""
    claim = code.ok("remember", "Herons count five.", "--anchor", "src/a.py:5").first
    change(code)
    for words in (("recall", "herons"), ("search", "herons"), ("claim", "get", claim), ("show", claim)):
        assert "src/a.py:5  drifted" in code.ok(*words).text, words
        assert "+def step_5(): return 55" not in code.ok(*words).text
        assert "| +def step_5(): return 55" in code.ok(*words, "--differences").text
        assert "src/a.py:5  fresh" in code.ok(*words, "--at", "HEAD~1").text
    assert "is drifted; its text has changed since" in code.ok("context", "build", "herons").text


def test_a_branch_is_named(code: Shell) -> None:
    """What was learned on a branch that is not merged here says so; `--merged-only` leaves it out."""
    code.git("switch", "-q", "-c", "feature")
    code.git("commit", "-q", "--allow-empty", "-m", "feature")
    change(code)
    code.ok("remember", "Herons count twice.", "--anchor", "src/a.py:5-9")
    code.git("switch", "-q", "-")
    assert "from      feature, which is not merged here" in code.ok("recall", "herons").text
    assert "from      feature, which is not merged here" in code.ok("why", "src/a.py:7").text
    assert code.ok("recall", "herons", "--merged-only").text.startswith("presence: none")


def test_why(code: Shell) -> None:
    """What is known, each with why it is here; beside it what could not be asked."""
    code.ok("remember", "Five is odd.", "--anchor", "src/a.py:5")
    said = code.ok("why", "src/a.py:5").text
    assert "Five is odd." in said and "why       it is about line 5" in said
    assert "src/a.py:5  fresh: unchanged, truth unchecked" in said
    assert code.ok("why", "none.py").out == b"" and "nothing is known" in code.ok("why", "none.py").err
    code.refused("why", "src")


def test_for_is_silent_where_nothing_is_known(code: Shell, empty: Shell) -> None:
    """Lines for what is known, nothing else; nothing at all where there is no memory."""
    code.ok("remember", "Five is odd.", "--type", "constraint", "--anchor", "src/a.py:5")
    assert "- constraint: Five is odd. (src/a.py:5; clm_" in code.ok("for", "src/a.py").text
    quiet = code.ok("for", "README.md")
    assert (quiet.out, quiet.err) == (b"", "")


def test_for_where_there_is_no_memory(empty: Shell) -> None:
    """A host may ask anywhere."""
    said = empty.type("for", "README.md")
    assert (said.status, said.out, said.err) == (0, b"", "")


def test_stale_and_confirm(code: Shell) -> None:
    """The list, its summary beside it, and the way out; status has the line only while something is tied."""
    assert "tied to code" not in code.ok("status").text
    claim = code.ok("remember", "Five is odd.", "--anchor", "src/a.py:5").first
    assert "  tied to code: 1 fresh, 0 drifted, 0 gone\n" in code.ok("status").text
    change(code)
    said = code.ok("stale", "--differences")
    assert "src/a.py:5  drifted" in said.text and "| +def step_5(): return 55" in said.text
    assert "0 fresh, 1 drifted, 0 gone, against the working tree" in said.err
    assert "1 drifted, 0 gone: `git memory stale`" in code.ok("status").text
    assert code.ok("stale", "--state", "gone").out == b""
    confirmed = code.ok("confirm", claim[-8:])
    assert confirmed.text.startswith(f"confirmed {claim}  Five is odd.\n  was       src/a.py:5  drifted")
    assert code.ok("--quiet", "confirm", claim).text == f"{claim}\n"
    assert code.ok("stale").out == b""
    code.write("src/a.py", "nothing of it\n")
    assert "--drop-gone" in code.refused("confirm", claim)


def test_check_is_a_gate(code: Shell) -> None:
    """It exits with 1 and names what to do, until somebody has looked; with `--json` too."""
    claim = code.ok("remember", "Five is odd.", "--anchor", "src/a.py:5").first
    assert code.ok("check", "--since", "HEAD").status == 0
    change(code)
    failed = code.type("check", "--since", "HEAD~1")
    assert failed.status == 1 and "Five is odd." in failed.text and "git memory confirm" in failed.err
    as_json = code.type("--json", "check", "--since", "HEAD~1")
    assert as_json.status == 1 and as_json.envelope["ok"] and not as_json.envelope["result"]["ok"]
    code.ok("confirm", claim)
    assert "1 settled" in code.ok("check", "--since", "HEAD~1").err
    assert "no-such" in code.refused("check", "--since", "no-such")


def test_annotations_for_github(code: Shell) -> None:
    """One command a finding, at the place of the code; nothing of a stored text can end it or begin another."""
    evil = "Five is odd: 50%\n::error::owned\r\x1b[31m"
    code.ok("remember", "-", "--anchor", "src/a.py:5", given=evil)
    name = "src/b,c:d%\n.py"
    code.write(name, LINES)
    code.git("add", "-A")
    code.git("commit", "-q", "-m", "odd name")
    code.ok("remember", "Odd name.", "--anchor", f"{name}:5")
    change(code)
    code.write(name, LINES.replace("return 5\n", "return 55\n"))
    said = code.type("check", "--since", "HEAD~1", "--format", "github")
    assert said.status == 1
    lines = said.text.splitlines()
    assert len(lines) == 2 and all(line.startswith("::error ") for line in lines)
    by_file = {line.partition("file=")[2].partition(",line=")[0]: line for line in lines}
    assert by_file.keys() == {"src/a.py", "src/b%2Cc%3Ad%25%0A.py"}
    line = by_file["src/a.py"]
    assert ",line=5,endLine=5,title=fact clm_" in line
    assert "::Five is odd: 50%25%0A::error::owned" in line and "\x1b" not in line


def test_a_stored_text_is_no_command_of_a_ci_runner(code: Shell) -> None:
    """In the text of `check`, no line begins with `::` after its blanks, and none holds `##[`."""
    code.ok(
        "remember", "-", "--anchor", "src/a.py:5", given="Five is odd.\n::stop-commands::x\n  ::error::y ##[group]z"
    )
    change(code)
    said = code.type("check", "--since", "HEAD~1").text
    assert "stop-commands" in said and "group]z" in said
    assert "##[" not in said and not [line for line in said.splitlines() if line.lstrip().startswith("::")]


def test_a_file_whose_name_is_not_utf8(code: Shell) -> None:
    """It can be tied, asked for and checked, by the bytes of its name."""
    name = os.fsdecode(b"src/caf\xe9.py")
    try:
        Path(code.directory, name).write_text(LINES)
    except OSError:
        pytest.skip("the file system takes UTF-8 names only")
    code.git("add", "-A")
    code.git("commit", "-q", "-m", "latin")
    claim = code.ok("remember", "Odd name.", "--anchor", f"{name}:5").first
    assert anchors(code, claim) == [("src/caf%E9.py", 5, None)]
    assert "Odd name." in code.ok("why", f"{name}:5").text
    Path(code.directory, name).write_text(LINES.replace("return 5\n", "return 55\n"))
    said = code.type("check", "--since", "HEAD", "--format", "github")
    assert said.status == 1 and said.text.startswith("::error title=")
    assert json.loads(code.type("--json", "check", "--since", "HEAD").out)["result"]["findings"]
