"""Loose objects, written directly: the one part of Git's storage that memgit writes itself.

libgit2 looks through every pack before it writes an object, at 0.2 ms each, where this takes 0.04 ms, and a write has
about ten (docs/decisions/0006). Repositories with `core.sharedRepository` are left to the library, which knows about
group permissions.
"""

from __future__ import annotations

import itertools
import os
import zlib
from collections.abc import Iterable
from pathlib import Path

from memgit.store.objects import RawObject

_numbers = itertools.count()


def write_loose(objects_dir: Path, objects: Iterable[RawObject], *, sync: bool = False) -> None:
    """Write objects as loose files, each whole or not at all. Raises OSError.

    An object that is there as a loose file is overwritten by the same bytes, which also mends a truncated one.
    """
    directories: set[str] = set()
    for item in objects:
        directory = f"{objects_dir}/{item.oid[:2]}"
        directories.add(directory)
        # Git removes stale files of this name when it prunes.
        temporary = f"{directory}/tmp_obj_memgit_{os.getpid()}_{next(_numbers)}"  # noqa: S108 - not in /tmp
        data = zlib.compress(b"%s %d\0%s" % (item.type.encode(), len(item.data), item.data), 1)
        _write_file(directory, temporary, data, sync)
        try:
            os.replace(temporary, f"{directory}/{item.oid[2:]}")  # noqa: PTH105 - pathlib costs as much as the call
        except PermissionError:
            os.unlink(temporary)  # noqa: PTH108
            if os.name != "nt":  # Windows refuses to replace a file that is open or read-only: it is there
                raise
    if sync:
        for directory in directories:
            sync_directory(directory)


def sync_directory(path: str) -> None:
    """Make the names in a directory reach the disk, where the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_file(directory: str, path: str, data: bytes, sync: bool) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags, 0o444)
    except FileNotFoundError:
        os.makedirs(directory, exist_ok=True)  # noqa: PTH103
        descriptor = os.open(path, flags, 0o444)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        if sync:
            os.fsync(descriptor)
    except OSError:
        os.close(descriptor)
        os.unlink(path)  # noqa: PTH108
        raise
    os.close(descriptor)
