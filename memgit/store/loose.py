"""Loose objects, written directly: the one part of Git's storage that memgit writes itself.

libgit2 looks through every pack before it writes an object, at 0.2 ms each, where this takes 0.03 ms, and a write has
about ten (docs/decisions/0006). Repositories with `core.sharedRepository` are left to Git's plumbing, which knows about
group permissions.
"""

from __future__ import annotations

import itertools
import os
import struct
import zlib
from collections.abc import Iterable
from contextlib import suppress

from memgit.store.objects import ObjectId, ObjectType, RawObject

# Deflate's cheapest level costs 60 µs to set up. A record takes a disk block in any case, a large tree is mostly hashes
# and does not compress, and the next packing compresses well. So up to here an object is one stored block (RFC 1951,
# 3.2.4; its length has 16 bits).
_STORED_BYTES = 16_000
_MODE = 0o644 if os.name == "nt" else 0o444  # as Git has it; Windows could not replace or remove a read-only file
_ATTEMPTS = 20  # against a `git prune` that removes our directory or our temporary file; one is nearly always enough
_PREFIX = f"tmp_obj_memgit_{os.urandom(6).hex()}"  # Git removes stale files of this name when it prunes
_TYPES: dict[bytes, ObjectType] = {b"blob": "blob", b"tree": "tree", b"commit": "commit", b"tag": "tag"}
_numbers = itertools.count()


class DamagedLoose(Exception):
    """A loose file is there and is not the object that its name promises. The argument is the object's id."""


def write_loose(objects_dir: str, objects: Iterable[RawObject], *, sync: bool = False) -> None:
    """Write objects as loose files, each whole or not at all. Raises OSError.

    An object that is there as a loose file is overwritten by the same bytes, which also mends a damaged one.
    """
    directories: set[str] = set()
    for item in objects:
        directory = f"{objects_dir}/{item.oid[:2]}"
        directories.add(directory)
        _write_object(directory, item.oid[2:], encode_loose(item), sync)
    if sync:
        for directory in (*directories, objects_dir):
            sync_directory(directory)


def read_loose(objects_dir: str, oid: ObjectId) -> tuple[ObjectType, bytes] | None:
    """Return a loose object's type and content, or None where there is no such file. Raises DamagedLoose.

    Not left to libgit2, which never returns from a file that was cut off (1.9; docs/decisions/0006).
    """
    try:
        with open(loose_path(objects_dir, oid), "rb") as file:  # noqa: PTH123
            packed = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        raw = zlib.decompress(packed)
        header, _, data = raw.partition(b"\0")
        kind, _, size = header.partition(b" ")
        if int(size) != len(data):
            raise DamagedLoose(oid)
        return _TYPES[kind], data
    except (zlib.error, ValueError, KeyError):
        raise DamagedLoose(oid) from None


def is_loose(objects_dir: str, oid: ObjectId) -> bool:
    """Tell whether an object is there as a loose file, whole or not."""
    return os.path.exists(loose_path(objects_dir, oid))  # noqa: PTH110 - pathlib costs more than the call


def remove_loose(objects_dir: str, oids: Iterable[ObjectId]) -> None:
    """Remove the loose files of objects that are stored elsewhere too. What cannot be removed harms nobody."""
    for oid in oids:
        with suppress(OSError):
            os.unlink(loose_path(objects_dir, oid))  # noqa: PTH108


def loose_path(objects_dir: str, oid: ObjectId) -> str:
    """Return where an object's loose file is."""
    return f"{objects_dir}/{oid[:2]}/{oid[2:]}"


def encode_loose(item: RawObject) -> bytes:
    """Return the bytes of an object's loose file: a zlib stream of its header and content."""
    data = b"%s %d\0%s" % (item.type.encode(), len(item.data), item.data)
    length = len(data)
    if length > _STORED_BYTES:
        return zlib.compress(data, 1)
    return b"\x78\x01\x01" + struct.pack("<HH", length, length ^ 0xFFFF) + data + struct.pack(">I", zlib.adler32(data))


def sync_directory(path: str) -> None:
    """Make the names in a directory reach the disk, where the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_object(directory: str, name: str, data: bytes, sync: bool) -> None:
    temporary = f"{directory}/{_PREFIX}_{os.getpid()}_{next(_numbers)}"
    for attempt in range(_ATTEMPTS):
        try:
            _write_file(temporary, data, sync)
            os.replace(temporary, f"{directory}/{name}")  # noqa: PTH105
            return
        except FileNotFoundError:
            if attempt == _ATTEMPTS - 1:
                raise
            with suppress(FileExistsError):
                os.mkdir(directory)  # noqa: PTH102
        except OSError as error:
            with suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108
            if os.name == "nt" and isinstance(error, PermissionError) and os.path.exists(f"{directory}/{name}"):  # noqa: PTH110
                return  # Windows refuses to replace a file that somebody has open: the object is there
            raise


def _write_file(path: str, data: bytes, sync: bool) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _MODE)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
