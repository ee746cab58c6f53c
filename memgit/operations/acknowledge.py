"""`conflict.acknowledge`: somebody looked at what a tombstone ended without seeing it, and lets the tombstone stand."""

from __future__ import annotations

from typing import NoReturn

from msgspec import Struct

from memgit.errors import InvalidRequest, NotFound
from memgit.index.meanings import aliases_at
from memgit.operations import checks
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import latest_at, read_lineage, snapshot_of
from memgit.operations.placing import placed
from memgit.operations.resolutions import resolved_by
from memgit.operations.writing import WriteRequest
from memgit.records.ids import CaseId
from memgit.records.op import AcknowledgePayload, draft
from memgit.records.state import Case
from memgit.scope.horizon import check_write
from memgit.store.transaction import Transaction
from memgit.store.writer import Result


class ConflictAcknowledge(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Let a tombstone stand over the edits that it did not see. Other cases are resolved by what ends the dispute."""

    case_id: str
    reason: str | None = None


class Acknowledged(Struct, frozen=True, kw_only=True):
    """The case that is resolved by this, and whose it is."""

    case_id: str
    entity_id: str
    digest: str


def acknowledge(invocation: Invocation, request: ConflictAcknowledge) -> Acknowledged:
    """Resolve a tombstone case. Raises NotFound; InvalidRequest for other kinds, which says what resolves these."""
    reason = checks.text(request.reason, "reason", "reason_bytes")
    context = invocation.context
    known = invocation.state.case(CaseId(request.case_id))
    if known is not None:
        request = placed(invocation, request, known.entities)

    def build(transaction: Transaction) -> Result:
        snapshot = snapshot_of(transaction)
        case = invocation.state_of(snapshot).case(CaseId(request.case_id))
        if case is None:
            raise NotFound(
                f"there is no case {request.case_id[:80]}", hint="`git memory conflict list` shows the cases."
            )
        lineage = read_lineage(snapshot, case.entities[0])
        check_write(lineage.scope, context, lineage.id, aliases_at(snapshot))
        if case.kind != "tombstone" or case.status != "open":
            _refuse(case)
        op = draft(
            "acknowledge",
            lineage.id,
            lineage.scope,
            AcknowledgePayload(case=case.id, reason=reason),
            not_before=max([latest_at(lineage), *(event.at for event in case.events)]),
        )
        staged = transaction.stage(op, case.id)
        return {"case_id": case.id, "entity_id": lineage.id, "digest": staged.digest}

    return Acknowledged(**invocation.write("conflict.acknowledge", request, build).result)


def _refuse(case: Case) -> NoReturn:
    """Say what becomes of a case that nobody acknowledges."""
    if case.status != "open":
        raise InvalidRequest(
            f"{case.id} is {case.status}",
            hint="There is nothing to acknowledge; `git memory conflict list` shows the open cases.",
            details={"case": case.id, "status": case.status},
        )
    raise InvalidRequest(
        f"{case.id} is a {case.kind} case, which is resolved by ending the dispute, not by acknowledging it",
        hint=resolved_by(case),
        details={"case": case.id, "kind": case.kind},
    )
