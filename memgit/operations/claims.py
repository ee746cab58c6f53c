"""`claim.assert`, `revise`, `retract`, `get`, `history`: atomic statements with their evidence."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from memgit.errors import CitationError, InvalidRequest, NotFound
from memgit.limits import DEFAULT
from memgit.operations import checks
from memgit.operations.anchoring import AnchorInput, anchored
from memgit.operations.artifacts import find_revision
from memgit.operations.code_states import code_state
from memgit.operations.flagged_remains import what_remains
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import (
    artifact_payload,
    check_id,
    claim_payload,
    head_revision,
    known_entity,
    latest_at,
    named_heads,
    read_lineage,
    snapshot_of,
    writable_lineage,
)
from memgit.operations.outdated_evidence import outdated_evidence
from memgit.operations.reading import CodeRequest, ReadRequest
from memgit.operations.views import ClaimView, HistoryPage, claim_view, history_page, statement_of
from memgit.operations.writing import WriteRequest
from memgit.records import ids
from memgit.records.ids import ArtifactId, BlobDigest, RevisionId
from memgit.records.op import ClaimPayload, ClaimType, Evidence, ReasonPayload, Value, ValueType, draft
from memgit.records.span import span_fault
from memgit.records.value import canonical_value
from memgit.store.snapshot import Snapshot
from memgit.store.transaction import Transaction
from memgit.store.writer import Result


class EvidenceInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A locator: a whole artifact revision, or its bytes [start_byte, end_byte)."""

    artifact_id: str
    revision_id: str
    start_byte: int | None = None
    end_byte: int | None = None


class ValueInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A typed value; `data` is of JSON's type where JSON has one, else text."""

    type: ValueType
    data: Any


