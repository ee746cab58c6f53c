"""`git memory pending` as people type it: what goes in, what is shown, and what a terminal never gets."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from memgit import clock
from tests.cli.conftest import ID, Shell
from tests.screening.keys import KINDS

TOKEN = KINDS["github"][0](Random(1)).text
NOTE = "# Where we are\n\n- The retry test hangs.\n- Decision: five retries\n"


def test_the_way_of_a_note(shell: Shell) -> None:
    """Put, listed, shown, previewed, applied; then it is memory, and the quarantine is empty."""
    assert shell.ok("pending", "put", "-", "--session", "agent-1", given=NOTE).first == "agent-1"
    assert "1 note for review, agent-1 expires next" in shell.ok("status").text
    listed = shell.ok("pending", "list").text.splitlines()
    assert listed[0].startswith("agent-1  until 2") and listed[2] == "  # Where we are"
    assert shell.ok("pending", "show", "ag").text.splitlines()[3:] == [
        ("    " + line).rstrip() for line in NOTE.rstrip().splitlines()
    ]
    plan = shell.ok("pending", "preview").text
    assert "  claim 1  observation  bytes 18-39\n      The retry test hangs.\n" in plan
    assert "  claim 2  decision  bytes 52-64\n      five retries\n" in plan
    done = shell.ok("pending", "apply", "agent-1").text
    assert [line.split("  ")[1] for line in done.splitlines()] == ["claim 1", "claim 2", "the note itself"]
    assert len(ID.findall(done)) == 3
    assert shell.ok("recall", "does the retry test hang").text.startswith("presence: claims")
    assert "note" not in shell.ok("status").text
    assert "no note waits" in shell.ok("pending", "list").err


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (b"", "blank"),
        (b" \n", "blank"),
        (b"caf\xe9", "not UTF-8 at byte 3"),
        (b"a\0b", "NUL"),
        (b"x" * 65_537, "more than 65536 bytes"),
        (TOKEN.encode(), "looks as if it held a secret"),
    ],
)
def test_bad_input_is_one_clear_error(shell: Shell, given: bytes, why: str) -> None:
    """And nothing is kept."""
    said = shell.refused("pending", "put", "-", given=given)
    assert why in said and TOKEN not in said
    assert shell.run("pending.list")["total"] == 0


@pytest.mark.parametrize("session", ["../x", "a/b", "..", "", "x" * 129, "\udcff", "a\x1b[31m"])
def test_a_session_that_is_a_path_is_refused(shell: Shell, session: str) -> None:
    """Wherever a session is named; what is repeated of it is harmless."""
    for words in (("put", "x", "--session", session), ("show", session), ("apply", session), ("drop", session)):
        assert "\x1b" not in shell.refused("pending", *words)


def test_an_endless_input_is_refused_before_its_end(shell: Shell) -> None:
    """No more is read than a note may have: a pipe that never ends gets its answer."""
    command = [sys.executable, "-m", "memgit.cli", "-C", str(shell.directory), "pending", "put", "-"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    running = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment
    )
    assert running.stdin is not None and running.stderr is not None
    running.stdin.write(b"x" * 65_537)
    running.stdin.flush()
    assert b"more than 65536 bytes" in running.stderr.read()
    assert running.wait(60) == 1
    running.stdin.close()
    running.stderr.close()


def test_a_terminal_obeys_no_note(shell: Shell) -> None:
    """Control characters are shown as escapes wherever a part of a note is shown; a program gets the text as it is."""
    text = "red \x1b[31m \u202e reversed\rover\x07"
    shell.ok("pending", "put", f"- {text}", "--session", "one")
    for words in (("list",), ("show",), ("preview",)):
        said = shell.ok("pending", *words).text
        assert "red \\x1b[31m" in said and not set("\x1b\u202e\r\x07") & set(said), words
    assert shell.run("pending.show")["text"] == f"- {text}"
    assert "\x1b" not in shell.ok("pending", "apply").text


def test_flagged_text_is_kept_and_shown_only_where_that_is_said(shell: Shell) -> None:
    """Each verb that would repeat it wants the flag."""
    shell.ok("pending", "put", f"- Use {TOKEN}", "--allow-flagged")
    for words in (("list",), ("show",)):
        said = shell.ok("pending", *words).text
        assert "looks as if it held a secret" in said and TOKEN not in said
    for words in (("preview",), ("apply",)):
        assert TOKEN not in shell.refused("pending", *words)
        assert TOKEN not in shell.ok("status").text
    for words in (("show",), ("preview",)):
        assert TOKEN in shell.ok("pending", *words, "--allow-flagged").text
    shell.ok("pending", "apply", "--allow-flagged")


def test_what_a_person_should_know_is_said(shell: Shell) -> None:
    """A truncation, a likeness, another task, a damaged file, an expired note."""
    assert "5000 bytes" in shell.ok("pending", "put", "x" * 5000, "--session", "long").err
    claim = shell.ok("remember", "We retry five times").first
    shell.ok("pending", "put", "- We retry five times\n- Or not at all", "--session", "two")
    assert f"the same as {claim}" in shell.ok("pending", "preview", "two").text
    assert f"1 is like {claim}" in shell.ok("pending", "apply", "two").err
    with clock.pinned(clock.timestamp() - 20 * 86_400):
        shell.ok("pending", "put", "Old news", "--session", "old")
    assert "old  expired 2" in shell.ok("pending", "list").text
    assert "1 note for review, 1 note expired, long expires next" in shell.ok("status").text
    assert "--expired" in shell.refused("pending", "apply", "old")
    shell.ok("pending", "put", "New", "--session", "new")
    assert ", kept until 2" in shell.ok("pending", "list").text
    next((shell.directory / ".git/memgit/state/pending").glob("*.json")).write_bytes(b"")
    assert "damaged: " in shell.ok("pending", "list").err


@pytest.mark.parametrize("words", ["apply --only 1;2", "apply --only", "preview --only x", "drop", "drop one --all"])
def test_wrong_usage_is_status_2(shell: Shell, words: str) -> None:
    """Numbers are numbers, and `drop` says what."""
    shell.refused("pending", *words.split(), status=2)


def test_dropped_is_said(shell: Shell) -> None:
    """Which, or how many."""
    for session in ("one", "two", "three"):
        shell.ok("pending", "put", "x", "--session", session)
    assert shell.ok("pending", "drop", "one").text == "one  erased\n"
    assert shell.ok("pending", "drop", "--all").text == "2 notes erased\n"
