"""The commits of a store, newest first: by seq, which never grows towards the parents."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from memgit.store.database import Database
from memgit.store.objects import ObjectId
from memgit.store.snapshot import Snapshot


def walk(database: Database, tip: ObjectId) -> Iterator[Snapshot]:
    """Yield every commit that the tip reaches, once, in falling order of (seq, commit id)."""
    queue = [_entry(database, tip)]
    seen = {tip}
    while queue:
        _, _, snapshot = heapq.heappop(queue)
        yield snapshot
        for parent in snapshot.commit.parents:
            if parent not in seen:
                seen.add(parent)
                heapq.heappush(queue, _entry(database, parent))


def _entry(database: Database, oid: ObjectId) -> tuple[int, str, Snapshot]:
    snapshot = Snapshot(database, oid)
    return (-snapshot.seq, oid, snapshot)
