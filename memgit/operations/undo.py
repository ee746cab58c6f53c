"""`undo`: operations that cancel operations. Nothing is rewritten, and an undo can be undone."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from memgit.errors import InvalidRequest
from memgit.index.state_cache import StateCache
from memgit.limits import DEFAULT
from memgit.operations import checks
from memgit.operations.flagged_remains import REMAINS, is_flagged
from memgit.operations.invocation import Invocation
from memgit.operations.layer_choice import said_layer
from memgit.operations.lineages import named_heads, snapshot_of
from memgit.operations.placing import placed_by
from memgit.operations.undo_effects import Cancelled, Undone, undone
from memgit.operations.undo_notes import with_own_notes
from memgit.operations.undo_places import Places
from memgit.operations.undo_plans import Plan, plans_for
from memgit.operations.undo_targets import find_targets
from memgit.operations.writing import WriteRequest
from memgit.records.ids import EntityId, RevisionId
from memgit.records.op import ClaimPayload, Op, ReasonPayload, draft
from memgit.records.state import Lineage
from memgit.review.parts import diff_ops
from memgit.review.sides import Trees
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

_BULK = 200  # entities, from which on one pack is faster than loose objects


class Undo(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Cancel operations by new ones. A target is an id (its last effective operation), a revision, the beginning of an
    operation's digest or of a commit's id (all of its operations), or `@last` (your last commit, in
    whichever layer).

    It goes to the layer that holds what it cancels. A claim of `remember` takes its own note along, where nothing else
    rests on that. To undo an undo is to redo. `force` also takes an artifact's revision back that live claims cite.
    """

    targets: tuple[str, ...]
    reason: str | None = None
    if_revision: str | None = None
    force: bool = False


def undo(invocation: Invocation, request: Undo) -> Undone:
    """Cancel operations in one commit. Raises NotFound, ScopeViolation, RevisionConflict, InvalidRequest where the fold
    would ignore the undo or nothing is left to cancel.
    """
    if not request.targets:
        raise InvalidRequest("the request names nothing to undo", details={"field": "targets"})
    checks.within(len(request.targets), "history_page", DEFAULT.history_page, "the list of targets", unit="targets")
    reason = checks.text(request.reason, "reason", "reason_bytes")
    context = invocation.context
    with Places(invocation, said_layer(request)) as places:
        targets = [target for name in request.targets for target in find_targets(places, name)]
    request = placed_by(invocation, request, [(target.entity, target.layer) for target in targets])
    remains: list[bool] = []

    def build(transaction: Transaction) -> Result:
        snapshot = snapshot_of(transaction)
        state = invocation.state_of(snapshot)
        plans = plans_for(snapshot, targets, context)
        _check_revision(plans, request.if_revision)
        plans = with_own_notes(snapshot, state, plans, context)
        if not request.force:
            _check_citations(state, plans)
        remains[:] = [is_flagged(invocation, snapshot, _cancelled(plans))]
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
    invocation.warnings += [REMAINS] if any(remains) else []
    done = msgspec.convert(written.result, Undone)
    return msgspec.structs.replace(done, layer=said_layer(request) or done.layer)


def _check_revision(plans: Iterable[Plan], if_revision: str | None) -> None:
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


def _check_citations(state: StateCache, plans: Iterable[Plan]) -> None:
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


def _lost_revisions(plan: Plan) -> list[RevisionId]:
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


def _cancelled(plans: Iterable[Plan]) -> list[Op]:
    """Return the operations that the plans cancel."""
    digests = {note.digest for plan in plans for note in plan.cancelled}
    return [op for plan in plans for op in plan.ops if op.digest in digests]


def _stage(transaction: Transaction, plan: Plan, reason: str | None) -> Op:
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
