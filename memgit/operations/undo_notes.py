"""The note that `remember` keeps as a claim's own evidence goes with the claim, and comes back with it.

It repeats the claim's text and proves nothing else. Where anything else rests on it, it stays.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec

from memgit.index.state_cache import StateCache
from memgit.operations.undo_plans import Plan, plan_for
from memgit.operations.undo_targets import Target
from memgit.records.fold import fold_lineage
from memgit.records.ids import EntityId, OpDigest, RelationId
from memgit.records.op import OWN_NOTE, ArtifactPayload, ClaimPayload, Op, ReasonPayload, draft
from memgit.records.state import Lineage
from memgit.scope.context import Context
from memgit.store.snapshot import Snapshot


def with_own_notes(snapshot: Snapshot, state: StateCache, plans: Sequence[Plan], context: Context) -> list[Plan]:
    """Return the plans, and what they mean for the own notes of claims that go or come back as a whole."""
    moves = {plan.entity: _move(plan) for plan in plans}
    going = {name for name, move in moves.items() if not name.startswith("clm_") or (move and move.goes)}
    found = list(plans)
    for move in [one for one in moves.values() if one is not None]:
        for note in move.cited:
            wanted = None if note in moves else _operation(snapshot, state, note, None if not move.goes else going)
            more = plan_for(snapshot, note, [Target(note, (wanted,), whole=True)], context) if wanted else None
            if more is not None and note not in {plan.entity for plan in found}:
                found.append(more)
                going.add(note)
    return found


class _Move(NamedTuple):
    """A claim of which nothing is left, or that comes back from nothing, and the artifacts that it cites."""

    goes: bool
    cited: tuple[EntityId, ...]


def _move(plan: Plan) -> _Move | None:
    """Return what becomes of a claim as a whole; None where it stays what it is."""
    if not isinstance(plan.value, Lineage) or plan.value.kind != "claim":
        return None
    before, after = plan.value, _without(plan.value, plan.ops, [note.digest for note in plan.cancelled])
    if bool(before.heads) == bool(after.heads):
        return None
    revisions = [one for one in (before if before.heads else after).revisions if not one.void]
    payloads = [one.payload for one in revisions]
    evidence = [item for payload in payloads if isinstance(payload, ClaimPayload) for item in payload.evidence]
    return _Move(bool(before.heads), tuple(dict.fromkeys(item.artifact for item in evidence)))


def _without(value: Lineage, ops: Sequence[Op], cancelled: Sequence[OpDigest]) -> Lineage:
    """Return what an entity would be after an undo of some operations."""
    undo = draft("undo", value.id, value.scope, ReasonPayload(), cancels=tuple(cancelled))
    last = msgspec.structs.replace(undo, seq=value.updated_seq + 1, digest=OpDigest("f" * 64))
    return fold_lineage([*ops, last]).value or value


def _operation(
    snapshot: Snapshot, state: StateCache, name: EntityId, going: Collection[EntityId] | None
) -> OpDigest | None:
    """Return the operation whose undo takes an own note away, or brings it back where `going` is None.

    None where the note is not to be touched.
    """
    ops, faults = snapshot.ops(name)
    entity = state.entity(name)
    if faults or entity is None or not _is_own_note(ops) or entity.lineage.tombstone is not None:
        return None
    note = entity.lineage
    live = [one for one in note.ops if not one.void]
    if not live or bool(note.heads) != (going is not None) or (going is not None and _is_used(state, note, going)):
        return None
    last = max(live, key=lambda one: (one.seq, one.digest)).digest
    return last if bool(_without(note, ops, [last]).heads) != bool(note.heads) else None


def _is_own_note(ops: Sequence[Op]) -> bool:
    payloads = [op.payload for op in ops if isinstance(op.payload, ArtifactPayload)]
    return bool(payloads) and all(payload.provenance == OWN_NOTE for payload in payloads)


def _is_used(state: StateCache, note: Lineage, going: Collection[EntityId]) -> bool:
    """Tell whether anything but the claims that go names a note: another claim, a relation, a projection."""
    others = [name for name in state.mentions(note.id) if name != note.id and name not in going]
    return any(_stands(state, name) for name in others) or any(
        not projection.void for projection in state.projections_of(note.id)
    )


def _stands(state: StateCache, name: EntityId) -> bool:
    if name.startswith("rel_"):
        relation = state.relation(RelationId(name))
        return relation is not None and not relation.void
    entity = state.entity(name)
    return entity is not None and entity.status != "void"
