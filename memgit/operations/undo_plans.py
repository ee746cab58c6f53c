"""What an undo cancels, entity by entity: the operations that its targets mean, as the fold has them under the lock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memgit.errors import FormatTooNew, InvalidRequest, NotFound, StoreCorrupt
from memgit.index.meanings import aliases_at
from memgit.operations.undo_targets import Target
from memgit.records.fold import Folded, Value, fold_entity
from memgit.records.ids import EntityId, OpDigest
from memgit.records.op import Op
from memgit.records.state import Lineage, OpNote, Problem
from memgit.scope.context import Context
from memgit.scope.horizon import check_write
from memgit.store.snapshot import LaterOp, LostOp, Snapshot


@dataclass(frozen=True, slots=True)
class Plan:
    """What an undo of one entity cancels, in the fold's order."""

    entity: EntityId
    value: Value
    ops: tuple[Op, ...]
    faults: tuple[Problem, ...]
    cancelled: tuple[OpNote, ...]


def plans_for(snapshot: Snapshot, targets: Iterable[Target], context: Context) -> list[Plan]:
    """Return what to cancel, entity by entity, in the order of the targets."""
    by_entity: dict[EntityId, list[Target]] = {}
    for target in targets:
        by_entity.setdefault(target.entity, []).append(target)
    plans = [plan for entity, wanted in by_entity.items() if (plan := plan_for(snapshot, entity, wanted, context))]
    if not plans:
        raise InvalidRequest(
            "all of it was undone already", hint="Undo the undo to bring it back: `git memory log ID` shows it."
        )
    return plans


def plan_for(snapshot: Snapshot, entity: EntityId, targets: Iterable[Target], context: Context) -> Plan | None:
    """Return what to cancel of one entity; None where all that a commit did to it is void already."""
    ops, faults = snapshot.ops(entity)
    _check_readable(entity, faults)
    folded: Folded[Lineage] | None = fold_entity(ops) if ops else None  # type: ignore[assignment]
    if folded is None or folded.value is None:
        raise NotFound(f"there is no {entity}", details={"id": entity})
    value: Value = folded.value
    check_write(value.scope, context, entity, aliases_at(snapshot))
    notes = {note.digest: note for note in value.ops}
    chosen: dict[str, OpNote] = {}
    for target in targets:
        for note in _chosen(target, notes, ops, folded.problems):
            chosen[note.digest] = note
    if not chosen:
        return None
    order = sorted(chosen.values(), key=lambda note: (note.seq, note.digest))
    return Plan(entity, value, tuple(ops), tuple(faults), tuple(order))


def _chosen(
    target: Target, notes: Mapping[OpDigest, OpNote], ops: Iterable[Op], problems: Iterable[Problem]
) -> Iterable[OpNote]:
    """Return the operations of one target that are to be cancelled."""
    if not target.digests:
        live = [note for note in notes.values() if not note.void]
        if not live:
            raise InvalidRequest(
                f"everything about {target.entity} was undone already",
                hint="Undo the operation that did it: `git memory log ID` shows its digest.",
                details={"id": target.entity},
            )
        return [max(live, key=lambda note: (note.seq, note.digest))]
    found = []
    for digest in target.digests:
        note = notes.get(digest)
        if note is not None and not note.void:
            found.append(note)
        elif not target.whole:
            raise _cannot(target.entity, digest, note, ops, problems)
    return found


def _cannot(
    entity: EntityId, digest: str, note: OpNote | None, ops: Iterable[Op], problems: Iterable[Problem]
) -> InvalidRequest:
    """Return why an undo of one operation would change nothing."""
    if note is None:
        why = next((problem.reason for problem in problems if digest in problem.path), "the fold does not know it")
        return InvalidRequest(
            f"operation {digest[:12]} of {entity} counts for nothing: {why}",
            hint="There is nothing to undo; `git memory verify` names what is ignored.",
            details={"id": entity, "digest": digest},
        )
    by = next((op.digest for op in ops if digest in op.cancels), "")
    return InvalidRequest(
        f"operation {digest[:12]} ({note.verb}) of {entity} was undone already, by {by[:12]}",
        hint=f"To bring it back, undo that: `git memory undo {by[:12]}`.",
        details={"id": entity, "digest": digest, "undone_by": by},
    )


def _check_readable(entity: EntityId, faults: Iterable[Problem]) -> None:
    for fault in faults:
        if isinstance(fault, LostOp):
            raise StoreCorrupt(f"a part of {entity} is lost: {fault.reason}")
        if isinstance(fault, LaterOp):
            raise FormatTooNew(f"a later version wrote to {entity}: {fault.reason}")
