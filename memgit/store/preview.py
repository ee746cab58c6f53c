"""What a union would look like, without storing any of it."""

from __future__ import annotations

from memgit.store import join
from memgit.store.database import Database
from memgit.store.objects import ObjectId, ObjectType, RawObject, Signature
from memgit.store.snapshot import Snapshot
from memgit.store.terms import Terms, check_terms

_NOBODY = Signature("memgit", "memgit@localhost", 0)


class PreviewDatabase(Database):
    """The objects of a database, and some that are only in memory."""

    def __init__(self, database: Database, objects: list[RawObject]) -> None:
        super().__init__(database.backend, database.log)
        self._made = {item.oid: item for item in objects}

    def read(self, oid: ObjectId, kind: ObjectType) -> bytes:
        made = self._made.get(oid)
        return made.data if made is not None else super().read(oid, kind)


def previewed(database: Database, ours: Snapshot, theirs: Snapshot, source: str = "the remote") -> Snapshot:
    """Return the snapshot that uniting two would give. Raises what `Uniter.unite` raises for the same two."""
    check_terms(ours, theirs, Terms(source))
    objects = join.joined(database, ours, theirs, _NOBODY, "preview", sign=False)
    return Snapshot(PreviewDatabase(database, objects), objects[-1].oid)
