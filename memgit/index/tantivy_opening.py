"""Opening a tantivy index where tantivy itself would wait for ever, or could not.

To open an index, and to see a new commit, tantivy takes a lock in its directory: it writes the lock's file, and waits
for whoever holds it. Where the directory cannot be written, or the lock is held for longer than any opening takes, the
index is opened through a directory of links to its files, which has a lock of its own.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tantivy

from memgit.errors import IndexNotReady, MemgitError, StoreReadOnly
from memgit.index.index_directory import UNWRITABLE, Files
from memgit.index.lexical import IndexDamaged

_META_LOCK = ".tantivy-meta.lock"
_LOCK_SECONDS = 2.0  # an opening holds it for milliseconds, sweeping files after a commit for not much longer
_PROBE, _PROBE_BYTES = ".room", 1 << 20
_NOT_LINKED = ("digests", "recent.", ".tantivy-")


class TantivyFiles:
    """The index in a directory, as tantivy opens it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._index: Any = None
        self._links: TemporaryDirectory[str] | None = None

    def newest(self, files: Files) -> Any:
        """Return the index at its newest commit. `files` are those of its directory."""
        if not can_lock(self._directory):
            self.close()
            self._links = TemporaryDirectory(prefix="memgit-", ignore_cleanup_errors=True)
            _link(self._directory, Path(self._links.name), files)
            self._index = _open(Path(self._links.name))
        elif self._index is None or self._links is not None:
            self.close()
            self._index = _open(self._directory)
        self._index.reload()
        return self._index

    def close(self) -> None:
        """Release files. What was answered with them stays readable as long as somebody holds it."""
        self._index = None
        if self._links is not None:
            self._links.cleanup()
            self._links = None


def _open(directory: Path) -> Any:
    """Return an index that sees a new commit when it is told to. By itself a thread would look, whatever lies there."""
    index = tantivy.Index.open(str(directory))
    index.config_reader(reload_policy="Manual")
    return index


def can_lock(directory: Path) -> bool:
    """Tell whether tantivy can take its lock here, now."""
    try:
        await_lock(directory)
    except (MemgitError, IndexDamaged):
        return False
    return True


def await_lock(directory: Path) -> None:
    """Raise unless tantivy can take its lock: StoreReadOnly where nothing can be written, IndexNotReady where another
    program holds it, IndexDamaged where something else is in its place.
    """
    try:
        file = os.open(directory / _META_LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            free = _is_free(file)
        finally:
            os.close(file)
    except OSError as error:
        if error.errno in UNWRITABLE:
            raise StoreReadOnly(f"the index in {directory} cannot be written: {error.strerror}") from error
        raise IndexDamaged(f"{_META_LOCK} cannot be opened: {error.strerror}") from error
    if not free:
        raise IndexNotReady(f"another program holds {directory / _META_LOCK}")


def await_room(directory: Path) -> None:
    """Raise OSError where a file of some size cannot be written: tantivy's threads do not say what stopped them."""
    probe = directory / f"{_PROBE}.{os.getpid()}"
    try:
        probe.write_bytes(bytes(_PROBE_BYTES))
    finally:
        probe.unlink(missing_ok=True)


def _is_free(file: int) -> bool:
    """Tell whether a file's lock can be had within _LOCK_SECONDS. 20 µs where it is free; filelock takes 400."""
    if sys.platform == "win32":
        return True  # tantivy's lock there is LockFileEx, which no module of Python reaches
    import fcntl

    end = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(_LOCK_SECONDS / 100)
        else:
            return True  # closing the file lets go of it


def _link(directory: Path, links: Path, files: Files) -> None:
    for name in files:
        if not name.startswith(_NOT_LINKED):
            try:
                (links / name).symlink_to(directory / name)
            except OSError:  # a system that lets only administrators make links
                with suppress(FileNotFoundError):
                    shutil.copyfile(directory / name, links / name)
