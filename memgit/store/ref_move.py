"""Moving the authority ref: compare-and-swap, with patience for Git's own locks and a memory of our dead."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from memgit.errors import StoreBusy
from memgit.store.backend import Backend, ObjectMissing, RefLocked
from memgit.store.lock import WriterLock
from memgit.store.objects import ObjectId


def move_ref(
    backend: Backend,
    lock: WriterLock,
    ref: str,
    new: ObjectId,
    old: ObjectId | None,
    restore: Callable[[], object],
) -> None:
    """Make the ref name `new` if it names `old`. Needs the writer's lock.

    `pack-refs` and `gc` lock refs too, and libgit2 never waits: that is contention, within the lock's wait. So is a
    `gc --prune=now` that took the commit, which nothing reaches yet: `restore` puts it back. Raises RefMoved where
    another program moved the ref, StoreBusy where its lock stays, OSError as the file system does.
    """
    deadline = time.monotonic() + lock.wait_seconds
    ref_lock = backend.repository.common_dir / f"{ref}.lock"
    while True:
        _await_ref_lock(lock, ref, ref_lock, deadline)
        lock.note_move(ref, new)
        try:
            backend.move_ref(ref, new, old)
        except RefLocked:
            if time.monotonic() > deadline:
                raise StoreBusy(f"the ref {ref} stays locked by another Git process") from None
            time.sleep(0.005 + random.random() * 0.02)  # noqa: S311
        except ObjectMissing:
            if time.monotonic() > deadline:
                raise StoreBusy(f"another Git process keeps removing commit {new}") from None
            restore()
        else:
            with suppress(OSError):  # the ref has moved, whatever becomes of the note
                lock.clear_move()
            return


def _await_ref_lock(lock: WriterLock, ref: str, ref_lock: Path, deadline: float) -> None:
    """Wait until the ref's lock file is gone; remove it where a dead writer of ours left it.

    The note must not be overwritten before: it is what tells our lock file from another program's.
    """
    while ref_lock.exists():
        if lock.is_abandoned(ref, ref_lock):
            ref_lock.unlink(missing_ok=True)
            return
        if time.monotonic() > deadline:
            raise StoreBusy(
                f"{ref_lock} is held by another Git process, for {_age(ref_lock):.0f} s now",
                hint=f"If no Git process runs in this repository, remove {ref_lock}.",
                details={"lock": str(ref_lock), "age_s": round(_age(ref_lock), 1)},
            )
        time.sleep(0.01 + random.random() * 0.02)  # noqa: S311


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0
