"""Memory that somebody's `git fetch --depth` made shallow: the boundary is lifted, the code's own boundaries stay.

A shallow boundary hides a commit's parents from Git, which may then prune them, and two clones find no common ancestor.
Memory is small and is always fetched whole, so none of its commits belongs into the list.
"""

from __future__ import annotations

import os
from contextlib import suppress

from memgit.errors import StoreCorrupt
from memgit.store.ancestry import seq_of
from memgit.store.database import Database
from memgit.store.objects import ObjectId
from memgit.store.repository import Repository
from memgit.store.shallow_file import boundaries, shallow_file


def memory_boundaries(repository: Repository, database: Database) -> list[ObjectId]:
    """Return the store's commits that Git takes for the end of history here; nearly always none."""
    return [oid for oid in boundaries(repository) if _is_memory(database, oid)]


def lift(repository: Repository, database: Database, lifted: list[ObjectId]) -> None:
    """Take commits whose parents are here off the list, by Git's own protocol: a lock file, renamed into place.

    Where another program holds the lock, the next sync does it. Raises OSError.
    """
    whole = {oid for oid in lifted if _has_parents(database, oid)}
    path = shallow_file(repository)
    lock = path.with_name(path.name + ".lock")
    if not whole:
        return
    try:
        descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    except FileExistsError:
        return
    kept = [oid for oid in boundaries(repository) if oid not in whole]
    try:
        os.write(descriptor, "".join(f"{oid}\n" for oid in kept).encode())
    finally:
        os.close(descriptor)
    if kept:
        lock.replace(path)
    else:
        path.unlink(missing_ok=True)
        lock.unlink(missing_ok=True)


def _is_memory(database: Database, oid: ObjectId) -> bool:
    with suppress(StoreCorrupt):
        return seq_of(database.commit(oid)) > 0
    return False


def _has_parents(database: Database, oid: ObjectId) -> bool:
    return all(database.backend.contains(parent) for parent in database.commit(oid).parents)
