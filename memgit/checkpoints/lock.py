"""The lock of the checkpoints: one process at a time writes or removes them.

It is not the writer's lock, so that a snapshot of a large tree keeps no memory waiting. The kernel releases it when its
holder dies. Whoever holds both took the writer's first.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memgit.errors import StoreBusy, StoreReadOnly

LOCK_NAME = "checkpoints.lock"


@contextmanager
def held(state_dir: Path, wait_seconds: float) -> Iterator[None]:
    """Hold the lock. Raises StoreBusy after the wait, StoreReadOnly for what the file system refuses then or later."""
    from filelock import FileLock, Timeout

    path = state_dir / LOCK_NAME
    lock = FileLock(path, poll_interval=0.01, thread_local=False)
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout:
        raise StoreBusy(
            f"another process has held {path} for {wait_seconds:.0f} s",
            details={"lock": str(path), "waited_ms": int(wait_seconds * 1000)},
        ) from None
    except OSError as error:
        raise StoreReadOnly(f"the lock {path} cannot be taken: {error.strerror or error}") from None
    try:
        yield
    except OSError as error:
        place = error.filename or state_dir
        raise StoreReadOnly(f"{place} cannot be written: {error.strerror or error}") from None
    finally:
        lock.release()
