"""Whatever surrounds a hook, Git's result is unchanged, nothing asks, nothing waits, and what failed is said once."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from memgit.checkpoints import spool
from memgit.hosts.git_hooks.shipped import HOOKS, event_script
from memgit.store.lock import WriterLock
from tests.hosts.conftest import Place

PATIENCE = 20.0  # a hook takes milliseconds; the machine may be busy


def make_unwritable(directory: Path) -> None:
    """Make sure that nobody can append in a directory; the superuser is stopped by a file in its place."""
    if os.geteuid() != 0:
        directory.chmod(0o500)
        return
    shutil.rmtree(directory)
    directory.write_bytes(b"")


def commit_with(place: Place, environment: dict[str, str]) -> str:
    """Commit in another environment, within the time that a person would allow."""
    place.write("file", str(time.time_ns()))
    place.git("add", "file")
    begun = time.monotonic()
    done = place.run("git", "commit", "-q", "-m", "x", environment=environment)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert time.monotonic() - begun < PATIENCE
    return place.git("rev-parse", "HEAD")


@pytest.mark.parametrize(
    "environment",
    [
        {"PATH": ""},
        {},
        {"HOME": "/nonexistent", "PATH": "/nonexistent"},
        {"IFS": "/", "ENV": "/nonexistent", "CDPATH": "/", "LC_ALL": "tr_TR.UTF-8", "POSIXLY_CORRECT": "1"},
    ],
    ids=["no PATH", "nothing", "no HOME", "odd variables"],
)
def test_no_path_and_no_home(hooked: Place, environment: dict[str, str]) -> None:
    """Without PATH and HOME, as a GUI starts Git, the event still arrives (report 16)."""
    kept = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM")
    variables = {name: os.environ[name] for name in kept} | environment
    git = shutil.which("git")
    assert git is not None
    hooked.write("file", "x")
    hooked.git("add", "file")
    done = hooked.run(git, "commit", "-q", "-m", "x", environment=variables)
    assert (done.returncode, done.stderr) == (0, b"")
    (event,) = hooked.events()
    assert (event.kind, event.after) == ("commit", hooked.git("rev-parse", "HEAD"))


def test_a_spool_that_cannot_be_written_is_said_once(hooked: Place) -> None:
    """The commit succeeds in silence; the next command says why nothing was noted, and only that one (report 17)."""
    make_unwritable(hooked.repository.state_dir / "spool")
    commit_with(hooked, {**os.environ})
    (said,) = hooked.warnings()
    assert said.startswith("the hook post-commit could not note what Git did: cannot ")
    assert "git memory doctor" in said
    assert hooked.warnings() == []


def test_nothing_can_be_written_at_all(hooked: Place) -> None:
    """Where not even the failure can be noted, Git's result is the same."""
    state = hooked.repository.state_dir
    script = (state / "hooks" / "event.sh").read_text().replace("$state/spool", "/nonexistent/spool")
    script = script.replace('"$state/hook-failed"', "/nonexistent/x").replace('memgit/hook-failed"', 'no/no"')
    (state / "hooks" / "event.sh").write_text(script.replace('memgit-hook-failed"', 'no/no"'))
    commit_with(hooked, {**os.environ})
    assert hooked.warnings() == []


def test_a_script_that_is_gone_or_broken(hooked: Place) -> None:
    """A script that is missing, empty or no sh at all stops no commit."""
    path = hooked.repository.state_dir / "hooks" / "event.sh"
    for content in (b"", b"if then (", b"exit 5\n", b"\0\xff", None):
        path.write_bytes(content) if content is not None else path.unlink()
        commit_with(hooked, {**os.environ})
    path.write_bytes(event_script())
    commit_with(hooked, {**os.environ})
    assert len(hooked.events()) == 1


def test_the_lock_may_be_held(hooked: Place) -> None:
    """A hook needs no lock: while somebody holds it, a commit is noted at once (report 15)."""
    with WriterLock(hooked.repository.state_dir, 1.0).held():
        commit_with(hooked, {**os.environ})
    assert len(hooked.events()) == 1


def test_signing_without_an_agent(hooked: Place) -> None:
    """The user's own signing fails as it would without us, and a hook adds no prompt."""
    hooked.git("config", "gpg.program", "false")
    hooked.git("config", "commit.gpgSign", "true")
    assert hooked.run("git", "commit", "-q", "--allow-empty", "-m", "x").returncode != 0
    hooked.git("config", "commit.gpgSign", "false")
    commit_with(hooked, {**os.environ})


