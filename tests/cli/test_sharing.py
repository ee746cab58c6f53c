"""`sync`, `push`, `fetch`, `pull`, `remote status` and `init` as people type them: one line each, exit status 0."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from tests.cli.conftest import SCOPE, STORE, Shell
from tests.screening.keys import KINDS
from tests.sync.servers import http

TOKEN = KINDS["github"][0](Random(1)).text


@pytest.fixture
def hub(shell: Shell) -> Path:
    """A bare repository, which is the only remote of the shell's repository."""
    path = shell.directory.with_name("hub.git")
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    shell.git("remote", "add", "origin", str(path))
    return path


@pytest.fixture
def other(shell: Shell, hub: Path) -> Shell:
    """A clone that has fetched the memory."""
    shell.ok("claim", "assert", "First of all.")
    shell.ok("sync")
    path = shell.directory.with_name("other")
    subprocess.run(["git", "clone", "-q", str(hub), str(path)], check=True)
    made = Shell(path)
    made.ok("sync")
    return made


def test_a_sync_ends_with_one_line(shell: Shell, hub: Path) -> None:
    """The line says what came and what went; the election is said once, beside the data."""
    shell.ok("claim", "assert", "We pin every dependency.")

    first, second = shell.ok("sync"), shell.ok("sync")

    assert first.text == "synced with origin: nothing came; went 1 (claim.assert 1)\n"
    assert "memory goes to origin from now on" in first.err
    assert second.text == "synced with origin: nothing came; nothing went\n" and second.err == ""


def test_conflicts_are_told_and_no_failure(shell: Shell, other: Shell) -> None:
    """Two edits of one claim end in status 0, with the number of cases and the verb that shows them."""
    claim = shell.git("ls-tree", "-r", "--name-only", STORE, "claims/").split("/")[-1].split(".")[0]
    shell.ok("claim", "revise", claim, "As one sees it.")
    other.ok("claim", "revise", claim, "As the other sees it.")
    shell.ok("sync")

    assert "1 conflict would open" not in other.ok("fetch").text
    assert "1 would open" in other.ok("remote", "status").text
    assert "came 1 (claim.revise 1); went 1 (claim.revise 1); 1 conflict opened (`git memory conflict list`)" in (
        other.ok("sync").text
    )
    assert claim in other.ok("conflict", "list").text


def test_pull_push_and_status(shell: Shell, other: Shell) -> None:
    """Each says its part of the exchange."""
    shell.ok("claim", "assert", "Second.")
    assert shell.ok("push").text == "pushed to origin: went 1 (claim.assert 1)\n"
    waiting = "fetched from origin: 1 (claim.assert 1) to come (`git memory sync` brings it in)\n"
    assert other.ok("fetch").text == waiting
    status = other.ok("remote", "status").text
    assert re.search(r"behind +1 \(claim.assert 1\)", status) and re.search(r"ahead +nothing", status)
    assert other.ok("pull").text == "pulled from origin: came 1 (claim.assert 1)\n"
    assert re.search(r"behind +nothing", other.ok("remote", "status").text)


def test_a_status_says_as_of_when(shell: Shell, other: Shell) -> None:
    """What is behind is known as of the last look, and a sync or a push is a look; a bare `remote` is the status."""
    shell.ok("claim", "assert", "Second.")
    shell.ok("sync")
    for side in (shell, other):
        status = side.ok("remote").text
        assert re.search(r"behind +nothing, as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ \(`git memory fetch`", status)
        assert "never" not in status
    assert re.search(r"behind +1 \(claim.assert 1\), as of", other.ok("remote", "status", "--fetch").text)
    assert other.ok("remote", "--json").envelope["result"]["behind"] == {"claim.assert": 1}


def test_the_summary_says_what_is_not_synced(shell: Shell, other: Shell) -> None:
    """A bare `git memory` names what waits on either side, as of the last look; nothing where both are equal."""
    assert "sync" not in shell.ok("status").text
    shell.ok("claim", "assert", "Second.")
    assert "  1 operation not synced with origin: `git memory sync`" in shell.ok().text
    shell.ok("sync")
    other.ok("fetch")
    assert "  1 operation fetched and not united: `git memory diff`" in other.ok("status").text


def test_the_summary_marks_what_is_disputed(shell: Shell) -> None:
    """A claim in dispute says so in the list of the latest."""
    claim = shell.ok("claim", "assert", "One").first
    shell.ok("claim", "assert", "Another")
    shell.fork(claim, "Ours", "Theirs")
    lines = [line for line in shell.ok("status").text.splitlines() if "disputed" in line]
    assert len(lines) == 1 and claim in lines[0]


def test_a_status_before_any_look(shell: Shell, hub: Path) -> None:
    """Where nobody has looked, what the remote has is not known."""
    assert re.search(r"behind +not known: `git memory fetch` looks", shell.ok("remote", "status").text)
    shell.ok("claim", "assert", "First.")
    shell.ok("push", "origin")
    assert re.search(r"behind +nothing, as of", shell.ok("remote", "status").text)


