"""`artifact.put`, `revise`, `get`, `history`, `forget`: documents with immutable revisions."""

from __future__ import annotations

import base64

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from memgit.errors import InvalidRequest, NotFound
from memgit.operations import checks
from memgit.operations.anchoring import AnchorInput, anchored
from memgit.operations.checks import Content, FreeJson
from memgit.operations.code_states import code_state
from memgit.operations.flagged_remains import what_remains
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import (
    artifact_payload,
    check_id,
    head_revision,
    known_entity,
    latest_at,
    named_heads,
    snapshot_of,
    writable_lineage,
)
from memgit.operations.reading import CodeRequest, ReadRequest
from memgit.operations.views import ArtifactView, HistoryPage, artifact_view, history_page
from memgit.operations.writing import WriteRequest
from memgit.records import ids
from memgit.records.codec import digest_of
from memgit.records.ids import RevisionId
from memgit.records.op import ArtifactPayload, ReasonPayload, Scope, draft
from memgit.records.state import Lineage, Revision
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

TEXT_TYPE = "text/plain; charset=utf-8"


class ArtifactPut(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keep a document: evidence, a log, a decision record, an image."""

    kind: str
    title: str
    content: Content
    media_type: str = TEXT_TYPE
    component: str | None = None
    provenance: FreeJson = None
    markers: tuple[str, ...] = ()
    anchors: tuple[AnchorInput, ...] = ()


class ArtifactWritten(Struct, frozen=True, kw_only=True):
    """The revision that a write made."""

    artifact_id: str
    revision_id: str
    digest: str


class ArtifactRevise(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Replace a document's content by a new revision; what is left out stays as it is. [] removes all anchors."""

    artifact_id: str
    content: Content
    if_revision: str | None = None
    if_revisions: tuple[str, ...] | None = None
    title: str | None = None
    media_type: str | None = None
    provenance: FreeJson = UNSET
    markers: tuple[str, ...] | UnsetType = UNSET
    anchors: tuple[AnchorInput, ...] | UnsetType = UNSET


class ArtifactGet(CodeRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read one revision of a document, by default the current one."""

    artifact_id: str
    revision_id: str | None = None


class ArtifactContent(Struct, frozen=True, kw_only=True):
    """A document's description and its bytes."""

    artifact: ArtifactView
    content: Content


class ArtifactHistory(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List a document's revisions, newest first."""

    artifact_id: str
    limit: int = 50
    before_revision_number: int | None = None


class ArtifactForget(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """End a document. Its bytes stay in the history: forgetting erases nothing."""

    artifact_id: str
    reason: str


class Forgotten(Struct, frozen=True, kw_only=True):
    """The tombstone of a document."""

    artifact_id: str
    reason: str
    physically_erased: bool


def put(invocation: Invocation, request: ArtifactPut) -> ArtifactWritten:
    """Create an artifact and return its ids and the digest of its bytes."""
    data = checks.content_bytes(request.content)
    scope = invocation.context.scope
    payload = new_payload(request, data, invocation.context.component)
    places = anchored(invocation, request.anchors)

    def build(transaction: Transaction) -> Result:
        return stage_artifact(transaction, scope, replace(payload, anchors=places.anchors()), data)

    written = invocation.write("artifact.put", request, build)
    invocation.warnings += places.notes
    return ArtifactWritten(**written.result)


def revise(invocation: Invocation, request: ArtifactRevise) -> ArtifactWritten:
    """Add a revision. Raises RevisionConflict where the request does not name the current heads."""
    check_id(request.artifact_id, "artifact")
    data = checks.content_bytes(request.content)
    context = invocation.context
    places = anchored(invocation, request.anchors)

    def build(transaction: Transaction) -> Result:
        lineage = writable_lineage(snapshot_of(transaction), request.artifact_id, context)
        heads = named_heads(lineage, request.if_revision, request.if_revisions)
        head = head_revision(lineage)
        payload = revised_payload(request, artifact_payload(head), data)
        if request.anchors is not UNSET:
            payload = replace(payload, anchors=places.anchors())
        return stage_artifact(transaction, lineage.scope, payload, data, lineage, heads)

    written = invocation.write("artifact.revise", request, build)
    invocation.warnings += places.notes
    return ArtifactWritten(**written.result)


def get(invocation: Invocation, request: ArtifactGet) -> ArtifactContent:
    """Return a revision with its bytes. Exact ids resolve from any context."""
    entity = known_entity(invocation, check_id(request.artifact_id, "artifact"))
    revision = entity.current
    if request.revision_id is not None:
        revision = find_revision(entity.lineage.revisions, request.revision_id, request.artifact_id)
    assert revision.blob is not None
    data = invocation.snapshot().blob(revision.blob)
    if data is None:
        raise NotFound(f"the bytes of {revision.id} are gone", hint="They were purged, or `verify` says more.")
    view = artifact_view(entity, revision, invocation.state.layer_of, invocation.trusts)
    view = replace(view, code_state=code_state(invocation, revision, request))
    return ArtifactContent(artifact=view, content=encode_content(data, revision))


def history(invocation: Invocation, request: ArtifactHistory) -> HistoryPage:
    """Return revisions newest first; lifecycle fields are the present ones on every item."""
    entity = known_entity(invocation, check_id(request.artifact_id, "artifact"))
    before, layer_of = request.before_revision_number, invocation.state.layer_of
    return history_page(entity, request.limit, before, layer_of, invocation.trusts)


def forget(invocation: Invocation, request: ArtifactForget) -> Forgotten:
    """Write a tombstone over the heads that it saw."""
    check_id(request.artifact_id, "artifact")
    reason = checks.required_text(request.reason, "reason", "reason_bytes")
    context = invocation.context

    notes: list[str] = []

    def build(transaction: Transaction) -> Result:
        snapshot = snapshot_of(transaction)
        lineage = writable_lineage(snapshot, request.artifact_id, context)
        notes[:] = what_remains(invocation, snapshot, lineage.id)
        tombstone = draft(
            "forget",
            lineage.id,
            lineage.scope,
            ReasonPayload(reason=reason),
            not_before=latest_at(lineage),
            parents=lineage.heads,
        )
        transaction.stage(tombstone, artifact_payload(head_revision(lineage)).title)
        return {"artifact_id": lineage.id, "reason": reason, "physically_erased": False}

    written = invocation.write("artifact.forget", request, build)
    invocation.warnings += notes
    return Forgotten(**written.result)


def new_payload(request: ArtifactPut, data: bytes, component: str | None = None) -> ArtifactPayload:
    """Return the checked description of a document; `component` is the context's, for a request that names none."""
    return ArtifactPayload(
        kind=checks.required_text(request.kind, "kind", "component_bytes", one_line=True),
        title=checks.required_text(request.title, "title", "title_bytes", one_line=True),
        media_type=media_type(request.media_type, data),
        size=len(data),
        digest=digest_of(data),
        component=checks.text(request.component or component, "component", "component_bytes", one_line=True),
        provenance=checks.json_text(request.provenance, "provenance"),
        markers=checks.markers(request.markers),
    )


def revised_payload(request: ArtifactRevise, current: ArtifactPayload, data: bytes) -> ArtifactPayload:
    """Return the description of the next revision: the current one with what the request changes."""
    title = current.title
    if request.title is not None:
        title = checks.required_text(request.title, "title", "title_bytes", one_line=True)
    provenance = current.provenance
    if request.provenance is not UNSET:
        provenance = checks.json_text(request.provenance, "provenance")
    return ArtifactPayload(
        kind=current.kind,
        title=title,
        media_type=media_type(request.media_type or current.media_type, data),
        size=len(data),
        digest=digest_of(data),
        component=current.component,
        provenance=provenance,
        markers=current.markers if request.markers is UNSET else checks.markers(request.markers),
        anchors=current.anchors,
    )


def stage_artifact(
    transaction: Transaction,
    scope: Scope,
    payload: ArtifactPayload,
    data: bytes,
    lineage: Lineage | None = None,
    parents: tuple[RevisionId, ...] = (),
) -> Result:
    """Stage a new artifact, or the next revision of one; return the ids by the protocol's names."""
    op = draft(
        "revise" if lineage else "put",
        lineage.id if lineage else ids.new_entity_id("artifact"),
        scope,
        payload,
        not_before=latest_at(lineage) if lineage else "",
        revision=ids.new_revision_id("artifact"),
        parents=parents,
        blob=transaction.put_blob(data),
    )
    staged = transaction.stage(op, payload.title)
    return {"artifact_id": staged.entity, "revision_id": staged.revision, "digest": payload.digest}


def find_revision(revisions: tuple[Revision, ...], wanted: str, entity: str) -> Revision:
    """Return a revision of an entity by its id. Raises NotFound."""
    for revision in revisions:
        if revision.id == wanted:
            return revision
    raise NotFound(f"{entity} has no revision {wanted[:80]}", details={"id": entity, "revision_id": wanted[:80]})


def encode_content(data: bytes, revision: Revision) -> Content:
    """Return bytes for JSON: as text where the media type says text and the bytes are UTF-8, else as base64."""
    if artifact_payload(revision).media_type.startswith("text/"):
        try:
            return Content("text", data.decode())
        except UnicodeDecodeError:
            pass
    return Content("base64", base64.b64encode(data).decode())


def media_type(value: str, data: bytes) -> str:
    """Return a checked media type. Raises InvalidRequest, for text that is not UTF-8 too."""
    kind = checks.required_text(value, "media_type", "component_bytes", one_line=True).strip()
    if "/" not in kind or not kind.isascii():
        raise InvalidRequest(f"{kind[:80]!r} is not a media type", details={"field": "media_type"})
    if kind.startswith("text/"):
        try:
            data.decode()
        except UnicodeDecodeError as error:
            raise InvalidRequest(
                f"the content is {kind} but not UTF-8 at byte {error.start}",
                hint="Give it another media type, such as application/octet-stream, or convert it.",
                details={"field": "content", "position": error.start},
            ) from None
    return kind
