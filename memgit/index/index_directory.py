"""What every index in a directory needs: one writer at a time, and one name for whatever a damaged file raises.

A lock beside the index, across processes; readers never wait for it.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from memgit.errors import IndexNotReady, MemgitError, StoreReadOnly
from memgit.index.lexical import IndexDamaged
from memgit.limits import DEFAULT

_T = TypeVar("_T")

LOCK_NAME = "write.lock"
OTHER_NAME = "tantivy"  # in Whoosh's directory, that of the other implementation
_ATTEMPTS = 2  # another process may replace the files that were just listed
UNWRITABLE = frozenset({errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""What keeps files from being written, whatever is in them."""

_SAID = re.compile(r"\(os error (\d+)\)")  # how Rust's libraries tell an error of the system, inside of a ValueError

Files = dict[str, tuple[int, int, int]]
"""The files of a directory by name: inode, size in bytes, and when it was written. A file that replaces another may get
the inode of the one before."""


@contextmanager
def writer_lock(directory: Path) -> Iterator[None]:
    """Hold the writer's lock. Raises IndexNotReady where another process keeps it for too long."""
    from filelock import FileLock, Timeout

    try:
        directory.mkdir(parents=True, exist_ok=True)
        if (directory / LOCK_NAME).is_dir():
            shutil.rmtree(directory / LOCK_NAME, ignore_errors=True)  # a folder in its place; it removes no lock's file
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
    """Delete everything but the lock and the folder of another implementation. A folder in a file's place goes too."""
    for path in directory.iterdir():
        if path.name not in (LOCK_NAME, OTHER_NAME):
            delete(path)


def delete(path: Path) -> None:
    """Delete a file, or whatever stands in its place."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def files_in(directory: Path) -> Files:
    """Return the files of a directory; none where it does not exist."""
    found: Files = {}
    try:
        with os.scandir(directory) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):  # replaced or deleted since it was listed
                    status = entry.stat()
                    found[entry.name] = (status.st_ino, status.st_size, status.st_mtime_ns)
    except FileNotFoundError:
        return {}
    found.pop(LOCK_NAME, None)
    return found


def is_intact(opened: Files, now: Files) -> bool:
    """Tell whether no file that was opened has been cut: reading a mapped file beyond its end kills the process."""
    return all(
        inode != now[name][0] or size <= now[name][1] for name, (inode, size, _) in opened.items() if name in now
    )


def translated(action: Callable[..., _T], *arguments: object) -> _T:
    """Return what `action` returns; what a damaged or unwritable file makes it raise is given its proper name."""
    try:
        return action(*arguments)
    except (MemgitError, IndexDamaged):
        raise
    except OSError as error:
        if error.errno in UNWRITABLE:
            raise StoreReadOnly(f"the index cannot be written: {error.strerror}") from error
        raise IndexDamaged(str(error)) from error
    except Exception as error:
        said = _SAID.search(str(error))
        if said is not None and int(said[1]) in UNWRITABLE:
            raise StoreReadOnly(f"the index cannot be written: {os.strerror(int(said[1]))}") from error
        raise IndexDamaged(f"{type(error).__name__}: {error}") from error


def guarded(close: Callable[[], None], action: Callable[..., _T], *arguments: object) -> _T:
    """Return what `action` returns, tried again with everything opened anew where the files seem damaged."""
    for _ in range(_ATTEMPTS - 1):
        try:
            return translated(action, *arguments)
        except IndexDamaged:
            close()
    return translated(action, *arguments)
