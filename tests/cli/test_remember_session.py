"""`git memory remember-session`: from a file or standard input, and what a person reads."""

from __future__ import annotations

import json

from tests.cli.conftest import Shell

TURNS = [{"speaker": "Ada", "text": "Where were you?"}, {"speaker": "Ben", "text": "At the lake."}]


def test_lines_and_arrays_are_the_same(shell: Shell) -> None:
    """A turn a line, or all in one array; the file names the session, or the flag does."""
    shell.write("standup.jsonl", "".join(json.dumps(turn) + "\n\n" for turn in TURNS))
    said = shell.ok("remember-session", "standup.jsonl")
    assert said.text.splitlines()[-1] == "2 turns in 1 claims, 0 known before"
    again = shell.type("remember-session", "--session", "standup", given=json.dumps(TURNS))
    assert again.text == "0 turns in 0 claims, 2 known before\n"
    text = shell.ok("show", said.first).text
    assert "Ben: At the lake." in text


def test_flags_reach_the_operation(shell: Shell) -> None:
    """Bounds and markers."""
    given = json.dumps(TURNS)
    said = shell.type("remember-session", "-", "--session", "s", "--turns", "1", "--marker", "topic:lakes", given=given)
    assert said.text.splitlines()[-1] == "2 turns in 2 claims, 0 known before"
    assert "topic:lakes" in shell.ok("show", said.first, "--json").out.decode()
    assert shell.type("remember-session", "--session", "t", "--max-bytes", "1", given=given).status != 0


def test_what_was_left_out_is_said_beside(shell: Shell) -> None:
    """On standard error, with the turn and the reason, and never with the secret."""
    given = json.dumps([*TURNS, {"text": "password: hunter2Xk99!aa_Z"}])
    said = shell.type("remember-session", "--session", "s", given=given)
    assert said.status == 0 and "turn 3" in said.err and "secret" in said.err
    assert "hunter2" not in said.err + said.text


def test_what_is_no_session_is_refused(shell: Shell) -> None:
    """No name, no JSON, no turns: each says what to do."""
    assert "--session" in shell.type("remember-session", given="[]").err
    assert "line 2" in shell.type("remember-session", "--session", "s", given='{"text": "a"}\n{"text"').err
    assert shell.type("remember-session", "--session", "s", given="[1]").status != 0
    assert shell.type("remember-session", "nowhere.jsonl").status != 0
    for nothing in ("", " \n\n"):
        said = shell.type("remember-session", "--session", "s", given=nothing)
        assert said.status != 0 and "no turns" in said.err
