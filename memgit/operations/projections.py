"""`projection.*`: texts derived from exact bytes of a document. They may lead there, and prove nothing."""

from __future__ import annotations

from msgspec import Struct

from memgit.errors import CitationError, InvalidRequest, NotFound
from memgit.index.documents import stands
from memgit.index.passages import decode_text
from memgit.limits import DEFAULT
from memgit.operations import checks
from memgit.operations.artifacts import find_revision
from memgit.operations.checks import FreeJson
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import check_id, snapshot_of, writable_lineage
from memgit.operations.reading import ReadRequest
from memgit.operations.writing import WriteRequest
from memgit.records import ids
from memgit.records.ids import ArtifactId, RevisionId
from memgit.records.op import ProjectionKind, ProjectionPayload, ReasonPayload, Span, draft
from memgit.records.span import span_fault
from memgit.records.state import Projection
from memgit.retrieval.citations import ArtifactCitation
from memgit.scope.horizon import check_write
from memgit.store.transaction import Transaction
from memgit.store.writer import Result


class SpanInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The bytes [start_byte, end_byte) of the revision."""

    start_byte: int
    end_byte: int


class ProjectionPut(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keep a text that was derived from exact bytes of one revision of a document."""

    artifact_id: str
    revision_id: str
    kind: ProjectionKind
    spans: tuple[SpanInput, ...]
    text: str
    metadata: FreeJson = None


class ProjectionWritten(Struct, frozen=True, kw_only=True):
    """The projection. `existed`: the same was there, and nothing was written."""

    projection_id: str
    existed: bool


class ProjectionList(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List the projections of a document."""

    artifact_id: str
    include_dropped: bool = False


class ProjectionView(Struct, frozen=True, kw_only=True):
    """A derived text, and the citations of the bytes that it was derived from."""

    projection_id: str
    kind: ProjectionKind
    artifact_id: str
    revision_id: str
    text: str
    citations: tuple[str, ...]
    metadata: str | None
    created_at: str
    dropped: bool


class Projections(Struct, frozen=True, kw_only=True):
    """The projections, in the order of their making."""

    items: tuple[ProjectionView, ...]


class ProjectionDrop(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """End a projection. Its document is not touched."""

    projection_id: str
    reason: str | None = None


class ProjectionDropped(Struct, frozen=True, kw_only=True):
    """The projection that ended. `changed` is false where it had ended before."""

    projection_id: str
    changed: bool


def put(invocation: Invocation, request: ProjectionPut) -> ProjectionWritten:
    """Keep a derived text. Raises CitationError for spans that are none of the revision."""
    check_id(request.artifact_id, "artifact")
    text = checks.required_text(request.text, "text", "statement_bytes")
    metadata = checks.json_text(request.metadata, "metadata")
    if not request.spans:
        raise InvalidRequest("`spans` names the bytes that the text came from", details={"field": "spans"})
    checks.within(len(request.spans), "evidence_per_claim", DEFAULT.evidence_per_claim, "`spans`", unit="spans")

    def build(transaction: Transaction) -> Result:
        snapshot = snapshot_of(transaction)
        lineage = writable_lineage(snapshot, request.artifact_id, invocation.context)
        revision = find_revision(lineage.revisions, request.revision_id, request.artifact_id)
        data = snapshot.blob(revision.blob) if revision.blob is not None else None
        payload = ProjectionPayload(
            projection=request.kind,
            artifact=ArtifactId(lineage.id),
            revision=RevisionId(revision.id),
            spans=tuple(_span(span, data) for span in request.spans),
            text=text,
            metadata=metadata,
        )
        for known in invocation.state_of(snapshot).projections_of(lineage.id):
            if known.payload == payload and stands(known):
                return {"projection_id": known.id, "existed": True}
        staged = transaction.stage(draft("put", ids.new_entity_id("projection"), lineage.scope, payload), text)
        return {"projection_id": staged.entity, "existed": False}

    return ProjectionWritten(**invocation.write("projection.put", request, build).result)


def list_projections(invocation: Invocation, request: ProjectionList) -> Projections:
    """Return the projections of a document, from any context."""
    check_id(request.artifact_id, "artifact")
    found = invocation.state.projections_of(request.artifact_id)
    wanted = (item for item in found if not item.void and (request.include_dropped or not item.dropped))
    return Projections(items=tuple(_view(item) for item in wanted))


def drop(invocation: Invocation, request: ProjectionDrop) -> ProjectionDropped:
    """End a projection. Raises NotFound."""
    check_id(request.projection_id, "projection")
    reason = checks.text(request.reason, "reason", "reason_bytes")

    def build(transaction: Transaction) -> Result:
        state = invocation.state_of(snapshot_of(transaction))
        known = state.projection(request.projection_id)
        if known is None or known.void:
            raise NotFound(f"there is no {request.projection_id}", details={"id": request.projection_id})
        check_write(known.scope, invocation.context, known.id, state.aliases)
        if not known.dropped:
            op = draft("drop", known.id, known.scope, ReasonPayload(reason=reason), not_before=known.at)
            transaction.stage(op, known.payload.text)
        return {"projection_id": known.id, "changed": not known.dropped}

    return ProjectionDropped(**invocation.write("projection.drop", request, build).result)


def _span(span: SpanInput, data: bytes | None) -> Span:
    if data is None:
        raise NotFound("the bytes of the revision are gone", hint="They were purged, or `verify` says more.")
    fault = span_fault(data, span.start_byte, span.end_byte, is_text=decode_text(data) is not None)
    if fault is not None:
        raise CitationError(
            f"bytes {span.start_byte} to {span.end_byte} of {len(data)}: {fault.reason}",
            details={"kind": fault.kind, "start_byte": span.start_byte, "end_byte": span.end_byte, "size": len(data)},
        )
    return Span(span.start_byte, span.end_byte)


def _view(item: Projection) -> ProjectionView:
    payload = item.payload
    return ProjectionView(
        projection_id=item.id,
        kind=payload.projection,
        artifact_id=payload.artifact,
        revision_id=payload.revision,
        text=payload.text,
        citations=tuple(
            str(ArtifactCitation(payload.artifact, payload.revision, span.start, span.end)) for span in payload.spans
        ),
        metadata=payload.metadata,
        created_at=item.at,
        dropped=item.dropped,
    )