def test_no_terminal_is_touched_and_no_output_kept_open(hooked: Place) -> None:
    """A caller that reads until the end of output gets it when Git ends (report 21)."""
    hooked.git("remote", "add", "origin", str(hooked.directory / "nowhere.git"))
    begun = time.monotonic()
    done = subprocess.run(
        ["sh", "-c", "git commit -q --allow-empty -m x; git checkout -q -b side; git push -q origin side"],
        cwd=hooked.directory,
        capture_output=True,
        start_new_session=True,
    )
    assert b"nowhere.git" in done.stderr
    assert time.monotonic() - begun < PATIENCE


def test_no_external_program_is_started(hooked: Place, tmp_path: Path) -> None:
    """Every hook works by the shell alone: with a PATH on which nothing is found, all lines arrive."""
    environment = {"PATH": str(tmp_path / "empty")}
    (hooked.repository.git_dir / "ORIG_HEAD").write_text(hooked.git("rev-parse", "HEAD") + "\n")
    for hook in HOOKS:
        done = subprocess.run(
            ["/bin/sh", str(hooked.hooks / hook), "1", "2", "1"],
            cwd=hooked.directory,
            env=environment,
            input=f"{'1' * 40} {'2' * 40}\n".encode(),
            capture_output=True,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert sum(event.runs for event in hooked.events()) == len(HOOKS)


@pytest.mark.parametrize("name", ["GIT_DIR", "GIT_INDEX_FILE"])
def test_git_variables_reach_no_other_repository(hooked: Place, tmp_path: Path, name: str) -> None:
    """What Git exports to a hook changes neither what is noted nor another repository's index (report 18)."""
    other = Place(tmp_path / "other")
    subprocess.run(["git", "init", "-q", str(other.directory)], check=True)
    before = other.git("status", "--porcelain")
    value = {"GIT_DIR": hooked.repository.git_dir, "GIT_INDEX_FILE": hooked.repository.git_dir / "index"}[name]
    environment = {**os.environ, name: str(value)}
    done = subprocess.run([str(hooked.hooks / "post-commit")], cwd=hooked.directory, env=environment)
    assert done.returncode == 0
    assert len(hooked.events()) == 1
    assert other.git("status", "--porcelain") == before


def test_a_partial_commit_keeps_its_index(hooked: Place) -> None:
    """`git commit FILE` works on an index of its own, which no hook of ours touches (report 18)."""
    hooked.write("one", "1")
    hooked.write("two", "2")
    hooked.git("add", "one", "two")
    hooked.git("commit", "-q", "-m", "one", "one")
    assert hooked.git("status", "--porcelain") == "A  two"
    assert len(hooked.events()) == 1


@pytest.mark.parametrize("shell", ["dash", "bash", "busybox", "ksh", "mksh"])
def test_other_shells(hooked: Place, shell: str) -> None:
    """The script is POSIX: each shell that is here notes the same, with a time that is right."""
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    words = [program, *(["sh"] if shell == "busybox" else [])]
    for hook in ("post-commit", "post-rewrite"):
        done = subprocess.run(
            [*words, str(hooked.hooks / hook), "amend"],
            cwd=hooked.directory,
            input=f"{'1' * 40} {hooked.git('rev-parse', 'HEAD')}\n".encode(),
            capture_output=True,
        )
        assert (done.returncode, done.stderr) == (0, b"")
    (event,) = hooked.events()
    assert (event.kind, event.cause, len(event.rewritten)) == ("commit", "amend", 1)
    assert abs(event.at.timestamp() - time.time()) < 60


def test_a_shell_without_a_clock(hooked: Place) -> None:
    """Where the shell has no clock, the time of a file of its own stands in, and the order is kept."""
    path = hooked.repository.state_dir / "hooks" / "event.sh"
    path.write_text(path.read_text().replace("/proc/uptime", "/nonexistent").replace("EPOCHREALTIME", "NO_CLOCK"))
    first, second = hooked.commit("one"), hooked.commit("two")
    assert [event.after for event in hooked.events()] == [first, second]


def test_the_spool_is_bounded(hooked: Place) -> None:
    """Where nobody takes what is noted, the hooks stop at a number of runs, and that is said."""
    (hooked.repository.state_dir / "spool" / "count").write_text("4999\n")
    hooked.git("commit", "-q", "--allow-empty", "--no-verify", "-m", "the last one")
    size = (hooked.repository.state_dir / "spool" / "events").stat().st_size
    hooked.commit("too many")
    assert (hooked.repository.state_dir / "spool" / "events").stat().st_size == size
    taken = spool.take(hooked.repository)
    assert len(taken.events) == 1
    assert "noted nothing from" in taken.notes[0]
    taken.done()
    hooked.commit("again")
    assert [event.kind for event in hooked.events()] == ["commit"]


@pytest.mark.parametrize("name", ["spool/events", "spool/count", "hook-failed"])
@pytest.mark.parametrize("kind", ["pipe", "directory"])
def test_a_pipe_in_the_place_of_a_file_hangs_nobody(hooked: Place, name: str, kind: str) -> None:
    """No hook and no command opens what is no file; what could not be noted is said, and the doctor knows it too."""
    path = hooked.repository.state_dir / name
    if name == "hook-failed":  # so that the hook has something to complain of
        (hooked.repository.state_dir / "spool" / "events").mkdir()
    path.mkdir() if kind == "directory" else os.mkfifo(path)
    commit_with(hooked, {**os.environ})
    said = hooked.warnings()
    assert len(said) == 1 and "which is no file" in said[0], said
    if name == "spool/events":
        result = hooked.call("doctor")["result"]
        assert isinstance(result, dict)
        assert [check["hint"] for check in result["checks"]] == ["Move what is there away."]
    hooked.warnings()


def test_words_that_did_not_fit_on_the_disk(hooked: Place) -> None:
    """On a full disk a hook leaves empty files: the next command says so once, with the reason that it may have."""
    for path in ("memgit/state/hook-failed", "memgit/hook-failed", "memgit-hook-failed"):
        (hooked.repository.common_dir / path).write_bytes(b"")
    (said,) = hooked.warnings()
    assert said.startswith("a hook could not note what Git did: it could not even write why, as on a full disk; ")
    assert hooked.warnings() == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_hook_on_a_full_disk(hooked: Place) -> None:
    """Where an append fails for want of room, the commit succeeds, and the next command gives a reason."""
    script = hooked.repository.state_dir / "hooks" / "event.sh"
    text = script.read_text("utf-8").replace('"$state/spool/$file"', "/dev/full")
    script.write_text(text.replace("is_free /dev/full ||", "true ||"))
    commit_with(hooked, {**os.environ})
    (said,) = hooked.warnings()
    assert "cannot append to" in said


@pytest.mark.parametrize("shell", ["dash", "bash", "busybox"])
@pytest.mark.parametrize("tools", [True, False], ids=["cat", "no cat"])
def test_much_input_costs_what_it_is_long(hooked: Place, shell: str, tools: bool) -> None:
    """Input of a large rebase is noted and handed on in a time that grows with its length, not with its square.

    A block that copies all of it for each line takes minutes for this.
    """
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    count = 20_000 if tools else 5_000
    lines = b"".join(b"%040x %040x\n" % (2 * n + 1, 2 * n + 2) for n in range(count))
    hook = hooked.hooks / "post-rewrite"
    hook.write_bytes(hook.read_bytes() + b"exec /bin/cat >handed-on\n")
    words = [program, *(["sh"] if shell == "busybox" else [])]
    done = subprocess.run(
        [*words, str(hook), "rebase"],
        cwd=hooked.directory,
        input=lines,
        env={**os.environ} if tools else {"PATH": "/nonexistent"},
        timeout=PATIENCE,
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (hooked.directory / "handed-on").read_bytes() == lines
    (event,) = hooked.events()
    assert len(event.rewritten) == count


def test_the_pairs_of_one_rewrite_are_bounded(hooked: Place) -> None:
    """Past a number of pairs nothing is noted, all is handed on, and that is said."""
    script = hooked.repository.state_dir / "hooks" / "event.sh"
    script.write_text(script.read_text("utf-8").replace("-lt 20000", "-lt 30"), "utf-8")
    lines = b"".join(b"%040x %040x\n" % (2 * n + 1, 2 * n + 2) for n in range(31))
    hook = hooked.hooks / "post-rewrite"
    hook.write_bytes(hook.read_bytes() + b"exec cat >handed-on\n")
    assert hooked.run(hook, "rebase", given=lines).returncode == 0
    assert (hooked.directory / "handed-on").read_bytes() == lines
    (event,) = hooked.events()
    assert len(event.rewritten) == 30
    assert [text for text in hooked.warnings() if "only the first 30 rewritten commits were noted" in text]


def test_a_block_without_a_script_takes_no_input(hooked: Place) -> None:
    """Where there is no memory, or nothing was installed, the input is left for what follows, untouched."""
    (hooked.repository.state_dir / "hooks" / "event.sh").unlink()
    hook = hooked.hooks / "post-rewrite"
    hook.write_bytes(hook.read_bytes() + b"exec cat >handed-on\n")
    given = b"one\n\n\nno end of line"
    assert hooked.run(hook, "rebase", given=given).returncode == 0
    assert (hooked.directory / "handed-on").read_bytes() == given
