"""The writer's lock: advisory, released by the kernel when its holder dies, never held across the network.

Beside it stands a note of who moves the ref to what, so that a `<ref>.lock` that a killed writer left behind can be
told from anybody else's.
"""

from __future__ import annotations

import os
import platform
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from filelock import FileLock, Timeout
from msgspec import Struct

from memgit.errors import StoreBusy, StoreReadOnly
from memgit.store.process import is_running, process_start

_STALE_AFTER_SECONDS = 10.0


class Owner(Struct, frozen=True):
    """The process that was about to move the ref. `started` tells a reused process id from the first one."""

    pid: int
    host: str
    started: str
    commit: str


class WriterLock:
    """The lock of one repository's stores. Not reentrant: one transaction at a time."""

    def __init__(self, state_dir: Path, wait_seconds: float) -> None:
        self.wait_seconds = wait_seconds
        self._path = state_dir / "writer.lock"
        self._note = state_dir / "writer.json"
        # The poll interval is jittered per process, so that waiting writers do not wake together.
        poll = 0.002 + random.random() * 0.004  # noqa: S311
        self._lock = FileLock(self._path, timeout=wait_seconds, poll_interval=poll, thread_local=False)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock. Raises StoreBusy after the wait, StoreReadOnly where it cannot be made."""
        try:
            self._lock.acquire()
        except Timeout:
            raise StoreBusy(
                f"another process has held {self._path} for {self.wait_seconds:.0f} s",
                details={"lock": str(self._path), "waited_ms": int(self.wait_seconds * 1000)},
            ) from None
        except OSError as error:
            raise StoreReadOnly(f"the store's lock {self._path} cannot be taken: {error.strerror or error}") from None
        try:
            yield
        finally:
            self._lock.release()

    def note_move(self, commit: str) -> None:
        """Record that this process is about to make the ref name `commit`."""
        owner = Owner(os.getpid(), platform.node(), process_start(os.getpid()), commit)
        data = msgspec.json.encode(owner)
        descriptor = os.open(self._note, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        try:
            os.write(descriptor, data)
            os.ftruncate(descriptor, len(data))
        finally:
            os.close(descriptor)

    def is_abandoned(self, ref_lock: Path) -> bool:
        """Tell whether a ref's lock file was left by a writer of ours that died.

        Ours: it is empty or holds the commit that the note names, and the noted process is dead. It must also be over
        10 s old; until then it is waited for.
        """
        try:
            content = ref_lock.read_bytes()
            age = time.time() - ref_lock.stat().st_mtime
            owner = msgspec.json.decode(self._note.read_bytes(), type=Owner)
        except (OSError, msgspec.MsgspecError):
            return False
        ours = content.strip() in (b"", owner.commit.encode())
        here = owner.host == platform.node()
        return here and ours and age > _STALE_AFTER_SECONDS and not is_running(owner.pid, owner.started)
