"""The files of the notes: private, whole, one a session, the last write wins, whatever else happens."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from memgit import clock
from memgit.checkpoints.notes import Note, new_note
from memgit.checkpoints.quarantine import Damaged, Quarantine, file_name
from memgit.errors import LimitExceeded, NotFound, StoreBusy, StoreCorrupt, StoreReadOnly
from memgit.limits import DEFAULT

DAY = 86_400
START = 1_800_000_000.0
PLACE = {"workspace": "wsp", "project": "prj", "worktree": "."}
PROGRAM = """
import sys
from pathlib import Path
from memgit.checkpoints.notes import new_note
from memgit.checkpoints.quarantine import Quarantine
quarantine = Quarantine(Path(sys.argv[1]))
def put(session, text):
    quarantine.put(new_note(text, session=session, workspace="wsp", project="prj", worktree="."))
"""


@pytest.fixture
def quarantine(tmp_path: Path) -> Quarantine:
    """An empty quarantine."""
    return Quarantine(tmp_path)


def note(session: str = "one", text: str = "Words", at: float = START) -> Note:
    """Return a note that was put at a time."""
    with clock.pinned(at):
        return new_note(text, session=session, **PLACE)


def run(quarantine: Quarantine, program: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a process that has `put` and the quarantine."""
    command = [sys.executable, "-c", PROGRAM + textwrap.dedent(program), str(quarantine.directory.parent), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)


def files(quarantine: Quarantine) -> list[str]:
    """Return the files beside the lock."""
    return sorted(path.name for path in quarantine.directory.iterdir() if path.name != "lock")


def test_the_last_write_of_a_session_wins(quarantine: Quarantine) -> None:
    """One file a session, also where the clock went back between two writes."""
    quarantine.put(note(text="First", at=START))
    quarantine.put(note(text="Second", at=START - 900 * DAY))
    quarantine.put(note("two"))
    assert quarantine.find("one").text == "Second"
    assert len(files(quarantine)) == 2


@pytest.mark.skipif(os.name == "nt", reason="modes of files are POSIX")
def test_it_is_its_owners_alone(quarantine: Quarantine) -> None:
    """The directory and each file, whatever the umask, also where somebody opened the directory."""
    before = os.umask(0)
    try:
        quarantine.put(note())
        quarantine.directory.chmod(0o755)
        quarantine.put(note("two"))
    finally:
        os.umask(before)
    assert stat.S_IMODE(quarantine.directory.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in quarantine.directory.iterdir()} == {0o600}


def test_names_that_differ_in_case_are_two_sessions(quarantine: Quarantine) -> None:
    """Their files differ on a disk that knows no case; a device's name is no device."""
    names = ["Agent", "agent", "CON", "con", "nul.txt", "a.b"]
    for name in names:
        quarantine.put(note(name, text=name))
    assert len({name.lower() for name in files(quarantine)}) == len(names)
    assert [quarantine.find(name).text for name in names] == names


def test_processes_that_write_at_once_leave_one_whole_note(quarantine: Quarantine) -> None:
    """Three processes, one session: each look between finds a whole note of one of them, and nothing else stays."""
    program = """
    for number in range(30):
        put("one", f"{sys.argv[2]} {number} " * 100)
    """
    writers = [run(quarantine, program, name) for name in "abc"]
    seen = 0
    while any(writer.poll() is None for writer in writers):
        time.sleep(0.001)
        for found in quarantine.notes():
            assert isinstance(found, Note), found
            assert len(set(found.text.split()[::2])) == 1
            seen += 1
    assert [writer.wait() for writer in writers] == [0] * 3
    assert seen and quarantine.find("one").text.split()[1] == "29"
    assert files(quarantine) == [file_name("one")]


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
@pytest.mark.parametrize(
    "place", ["fsync", pytest.param("utime", marks=pytest.mark.slow), pytest.param("open", marks=pytest.mark.slow)]
)
def test_a_writer_that_is_killed_leaves_the_note_before(quarantine: Quarantine, place: str) -> None:
    """Killed on the way, it holds no lock and spoils nothing; what it left goes an hour later."""
    quarantine.put(note(text="Before"))
    program = f"""
    import os, signal
    quarantine = Quarantine(Path(sys.argv[1]), sync=True)
    real = os.{place}
    def die(*given, **more):
        if "{place}" != "open" or "tmp_" in str(given[0]):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **more)
    os.{place} = die
    put("one", "After")
    """
    assert run(quarantine, program).wait() == -signal.SIGKILL
    assert [found.text for found in quarantine.notes() if isinstance(found, Note)] == ["Before"]
    left = [name for name in files(quarantine) if name.startswith("tmp_")]
    assert len(left) == (0 if place == "open" else 1)
    quarantine.put(note(text="Later"))
    assert [name for name in files(quarantine) if name.startswith("tmp_")] == left
    for name in left:
        os.utime(quarantine.directory / name, (time.time() - 4000, time.time() - 4000))
    quarantine.put(note(text="Latest"))
    assert files(quarantine) == [file_name("one")]


