"""The write-ahead log: what was appended is found again, whatever happens to the bytes around it."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

import pytest

from memgit.errors import FormatTooNew
from memgit.store import frames, write_ahead_log
from memgit.store.frames import HEADER_BYTES
from memgit.store.objects import ObjectId, RawObject, hash_object
from memgit.store.write_ahead_log import WriteAheadLog

COUNT = 4


def oid(number: int) -> ObjectId:
    """Return the id of a commit that exists nowhere else."""
    return ObjectId(f"{number:040x}")


def blob(number: int) -> RawObject:
    """Return the object of an entry."""
    return hash_object("blob", b"content of entry %d" % number, "sha1")


def filled(path: Path, count: int = COUNT) -> WriteAheadLog:
    """Return a log of that many entries, the first from nothing to commit 1."""
    log = WriteAheadLog(path)
    log.repair()
    for number in range(1, count + 1):
        log.append(oid(number - 1) if number > 1 else None, oid(number), [blob(number)])
    return log


def tips(path: Path) -> list[ObjectId]:
    """Return what a process that opens the log now reads in it."""
    return [entry.new for entry in WriteAheadLog(path).entries()]


def offsets(path: Path) -> list[int]:
    """Return where each entry ends."""
    data = path.read_bytes()
    return [frame.end for frame in frames.scan_file(data)[1]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the log is; neither it nor its directory exists."""
    return tmp_path / "state" / "log"


def test_entries_come_back_in_order(path: Path) -> None:
    """Each entry is there with what the ref named before and after, and with its objects."""
    log = filled(path)

    entries = list(WriteAheadLog(path).entries())

    assert [(entry.old, entry.new) for entry in entries] == [
        (None, oid(1)),
        (oid(1), oid(2)),
        (oid(2), oid(3)),
        (oid(3), oid(4)),
    ]
    assert log.objects() == {blob(number).oid: blob(number) for number in range(1, COUNT + 1)}
    assert log.last_tip() == oid(COUNT)
    last = log.last()
    assert last is not None and (last.old, last.new, last.objects) == (oid(3), oid(4), ())
    assert log.count() == COUNT
    assert log.size() == path.stat().st_size


def test_no_log(path: Path) -> None:
    """Without a file there is nothing to find, and looking makes none."""
    log = WriteAheadLog(path)
    log.repair()

    assert (log.last(), log.last_tip(), log.count(), log.size(), log.objects()) == (None, None, 0, 0, {})
    assert not path.parent.exists()


def test_the_log_is_private(path: Path) -> None:
    """The log holds what was written, so only its owner reads it."""
    filled(path)

    assert path.stat().st_mode & 0o077 == 0


def test_a_tail_that_is_torn_at_any_byte(path: Path) -> None:
    """Wherever a power loss cuts the file, the whole entries before the cut are read, and new ones are found after."""
    filled(path)
    data, ends = path.read_bytes(), offsets(path)
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        whole = sum(end <= cut for end in ends)
        assert tips(path) == [oid(number) for number in range(1, whole + 1)]

        log = WriteAheadLog(path)
        log.repair()
        assert log.count() == whole
        log.append(None, oid(99), [blob(99)])

        assert tips(path) == [*(oid(number) for number in range(1, whole + 1)), oid(99)]
        assert blob(99).oid in log.objects()


def test_a_flipped_byte_costs_one_entry_at_most(path: Path) -> None:
    """Whichever byte is damaged, every other entry is still read, and new ones are found after the damage."""
    filled(path)
    data = path.read_bytes()
    for position in range(25, len(data)):  # the magic line: below
        damaged = bytearray(data)
        damaged[position] ^= 1 << position % 8
        path.write_bytes(bytes(damaged))
        log = WriteAheadLog(path)
        log.repair()
        log.append(None, oid(99), ())
        found = tips(path)
        assert found[-1] == oid(99)
        assert len(found) >= COUNT
        assert found == sorted(found)


