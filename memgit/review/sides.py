"""One side of a comparison: a state that is folded as far as somebody looks at it.

A tree names no endpoints, so who is joined to whom is asked of the state cache, which holds them for one commit, and
corrected by what differs from that commit. Nothing is read that does not differ or is not joined to what differs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec

from memgit.errors import StoreCorrupt
from memgit.index.refold import Known
from memgit.index.state_cache import StateCache
from memgit.records.fold import Folded, Value, fold_entity
from memgit.records.ids import BlobDigest, EntityId, RelationId
from memgit.records.links import JOINING
from memgit.records.op import Op
from memgit.records.paths import OpPath, parse_op_path
from memgit.records.state import Lineage, Problem, Projection, Relation, Source
from memgit.store.database import Database
from memgit.store.objects import ObjectId
from memgit.store.snapshot import Snapshot

FoldedEntity = Folded[Lineage] | Folded[Relation] | Folded[Source] | Folded[Projection]
Ops = tuple[list[Op], list[Problem]]
"""An entity's operations, and those of its files that cannot be used."""


class Arrived(NamedTuple):
    """A file that one side has. `clashes`: the other has other bytes at the same path, which no memgit writes."""

    snapshot: Snapshot
    path: str
    oid: ObjectId
    clashes: bool


class Trees:
    """The union of the trees of some commits: none for a store that is not there, several for a past of two clones."""

    def __init__(self, snapshots: Sequence[Snapshot], database: Database | None = None) -> None:
        self.snapshots = tuple(snapshots)
        self.database = database  # whose objects the trees are: those of two repositories share none

    def ops(self, entity: EntityId) -> Ops:
        """Return the operations of an entity in all of the trees."""
        files: dict[OpPath, tuple[Snapshot, ObjectId]] = {}
        for snapshot in self.snapshots:
            for path, oid in snapshot.op_files(entity):
                files.setdefault(path, (snapshot, oid))
        decoded = [snapshot.decode(path, oid) for path, (snapshot, oid) in files.items()]
        return (
            sorted((op for op in decoded if isinstance(op, Op)), key=lambda op: op.order),
            [op for op in decoded if isinstance(op, Problem)],
        )

    def beyond(self, other: Trees, top: str = "") -> Iterator[Arrived]:
        """Yield the files below a directory that these trees hold and the others do not, each once."""
        seen: set[str] = set()
        older = other.snapshots[0] if other.snapshots and other.database is self.database else None
        rest = other.snapshots if older is None else other.snapshots[1:]
        for snapshot in self.snapshots:
            for change in snapshot.changes_since(older, top):
                if change.new is None or change.path in seen:
                    continue
                seen.add(change.path)
                held = [item.oid for one in rest if (item := one.find(change.path)) is not None]
                held += [change.old] if change.old is not None else []
                if not held or change.new not in held:
                    yield Arrived(snapshot, change.path, change.new, bool(held))

    def purged(self) -> frozenset[EntityId]:
        """Return the entities that may never come back, by any of the trees."""
        return frozenset().union(*(snapshot.purged() for snapshot in self.snapshots))

    def blob(self, digest: BlobDigest) -> bytes | None:
        """Return an artifact's bytes, or None where no tree has them whole."""
        for snapshot in self.snapshots:
            with suppress(StoreCorrupt):
                data = snapshot.blob(digest)
                if data is not None:
                    return data
        return None


class Side:
    """A state: what each entity is by itself, and which relations touch it."""

    def __init__(
        self,
        read: Callable[[EntityId], FoldedEntity],
        edges: Callable[[EntityId], Iterable[RelationId]],
    ) -> None:
        self._read = read
        self._edges = edges
        self._folded: dict[EntityId, FoldedEntity] = {}

    def folded(self, name: EntityId) -> FoldedEntity:
        """Return what the operations of an entity add up to."""
        if name not in self._folded:
            self._folded[name] = self._read(name)
        return self._folded[name]

    def edges(self, entity: EntityId) -> Iterable[RelationId]:
        """Return the ids of relations that may touch an entity."""
        return self._edges(entity)

    def joined(self, entity: EntityId) -> Iterator[Relation]:
        """Yield the relations through which the entity's state depends on another."""
        for name in self._edges(entity):
            relation = self.folded(name).value
            if isinstance(relation, Relation) and relation.relation in JOINING:
                yield relation


def cached_side(state: StateCache, trees: Trees) -> Side:
    """Return the state that the cache holds, which is that of the trees."""

    def read(name: EntityId) -> FoldedEntity:
        if name.startswith(("src_", "pjn_")):
            return fold_ops(trees.ops(name), False)
        problems, cancels = tuple(state.problems_of(name)), state.cancels_of([name])
        if name.startswith("rel_"):
            return Folded(state.relation(RelationId(name)), problems, cancels)
        entity = state.entity(name)
        return Folded(entity.lineage if entity is not None else None, problems, cancels)

    return Side(read, lambda entity: [relation.id for relation in state.relations_at(entity)])


def tree_side(trees: Trees, tip: Trees, state: Known | None) -> Side:
    """Return the state of trees. `state` is that of `tip`, and knows the endpoints of what both hold.

    Without a tip, the relations of the trees are all read once. Trees whose commits the tip descends from are the usual
    case, and the only one that costs nothing here: they have no relation that the tip has not.
    """
    purged = trees.purged()
    extra: defaultdict[EntityId, list[RelationId]] = defaultdict(list)

    def read(name: EntityId) -> FoldedEntity:
        return fold_ops(trees.ops(name), name in purged)

    side = Side(read, lambda entity: [*_known_edges(state, entity), *extra.get(entity, ())])
    for name in sorted(_relations_beyond(trees, tip)):
        index_relation(side.folded(name).value, extra)
    return side


def overlaid(before: Side, changed: Mapping[EntityId, Ops], purged: Collection[EntityId] = ()) -> Side:
    """Return the state before, with the operations of some entities replaced by others."""
    extra: defaultdict[EntityId, list[RelationId]] = defaultdict(list)

    def read(name: EntityId) -> FoldedEntity:
        return fold_ops(changed[name], name in purged) if name in changed else before.folded(name)

    side = Side(read, lambda entity: [*before.edges(entity), *extra.get(entity, ())])
    for name in changed:
        if name.startswith("rel_"):
            index_relation(side.folded(name).value, extra)
    return side


def fold_ops(ops: Ops, purged: bool) -> FoldedEntity:
    """Return what an entity's operations add up to; of a purged one: nothing."""
    found, faults = ops
    if purged or not found:
        return Folded[Lineage](None, tuple(faults))
    folded = fold_entity(found)
    if not faults:
        return folded
    return msgspec.structs.replace(
        folded, problems=tuple(sorted([*faults, *folded.problems], key=lambda problem: problem.path))
    )


def index_relation(value: Value | None, at: defaultdict[EntityId, list[RelationId]]) -> None:
    """Note a relation under both of its ends."""
    if isinstance(value, Relation):
        for end in (value.payload.source, value.payload.target):
            at[end].append(value.id)


def _known_edges(state: Known | None, entity: EntityId) -> list[RelationId]:
    return [relation.id for relation in state.relations_at(entity)] if state is not None else []


def _relations_beyond(trees: Trees, tip: Trees) -> set[EntityId]:
    """Return the relations of which the trees have an operation that the tip has not."""
    paths = (parse_op_path(file.path) for file in trees.beyond(tip, "relations"))
    return {path.entity for path in paths if path is not None}
