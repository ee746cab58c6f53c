"""`undo`: operations that cancel operations. Nothing is rewritten, and an undo can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from memgit.errors import FormatTooNew, InvalidRequest, NotFound, StoreCorrupt
from memgit.index.meanings import aliases_at
from memgit.index.state_cache import StateCache
from memgit.limits import DEFAULT
from memgit.operations import checks
from memgit.operations.invocation import Invocation
from memgit.operations.layer_choice import said_layer
from memgit.operations.lineages import named_heads, snapshot_of
from memgit.operations.op_commits import history_of
from memgit.operations.placing import placed
from memgit.operations.undo_effects import Cancelled, Undone, undone
from memgit.operations.undo_targets import Target, find_targets
from memgit.operations.writing import WriteRequest
from memgit.records.fold import Folded, Value, fold_entity
from memgit.records.ids import EntityId, OpDigest, RevisionId
from memgit.records.op import ClaimPayload, Op, ReasonPayload, draft
from memgit.records.state import Lineage, OpNote, Problem
from memgit.review.parts import diff_ops
from memgit.review.sides import Trees
from memgit.scope.context import Context
from memgit.scope.horizon import check_write
from memgit.store.private import SHARED
from memgit.store.snapshot import LaterOp, LostOp, Snapshot
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

_BULK = 200  # entities, from which on one pack is faster than loose objects


class Undo(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Cancel operations by new ones. A target is an id (its last effective operation), a revision, the beginning of an
    operation's digest or of a commit's id (all of its operations), or `@last` (your last commit).

    To undo an undo is to redo. `force` also takes an artifact's revision back that live claims cite.
    """

    targets: tuple[str, ...]
    reason: str | None = None
    if_revision: str | None = None
    force: bool = False


@dataclass(frozen=True, slots=True)
class _Plan:
    """What an undo of one entity cancels, in the fold's order."""

    entity: EntityId
    value: Value
    ops: tuple[Op, ...]
    faults: tuple[Problem, ...]
    cancelled: tuple[OpNote, ...]


def undo(invocation: Invocation, request: Undo) -> Undone:
    """Cancel operations in one commit. Raises NotFound, ScopeViolation, RevisionConflict, InvalidRequest where the fold
    would ignore the undo or nothing is left to cancel.
    """
    if not request.targets:
        raise InvalidRequest("the request names nothing to undo", details={"field": "targets"})
    checks.within(len(request.targets), "history_page", DEFAULT.history_page, "the list of targets", unit="targets")
    reason = checks.text(request.reason, "reason", "reason_bytes")
    context = invocation.context
    store = invocation.layers.store(said_layer(request) or SHARED)
    with history_of(invocation, store) as graph:
        found = [find_targets(store, graph, invocation.state, name) for name in request.targets]
    targets = [target for some in found for target in some]
    request = placed(invocation, request, (target.entity for target in targets))

    def build(transaction: Transaction) -> Result:
        snapshot = snapshot_of(transaction)
        state = invocation.state_of(snapshot)
        plans = _plans(snapshot, targets, context)
        _check_revision(plans, request.if_revision)
        if not request.force:
            _check_citations(state, plans)
        staged = {plan.entity: _stage(transaction, plan, reason) for plan in plans}
        changed = {plan.entity: ([*plan.ops, staged[plan.entity]], list(plan.faults)) for plan in plans}
        diff = diff_ops(state, Trees([snapshot]), changed, staged.values())
        cancelled = [
            Cancelled(digest=note.digest, verb=note.verb, entity=plan.entity, undo=staged[plan.entity].digest)
            for plan in plans
            for note in plan.cancelled
        ]
        result: Result = msgspec.to_builtins(undone(cancelled, diff))
        return result

    written = invocation.write("undo", request, build, bulk=len(targets) > _BULK)
    return msgspec.convert(written.result, Undone)


def _plans(snapshot: Snapshot, targets: Iterable[Target], context: Context) -> list[_Plan]:
    """Return what to cancel, entity by entity, in the order of the targets."""
    by_entity: dict[EntityId, list[Target]] = {}
    for target in targets:
        by_entity.setdefault(target.entity, []).append(target)
    plans = [plan for entity, wanted in by_entity.items() if (plan := _plan(snapshot, entity, wanted, context))]
    if not plans:
        raise InvalidRequest(
            "all of it was undone already", hint="Undo the undo to bring it back: `git memory log ID` shows it."
        )
    return plans


def _plan(snapshot: Snapshot, entity: EntityId, targets: Iterable[Target], context: Context) -> _Plan | None:
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
    return _Plan(entity, value, tuple(ops), tuple(faults), tuple(order))


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


def _check_revision(plans: Iterable[_Plan], if_revision: str | None) -> None:
    """Raise RevisionConflict unless the one claim or artifact is at the revision that the request names."""
    if if_revision is None:
        return
    found = [plan.value for plan in plans]
    if len(found) != 1 or not isinstance(found[0], Lineage):
        raise InvalidRequest(
            "`if_revision` goes with one claim or artifact",
            details={"field": "if_revision"},
            hint="Undo them one by one.",
        )
    named_heads(found[0], if_revision, None)


def _check_citations(state: StateCache, plans: Iterable[_Plan]) -> None:
    """Raise InvalidRequest where a revision would go that a live claim cites, unless the claim goes with it."""
    plans = list(plans)
    ended = {plan.entity for plan in plans if plan.entity.startswith("clm_")}
    for plan in plans:
        for revision in _lost_revisions(plan):
            citing = [name for name in _citing(state, revision) if name not in ended]
            if citing:
                shown = ", ".join(citing[:3]) + (f" and {len(citing) - 3} more" if len(citing) > 3 else "")
                raise InvalidRequest(
                    f"{revision} of {plan.entity} is evidence of {shown}",
                    hint="Undo or revise the claims first, or pass `--force`: they keep citing the bytes.",
                    details={"id": plan.entity, "cited_by": list(citing[:20])},
                )


def _lost_revisions(plan: _Plan) -> list[RevisionId]:
    """Return the revisions of an artifact that an undo takes back."""
    if not plan.entity.startswith("art_"):
        return []
    return [note.revision for note in plan.cancelled if note.revision is not None]


def _citing(state: StateCache, revision: RevisionId) -> list[EntityId]:
    """Return the live claims whose current statement rests on a revision."""
    found = []
    for name in state.mentions(revision):
        entity = state.entity(name) if name.startswith("clm_") else None
        if entity is None or entity.status != "active":
            continue
        heads = [one for one in entity.lineage.revisions if one.id in entity.lineage.heads]
        payloads = [head.payload for head in heads if isinstance(head.payload, ClaimPayload)]
        if any(item.revision == revision for payload in payloads for item in payload.evidence):
            found.append(name)
    return found


def _stage(transaction: Transaction, plan: _Plan, reason: str | None) -> Op:
    op = draft(
        "undo",
        plan.entity,
        plan.value.scope,
        ReasonPayload(reason=reason),
        not_before=max(note.at for note in plan.cancelled),
        cancels=tuple(note.digest for note in plan.cancelled),
    )
    verbs = ", ".join(dict.fromkeys(note.verb for note in plan.cancelled))
    return transaction.stage(op, f"{verbs} of {plan.entity}")
