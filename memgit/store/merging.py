"""One merge of a draft at a time: it is two steps, a write of the shared layer and the draft's end.

The writer's lock is held in each of them alone, so merges beside each other would share one's operations among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memgit.errors import StoreBusy, StoreReadOnly


@contextmanager
def merging(state_dir: Path, wait_seconds: float) -> Iterator[None]:
    """Hold off other merges. Raises StoreBusy after the wait, StoreReadOnly where the lock cannot be made."""
    from filelock import FileLock, Timeout

    lock = FileLock(state_dir / "merge.lock")
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout:
        raise StoreBusy(f"another process has merged a draft for {wait_seconds:.0f} s") from None
    except OSError as error:
        raise StoreReadOnly(f"{lock.lock_file} cannot be locked: {error.strerror or error}") from None
    try:
        yield
    finally:
        lock.release()
