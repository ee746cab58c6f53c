"""Objects with a memory: a small cache of trees, and the write-ahead log behind what Git has lost.

A read that misses heals: whatever the log holds and Git has lost is stored again. Only what neither of them holds is
`StoreCorrupt`.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple

from memgit.errors import StoreCorrupt
from memgit.store.backend import Backend, ObjectMissing
from memgit.store.loose import remove_loose
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

_LOOK_SECONDS = 2.0  # between two looks after the log's objects: 5 ms each
_CACHED_TREES = 1024  # a write touches ten; a tree at a million records holds 30 entries, about 1 KB


class _CachedTree(NamedTuple):
    """A tree as bytes and as entries."""

    data: bytes
    entries: Tree


class Database:
    """The objects of one repository, as the store reads and writes them."""

    def __init__(self, backend: Backend, log: WriteAheadLog) -> None:
        self.backend = backend
        self.log = log
        self.healed = 0  # objects that were taken from the log
        self.seal: Callable[[bytes], bytes] | None = None  # signs a commit's bytes
        self._looked = float("-inf")
        self._trees: OrderedDict[ObjectId, _CachedTree] = OrderedDict()

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
        return self._tree(oid).entries

    def tree_data(self, oid: ObjectId) -> bytes:
        """Return a tree's bytes."""
        return self._tree(oid).data

    def commit(self, oid: ObjectId) -> Commit:
        """Return a commit's parts."""
        return decode_commit(self.read(oid, "commit"))

    def make(self, kind: ObjectType, data: bytes, path: str = "") -> RawObject:
        """Return the object with its id, without storing it."""
        return hash_object(kind, data, self.backend.object_format, path)

    def make_commit(self, data: bytes) -> RawObject:
        """Return a commit of this program's own, signed where the user signs, without storing it.

        Raises SigningFailed where it must be signed and cannot be.
        """
        return self.make("commit", data if self.seal is None else self.seal(data))

    def make_tree(self, data: bytes, entries: Tree, path: str = "") -> RawObject:
        """Return a tree with its id, without storing it, and remember its entries: the next write starts from them."""
        made = self.make("tree", data, path)
        self._remember(made.oid, _CachedTree(data, entries))
        return made

    def write(self, objects: Iterable[RawObject]) -> None:
        """Store objects. Raises OSError as the file system does."""
        self.backend.write(objects)

    def replay(self) -> int:
        """Store again what the log holds and Git has lost or damaged; return how many objects that were.

        Raises OSError as the file system does.
        """
        lost = [item for item in self.log.objects().values() if not self._is_whole(item)]
        if lost:
            # Git would take a damaged loose file for the object and not write it.
            remove_loose(self.backend.objects_dir, (item.oid for item in lost))
            self.backend.refresh()
            self.backend.write(lost)
            self.healed += len(lost)
        return len(lost)

    def look_after(self) -> None:
        """Store again what Git has lost of the log's objects, looking once in a while. Raises OSError.

        A `git prune` that began before a ref moved, and took the commit's objects after, leaves a history that Git
        cannot walk, so that its next `gc` fails. Reads would heal each object in its turn; this mends all of them with
        the next write. Needs the writer's lock.
        """
        moment = time.monotonic()
        if moment - self._looked < _LOOK_SECONDS:
            return
        self._looked = moment
        oids = {item[0] for entry in self.log.entries() for item in entry.objects}
        if not all(self.backend.contains(oid) for oid in oids):
            self.replay()

    def forget(self) -> None:
        """Forget what is cached, because another process changed the repository."""
        self.backend.refresh()

    def _heal(self, oid: ObjectId) -> RawObject:
        found = self.log.objects().get(oid)
        if found is not None:
            with suppress(OSError):  # a read-only repository is still readable: the bytes are in the log
                self.replay()
            return found
        try:
            kind, data = self._look_again(oid)
        except ObjectMissing:
            raise StoreCorrupt(f"object {oid} is missing or damaged, and no log holds it") from None
        return RawObject(oid, kind, data)

    def _look_again(self, oid: ObjectId) -> tuple[ObjectType, bytes]:
        """Read what neither the back end nor the log had, the long way round."""
        self.backend.refresh()
        try:
            return self.backend.read(oid)  # the log may have been restarted meanwhile: then it is packed
        except ObjectMissing:
            if self.backend.name == "plumbing":
                raise
        from memgit.store.plumbing_backend import PlumbingBackend

        # Git itself tries every copy that it has: beside a damaged loose file there may be a pack.
        git = PlumbingBackend(self.backend.repository)
        try:
            return git.read(oid)
        finally:
            git.close()

    def _is_whole(self, item: RawObject) -> bool:
        if not self.backend.contains(item.oid):
            return False
        try:
            return self.backend.read(item.oid) == (item.type, item.data)
        except ObjectMissing:
            return False

    def _tree(self, oid: ObjectId) -> _CachedTree:
        cached = self._trees.get(oid)
        if cached is not None:
            self._trees.move_to_end(oid)
            return cached
        data = self.read(oid, "tree")
        cached = _CachedTree(data, decode_tree(data, self.backend.object_format))
        self._remember(oid, cached)
        return cached

    def _remember(self, oid: ObjectId, tree: _CachedTree) -> None:
        self._trees[oid] = tree
        if len(self._trees) > _CACHED_TREES:
            self._trees.popitem(last=False)