@pytest.mark.parametrize("position", range(24))
def test_a_damaged_magic_line_costs_nothing(path: Path, position: int) -> None:
    """The line for people and for `file` is not needed to read the entries."""
    filled(path)
    data = bytearray(path.read_bytes())
    data[position] ^= 0x10
    path.write_bytes(bytes(data))

    assert tips(path) == [oid(number) for number in range(1, COUNT + 1)]


def test_a_log_of_a_later_version_is_left_alone(path: Path) -> None:
    """A later memgit's log is neither read nor cut: FORMAT_TOO_NEW."""
    path.parent.mkdir()
    content = b"memgit write-ahead log 2\n" + bytes(500)
    path.write_bytes(content)
    log = WriteAheadLog(path)

    for act in (log.repair, log.last_tip, log.objects):
        with pytest.raises(FormatTooNew):
            act()

    assert path.read_bytes() == content


def test_a_file_of_something_else(path: Path) -> None:
    """Garbage holds no entry, and the next one is found."""
    path.parent.mkdir()
    path.write_bytes(os.urandom(3000))
    assert tips(path) == []

    log = filled(path)

    assert tips(path) == [oid(number) for number in range(1, COUNT + 1)]
    assert log.count() == COUNT


def test_an_entry_inside_an_object_is_no_entry(path: Path, tmp_path: Path) -> None:
    """An artifact that holds the bytes of a log, even beside damage, does not get to say where the ref stood."""
    other = tmp_path / "other"
    filled(other)
    log = filled(path, 1)
    hostile = hash_object("blob", other.read_bytes(), "sha1")
    log.append(oid(1), oid(2), [hostile])
    log.append(oid(2), oid(3), [])
    data = bytearray(path.read_bytes())
    data[data.index(b"content of entry 2") - 200] ^= 1  # inside the frame that holds the artifact
    path.write_bytes(bytes(data))

    assert tips(path) == [oid(1), oid(3)]


def test_other_processes_are_heard(path: Path) -> None:
    """A process sees what others append between its own entries, and reads only that."""
    one, two = WriteAheadLog(path), WriteAheadLog(path)
    for number, log in enumerate([one, two, two, one, two], 1):
        log.repair()
        log.append(oid(number - 1), oid(number), [blob(number)])

    one.repair()
    last = one.last()

    assert last is not None and last.new == oid(5)
    assert one.count() == 5
    assert tips(path) == [oid(number) for number in range(1, 6)]


def test_appending_without_having_looked_is_a_mistake(path: Path) -> None:
    """An entry that is appended after somebody else's unread tail might never be found, so that is refused."""
    late = WriteAheadLog(path)
    filled(path)

    with pytest.raises(AssertionError):
        late.append(None, oid(9), ())

    assert tips(path) == [oid(number) for number in range(1, COUNT + 1)]


def test_an_entry_is_taken_back(path: Path) -> None:
    """What was appended for a move that did not happen is gone for everybody."""
    log = filled(path, 2)
    log.append(oid(2), oid(3), [blob(3)])
    log.retract()

    last = log.last()

    assert last is not None and last.new == oid(2)
    assert tips(path) == [oid(1), oid(2)]
    log.append(oid(2), oid(4), [])
    assert tips(path) == [oid(1), oid(2), oid(4)]


def test_only_ones_own_entry_is_taken_back(path: Path) -> None:
    """If the log has changed since, nothing is cut."""
    log = filled(path, 2)
    other = WriteAheadLog(path)
    other.repair()
    other.append(oid(2), oid(3), [])

    log.retract()

    assert tips(path) == [oid(1), oid(2), oid(3)]


def test_a_restart_remembers_the_tip_and_the_generation_before(path: Path) -> None:
    """After a restart the log says where the ref stands, and the objects are found for one more generation."""
    log = filled(path)
    log.restart(oid(COUNT))

    assert (log.count(), log.last_tip(), tips(path)) == (1, oid(COUNT), [oid(COUNT)])
    assert set(log.objects()) == {blob(number).oid for number in range(1, COUNT + 1)}
    log.append(oid(COUNT), oid(50), [blob(50)])
    log.restart(oid(50))

    assert set(WriteAheadLog(path).objects()) == {blob(50).oid}
    assert log.last_tip() == oid(50)