def test_what_was_let_in_is_said_when_it_goes(shell: Shell, hub: Path) -> None:
    """A sync, a push and a shared draft say that text which looks like a secret went along, and which; once."""
    shell.ok("sync")
    claim = shell.ok("remember", f"Use {TOKEN}", "--allow-flagged").first
    assert "with 2 records that look like secrets and were allowed here" in shell.ok("sync").text
    assert "secret" not in shell.ok("sync").text
    shell.ok("claim", "assert", f"Use {TOKEN} too", "--allow-flagged")
    pushed = shell.ok("push", "--json").envelope["result"]["flagged"]
    assert len(pushed) == 1 and pushed != [claim]
    shell.ok("claim", "assert", f"Draft {TOKEN}", "--allow-flagged", "--draft", "d")
    assert "1 record that looks like a secret" in shell.ok("draft", "share", "d").err


def test_help_names_what_shows_a_sync_before_it_is_done(empty: Shell) -> None:
    """Who asks about `sync` or `fetch` learns of `git memory diff`; who has no memory yet learns of `sync`."""
    for verb in ("sync", "fetch"):
        assert "git memory diff" in " ".join(empty.ok(verb, "-h").text.split())
    assert "git memory sync" in empty.ok().text


def test_a_remote_that_is_not_there_is_said_when_it_is_chosen(shell: Shell, hub: Path) -> None:
    """`config set remote` of an unknown name warns at once; the sync's error names the command that chooses another."""
    assert "origin" in shell.ok("config", "set", "remote", "nope").err
    assert "git memory sync origin --elect" in shell.refused("sync")
    assert "warning" not in shell.ok("config", "set", "remote", "origin").err


def test_the_envelope_has_the_whole_report(shell: Shell, hub: Path) -> None:
    """With `--json` the report is data: counts by kind, cases, notes, commits on both sides."""
    shell.ok("claim", "assert", "A claim.")

    envelope = shell.ok("sync", "--json").envelope

    assert envelope["ok"] and envelope["result"]["went"] == {"claim.assert": 1}
    assert envelope["result"]["commit"] == envelope["result"]["remote_commit"] == envelope["commit"]
    assert envelope["result"]["elected"] is True and envelope["result"]["conflicts_opened"] == []


def test_refusals_are_clear(shell: Shell, hub: Path) -> None:
    """Each way not to have a remote is one error with the command that helps."""
    assert "git remote add" in shell.refused("sync", "https://example.invalid/x.git")
    assert "There is origin" in shell.refused("push", "nope")
    shell.git("remote", "add", "second", str(hub))
    assert "git memory sync origin" in shell.refused("sync")
    shell.ok("sync", "origin")
    assert "--elect" in shell.refused("sync", "second")
    shell.git("remote", "remove", "origin")
    assert "git remote add origin" in shell.refused("sync")


def test_init_in_a_clone_brings_the_memory(shell: Shell, hub: Path) -> None:
    """`init` finds the memory that the remote has and says so; `--offline` begins one of its own."""
    shell.ok("sync")
    for name, words in (("looks", ["init"]), ("offline", ["init", "--offline", *SCOPE])):
        path = shell.directory.with_name(name)
        subprocess.run(["git", "clone", "-q", str(hub), str(path)], check=True)
        said = Shell(path).ok(*words).text
        assert said.startswith("Brought the memory of origin" if name == "looks" else "Began the memory")


@pytest.mark.slow
def test_a_person_at_a_terminal_may_be_asked(shell: Shell, hub: Path) -> None:
    """On a terminal Git asks for the password there, and gets what is typed; Ctrl-C at the question ends it all."""
    subprocess.run(["git", "-C", str(hub), "config", "http.receivepack", "true"], check=True)
    shell.ok("claim", "assert", "A claim.")
    with http(hub.parent, password="geheim") as url:
        shell.git("remote", "set-url", "origin", f"{url}/hub.git")
        status, said = _at_terminal(shell.directory, [(b"Username", b"me\n"), (b"Password", b"\x03")])
        assert status == 130 and b"Traceback" not in said
        answers = [(b"Username", b"me\n"), (b"Password", b"geheim\n")] * 3
        status, said = _at_terminal(shell.directory, answers)

    assert status == 0, said
    assert b"went 1 (claim.assert 1)" in said


def _at_terminal(directory: Path, answers: list[tuple[bytes, bytes]]) -> tuple[int, bytes]:
    """Run `git memory sync` on a terminal of its own and type each answer when its question comes."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(directory)
        os.environ["TERM"] = "xterm"
        os.execv(sys.executable, [sys.executable, "-m", "memgit.cli", "sync"])
    said, seen, deadline = b"", 0, time.monotonic() + 60
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            data = os.read(terminal, 4096)
        except OSError:
            break
        said += data
        if answers and answers[0][0] in said[seen:]:
            seen = len(said)
            os.write(terminal, answers.pop(0)[1])
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), said
