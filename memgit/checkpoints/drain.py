"""From the spool to the archive: what Git's hooks saw since the last command, each action as a checkpoint.

It is tried by every command, waits for nobody and never fails its caller: what cannot be recorded now stays in the
spool.
"""

from __future__ import annotations

from collections.abc import Callable

from memgit.checkpoints import spool
from memgit.checkpoints.archive import Archive
from memgit.checkpoints.recording import record_events
from memgit.checkpoints.retention import Retention
from memgit.checkpoints.rewrites import add_rewrites
from memgit.clock import format_time
from memgit.errors import MemgitError, StoreBusy, StoreReadOnly
from memgit.store.repository import Repository

_EVENTS = 500  # recorded at once; of more the latest, since retention would let the others go


def drain(repository: Repository, retention: Callable[[], Retention], *, wait_seconds: float = 0.0) -> list[str]:
    """Record what is waiting, unless another process has the lock, and return what a person should hear.

    Where nothing waits it costs a look at one small directory.
    """
    if not spool.is_waiting(repository):
        return []
    archive = Archive(repository)
    try:
        with archive.held(wait_seconds):
            return _drain(archive, retention())
    except StoreReadOnly as error:
        return [_kept_waiting(error.message)]
    except StoreBusy:
        return []  # whoever has the lock, or the next command, does it
    except MemgitError as error:
        return [_kept_waiting(error.message)]
    except OSError as error:
        return [_kept_waiting(error.strerror or str(error))]


def _drain(archive: Archive, retention: Retention) -> list[str]:
    taken = spool.take(archive.owner)
    notes = list(taken.notes)
    for event in taken.events:
        if event.rewritten:
            add_rewrites(archive.owner, event.rewritten, format_time(event.at.timestamp()))
    record_events(archive, taken.events[-_EVENTS:], retention)
    if len(taken.events) > _EVENTS:
        notes.append(f"{len(taken.events) - _EVENTS} older actions that Git's hooks noted have no checkpoint")
    taken.done()
    return notes


def _kept_waiting(why: str) -> str:
    return f"what Git's hooks noted could not be recorded and stays where it is: {why}"