@pytest.mark.parametrize("name", ["link", "replace", "unlink", "fsync", "write"])
def test_a_restart_that_ends_on_the_way(path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Wherever a restart stops, the tip and the objects are still found, and the next restart works."""
    log = filled(path)

    def refuse(*arguments: object, **keywords: object) -> None:
        raise OSError(errno.EIO, "injected")

    with monkeypatch.context() as patched:
        patched.setattr(os, name, refuse)
        with suppress(OSError):
            log.restart(oid(COUNT))

    assert WriteAheadLog(path).last_tip() == oid(COUNT)
    assert set(WriteAheadLog(path).objects()) >= {blob(number).oid for number in range(1, COUNT + 1)}
    log.repair()
    log.restart(oid(COUNT))
    assert WriteAheadLog(path).last_tip() == oid(COUNT)


def test_a_new_log_under_an_old_inode_number(path: Path) -> None:
    """File systems give inode numbers out again: a process must not take a later log for the one that it has read."""
    stale = filled(path, 3)
    known = stale._known
    path.unlink()
    other = WriteAheadLog(path)
    other.repair()
    other.append(None, oid(7), [hash_object("blob", bytes(known.end), "sha1")])

    stale.repair()
    stale.append(oid(7), oid(8), [])

    assert tips(path) == [oid(7), oid(8)]
    assert stale.count() == 2


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("written", [0, 1, 30, 100])
@pytest.mark.parametrize("first", [True, False])
def test_a_full_disk(path: Path, monkeypatch: pytest.MonkeyPatch, code: int, written: int, first: bool) -> None:
    """A write that the disk refuses, at once or after a part, raises and leaves the log as it was."""
    log = filled(path, 0 if first else 2)
    write = os.write

    def refuse(descriptor: int, data: bytes) -> int:
        if written:
            return write(descriptor, data[:written])
        raise OSError(code, os.strerror(code))

    with monkeypatch.context() as patched, pytest.raises(OSError) as refused:
        patched.setattr(write_ahead_log.os, "write", refuse)
        log.append(oid(2), oid(3), [blob(3)])

    assert refused.value.errno in (code, errno.ENOSPC)
    assert tips(path) == ([] if first else [oid(1), oid(2)])
    log.repair()
    log.append(oid(2), oid(4), [])
    assert tips(path)[-1] == oid(4)


def test_a_sync_that_fails_takes_the_entry_back(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An entry whose sync failed may not be on the disk, so it does not count."""
    log = filled(path, 1)

    def refuse(descriptor: int) -> None:
        raise OSError(errno.EIO, "injected")

    with monkeypatch.context() as patched, pytest.raises(OSError):
        patched.setattr(os, "fsync", refuse)
        log.append(oid(1), oid(2), [], sync=True)

    assert tips(path) == [oid(1)]


def test_a_synced_entry_is_on_the_disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `sync` the entry is synced, and a new log's name in its directory too."""
    synced: list[int] = []
    fsync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda descriptor: (synced.append(1), fsync(descriptor))[1])
    log = WriteAheadLog(path)
    log.repair()
    log.append(None, oid(1), [])
    assert not synced
    log.append(oid(1), oid(2), [], sync=True)
    assert len(synced) == 1
    path.unlink()
    log.repair()
    log.append(None, oid(1), [], sync=True)
    assert len(synced) == 3


def test_each_ref_has_its_log(tmp_path: Path) -> None:
    """Logs of two refs never share a file, however alike the names are."""
    names = ["refs/memgit/store", "refs/memgit%2Fstore", "refs/heads/memgit", "refs/memgit/Store"]

    assert len({WriteAheadLog.of_ref(tmp_path, name).path for name in names}) == len(names)
    assert all(WriteAheadLog.of_ref(tmp_path, name).path.parent == tmp_path / "log" for name in names)


def test_the_header(path: Path) -> None:
    """The file begins with a line that says what it is; each log draws a generation of its own."""
    filled(path)

    assert path.read_bytes().startswith(b"memgit write-ahead log 1\n")
    assert frames.new_header() != frames.new_header()
    assert len(frames.new_header()) == HEADER_BYTES
