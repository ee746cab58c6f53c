"""The lock of the user's index, taken as Git takes it: `index.lock`, made by whoever writes and renamed into place.

A lock of somebody else's is reported and left alone. One that a process of ours left when it was killed is recognised
by a note in `state/`, one for each working tree, and removed. The note comes before the lock, and a second name of the
lock's file keeps its inode from going to a lock of somebody else's.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec
from msgspec import Struct

from memgit.errors import StoreBusy, StoreReadOnly
from memgit.store.process import is_running, process_start
from memgit.store.repository import Repository

_SECOND_NAME = "memgit-index.lock"


class _Owner(Struct, frozen=True):
    """Which process of ours made which lock file."""

    pid: int
    host: str
    started: str
    path: str
    inode: int


@dataclass(frozen=True, slots=True)
class IndexLock:
    """The lock while it is held."""

    index: Path
    path: Path

    def write(self, data: bytes | None, modified_ns: int) -> None:
        """Make these bytes the index, with this time; None removes it. The lock is gone then. Raises OSError."""
        if data is None:
            self.index.unlink(missing_ok=True)
            return
        with self.path.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.utime(self.path, ns=(modified_ns, modified_ns))
        self.path.replace(self.index)


@contextmanager
def index_locked(repository: Repository) -> Iterator[IndexLock]:
    """Hold the index's lock. Raises StoreBusy where somebody has it, StoreReadOnly. Needs the checkpoints' lock."""
    lock = IndexLock(repository.git_dir / "index", repository.git_dir / "index.lock")
    note, second = _note(repository), repository.git_dir / _SECOND_NAME
    try:
        if _is_abandoned(lock.path, note):
            lock.path.unlink(missing_ok=True)
        _forget(note, second)
        inode = _lock(lock.path, note, second)
    except FileExistsError:
        _forget(note, second)
        raise StoreBusy(
            f"{lock.path} exists: another Git process works in this repository",
            hint="Wait for it to end; if none runs, it left the file behind when it was killed, and you may remove it.",
            details={"lock": str(lock.path)},
        ) from None
    except OSError as error:
        raise StoreReadOnly(f"{lock.path} cannot be made: {error.strerror or error}") from None
    try:
        yield lock
    finally:
        with suppress(OSError):
            if lock.path.stat().st_ino == inode:
                lock.path.unlink()
        _forget(note, second)


def _lock(path: Path, note: Path, second: Path) -> int:
    """Make the lock, after the note of it, and return its inode. Raises FileExistsError where there is one."""
    inode = _made(second)
    _write_note(note, path, inode)
    try:
        os.link(second, path)
        return inode
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        inode = _made(path)
        _write_note(note, path, inode)
        return inode


def _made(path: Path) -> int:
    """Make an empty file and return its inode. Raises FileExistsError."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        return os.fstat(descriptor).st_ino
    finally:
        os.close(descriptor)


def _write_note(note: Path, path: Path, inode: int) -> None:
    owner = _Owner(os.getpid(), platform.node(), process_start(os.getpid()), str(path), inode)
    note.write_bytes(msgspec.json.encode(owner))


def _forget(note: Path, second: Path) -> None:
    """Remove the note, then the name that keeps the inode which it tells."""
    note.unlink(missing_ok=True)
    second.unlink(missing_ok=True)


def _note(repository: Repository) -> Path:
    """Return where the note of a working tree is."""
    name = repository.worktree_name.replace("/", "-")
    return repository.state_dir / f"index-lock-{'main' if name == '.' else name}.json"


def _is_abandoned(path: Path, note: Path) -> bool:
    """Tell whether the lock is there because a process of ours died."""
    try:
        owner = msgspec.json.decode(note.read_bytes(), type=_Owner)
        is_ours = owner.path == str(path) and owner.host == platform.node() and path.stat().st_ino == owner.inode
    except (OSError, msgspec.MsgspecError):
        return False
    return is_ours and not is_running(owner.pid, owner.started)