class ClaimAssert(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """State one thing: a fact, decision, constraint, preference, procedure or observation."""

    claim_type: ClaimType
    statement: str | None = None
    value: ValueInput | None = None
    confidence: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    evidence: tuple[EvidenceInput, ...] = ()
    component: str | None = None
    subject: str | None = None
    trust: str | None = None
    sensitivity: str | None = None
    markers: tuple[str, ...] = ()
    anchors: tuple[AnchorInput, ...] = ()


class ClaimWritten(Struct, frozen=True, kw_only=True):
    """The revision that a write made."""

    claim_id: str
    revision_id: str


class ClaimRevise(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Change a claim by a new revision. What is left out stays; null removes what may be absent, [] all anchors."""

    claim_id: str
    if_revision: str | None = None
    if_revisions: tuple[str, ...] | None = None
    claim_type: ClaimType | UnsetType = UNSET
    statement: str | UnsetType | None = UNSET
    value: ValueInput | UnsetType | None = UNSET
    confidence: float | UnsetType | None = UNSET
    valid_from: str | UnsetType | None = UNSET
    valid_until: str | UnsetType | None = UNSET
    evidence: tuple[EvidenceInput, ...] | UnsetType = UNSET
    component: str | UnsetType | None = UNSET
    subject: str | UnsetType | None = UNSET
    trust: str | UnsetType | None = UNSET
    sensitivity: str | UnsetType | None = UNSET
    markers: tuple[str, ...] | UnsetType = UNSET
    anchors: tuple[AnchorInput, ...] | UnsetType = UNSET


class ClaimRetract(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """End a claim that no longer holds, or never did."""

    claim_id: str
    reason: str
    if_revision: str | None = None
    if_revisions: tuple[str, ...] | None = None


class ClaimRetracted(Struct, frozen=True, kw_only=True):
    """The tombstone of a claim."""

    claim_id: str
    reason: str


class ClaimGet(CodeRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read a claim by its id, from any context."""

    claim_id: str
    revision_id: str | None = None


class ClaimHistory(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List a claim's revisions, newest first."""

    claim_id: str
    limit: int = 50
    before_revision_number: int | None = None


def assert_claim(invocation: Invocation, request: ClaimAssert) -> ClaimWritten:
    """Create a claim. Its evidence must resolve to bytes that exist."""
    context = invocation.context
    payload = new_payload(request, context.component)
    places = anchored(invocation, request.anchors)

    def build(transaction: Transaction) -> Result:
        check_evidence(snapshot_of(transaction), payload.evidence)
        op = draft(
            "assert",
            ids.new_entity_id("claim"),
            context.scope,
            replace(payload, anchors=places.anchors()),
            revision=ids.new_revision_id("claim"),
        )
        staged = transaction.stage(op, statement_of(payload))
        return {"claim_id": staged.entity, "revision_id": staged.revision}

    written = invocation.write("claim.assert", request, build)
    invocation.warnings += places.notes
    return ClaimWritten(**written.result)


def revise(invocation: Invocation, request: ClaimRevise) -> ClaimWritten:
    """Add a revision. Raises RevisionConflict where the request does not name the current heads."""
    check_id(request.claim_id, "claim")
    context = invocation.context
    places = anchored(invocation, request.anchors)

    notes: list[str] = []

    def build(transaction: Transaction) -> Result:
        snapshot = snapshot_of(transaction)
        lineage = writable_lineage(snapshot, request.claim_id, context)
        heads = named_heads(lineage, request.if_revision, request.if_revisions)
        head = head_revision(lineage)
        payload = revised_payload(request, claim_payload(head))
        if request.anchors is not UNSET:
            payload = replace(payload, anchors=places.anchors())
        notes[:] = what_remains(invocation, snapshot, lineage.id)
        if request.evidence is UNSET:
            notes.extend(outdated_evidence(snapshot, lineage.id, claim_payload(head), payload))
        kept = claim_payload(head).evidence  # it may name what has been forgotten since
        check_evidence(snapshot, tuple(item for item in payload.evidence if item not in kept))
        op = draft(
            "revise",
            lineage.id,
            lineage.scope,
            payload,
            not_before=latest_at(lineage),
            revision=ids.new_revision_id("claim"),
            parents=heads,
        )
        staged = transaction.stage(op, statement_of(payload))
        return {"claim_id": staged.entity, "revision_id": staged.revision}

    written = invocation.write("claim.revise", request, build)
    invocation.warnings += [*notes, *places.notes]
    return ClaimWritten(**written.result)


def retract(invocation: Invocation, request: ClaimRetract) -> ClaimRetracted:
    """Write a tombstone over the heads that the request names."""
    check_id(request.claim_id, "claim")
    reason = checks.required_text(request.reason, "reason", "reason_bytes")
    context = invocation.context

    notes: list[str] = []

    def build(transaction: Transaction) -> Result:
        snapshot = snapshot_of(transaction)
        lineage = writable_lineage(snapshot, request.claim_id, context)
        notes[:] = what_remains(invocation, snapshot, lineage.id)
        heads = named_heads(lineage, request.if_revision, request.if_revisions)
        head = head_revision(lineage)
        op = draft(
            "retract",
            lineage.id,
            lineage.scope,
            ReasonPayload(reason=reason),
            not_before=latest_at(lineage),
            parents=heads,
        )
        transaction.stage(op, statement_of(claim_payload(head)))
        return {"claim_id": lineage.id, "reason": reason}

    written = invocation.write("claim.retract", request, build)
    invocation.warnings += notes
    return ClaimRetracted(**written.result)


def get(invocation: Invocation, request: ClaimGet) -> ClaimView:
    """Return a claim at its current revision, or at the one that is named."""
    entity = known_entity(invocation, check_id(request.claim_id, "claim"))
    revision = entity.current
    if request.revision_id is not None:
        revision = find_revision(entity.lineage.revisions, request.revision_id, request.claim_id)
    view = claim_view(entity, revision, invocation.state.layer_of, invocation.trusts)
    return replace(view, code_state=code_state(invocation, revision, request))


def history(invocation: Invocation, request: ClaimHistory) -> HistoryPage:
    """Return revisions newest first; lifecycle fields are the present ones on every item."""
    entity = known_entity(invocation, check_id(request.claim_id, "claim"))
    before, layer_of = request.before_revision_number, invocation.state.layer_of
    return history_page(entity, request.limit, before, layer_of, invocation.trusts)


def new_payload(request: ClaimAssert, component: str | None = None) -> ClaimPayload:
    """Return the checked payload of a new claim; `component` is the context's, for a request that names none."""
    return _checked(
        ClaimPayload(
            claim_type=request.claim_type,
            statement=request.statement,
            value=_value(request.value),
            subject=request.subject,
            component=request.component or component,
            confidence=request.confidence,
            valid_from=checks.instant(request.valid_from, "valid_from"),
            valid_until=checks.instant(request.valid_until, "valid_until"),
            trust=request.trust,
            sensitivity=request.sensitivity,
            markers=checks.markers(request.markers),
            evidence=_locators(request.evidence),
        )
    )


def revised_payload(request: ClaimRevise, current: ClaimPayload) -> ClaimPayload:
    """Return the checked payload of the next revision."""
    statement = current.statement if request.statement is UNSET else request.statement
    value = current.value if request.value is UNSET else _value(request.value)
    valid_from, valid_until = request.valid_from, request.valid_until
    return _checked(
        ClaimPayload(
            claim_type=current.claim_type if request.claim_type is UNSET else request.claim_type,
            statement=statement,
            value=value,
            subject=current.subject if request.subject is UNSET else request.subject,
            component=current.component if request.component is UNSET else request.component,
            confidence=current.confidence if request.confidence is UNSET else request.confidence,
            valid_from=current.valid_from if valid_from is UNSET else checks.instant(valid_from, "valid_from"),
            valid_until=current.valid_until if valid_until is UNSET else checks.instant(valid_until, "valid_until"),
            trust=current.trust if request.trust is UNSET else request.trust,
            sensitivity=current.sensitivity if request.sensitivity is UNSET else request.sensitivity,
            markers=current.markers if request.markers is UNSET else checks.markers(request.markers),
            evidence=current.evidence if request.evidence is UNSET else _locators(request.evidence),
            anchors=current.anchors,
        )
    )


def check_evidence(snapshot: Snapshot, evidence: tuple[Evidence, ...]) -> None:
    """Raise CitationError unless each locator names an artifact, one of its revisions, and bytes of it."""
    for item in evidence:
        try:
            lineage = read_lineage(snapshot, item.artifact)
        except NotFound:
            raise CitationError(
                f"the evidence names {item.artifact}, which does not exist",
                hint="Put the artifact first.",
                details={"kind": "unknown_artifact", "id": item.artifact},
            ) from None
        try:
            revision = find_revision(lineage.revisions, item.revision, item.artifact)
        except NotFound as error:
            raise CitationError(error.message, details={"kind": "unknown_revision", "id": item.revision}) from None
        if lineage.tombstone is not None:
            raise InvalidRequest(f"the evidence names {item.artifact}, which was forgotten")
        if item.start is not None and item.end is not None and revision.blob is not None:
            is_text = artifact_payload(revision).media_type.startswith("text/")
            _check_span(snapshot, revision.blob, item.start, item.end, is_text, item.artifact)


def _check_span(snapshot: Snapshot, blob: BlobDigest, start: int, end: int, is_text: bool, artifact: str) -> None:
    data = snapshot.blob(blob) or b""
    fault = span_fault(data, start, end, is_text=is_text)
    if fault is not None:
        raise CitationError(
            f"bytes {start} to {end} of {artifact} ({len(data)} bytes): {fault.reason}",
            details={"kind": fault.kind, "start_byte": start, "end_byte": end, "size": len(data)},
        )


def _checked(payload: ClaimPayload) -> ClaimPayload:
    """Return the payload if every field is within its bounds and the fields go together."""
    if payload.statement is None and payload.value is None:
        raise InvalidRequest("a claim has a statement or a value", details={"field": "statement"})
    checks.text(payload.statement, "statement", "statement_bytes")
    checks.text(payload.subject, "subject", "subject_bytes", one_line=True)
    checks.text(payload.component, "component", "component_bytes", one_line=True)
    checks.text(payload.trust, "trust", "component_bytes", one_line=True)
    checks.text(payload.sensitivity, "sensitivity", "component_bytes", one_line=True)
    checks.within(
        len(payload.evidence), "evidence_per_claim", DEFAULT.evidence_per_claim, "the evidence", unit="locators"
    )
    if payload.confidence is not None and not 0.0 <= payload.confidence <= 1.0:
        raise InvalidRequest("`confidence` is between 0 and 1", details={"field": "confidence"})
    if payload.valid_from and payload.valid_until and payload.valid_from >= payload.valid_until:
        raise InvalidRequest("`valid_until` is not after `valid_from`", details={"field": "valid_until"})
    return payload


def _value(value: ValueInput | None) -> Value | None:
    if value is None:
        return None
    data = canonical_value(value.type, value.data)
    if data is None:
        raise InvalidRequest(f"the value is not a {value.type}", details={"field": "value"})
    checks.within(len(checks.utf8(data, "value")), "value_bytes", DEFAULT.value_bytes, "the value")
    return Value(value.type, data)


def _locators(evidence: tuple[EvidenceInput, ...]) -> tuple[Evidence, ...]:
    locators = []
    for item in evidence:
        check_id(item.artifact_id, "artifact")
        if not (ids.is_revision_id(item.revision_id) and item.revision_id.startswith("arev_")):
            raise InvalidRequest(f"{item.revision_id[:80]!r} is not a revision id", details={"field": "evidence"})
        start, end = item.start_byte, item.end_byte
        if (start is None) != (end is None) or (start is not None and end is not None and not 0 <= start < end):
            raise CitationError(
                "a span has a start and a later end",
                details={"kind": "invalid_range", "start_byte": start, "end_byte": end},
            )
        locators.append(
            Evidence(ArtifactId(item.artifact_id), RevisionId(item.revision_id), item.start_byte, item.end_byte)
        )
    return tuple(locators)
