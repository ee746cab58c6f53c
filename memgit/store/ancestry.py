"""Who descends from whom in a store's history."""

from __future__ import annotations

from memgit.errors import StoreCorrupt
from memgit.store.database import Database
from memgit.store.objects import Commit, ObjectId
from memgit.store.snapshot import SEQ_TRAILER


def descends(database: Database, tip: ObjectId, ancestor: ObjectId) -> bool:
    """Tell whether `tip` is `ancestor` or descends from it, as far as the repository holds the history.

    A seq never grows towards the parents, so an older seq ends the walk. False where either is not a store's commit.
    """
    if tip == ancestor:
        return True
    oldest = _commit(database, ancestor)
    floor = seq_of(oldest) if oldest is not None else 0
    if not floor:
        return False
    pending, seen = [tip], {tip}
    while pending:
        commit = _commit(database, pending.pop())
        if commit is None or seq_of(commit) < floor:
            continue
        if ancestor in commit.parents:
            return True
        fresh = [parent for parent in commit.parents if parent not in seen]
        seen.update(fresh)
        pending.extend(fresh)
    return False


def seq_of(commit: Commit) -> int:
    """Return the highest seq of a commit's operations, or 0 for a commit that is not a store's."""
    found = SEQ_TRAILER.findall(commit.message)
    return int(found[-1]) if found else 0


def _commit(database: Database, oid: ObjectId) -> Commit | None:
    try:
        return database.commit(oid)
    except StoreCorrupt:
        return None  # beyond a shallow boundary, or not a commit
