"""No line of a hook is lost, whoever takes, appends or dies when, and nothing that is no line counts."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.checkpoints import spool
from memgit.checkpoints.spool_lines import parse_line
from memgit.store.repository import Repository

A, B, C = "a" * 40, "b" * 40, "c" * 40


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository with an empty spool; a take needs no more of it."""
    git_dir = tmp_path / ".git"
    (git_dir / "memgit" / "state" / "spool").mkdir(parents=True)
    return Repository(git_dir, git_dir, tmp_path)


def line(hook: str = "post-commit", moment: str = "1764540000.5", **fields: str) -> bytes:
    """Return a line as a hook appends it."""
    said = {"worktree": ".", "cause": "-", "before": "-", "after": "-", "branch": "refs/heads/main", "argument": "-"}
    said |= {"agent": "-", "session": "-", "context": "-", "pairs": "-", **fields}
    return ("\n" + "\t".join(["1", hook, moment, *said.values()]) + "\n").encode()


def append(repository: Repository, *lines: bytes, name: str = "events") -> None:
    """Append lines as hooks do."""
    with (spool.spool_directory(repository) / name).open("ab") as stream:
        for one in lines:
            stream.write(one)


def afters(taken: spool.Taken) -> list[str | None]:
    """Return the commits of what was taken."""
    return [event.after for event in taken.events]


def test_what_was_taken_comes_again_until_it_is_done(repository: Repository) -> None:
    """A taker that dies before it says so leaves all events, with the same keys; afterwards they are gone."""
    append(repository, line(after=A), line(after=B))
    first = spool.take(repository)
    again = spool.take(repository)
    assert afters(first) == afters(again) == [A, B]
    assert [event.key for event in first.events] == [event.key for event in again.events]
    assert len({event.key for event in first.events}) == 2
    again.done()
    assert spool.take(repository) == spool.Taken(_spool=spool.spool_directory(repository), _read=again_read(repository))
    assert not spool.is_waiting(repository)


def again_read(repository: Repository) -> tuple[spool._File, ...]:
    """Return the files as a take reads them that finds nothing new."""
    return spool.take(repository)._read


def test_a_line_that_comes_late_is_read(repository: Repository) -> None:
    """A hook that opened the file before it was taken appends to it afterwards: the next take has that line."""
    append(repository, line(after=A))
    late = (spool.spool_directory(repository) / "events").open("ab")
    for _ in range(3):
        spool.take(repository).done()
    late.write(line(after=B))
    late.close()
    append(repository, line(after=C))
    assert spool.is_waiting(repository)
    assert sorted(afters(spool.take(repository))) == [B, C]


@pytest.mark.parametrize("step", range(8))
def test_killed_at_any_step(repository: Repository, monkeypatch: pytest.MonkeyPatch, step: int) -> None:
    """Whatever change to the files is the last one before a kill, each event comes exactly once under its key."""
    git_dir = repository.git_dir
    (git_dir / "rebase-merge").mkdir()
    append(repository, line(after=A), line(moment=f"{time.time():.3f}", after=B, before=C, cause="rebase"))
    append(repository, line(after=C, worktree="worktrees/x"), name="events-17")
    seen: dict[str, tuple[str | None, int]] = {}
    changes = 0

    class Killed(Exception):
        pass

    def counted(function: object) -> object:
        def change(*arguments: object, **options: object) -> object:
            nonlocal changes
            if changes == step:
                raise Killed
            changes += 1
            return function(*arguments, **options)  # type: ignore[operator]

        return change

    with monkeypatch.context() as patched:
        for name in ("rename", "unlink", "replace", "write_bytes"):
            patched.setattr(Path, name, counted(getattr(Path, name)))
        try:
            taken = spool.take(repository)
            seen |= {event.key: (event.after, event.runs) for event in taken.events}
            taken.done()
        except Killed:
            pass
    (git_dir / "rebase-merge").rmdir()
    taken = spool.take(repository)
    assert len({event.key for event in taken.events}) == len(taken.events)
    seen |= {event.key: (event.after, event.runs) for event in taken.events}
    taken.done()
    assert sorted(map(str, seen.values())) == [str((commit, 1)) for commit in (A, B, C)]
    assert spool.take(repository).events == ()


