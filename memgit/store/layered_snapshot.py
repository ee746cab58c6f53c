"""Several layers at one moment, read as one store: the union of what their trees hold.

It answers as a `Snapshot` does. Its id is made of the tips, its seq is the highest of theirs, and what differs
between two of them is what differs in some layer. Without a private layer there is no need for it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from memgit.records.codec import Receipt, StoreRecord
from memgit.records.ids import BlobDigest, EntityId, OpDigest
from memgit.records.op import Op
from memgit.records.paths import OpPath, parse_op_path
from memgit.records.state import Problem
from memgit.store.database import Database
from memgit.store.objects import Commit, ObjectId, Tree, TreeItem
from memgit.store.private import SHARED, composite_id
from memgit.store.snapshot import Change, Snapshot

_PART = re.compile(r"\+([a-z]+(?::[a-z0-9][a-z0-9._-]*)?)=([0-9a-f]{40,64})")


def private_layers(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the private layers that a snapshot unites with the shared one, sorted."""
    return tuple(snapshot.private) if isinstance(snapshot, LayeredSnapshot) else ()


def tips_in(commit_id: str) -> tuple[str, dict[str, str]]:
    """Return the shared layer's tip and those of the others that a combination's id was made of."""
    first, plus, rest = commit_id.partition("+")
    return first, {match[1]: match[2] for match in _PART.finditer(plus + rest)}


