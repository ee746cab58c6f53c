"""A push that takes the memory along: in the background, to the elected remote alone, never failing or delaying it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memgit.hosts.git_hooks import install as installing
from memgit.hosts.git_hooks.record import push_file
from tests.hosts.conftest import Place

PROGRAM = Path(sys.executable).with_name("git-memory")
PATIENCE = 60.0


def await_file(path: Path, patience: float = PATIENCE) -> str:
    """Wait until a file has text, and return that."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if path.is_file() and path.read_text().endswith("\n"):
            return path.read_text()
        time.sleep(0.02)
    raise AssertionError(f"{path} did not come")


@pytest.fixture
def pushing(plain: Place, tmp_path: Path) -> Place:
    """A repository with two remotes, of which `origin` has the memory, and a push that takes it along."""
    for name in ("origin", "fork"):
        subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / f"{name}.git")], check=True)
        plain.git("remote", "add", name, str(tmp_path / f"{name}.git"))
    assert plain.call("sync.run", remote="origin")["ok"]
    installing.install(plain.repository, str(PROGRAM), push=True)
    return plain


def stub(place: Place, text: str) -> None:
    """Let a push start a script instead."""
    script = place.directory.parent / "program"
    script.write_text(f"#!/bin/sh\n{text}\n")
    script.chmod(0o755)
    push_file(place.repository).write_text(f"{script}\n")


def there(remote: Path) -> str:
    """Return the memory that a remote has."""
    done = subprocess.run(
        ["git", "-C", str(remote), "for-each-ref", "--format=%(objectname)", "refs/memgit/store"],
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def test_a_push_takes_the_memory_along(pushing: Place, tmp_path: Path) -> None:
    """What was remembered is on the remote soon after a push of code, and what the hooks noted is taken."""
    assert pushing.call("claim.assert", claim_type="fact", statement="Herons dive at noon.")["ok"]
    tip = pushing.git("rev-parse", "refs/memgit/store")
    assert there(tmp_path / "origin.git") != tip
    pushing.git("push", "-q", "origin", "main")
    end = time.monotonic() + PATIENCE
    while there(tmp_path / "origin.git") != tip and time.monotonic() < end:
        time.sleep(0.05)
    assert there(tmp_path / "origin.git") == tip
    assert pushing.warnings() == []


def test_a_push_waits_for_nothing(pushing: Place, tmp_path: Path) -> None:
    """The push ends while the sync still runs, which holds no descriptor of it and has no terminal (reports 21, 24)."""
    said = tmp_path / "said"
    stub(pushing, f"echo $$ >{said}.pid; ls -l /proc/$$/fd >{said}.part; mv {said}.part {said}; sleep 300")
    done = pushing.run("git", "push", "-q", "origin", "main")  # returns when all of its output is closed
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    process = int(await_file(Path(f"{said}.pid")))
    try:
        opened = [line.split(" -> ")[1] for line in await_file(said).splitlines() if " -> " in line]
        assert not [path for path in opened if path.startswith(("pipe:", "socket:", "/dev/pts", "/dev/tty"))]
        os.kill(process, 0)  # it still runs
    finally:
        os.kill(process, signal.SIGKILL)


def test_a_dead_remote_and_a_program_that_is_gone(pushing: Place) -> None:
    """Where the remote is dead, Git says what it always says; where the program is gone, the next command says it."""
    pushing.git("remote", "set-url", "origin", "/nonexistent.git")
    before = pushing.run("git", "-c", "core.hooksPath=/dev/null", "push", "-q", "origin", "main")
    after = pushing.run("git", "push", "-q", "origin", "main")
    assert (after.returncode, after.stderr) == (before.returncode, before.stderr)
    push_file(pushing.repository).write_text("/nonexistent/git-memory\n")
    pushing.git("push", "-q", "fork", "main")
    assert [text for text in pushing.warnings() if "cannot start /nonexistent/git-memory" in text]


def test_a_failure_is_said_by_the_next_command(pushing: Place, tmp_path: Path) -> None:
    """A server that takes the code and not the memory: the push succeeds, the next command says why, once."""
    pushing.call("claim.assert", claim_type="fact", statement="Herons dive at noon.")
    hook = tmp_path / "origin.git" / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text('#!/bin/sh\ncase $1 in refs/memgit/*) echo "no memory here" >&2; exit 1 ;; esac\n')
    hook.chmod(0o755)
    done = subprocess.run([PROGRAM, "hooks", "after-push", "origin"], cwd=pushing.directory, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (said,) = pushing.warnings()
    assert said.startswith("the memory was not synced with your last push: ") and "no memory here" in said
    assert pushing.warnings() == []


def test_a_dead_remote_is_said_by_the_next_command(pushing: Place) -> None:
    """A remote that the memory does not reach: no prompt, an end, and one line at the next command."""
    pushing.git("remote", "set-url", "origin", "ssh://nobody@127.0.0.1:1/nowhere.git")
    done = subprocess.run([PROGRAM, "hooks", "after-push", "origin"], cwd=pushing.directory, capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (said,) = pushing.warnings()
    assert said.startswith("the memory was not synced with your last push: origin cannot be reached")


def test_a_push_elsewhere_takes_nothing_along(pushing: Place, tmp_path: Path) -> None:
    """A push of code to a fork sends no memory there, nor anywhere."""
    pushing.call("claim.assert", claim_type="fact", statement="Herons dive at noon.")
    before = there(tmp_path / "origin.git")
    for remote in (["fork"], []):
        done = subprocess.run([PROGRAM, "hooks", "after-push", *remote], cwd=pushing.directory, capture_output=True)
        assert done.returncode == 0
    assert there(tmp_path / "fork.git") == ""
    assert there(tmp_path / "origin.git") == before


def test_a_push_elects_no_remote(plain: Place, tmp_path: Path) -> None:
    """Where no remote was chosen for the memory, a push chooses none, and that is said."""
    plain.git("remote", "add", "origin", str(tmp_path / "there.git"))
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "there.git")], check=True)
    installing.install(plain.repository, str(PROGRAM), push=True)
    subprocess.run([PROGRAM, "hooks", "after-push", "origin"], cwd=plain.directory, check=True)
    assert there(tmp_path / "there.git") == ""
    (said,) = plain.warnings()
    assert "no remote was chosen" in said


