"""From a difference of two trees to what changed in the folded state. Computes; stores nothing.

Only entities whose operations differ are folded again; what relations join to them is derived again with them
(`records.links.component`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Protocol

from msgspec import Struct

from memgit.records.fold import fold_entity
from memgit.records.ids import EntityId, OpDigest, RelationId
from memgit.records.links import component, derive
from memgit.records.op import Op
from memgit.records.paths import KIND_BY_DIRECTORY, OpPath, parse_op_path, shard_of
from memgit.records.state import Case, Entity, Lineage, Problem, Projection, Relation, Source
from memgit.store.objects import ObjectId
from memgit.store.snapshot import LostOp, Snapshot


class Known(Protocol):
    """What was derived before, as far as a refold needs it."""

    def entity(self, entity_id: EntityId) -> Entity | None:
        """Return an entity as it was."""

    def relation(self, relation_id: RelationId) -> Relation | None:
        """Return a relation as it was."""

    def relations_at(self, entity_id: EntityId) -> list[Relation]:
        """Return an entity's relations as they were."""

    def cancels_of(self, entities: Iterable[EntityId]) -> dict[OpDigest, tuple[OpDigest, ...]]:
        """Return what the undos of these entities and relations name."""


class Refold(Struct, frozen=True, kw_only=True):
    """What to forget and what to keep. `refolded` were folded again; `derived` had their state derived again."""

    refolded: frozenset[EntityId]
    derived: frozenset[EntityId]
    entities: list[Entity]
    relations: list[Relation]
    cases: list[Case]
    cancels: list[tuple[EntityId, OpDigest, tuple[OpDigest, ...]]]
    problems: list[tuple[EntityId, str, str]]
    sources: list[Source]
    projections: list[Projection]
    lost: int  # operations whose objects are gone: what is computed here is not the whole state


def refold(snapshot: Snapshot, older: Snapshot | None, known: Known) -> Refold:
    """Return what differs between two snapshots' states; `known` holds the older one's. None: everything is new."""
    lineages: dict[EntityId, Lineage] = {}
    relations: dict[RelationId, Relation] = {}
    cancels: list[tuple[EntityId, OpDigest, tuple[OpDigest, ...]]] = []
    problems: list[tuple[EntityId, str, str]] = []
    sources: list[Source] = []
    projections: list[Projection] = []
    refolded: set[EntityId] = set()
    lost = 0
    purged = snapshot.purged()
    for entity, ops, faults in _changed_operations(snapshot, older):
        refolded.add(entity)
        lost += sum(isinstance(fault, LostOp) for fault in faults)
        problems += [(entity, fault.path, fault.reason) for fault in faults]
        if not ops or entity in purged:
            continue
        folded = fold_entity(ops)
        problems += [(entity, fault.path, fault.reason) for fault in folded.problems]
        cancels += [(entity, undo, names) for undo, names in folded.cancels.items()]
        if isinstance(folded.value, Lineage):
            lineages[entity] = folded.value
        elif isinstance(folded.value, Relation):
            relations[folded.value.id] = folded.value
        elif isinstance(folded.value, Source):
            sources.append(folded.value)
        elif isinstance(folded.value, Projection):
            projections.append(folded.value)
    part = _Part(known if older is not None else None, frozenset(refolded), lineages, relations)
    members, joined = part.closure()
    fresh = {undo: names for _, undo, names in cancels}
    entities, cases = derive(part.lineages(members), joined, part.cancels(members, joined) | fresh)
    return Refold(
        refolded=frozenset(refolded),
        derived=frozenset(members),
        entities=list(entities.values()),
        relations=list(relations.values()),
        cases=list(cases.values()),
        cancels=cancels,
        problems=problems,
        sources=sources,
        projections=projections,
        lost=lost,
    )