def test_only_the_note_that_is_meant_is_removed(quarantine: Quarantine) -> None:
    """A note that was put since stays, and what is gone stays gone."""
    first, second = note(text="First"), note(text="Second", at=START + 1)
    quarantine.put(first)
    quarantine.put(second)
    assert not quarantine.remove(first)
    assert quarantine.find("one") == second
    assert quarantine.remove(second)
    assert not quarantine.remove(second)
    assert files(quarantine) == []


def test_what_expired_goes_two_weeks_after_that_was_seen(quarantine: Quarantine) -> None:
    """With the next note, by the times in the file: a copy of the repository has other ones outside."""
    quarantine.put(note("old"))
    quarantine.put(note("late", at=START + 10 * DAY))
    for name in files(quarantine):
        os.utime(quarantine.directory / name, (START, START))
    assert quarantine.put(note("new", at=START + 14 * DAY - 1)) == []
    assert quarantine.find("old").removed_at is None
    assert quarantine.put(note("new", at=START + 20 * DAY)) == []
    assert quarantine.find("old").removed_at == clock.format_time(START + 34 * DAY)
    assert quarantine.put(note("new", at=START + 34 * DAY - 1)) == []
    assert quarantine.put(note("new", at=START + 34 * DAY)) == ["old"]
    assert [found.session for found in quarantine.notes() if isinstance(found, Note)] == ["late", "new"]


def test_to_be_seen_expired_changes_nothing_else(quarantine: Quarantine) -> None:
    """It is the same note, applied and removed as before, and a listing still says when it expired."""
    quarantine.put(note())
    quarantine.put(note("two", at=START + 15 * DAY))
    found = quarantine.find("one")
    assert found.seen_expired is not None and found.identity == note().identity
    assert quarantine.waiting(START + 15 * DAY).expired == 1
    assert quarantine.remove(note())


@pytest.mark.parametrize("days", [-9000, 9000])
def test_a_clock_that_is_wrong_for_once_removes_nothing(quarantine: Quarantine, days: int) -> None:
    """Whether it was behind when a note was put, or ahead: the notes are there when it is right again."""
    quarantine.put(note("before", at=START - 1))
    quarantine.put(note("wrong", at=START + days * DAY))
    for later in (0, 1):
        assert quarantine.put(note("right", at=START + later)) == []
    assert len(quarantine.notes()) == 3
    assert quarantine.find("before").state(clock.format_time(START)) == "waiting"
    if days > 0:
        quarantine.put(note("right", at=START + 20 * DAY))
        assert quarantine.find("before").removed_at == clock.format_time(START + 34 * DAY)


def test_a_listing_says_what_waits_and_what_expires_next(quarantine: Quarantine) -> None:
    """Without failing where there is nothing; what is damaged is no note that waits."""
    assert quarantine.waiting(START).notes == 0
    for days in (0, 5, 9):
        quarantine.put(note(f"day-{days}", at=START + days * DAY))
    found = quarantine.waiting(START + 15 * DAY)
    assert (found.notes, found.expired, found.next_at) == (3, 1, START + 19 * DAY)
    assert found.next_session == "day-5"
    assert quarantine.waiting(START + 40 * DAY).next_session is None
    (quarantine.directory / file_name("day-5")).write_bytes(b"")
    found = quarantine.waiting(START + 15 * DAY)
    assert (found.notes, found.expired, found.damaged, found.next_session) == (2, 1, 1, "day-9")


def damage(path: Path, how: str) -> None:
    """Damage a note's file."""
    data = path.read_bytes()
    if how in ("directory", "fifo", "link", "loop"):
        path.unlink()
    if how == "directory":
        path.mkdir()
    elif how == "fifo":
        os.mkfifo(path)
    elif how == "link":
        other = path.with_name("whole")
        other.write_bytes(data)
        path.symlink_to(other)
    elif how == "loop":
        path.symlink_to(path)
    else:
        changed = {"torn": data[:-30], "empty": b"", "garbage": b"\xff\x00" * 99, "huge": b" " * 10**6 + data}
        path.write_bytes(changed[how])


