"""The write-ahead log of one ref: what each commit needs, on disk before the ref moves.

Git may drop an object that nothing reaches yet (`gc --prune=now` beside a writer), and a power loss may truncate what
was just written. Whatever is missing is replayed from here. The log also takes the place of the reflog, which custom
refs do not have: its last entry says where the ref stood, or where a writer that died was about to move it.

A law for whoever moves the ref: append first, so that the last entry is always the tip or an ancestor of it. A program
that moves the ref without, such as a forced fetch, is found out by that (`memgit.store.refs`). A rewrite of history
restarts the log and drops the generation before it.

Damage costs only the frames that it touches (`memgit.store.frames`).
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import msgspec
from msgspec import Struct

from memgit.store.frames import HEADER_BYTES, Frame, encode_frame, generation_of, new_header, scan, scan_file
from memgit.store.loose import sync_directory
from memgit.store.objects import ObjectId, ObjectType, RawObject


class Entry(Struct, frozen=True, array_like=True):
    """One commit: what the ref named before, what it is to name, and the objects that are new."""

    old: ObjectId | None
    new: ObjectId
    objects: tuple[tuple[ObjectId, ObjectType, bytes, str], ...] = ()  # id, type, content, path


class _Known(NamedTuple):
    """How far this process has read the log: its generation, the end and the number of its frames, its last entry."""

    generation: bytes = b""
    end: int = 0
    entries: int = 0
    last: Entry | None = None


class WriteAheadLog:
    """The log and the generation before it. Whatever changes it needs the writer's lock; reading needs none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.previous = path.with_name(path.name + ".previous")
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode = msgspec.msgpack.Decoder(Entry).decode
        self._known = _Known()
        self._before: tuple[int, _Known] | None = None  # where the last append began, and what was known then

    @classmethod
    def of_ref(cls, state_dir: Path, ref: str) -> WriteAheadLog:
        """Return the log of a ref."""
        return cls(state_dir / "log" / quote(ref, safe=""))

    def append(self, old: ObjectId | None, new: ObjectId, objects: Iterable[RawObject], *, sync: bool = False) -> None:
        """Add an entry with one write, at the end that `repair` has found. With `sync` it is on the disk on return.

        Raises OSError. What was written in part is cut off again, so that a full disk leaves no torn frame before a
        later entry; an entry that is whole, but whose file could not be closed or synced, is for `retract`.
        """
        entry = Entry(old, new, tuple((item.oid, item.type, item.data, item.path) for item in objects))
        body = self._encode(entry)
        known = self._known
        self._before = None
        descriptor = self._open_for_append()
        try:
            start = os.fstat(descriptor).st_size
            assert start == known.end, "the log must be repaired under the lock before it is appended to"
            header = b"" if start else new_header()
            generation = known.generation if start else generation_of(header)
            data = header + encode_frame(generation, body)
            try:
                if os.write(descriptor, data) != len(data):
                    raise OSError(errno.ENOSPC, "the write-ahead log could not be written whole")
                if sync:
                    os.fsync(descriptor)
            except OSError:
                os.ftruncate(descriptor, start)
                raise
            # The objects are not kept: they may be large, and whoever needs them reads the file.
            self._known = _Known(generation, start + len(data), known.entries + 1, Entry(old, new))
            self._before = (start, known)
        finally:
            os.close(descriptor)
        if sync and header:
            sync_directory(str(self.path.parent))

    def retract(self) -> None:
        """Take the entry back that the last `append` added, because the ref did not move. Raises OSError."""
        if self._before is not None and self.size() == self._known.end:
            start, self._known = self._before
            self._before = None
            os.truncate(self.path, start)

    def repair(self) -> None:
        """Cut off a torn tail, so that what is appended next is found.

        Only what other processes have appended since the last look is read. Raises FormatTooNew.
        """
        try:
            file = self.path.open("rb", buffering=0)
        except FileNotFoundError:
            self._known = _Known()
            return
        with file:
            size = os.fstat(file.fileno()).st_size
            known = self._known
            generation = generation_of(file.read(HEADER_BYTES))
            if not generation or generation != known.generation or size < known.end:
                file.seek(0)
                generation, frames = scan_file(file.read())
                known = _Known(generation)
            elif size > known.end:
                file.seek(known.end)
                frames = [frame._replace(end=known.end + frame.end) for frame in scan(file.read(), generation)]
            else:
                return
        end = frames[-1].end if frames else known.end
        if end < size:
            os.truncate(self.path, end)
        self._known = _Known(generation, end, known.entries + len(frames), self._last_of(frames) or known.last)

    def last(self) -> Entry | None:
        """Return the last entry, without its objects, as `repair` or this process's own `append` has left it."""
        return self._known.last

    def last_tip(self) -> ObjectId | None:
        """Return what the ref was last to name, or None where the log does not say. Needs no lock."""
        entries = self._readable(self.path)
        return entries[-1].new if entries else None

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in order, without those that are torn or damaged. Raises OSError."""
        yield from self._read(self.path)

    def objects(self) -> dict[ObjectId, RawObject]:
        """Return the objects that the log or the generation before it holds."""
        # This order: a log that is restarted between the two looks is found as the one before.
        entries = [*self._readable(self.path), *self._readable(self.previous)]
        return {item[0]: RawObject(*item) for entry in entries for item in entry.objects}

    def restart(self, tip: ObjectId) -> None:
        """Begin a new log that remembers the tip, and keep this one as the previous.

        What the log held must be packed and reachable; what the generation before it held is dropped.
        """
        fresh = WriteAheadLog(self.path.with_name(self.path.name + ".new"))
        fresh.path.unlink(missing_ok=True)
        fresh.append(None, tip, (), sync=True)
        self.previous.unlink(missing_ok=True)
        try:
            os.link(self.path, self.previous)  # at no instant is there no log
        except OSError:
            self.path.replace(self.previous)  # a file system without links
        fresh.path.replace(self.path)
        sync_directory(str(self.path.parent))
        self._known = fresh._known

    def begin_again(self, old: ObjectId, new: ObjectId, objects: Iterable[RawObject]) -> None:
        """Begin a new log with one move, and forget this one and the one before: they hold what was purged.

        What the ref reaches now must be stored. Whoever dies before the ref has moved is finished as ever.
        """
        fresh = WriteAheadLog(self.path.with_name(self.path.name + ".new"))
        fresh.path.unlink(missing_ok=True)
        fresh.append(old, new, objects, sync=True)
        fresh.path.replace(self.path)
        self.previous.unlink(missing_ok=True)
        sync_directory(str(self.path.parent))
        self._known = fresh._known

    def remove(self) -> None:
        """Forget the ref for good, with the generation before. Raises OSError."""
        self.previous.unlink(missing_ok=True)
        self.path.unlink(missing_ok=True)
        self._known = _Known()

    def count(self) -> int:
        """Return how many entries the log held when this process last repaired it or appended to it."""
        return self._known.entries

    def size(self) -> int:
        """Return the log's length in bytes."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def _open_for_append(self) -> int:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
        try:
            return os.open(self.path, flags, 0o600)
        except FileNotFoundError:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self.path, flags, 0o600)

    def _readable(self, path: Path) -> list[Entry]:
        """Return a log's entries; none where it belongs to another user, who does not let us look."""
        try:
            return list(self._read(path))
        except PermissionError:
            return []

    def _read(self, path: Path) -> Iterator[Entry]:
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return
        for frame in scan_file(data)[1]:
            entry = self._entry(frame.body)
            if entry is not None:
                yield entry

    def _last_of(self, frames: list[Frame]) -> Entry | None:
        entry = next((entry for frame in reversed(frames) if (entry := self._entry(frame.body)) is not None), None)
        return None if entry is None else Entry(entry.old, entry.new)

    def _entry(self, body: bytes) -> Entry | None:
        try:
            return self._decode(body)
        except msgspec.DecodeError:
            return None