def test_many_hooks_and_many_takers(repository: Repository) -> None:
    """While shells append and takers take, all at once, each line is an event once."""
    script = r"i=0; while [ $i -lt 600 ]; do printf '\n1\t%s\t1764540000.5\t.\t-\t-\t%040x\tx\t-\t-\t-\t-\t-\n' "
    script += 'post-commit "$(($1 * 1000 + i + 1))" >>"$0"; i=$((i + 1)); done'
    path = str(spool.spool_directory(repository) / "events")
    shells = [subprocess.Popen(["sh", "-c", script, path, str(number)]) for number in range(4)]
    found: list[str | None] = []
    lock = threading.Lock()  # stands for the writer's

    def take() -> None:
        with lock:
            taken = spool.take(repository)
            found.extend(afters(taken))
            assert taken.notes == ()
            taken.done()

    while any(shell.poll() is None for shell in shells):
        takers = [threading.Thread(target=take) for _ in range(3)]
        for one in takers:
            one.start()
        for one in takers:
            one.join()
    take()
    assert sorted(map(str, found)) == sorted(f"{n * 1000 + i + 1:040x}" for n in range(4) for i in range(600))


def test_an_unfinished_action_waits(repository: Repository) -> None:
    """Steps of a rebase that goes on are held back, over any number of takes, and are one event when it ends."""
    (repository.git_dir / "rebase-merge").mkdir()
    now = f"{time.time():.3f}"
    for number, commit in enumerate((A, B)):
        append(repository, line(moment=now, after=commit, before=C, cause="rebase"), line("pre-push", now))
        taken = spool.take(repository)
        assert [event.kind for event in taken.events] == ["push"], number
        taken.done()
        assert not spool.is_waiting(repository)
    pairs = f"{A}:{B},{B}:{C}"
    append(repository, line("post-rewrite", now, after=C, before=C, cause="rebase", argument="rebase", pairs=pairs))
    (event,) = (taken := spool.take(repository)).events
    assert (event.kind, event.runs, event.through) == ("rewrite", 3, (A, B))
    assert event.rewritten == ((A, B), (B, C))
    taken.done()
    assert spool.take(repository).events == ()


def test_an_action_that_rests_too_long_is_an_event(repository: Repository) -> None:
    """A rebase that was left alone for a day is told as far as it went; so is a commit that never came."""
    (repository.git_dir / "rebase-merge").mkdir()
    old = f"{time.time() - 25 * 3600:.3f}"
    append(repository, line(moment=old, after=A, before=C, cause="rebase"))
    append(repository, line("pre-commit", old, worktree="worktrees/x", before=B))
    assert [event.kind for event in spool.take(repository).events] == ["commit", "pre-commit"]


def test_what_is_no_line_is_counted(repository: Repository) -> None:
    """Torn, foreign and later lines lose nothing else, and are named by their number."""
    torn = line(after=A)[:40]
    append(repository, torn, line(after=B), b"\n2\tfuture\n", b"\xff\xfe\n", line("post-office"), line(after=C))
    taken = spool.take(repository)
    assert afters(taken) == [B, C]
    assert taken.notes == ("4 lines of Git's hooks could not be read and count for nothing",)
    taken.done()
    assert spool.take(repository).notes == ()


def test_a_line_that_is_still_being_written_waits(repository: Repository) -> None:
    """Half a line at the end of the file is read when it is whole."""
    whole = line(after=B)
    append(repository, line(after=A), whole[:50])
    path = spool.spool_directory(repository) / "events"
    stream = path.open("ab")
    taken = spool.take(repository)
    assert (afters(taken), taken.notes) == ([A], ())
    taken.done()
    stream.write(whole[50:])
    stream.close()
    assert afters(spool.take(repository)) == [B]