@pytest.mark.skipif(os.name == "nt", reason="fifos and links are POSIX")
@pytest.mark.parametrize("how", ["torn", "empty", "garbage", "huge", "directory", "fifo", "link", "loop"])
def test_a_damaged_file_is_named_and_the_others_go_on(quarantine: Quarantine, how: str) -> None:
    """It is listed with a reason, is never taken for a note, and can be dropped by its session or its name."""
    for session in ("one", "two"):
        quarantine.put(note(session))
    damage(quarantine.directory / file_name("two"), how)
    whole, broken = quarantine.notes()
    assert isinstance(whole, Note) and whole.session == "one"
    assert isinstance(broken, Damaged) and broken.name == file_name("two") and broken.reason
    with pytest.raises(StoreCorrupt, match="two is damaged"):
        quarantine.find("two")
    quarantine.put(note("three"))
    name = broken.name if how in ("torn", "fifo") else "two"
    assert quarantine.drop([name]) == [name]
    assert [found.session for found in quarantine.notes() if isinstance(found, Note)] == ["one", "three"]
    assert len(quarantine.notes()) == 2


def test_the_note_of_another_session_is_no_note(quarantine: Quarantine) -> None:
    """A file that was renamed or copied says another session than its name."""
    quarantine.put(note())
    (quarantine.directory / file_name("two")).write_bytes((quarantine.directory / file_name("one")).read_bytes())
    assert [type(found) for found in quarantine.notes()] == [Note, Damaged]


def test_other_files_are_no_notes(quarantine: Quarantine) -> None:
    """What somebody else left in the directory is not listed, counted or removed."""
    quarantine.put(note())
    (quarantine.directory / "README").write_text("mine")
    assert len(quarantine.notes()) == quarantine.waiting(START).notes == quarantine.drop_all() == 1
    assert files(quarantine) == ["README"]


def test_there_is_room_for_so_many_sessions(quarantine: Quarantine, monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused; a session that has a note may replace it, and what is overdue makes room."""
    quarantine.put(note("first"))
    monkeypatch.setattr("memgit.checkpoints.quarantine.DEFAULT", type(DEFAULT)(notes=2))
    quarantine.put(note("second", at=START + 20 * DAY))
    with pytest.raises(LimitExceeded) as refused:
        quarantine.put(note("third", at=START + 20 * DAY))
    assert refused.value.details == {"limit": "notes", "value": 2, "size": 3}
    quarantine.put(note("second", text="Again", at=START + 20 * DAY))
    assert quarantine.put(note("third", at=START + 34 * DAY)) == ["first"]


@pytest.mark.skipif(os.name == "nt", reason="limits of processes are POSIX")
def test_a_full_disk_leaves_the_note_before(quarantine: Quarantine) -> None:
    """The refusal says so, nothing half is left, and the note before is whole."""
    quarantine.put(note(text="Before"))
    program = """
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    from memgit.errors import StoreReadOnly
    try:
        put("one", "After " * 500)
    except StoreReadOnly as error:
        print(error.message)
    """
    said = run(quarantine, program).communicate()[0]
    assert "pending cannot be written" in said
    assert quarantine.find("one").text == "Before"
    assert files(quarantine) == [file_name("one")]


def test_a_state_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A file in the way of the directory: nothing can be put or dropped, and reading finds nothing."""
    (tmp_path / "pending").write_text("in the way")
    quarantine = Quarantine(tmp_path)
    with pytest.raises(StoreReadOnly, match="cannot be written"):
        quarantine.put(note())
    with pytest.raises(StoreReadOnly):
        quarantine.drop(["one"])
    assert quarantine.notes() == []
    with pytest.raises(NotFound):
        quarantine.find("one")


@pytest.mark.slow
def test_a_lock_that_another_process_holds_is_waited_for_in_bounds(quarantine: Quarantine) -> None:
    """Then the refusal names it; reading asks for no lock."""
    quarantine.put(note())
    program = """
    with quarantine._changing():
        print("held", flush=True)
        sys.stdin.read()
    """
    holder = run(quarantine, program)
    assert holder.stdout is not None and holder.stdin is not None
    assert holder.stdout.readline() == "held\n"
    impatient = Quarantine(quarantine.directory.parent, wait_seconds=0.05)
    with pytest.raises(StoreBusy, match="lock"):
        impatient.put(note("two"))
    assert impatient.find("one").text == "Words"
    holder.stdin.close()
    assert holder.wait() == 0
    impatient.put(note("two"))


@pytest.mark.skipif(os.name == "nt", reason="directories are not synced there")
@pytest.mark.parametrize("sync", [True, False])
def test_what_is_acknowledged_is_synced_where_that_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sync: bool
) -> None:
    """The file before it is in its place, then the directory; without the setting nothing is."""
    order: list[str] = []
    real, replace = os.fsync, Path.replace

    def fsync(descriptor: int) -> None:
        order.append("directory" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        real(descriptor)

    def moved(path: Path, target: Path) -> Path:
        order.append("replace")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", moved)
    Quarantine(tmp_path, sync=sync).put(note())
    assert order == (["file", "replace", "directory"] if sync else ["replace"])
