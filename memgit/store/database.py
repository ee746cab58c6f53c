"""Objects with a memory: a small cache of trees, and the write-ahead log behind what Git has lost.

A read that misses heals: the object is taken from the log and stored again. Only what neither Git nor the log holds is
`StoreCorrupt`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

from memgit.errors import StoreCorrupt
from memgit.store.backend import Backend, ObjectMissing
from memgit.store.objects import (
    Commit,
    ObjectId,
    ObjectType,
    RawObject,
    Tree,
    decode_commit,
    decode_tree,
    hash_object,
)
from memgit.store.write_ahead_log import WriteAheadLog

_CACHED_TREES = 1024  # a write touches ten; a tree at a million records holds 30 entries, about 5 KB


class Database:
    """The objects of one repository, as the store reads and writes them."""

    def __init__(self, backend: Backend, log: WriteAheadLog) -> None:
        self.backend = backend
        self.log = log
        self.healed = 0  # objects that were taken from the log
        self._trees: OrderedDict[ObjectId, Tree] = OrderedDict()

    def read(self, oid: ObjectId, kind: ObjectType) -> bytes:
        """Return an object's content. Raises StoreCorrupt where it is lost or of another type."""
        try:
            found, data = self.backend.read(oid)
        except ObjectMissing:
            healed = self._heal(oid)
            found, data = healed.type, healed.data
        if found != kind:
            raise StoreCorrupt(f"object {oid} is a {found}, where the store has a {kind}")
        return data

    def tree(self, oid: ObjectId) -> Tree:
        """Return a tree's entries. Do not change the mapping: it is shared."""
        cached = self._trees.get(oid)
        if cached is not None:
            self._trees.move_to_end(oid)
            return cached
        entries = decode_tree(self.read(oid, "tree"), self.backend.object_format)
        self._remember(oid, entries)
        return entries

    def commit(self, oid: ObjectId) -> Commit:
        """Return a commit's parts."""
        return decode_commit(self.read(oid, "commit"))

    def make(self, kind: ObjectType, data: bytes) -> RawObject:
        """Return the object with its id, without storing it."""
        return hash_object(kind, data, self.backend.object_format)

    def write(self, objects: Iterable[RawObject]) -> None:
        """Store objects. Raises OSError as the file system does."""
        self.backend.write(objects)

    def forget(self) -> None:
        """Forget what is cached, because another process changed the repository."""
        self.backend.refresh()

    def _heal(self, oid: ObjectId) -> RawObject:
        found = self.log.find(oid)
        if found is None:
            # The log may have been restarted between the two looks, which it is only once its objects are packed.
            self.backend.refresh()
            try:
                kind, data = self.backend.read(oid)
            except ObjectMissing:
                raise StoreCorrupt(f"object {oid} is missing or damaged, and no log holds it") from None
            return RawObject(oid, kind, data)
        self._remove_damaged(oid)
        try:
            self.backend.write([found])
            self.healed += 1
        except OSError:
            pass  # a read-only repository is still readable: the bytes are in the log
        return found

    def _remove_damaged(self, oid: ObjectId) -> None:
        """Remove a loose object that exists but cannot be read: Git would take it for stored and not write it."""
        path: Path = self.backend.repository.common_dir / "objects" / oid[:2] / oid[2:]
        try:
            path.unlink(missing_ok=True)
        except OSError:
            return
        self.backend.refresh()

    def _remember(self, oid: ObjectId, entries: Tree) -> None:
        self._trees[oid] = entries
        if len(self._trees) > _CACHED_TREES:
            self._trees.popitem(last=False)