def test_reading_is_bounded(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a spool that is too large, one take reads a part, and later ones the rest."""
    monkeypatch.setattr(spool, "READ_BYTES", 5 * len(line(after=A)) + 20)
    commits = [f"{number + 1:040x}" for number in range(12)]
    append(repository, *(line(after=commit) for commit in commits))
    found: list[str | None] = []
    for expected in (5, 5, 2, 0):
        taken = spool.take(repository)
        assert len(taken.events) == expected
        found += afters(taken)
        taken.done()
    assert found == commits


def test_files_go_when_no_hook_can_append_any_more(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was taken stays a while for hooks that are late, and goes with a later take."""
    append(repository, line(after=A))
    spool.take(repository).done()
    assert len(list(spool.spool_directory(repository).iterdir())) == 1
    monkeypatch.setattr(spool, "LATE_SECONDS", -1.0)
    spool.take(repository).done()
    assert not list(spool.spool_directory(repository).iterdir())


def test_times_without_a_clock_of_day(repository: Repository) -> None:
    """Times since the system's start are counted back from the file's own; a start in between loses no order."""
    append(repository, line(moment="u900.00", after=A), line(moment="u10.00", after=B), line(moment="u25.50", after=C))
    path = spool.spool_directory(repository) / "events"
    os.utime(path, (2_000_000_000, 2_000_000_000))
    times = {event.after: event.at.timestamp() for event in spool.take(repository).events}
    assert (times[C], times[B]) == (2_000_000_000, 2_000_000_000 - 15.5)
    assert times[A] <= times[B]


def test_nothing_is_there(tmp_path: Path) -> None:
    """Without a spool there is nothing to take, and nothing is made."""
    empty = Repository(tmp_path, tmp_path, None)
    assert not spool.is_waiting(empty)
    spool.take(empty).done()
    assert not list(tmp_path.iterdir())


def test_a_spool_that_cannot_be_taken_is_said(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file cannot be renamed, nothing is taken and nothing raised."""

    def refuse(*arguments: object) -> Iterator[None]:
        raise PermissionError(13, "Permission denied")

    append(repository, line(after=A))
    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", refuse)
        taken = spool.take(repository)
    assert taken.events == () and "cannot be taken: Permission denied" in taken.notes[0]
    taken.done()
    assert afters(spool.take(repository)) == [A]


@given(st.binary(max_size=300))
def test_any_bytes_are_a_run_or_nothing(data: bytes) -> None:
    """Whatever stands in a line, reading it raises nothing."""
    parse_line("key", data)


FIELD = st.text(st.characters(blacklist_characters="\t\n", blacklist_categories=("Cs",)), max_size=20)


@given(st.lists(FIELD, min_size=11, max_size=11))
def test_any_fields_are_safe_to_show(fields: list[str]) -> None:
    """What a hook's environment puts into a line cannot move a cursor, and is an id only where it is one."""
    run = parse_line("key", "\t".join(["1", "post-commit", "1.5", ".", *fields[:9]]).encode())
    assert run is not None
    for text in (run.cause, run.branch, run.argument, run.agent, run.session, run.task):
        assert text is None or (text and text.isprintable())
    assert run.before is None or len(run.before) in (40, 64)


def test_a_spool_that_fills_between_take_and_done_is_told(repository: Repository) -> None:
    """What hooks could not note after the take is said by the next one; what was said is not said again."""
    overflow = spool.spool_directory(repository) / "overflow"
    append(repository, line(after=A))
    taken = spool.take(repository)
    overflow.write_text("post-commit\n")
    taken.done()
    assert spool.is_waiting(repository)
    taken = spool.take(repository)
    (said,) = taken.notes
    assert "noted nothing" in said
    taken.done()
    assert not overflow.exists() and spool.take(repository).notes == ()


@pytest.mark.parametrize("name", ["events", "events-7", "taken-x", "taken-01ABC.5", "held", "count", "overflow", "odd"])
@pytest.mark.parametrize("kind", ["directory", "pipe", "link"])
def test_what_is_no_file_stops_nothing(repository: Repository, name: str, kind: str) -> None:
    """A directory, a pipe or a link among the files is skipped: it waits for nobody, and all else is taken."""
    path = spool.spool_directory(repository) / name
    if kind == "link":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir() if kind == "directory" else os.mkfifo(path)
    assert not spool.is_waiting(repository)
    append(repository, line(after=A), line("pre-commit", f"{time.time():.3f}"), name="events-9")
    assert spool.is_waiting(repository)
    taken = spool.take(repository)
    assert (afters(taken), taken.notes) == ([A], ())
    taken.done()
    assert not spool.find_probe(repository, "word")
    append(repository, line(after=B), name="events-9")
    taken = spool.take(repository)
    assert afters(taken) == [B]
    taken.done()
    assert os.path.lexists(path) or name in ("held", "count", "overflow")


def test_a_file_that_cannot_be_read_stops_no_other(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """One unreadable file is named, stays, and keeps nothing else from being taken."""
    append(repository, line(after=A), name="taken-locked")
    append(repository, line(after=B))
    locked = spool.spool_directory(repository) / "taken-locked"
    opened = Path.open

    def refuses(path: Path, *arguments: str) -> object:  # the superuser may read anything, so that is played
        if path == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments)

    monkeypatch.setattr(Path, "open", refuses)
    taken = spool.take(repository)
    assert afters(taken) == [B]
    assert taken.notes == (f"what Git's hooks noted in {locked} cannot be read: Permission denied",)
    taken.done()
    monkeypatch.undo()
    assert afters(spool.take(repository)) == [A]