def test_push_is_kept_and_taken_back(pushing: Place) -> None:
    """Installing again without a word about it leaves the sync as it is; `--no-push` ends it."""
    assert not installing.install(pushing.repository, str(PROGRAM), push=None).changed
    assert push_file(pushing.repository).is_file()
    assert installing.install(pushing.repository, str(PROGRAM), push=False).changed
    assert not push_file(pushing.repository).exists()


def test_the_doctor_names_a_program_that_is_gone(pushing: Place) -> None:
    """A push that could not start the sync is found before anybody pushes."""
    push_file(pushing.repository).write_text("/nonexistent/git-memory\n")
    result = pushing.call("doctor")["result"]
    assert isinstance(result, dict)
    (check,) = [one for one in result["checks"] if one["state"] == "bad"]
    assert "cannot start /nonexistent/git-memory" in check["text"]
    assert check["hint"] == "Run `git memory hooks install --push`."


def test_installing_says_that_no_remote_was_chosen(plain: Place, tmp_path: Path) -> None:
    """Where the memory goes to no remote yet, `install --push` says what to run first; then it does not."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "origin.git")], check=True)
    plain.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    (said,) = plain.call("hooks.install", push=True)["warnings"]  # type: ignore[misc]
    assert "git memory sync REMOTE" in str(said)
    result = plain.call("doctor")["result"]
    assert isinstance(result, dict)
    assert [one for one in result["checks"] if "git memory sync REMOTE" in one["text"]]
    assert plain.call("sync.run", remote="origin")["ok"]
    assert plain.call("hooks.install", push=True)["warnings"] == []


def test_a_message_that_ends_in_a_stop_has_one(pushing: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Git says of a remote often ends in a stop; what follows does not begin after two."""
    from memgit.errors import RemoteUnavailable
    from memgit.operations import push_sync, sync
    from memgit.operations.invocation import Invocation

    def fails(*_: object) -> None:
        raise RemoteUnavailable("could not read from remote repository.", hint="Check it.")

    monkeypatch.setattr(sync, "run", fails)
    invocation = Invocation(pushing.directory)
    push_sync.sync_after_push(invocation, "origin")
    invocation.close()
    (said,) = pushing.warnings()
    assert said.endswith("from remote repository. Check it.")
