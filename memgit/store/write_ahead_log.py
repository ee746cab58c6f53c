"""The write-ahead log: what each commit needs, on disk before the ref moves.

Git may drop an object that nothing reaches yet (`gc --prune=now` beside a writer), and a power loss may truncate what
was just written. Whatever is missing is replayed from here. The log also takes the place of the reflog, which custom
refs do not have: its last entry says where the ref stood.

A file of frames: a magic line, then for each entry its length (4 bytes, big endian), the first 16 bytes of BLAKE3 of
the body, and the body in MessagePack. A torn or damaged tail costs only itself.
"""

from __future__ import annotations

import errno
import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec
from blake3 import blake3
from msgspec import Struct

from memgit.store.objects import ObjectId, ObjectType, RawObject

MAGIC = b"memgit write-ahead log 1\n"
_HEADER = struct.Struct(">I16s")
_MAX_BODY = 1 << 31


class Entry(Struct, frozen=True, array_like=True):
    """One commit: the ref, what it named before, what it is to name, and the objects that are new."""

    ref: str
    old: ObjectId | None
    new: ObjectId
    objects: tuple[tuple[ObjectId, ObjectType, bytes], ...]


class _Checked(NamedTuple):
    """How far this process knows the log to be whole."""

    inode: int
    length: int
    entries: int


class WriteAheadLog:
    """The log and the generation before it. Appending and restarting need the writer's lock; reading needs none."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.previous = path.with_name(path.name + ".previous")
        self._encoder = msgspec.msgpack.Encoder()
        self._decoder = msgspec.msgpack.Decoder(Entry)
        self._checked = _Checked(0, 0, 0)

    def append(self, entry: Entry, *, sync: bool = False) -> None:
        """Add an entry with one write. With `sync` it has reached the disk on return. Raises OSError.

        After a failed write the file is cut back, so that a full disk leaves no torn frame before a later entry.
        """
        body = self._encoder.encode(entry)
        frame = _HEADER.pack(len(body), blake3(body).digest(16)) + body
        descriptor = self._open_for_append()
        try:
            start = os.fstat(descriptor).st_size
            data = frame if start else MAGIC + frame
            try:
                if os.write(descriptor, data) != len(data):
                    raise OSError(errno.ENOSPC, "the write-ahead log could not be written whole")
            except OSError:
                os.ftruncate(descriptor, start)
                raise
            if sync:
                os.fsync(descriptor)
            entries = self._checked.entries + 1 if start else 1
            self._checked = _Checked(os.fstat(descriptor).st_ino, start + len(data), entries)
        finally:
            os.close(descriptor)

    def repair(self) -> None:
        """Cut off a torn tail, so that what is appended next can be read. Needs the lock.

        Only what other processes have appended since the last look is read.
        """
        try:
            status = self.path.stat()
        except FileNotFoundError:
            return
        known = self._checked if self._checked.inode == status.st_ino else _Checked(status.st_ino, 0, 0)
        if known.length != status.st_size:
            with self.path.open("rb") as file:
                known = _check(file, known)
            if known.length < status.st_size:
                os.truncate(self.path, known.length)
        self._checked = known

    def entries(self) -> Iterator[Entry]:
        """Yield the entries in order, up to the first that is torn or damaged."""
        yield from self._read(self.path)

    def find(self, oid: ObjectId) -> RawObject | None:
        """Return an object that the log or the generation before it holds, or None."""
        for path in (self.path, self.previous):
            for entry in self._read(path):
                for name, kind, data in entry.objects:
                    if name == oid:
                        return RawObject(name, kind, data)
        return None

    def last_tip(self, ref: str) -> ObjectId | None:
        """Return what the ref was last to name, or None where the log does not say."""
        tip = None
        for entry in self.entries():
            if entry.ref == ref:
                tip = entry.new
        return tip

    def restart(self, ref: str, tip: ObjectId) -> None:
        """Begin a new log that remembers the tip, and keep this one as the previous. Needs the lock.

        What the log held must be packed and reachable; what the generation before held is dropped.
        """
        fresh = WriteAheadLog(self.path.with_name(self.path.name + ".new"))
        fresh.path.unlink(missing_ok=True)
        fresh.append(Entry(ref, None, tip, ()), sync=True)
        self.previous.unlink(missing_ok=True)
        try:
            os.link(self.path, self.previous)  # at no instant is there no log
        except OSError:
            self.path.replace(self.previous)  # a file system without links
        fresh.path.replace(self.path)

    def count(self) -> int:
        """Return how many entries the log held when this process last repaired it or appended to it."""
        return self._checked.entries

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

    def _read(self, path: Path) -> Iterator[Entry]:
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return
        with file:
            if file.read(len(MAGIC)) != MAGIC:
                return
            while (body := _next_body(file)) is not None:
                try:
                    entry = self._decoder.decode(body)
                except msgspec.DecodeError:
                    return
                yield entry


def _next_body(file: BinaryIO) -> bytes | None:
    """Return the next frame's body, or None at the end, at a torn frame and at a damaged one."""
    header = file.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    length, checksum = _HEADER.unpack(header)
    if length > _MAX_BODY:
        return None
    body = file.read(length)
    return body if len(body) == length and blake3(body).digest(16) == checksum else None


def _check(file: BinaryIO, known: _Checked) -> _Checked:
    """Return how much of the log is whole, given how much of it was."""
    length, entries = known.length, known.entries
    if not length:
        if file.read(len(MAGIC)) != MAGIC:
            return known
        length = len(MAGIC)
    file.seek(length)
    while _next_body(file) is not None:
        length, entries = file.tell(), entries + 1
    return _Checked(known.inode, length, entries)
