"""The state as it was: at an earlier commit, or at a date. Folded as far as it is looked at, and kept nowhere.

A commit's state is the fold of its tree. A date's state is the fold of the operations that are not later, whenever they
arrived here: who wrote offline a week ago knew it a week ago. The present state only tells which relations there are to
look at; what they were is read from their operations.
"""

from __future__ import annotations

from memgit.index.state_cache import StateCache
from memgit.records.fold import fold_lineage, fold_projection, fold_relation
from memgit.records.ids import CaseId, EntityId, OpDigest, RelationId
from memgit.records.links import component, derive
from memgit.records.op import Op
from memgit.records.state import Case, Entity, Lineage, Projection, Relation
from memgit.store.snapshot import Snapshot


class PastState:
    """What `retrieval.view.View` looks up, as it was.

    `snapshot` is the commit's, or the present one with `until`, a moment as `clock.now` writes it. An operation is
    never older than its parents, so what the moment cuts off is never a part of what it keeps.
    """

    def __init__(self, snapshot: Snapshot, present: StateCache, until: str | None = None) -> None:
        self._snapshot = snapshot
        self._present = present
        self._until = until
        self._purged = snapshot.purged()
        self._entities: dict[EntityId, Entity | None] = {}
        self._cases: dict[CaseId, Case] = {}
        self._lineages: dict[EntityId, Lineage | None] = {}
        self._relations: dict[RelationId, Relation | None] = {}
        self._cancels: dict[OpDigest, tuple[OpDigest, ...]] = {}

    def entity(self, entity_id: EntityId) -> Entity | None:
        """Return a claim or an artifact as it was, None where it was not there yet."""
        if entity_id not in self._entities:
            self._derive(entity_id)
        return self._entities[entity_id]

    def case(self, case_id: CaseId) -> Case | None:
        """Return a conflict case as it was. Known are those of the entities that were looked up."""
        return self._cases.get(case_id)

    def projection(self, projection_id: EntityId) -> Projection | None:
        """Return a projection as it was, None where it was not there yet."""
        ops = self._ops(projection_id)
        return fold_projection(ops).value if ops and ops[0].kind == "projection" else None

    def _derive(self, start: EntityId) -> None:
        members, joined = component({start}, self._relations_at)
        found = {name: lineage for name in sorted(members) if (lineage := self._lineage(name)) is not None}
        entities, cases = derive(found, joined, self._cancels)
        self._entities |= dict.fromkeys(members) | entities
        self._entities.setdefault(start, None)
        self._cases |= cases

    def _lineage(self, name: EntityId) -> Lineage | None:
        if name not in self._lineages:
            ops = self._ops(name)
            folded = fold_lineage(ops) if ops and ops[0].kind in ("claim", "artifact") else None
            self._lineages[name] = folded.value if folded is not None else None
            self._cancels |= folded.cancels if folded is not None else {}
        return self._lineages[name]

    def _relations_at(self, entity: EntityId) -> list[Relation]:
        found = (self._relation(RelationId(relation.id)) for relation in self._present.relations_at(entity))
        return [relation for relation in found if relation is not None]

    def _relation(self, name: RelationId) -> Relation | None:
        if name not in self._relations:
            ops = self._ops(name)
            folded = fold_relation(ops) if ops else None
            self._relations[name] = folded.value if folded is not None else None
            self._cancels |= folded.cancels if folded is not None else {}
        return self._relations[name]

    def _ops(self, name: EntityId) -> list[Op]:
        """Return an entity's operations of then; those that cannot be used are left out, as in any fold."""
        if name in self._purged:
            return []
        ops, _ = self._snapshot.ops(name)
        return ops if self._until is None else [op for op in ops if op.at <= self._until]


def purged_since(snapshot: Snapshot, moment: str) -> int:
    """Return how many entities were purged after a moment: what was known then may have held them."""
    return len({name for marker in snapshot.purge_markers() if marker.at > moment for name in marker.entities})
