"""The writer's lock: advisory, released by the kernel when its holder dies, never held across the network.

Beside it stands a note of who moves which ref to what, so that a `<ref>.lock` that a killed writer left behind can be
told from anybody else's. The note is empty while nobody does.
"""

from __future__ import annotations

import os
import platform
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from memgit.errors import Internal, StoreBusy, StoreReadOnly
from memgit.store.process import is_running, process_start

if TYPE_CHECKING:
    from filelock import BaseFileLock

_STALE_AFTER_SECONDS = 10.0


class Owner(Struct, frozen=True):
    """The process that is about to move a ref. `started` tells a reused process id from the first one."""

    pid: int
    host: str
    started: str
    ref: str
    commit: str


class WriterLock:
    """The lock of one repository's stores. Not reentrant: one transaction at a time."""

    def __init__(self, state_dir: Path, wait_seconds: float) -> None:
        self.wait_seconds = wait_seconds
        self._path = state_dir / "writer.lock"
        self._note = str(state_dir / "writer.json")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock. Raises StoreBusy after the wait, StoreReadOnly where it cannot be made."""
        if not self._acquire(self.wait_seconds):
            raise StoreBusy(
                f"another process has held {self._path} for {self.wait_seconds:.0f} s",
                details={"lock": str(self._path), "waited_ms": int(self.wait_seconds * 1000)},
            )
        try:
            yield
        finally:
            self._release()

    @contextmanager
    def held_if_free(self) -> Iterator[bool]:
        """Hold the lock if nobody does and it can be made; yield whether it is held."""
        try:
            held = self._acquire(0.0)
        except StoreReadOnly:
            held = False
        try:
            yield held
        finally:
            if held:
                self._release()

    def note_move(self, ref: str, commit: str) -> None:
        """Record that this process is about to make the ref name `commit`."""
        pid = os.getpid()
        self._write_note(msgspec.json.encode(Owner(pid, platform.node(), _own_start(pid), ref, commit)))

    def clear_move(self) -> None:
        """Record that no move is under way: what is left of a ref's lock from here on is somebody else's."""
        self._write_note(b"")

    def is_abandoned(self, ref: str, ref_lock: Path) -> bool:
        """Tell whether a ref's lock file was left by a writer of ours that died.

        Ours: it is empty or holds the commit that the note names, and the noted process is dead. It must also be over
        10 s old; until then it is waited for.
        """
        try:
            content = ref_lock.read_bytes()
            age = time.time() - ref_lock.stat().st_mtime
            owner = msgspec.json.decode(Path(self._note).read_bytes(), type=Owner)
        except (OSError, msgspec.MsgspecError):
            return False
        ours = owner.ref == ref and content.strip() in (b"", owner.commit.encode())
        here = owner.host == platform.node()
        return here and ours and age > _STALE_AFTER_SECONDS and not is_running(owner.pid, owner.started)

    @cached_property
    def _lock(self) -> BaseFileLock:
        from filelock import FileLock

        # The poll interval is jittered per process, so that waiting writers do not wake together.
        poll = 0.002 + random.random() * 0.004  # noqa: S311
        return FileLock(self._path, poll_interval=poll, thread_local=False)

    def _acquire(self, wait_seconds: float) -> bool:
        from filelock import Timeout

        if self._lock.is_locked:
            raise Internal("a write was begun inside another write of the same store")
        try:
            self._lock.acquire(timeout=wait_seconds)
        except Timeout:
            return False
        except OSError as error:
            raise StoreReadOnly(f"the store's lock {self._path} cannot be taken: {error.strerror or error}") from None
        return True

    def _release(self) -> None:
        with suppress(OSError):  # what was done under the lock is done; the system drops a lock that it cannot release
            self._lock.release()

    def _write_note(self, data: bytes) -> None:
        descriptor = os.open(self._note, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        try:
            os.write(descriptor, data)
            os.ftruncate(descriptor, len(data))
        finally:
            os.close(descriptor)


def _own_start(pid: int) -> str:
    """Return this process's start; asked once a process, because a write must not pay for it."""
    global _start
    if _start[0] != pid:
        _start = (pid, process_start(pid))
    return _start[1]


_start = (0, "")