class _Part:
    """The older state with the changes laid over it, as far as it is looked at."""

    def __init__(
        self,
        known: Known | None,
        refolded: frozenset[EntityId],
        lineages: dict[EntityId, Lineage],
        relations: dict[RelationId, Relation],
    ) -> None:
        self._known = known
        self._refolded = refolded
        self._lineages = lineages
        self._relations = relations
        self._at: defaultdict[EntityId, list[Relation]] = defaultdict(list)
        for relation in relations.values():
            for end in (relation.payload.source, relation.payload.target):
                self._at[end].append(relation)

    def closure(self) -> tuple[set[EntityId], dict[RelationId, Relation]]:
        """Return the entities whose state must be derived again, and the relations that join them."""
        start = {name for name in self._refolded if not name.startswith("rel_")}
        for name in self._refolded - start:
            for relation in (self._relations.get(RelationId(name)), self._before(RelationId(name))):
                if relation is not None:
                    start |= {relation.payload.source, relation.payload.target}
        return component(start, self._neighbours)

    def lineages(self, members: Iterable[EntityId]) -> dict[EntityId, Lineage]:
        """Return the lineages of those that exist, in the order of their ids."""
        found = {}
        for name in sorted(members):
            lineage = self._lineages.get(name)
            if lineage is None and self._known is not None and name not in self._refolded:
                entity = self._known.entity(name)
                lineage = entity.lineage if entity is not None else None
            if lineage is not None:
                found[name] = lineage
        return found

    def cancels(
        self, members: Iterable[EntityId], joined: Iterable[RelationId]
    ) -> dict[OpDigest, tuple[OpDigest, ...]]:
        """Return the undos of what was not folded again."""
        if self._known is None:
            return {}
        return self._known.cancels_of(name for name in (*members, *joined) if name not in self._refolded)

    def _before(self, name: RelationId) -> Relation | None:
        return self._known.relation(name) if self._known is not None else None

    def _neighbours(self, entity: EntityId) -> list[Relation]:
        before = self._known.relations_at(entity) if self._known is not None else []
        return [*self._at.get(entity, ()), *(relation for relation in before if relation.id not in self._refolded)]


def _changed_operations(
    snapshot: Snapshot, older: Snapshot | None
) -> Iterable[tuple[EntityId, list[Op], list[Problem]]]:
    """Yield each entity of which a file differs, with all its operations as they are now."""
    if older is None:
        yield from _all_operations(snapshot)
        return
    names = {found.entity for change in snapshot.changes_since(older) if (found := parse_op_path(change.path))}
    if any(change.path.startswith("purges/") for change in snapshot.changes_since(older, "purges")):
        names |= snapshot.purged()
    for name in sorted(names, key=shard_of):  # neighbours in the tree together, which reads each directory once
        ops, problems = snapshot.ops(name)
        yield name, ops, problems


def _all_operations(snapshot: Snapshot) -> Iterable[tuple[EntityId, list[Op], list[Problem]]]:
    """Yield every entity with its operations, directory by directory: an entity's files are neighbours."""
    for top in KIND_BY_DIRECTORY:
        shard: defaultdict[EntityId, list[tuple[OpPath, ObjectId]]] = defaultdict(list)
        place = ""
        for path, oid in snapshot.files(top):
            name = parse_op_path(path)
            if name is None:
                continue
            directory = path.rpartition("/")[0]
            if directory != place:
                yield from _decoded(snapshot, shard)
                shard.clear()
                place = directory
            shard[name.entity].append((name, oid))
        yield from _decoded(snapshot, shard)


def _decoded(
    snapshot: Snapshot, shard: dict[EntityId, list[tuple[OpPath, ObjectId]]]
) -> Iterable[tuple[EntityId, list[Op], list[Problem]]]:
    for entity, files in shard.items():
        decoded = [snapshot.decode(name, oid) for name, oid in files]
        yield entity, [op for op in decoded if isinstance(op, Op)], [op for op in decoded if isinstance(op, Problem)]