class LayeredSnapshot(Snapshot):
    """Read access to the shared layer and to private ones beside it, each at one commit.

    `private` maps a layer (`local`, `draft:NAME`) to its snapshot.
    """

    def __init__(self, shared: Snapshot, private: Mapping[str, Snapshot]) -> None:
        self.shared = shared
        self.private = dict(sorted(private.items()))
        tips = {layer: part.commit_id for layer, part in self.private.items()}
        self.commit_id = ObjectId(composite_id(shared.commit_id, tips))
        self._origins: dict[ObjectId, Snapshot] = {}  # whose database holds an object, where it is not the shared one's

    @property
    def database(self) -> Database:
        """Where the shared layer's objects are."""
        return self.shared.database

    @cached_property
    def commit(self) -> Commit:
        """The shared layer's commit."""
        return self.shared.commit

    @cached_property
    def seq(self) -> int:
        """The highest seq of all layers."""
        return max(part.seq for part in self._parts())

    def op_files(self, entity: EntityId) -> list[tuple[OpPath, ObjectId]]:
        """Return the names and blobs of an entity's operations in all layers, each once."""
        found: dict[str, tuple[OpPath, ObjectId]] = {}
        for part in self._parts():
            for path, oid in part.op_files(entity):
                if path.digest not in found:
                    found[path.digest] = (path, oid)
                    self._note(oid, part)
        return list(found.values())

    def decode(self, path: OpPath, oid: ObjectId) -> Op | Problem:
        """Return the operation in a blob, or why it cannot be used."""
        return self._origins.get(oid, self.shared).decode(path, oid)

    def read_file(self, oid: ObjectId) -> bytes:
        """Return the content of a blob that one of this snapshot's own listings named."""
        return self._origins.get(oid, self.shared).read_file(oid)

    def blob(self, digest: BlobDigest) -> bytes | None:
        """Return an artifact's stored bytes from the first layer that has them, or None."""
        found = (data for part in self._parts() if (data := part.blob(digest)) is not None)
        return next(found, None)

    def receipt(self, key_digest: str, beside: Iterable[Snapshot] = ()) -> Receipt | None:
        """Return the receipt of an idempotency key from the first layer that has one."""
        layers = [*self._parts(), *beside]
        found = (receipt for part in self._parts() if (receipt := part.receipt(key_digest, layers)) is not None)
        return next(found, None)

    def stores(self) -> list[StoreRecord]:
        """Return who began this store: the shared layer says."""
        return self.shared.stores()

    def purged(self) -> frozenset[EntityId]:
        """Return the entities that may never come back, whichever layer says so."""
        return frozenset().union(*(part.purged() for part in self._parts()))

    def entries(self, top: str = "") -> Iterator[tuple[str, TreeItem]]:
        """Yield (path, entry) of what is not a directory, each path once; those of one directory come together."""
        beside = self._private_entries(top)
        place: str | None = None
        for path, item in self.shared.entries(top):
            directory = path.rpartition("/")[0]
            if place is not None and directory != place:
                yield from self._noted(beside.pop(place, {}))
            place = directory
            beside.get(directory, {}).pop(path, None)
            yield path, item
        for left in beside.values():
            yield from self._noted(left)

    def at(self, commit_id: str) -> Snapshot | None:
        """Return the same layers at another combination of tips, or None where this clone cannot read it."""
        first, tips = tips_in(commit_id)
        shared = self.shared.at(first)
        parts = {layer: part.at(tips[layer]) for layer, part in self.private.items() if layer in tips}
        if shared is None or len(parts) != len(tips):
            return None
        readable = {layer: part for layer, part in parts.items() if part is not None}
        return LayeredSnapshot(shared, readable) if len(readable) == len(parts) else None

    def changes_since(self, older: Snapshot | None, top: str = "") -> Iterator[Change]:
        """Yield the files below `top` that differ in some layer from an older combination (all for None)."""
        for layer, part in self._named_parts():
            yield from part.changes_since(_part(older, layer), top)

    def placements(self, older: Snapshot | None) -> Iterator[tuple[OpDigest, str | None]]:
        """Yield the operations that came to a private layer since, with the layer, and those that left it, with None.

        What the shared layer holds is shared, whatever else holds it.
        """
        for layer, part in self.private.items():
            for change in part.changes_since(_part(older, layer)):
                name = parse_op_path(change.path)
                if name is not None:
                    is_private = change.new is not None and self.shared.find(change.path) is None
                    yield name.digest, layer if is_private else None
        before = _part(older, SHARED)
        for change in self.shared.changes_since(before) if before is not None else ():
            name = parse_op_path(change.path)
            if name is not None and change.new is not None:
                yield name.digest, None

    def positions(self) -> dict[str, tuple[str, int]]:
        """Return each layer's commit and seq, the shared one first."""
        return {layer: (part.commit_id, part.seq) for layer, part in self._named_parts()}

    def find(self, path: str) -> TreeItem | None:
        """Return the entry at a file's path in the first layer that has one, or None."""
        for part in self._parts():
            item = part.find(path)
            if item is not None:
                self._note(item.oid, part)
                return item
        return None

    def directory(self, path: str) -> Tree:
        """Return the entries of a directory of files in all layers."""
        united: dict[str, TreeItem] = {}
        for part in self._parts():
            for name, item in part.directory(path).items():
                if name not in united:
                    united[name] = item
                    self._note(item.oid, part)
        return united

    def _named_parts(self) -> Iterator[tuple[str, Snapshot]]:
        yield SHARED, self.shared
        yield from self.private.items()

    def _parts(self) -> Iterator[Snapshot]:
        yield self.shared
        yield from self.private.values()

    def _note(self, oid: ObjectId, part: Snapshot) -> None:
        if part is not self.shared:
            self._origins.setdefault(oid, part)

    def _private_entries(self, top: str) -> dict[str, dict[str, tuple[TreeItem, Snapshot]]]:
        """Return what the private layers hold: by directory, then by path."""
        found: defaultdict[str, dict[str, tuple[TreeItem, Snapshot]]] = defaultdict(dict)
        for part in self.private.values():
            for path, item in part.entries(top):
                found[path.rpartition("/")[0]].setdefault(path, (item, part))
        return dict(found)

    def _noted(self, entries: Mapping[str, tuple[TreeItem, Snapshot]]) -> Iterator[tuple[str, TreeItem]]:
        for path, (item, part) in entries.items():
            self._note(item.oid, part)
            yield path, item


def _part(snapshot: Snapshot | None, layer: str) -> Snapshot | None:
    """Return what a snapshot has of a layer; a plain one is the shared layer's."""
    if isinstance(snapshot, LayeredSnapshot):
        return snapshot.shared if layer == SHARED else snapshot.private.get(layer)
    return snapshot if layer == SHARED else None
