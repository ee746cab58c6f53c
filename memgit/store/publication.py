"""Making a commit the tip: the log first, then the objects, then the ref. Needs the writer's lock.

What fails before the ref has moved is taken back, so that an error means that nothing was written. A process that dies
on the way leaves an entry in the log, and whoever takes the lock next finishes the move (`memgit.store.refs`).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress

from memgit.errors import MemgitError
from memgit.store.backend import RefDamaged, RefMoved
from memgit.store.database import Database
from memgit.store.lock import WriterLock
from memgit.store.objects import ObjectId, RawObject
from memgit.store.ref_move import move_ref

_AGAIN_AFTER_SECONDS = 0.05  # a prune in a small repository is over by then


class Publisher:
    """Publishes commits on one ref. `sync`: the log is on the disk before the ref moves (durability `safe`)."""

    def __init__(self, database: Database, lock: WriterLock, ref: str, *, sync: bool = False) -> None:
        self._database = database
        self._lock = lock
        self._ref = ref
        self._sync = sync
        self._recent: deque[tuple[float, list[RawObject]]] = deque()  # what was published a moment ago

    def publish(self, old: ObjectId | None, new: ObjectId, objects: Iterable[RawObject]) -> None:
        """Make the ref name the commit `new` if it names `old`. `objects` are those that may not be stored yet.

        Raises RefMoved where another program moved the ref, StoreBusy where it stays locked, OSError as the file
        system does; nothing is published then.
        """
        items = list(objects)
        try:
            self._database.log.append(old, new, items, sync=self._sync)
            self._database.write(items)
            self.move(old, new, items)
        except RefMoved:
            with suppress(OSError):  # then the log's next reader sees that the entry came to nothing
                self._database.log.retract()
            raise
        except BaseException as error:
            if not self._is_moved(old, new):
                raise
            if not isinstance(error, (MemgitError, OSError)):
                raise  # an interrupt, for one, is not answered with a success

    def move(self, old: ObjectId | None, new: ObjectId, objects: Iterable[RawObject]) -> None:
        """Move the ref to a commit that the log holds, and see to it that the commit's objects outlast a `gc`."""
        items = list(objects)
        move_ref(self._database.backend, self._lock, self._ref, new, old, lambda: self._database.write(items))
        with suppress(OSError):  # what could not be put back is still in the log
            self._look_after(items)

    def _look_after(self, items: list[RawObject]) -> None:
        """Put back what a `git prune` took that had begun before the ref moved: at once, and again a little later.

        Reads would heal it too; but until then Git could not walk the history, and the user's next `gc` would fail. A
        look costs 30 µs. `Database.look_after` finds what a slower prune takes.
        """
        moment = time.monotonic()
        due = [*items]
        while self._recent and moment - self._recent[0][0] > _AGAIN_AFTER_SECONDS:
            due += self._recent.popleft()[1]
        self._recent.append((moment, items))
        contains = self._database.backend.contains
        self._database.write(item for item in due if not contains(item.oid))

    def _is_moved(self, old: ObjectId | None, new: ObjectId) -> bool:
        """Tell whether the ref names `new` after all; take the log's entry back where it certainly does not."""
        try:
            tip = self._database.backend.read_ref(self._ref)
        except (RefDamaged, MemgitError):
            return False
        if tip == old:
            with suppress(OSError):
                self._database.log.retract()
        return tip == new
