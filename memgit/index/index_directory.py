"""What every index in a directory needs: one writer at a time, and one name for whatever a damaged file raises.

A lock beside the index, across processes; readers never wait for it.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from memgit.errors import IndexNotReady, MemgitError, StoreReadOnly
from memgit.index.lexical import IndexDamaged
from memgit.limits import DEFAULT

_T = TypeVar("_T")

LOCK_NAME = "write.lock"
_ATTEMPTS = 2  # another process may replace the files that were just listed
_UNWRITABLE = {errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT}

Files = dict[str, tuple[int, int]]
"""The files of a directory by name: inode and size in bytes."""


@contextmanager
def writer_lock(directory: Path) -> Iterator[None]:
    """Hold the writer's lock. Raises IndexNotReady where another process keeps it for too long."""
    from filelock import FileLock, Timeout

    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = FileLock(directory / LOCK_NAME, timeout=DEFAULT.lock_wait_ms / 1000)
        lock.acquire()
    except Timeout:
        raise IndexNotReady(f"another process is writing the index in {directory}") from None
    except OSError as error:
        raise StoreReadOnly(f"the index in {directory} cannot be written: {error.strerror}") from error
    try:
        yield
    finally:
        lock.release()


def delete_files(directory: Path) -> None:
    """Delete every file but the lock. Folders are others': an index of another implementation may live in one."""
    for path in directory.iterdir():
        if path.name != LOCK_NAME and not path.is_dir():
            path.unlink(missing_ok=True)


def files_in(directory: Path) -> Files:
    """Return the files of a directory; none where it does not exist."""
    try:
        with os.scandir(directory) as entries:
            found = {entry.name: entry.stat() for entry in entries if entry.name != LOCK_NAME}
    except FileNotFoundError:
        return {}
    return {name: (status.st_ino, status.st_size) for name, status in found.items()}


def is_intact(opened: Files, now: Files) -> bool:
    """Tell whether no file that was opened has been cut: reading a mapped file beyond its end kills the process."""
    return all(inode != now[name][0] or size <= now[name][1] for name, (inode, size) in opened.items() if name in now)


def translated(action: Callable[..., _T], *arguments: object) -> _T:
    """Return what `action` returns; what a damaged or unwritable file makes it raise is given its proper name."""
    try:
        return action(*arguments)
    except (MemgitError, IndexDamaged):
        raise
    except OSError as error:
        if error.errno in _UNWRITABLE:
            raise StoreReadOnly(f"the index cannot be written: {error.strerror}") from error
        raise IndexDamaged(str(error)) from error
    except Exception as error:
        raise IndexDamaged(f"{type(error).__name__}: {error}") from error


def guarded(close: Callable[[], None], action: Callable[..., _T], *arguments: object) -> _T:
    """Return what `action` returns, tried again with everything opened anew where the files seem damaged."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return translated(action, *arguments)
        except IndexDamaged:
            close()
    return translated(action, *arguments)
