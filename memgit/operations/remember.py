"""`remember`: one claim with its evidence, in one commit.

The evidence is the text itself, kept as a note, or a file, kept as an artifact; the claim cites the exact bytes.
"""

from __future__ import annotations

from contextlib import suppress

import msgspec
from msgspec import Struct

from memgit.errors import InvalidRequest, JsonValue
from memgit.operations import checks
from memgit.operations.anchoring import AnchorInput, anchored
from memgit.operations.artifacts import TEXT_TYPE, ArtifactPut, new_payload, stage_artifact
from memgit.operations.checks import Content
from memgit.operations.claims import ClaimAssert
from memgit.operations.claims import new_payload as new_claim
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import (
    artifact_payload,
    continues_here,
    head_revision,
    read_lineage,
    snapshot_of,
)
from memgit.operations.views import statement_of
from memgit.operations.writing import WriteRequest
from memgit.records import ids
from memgit.records.codec import digest_of
from memgit.records.ids import ArtifactId, RevisionId
from memgit.records.op import OWN_NOTE, ArtifactPayload, ClaimType, Evidence, draft
from memgit.records.state import Lineage
from memgit.retrieval.evidence_spans import find_quote
from memgit.store.snapshot import Snapshot
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

_NOTE_NAMES = {"title": "text"}
_DOCUMENT_NAMES = {"content": "document.content", "title": "document.title", "provenance": "document.path"}


class EvidenceDocument(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A document to keep as evidence. `path` names it across revisions; `quote` is the passage that matters."""

    title: str
    content: Content
    media_type: str = TEXT_TYPE
    path: str | None = None
    quote: str | None = None


class Remember(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Remember one thing. Without a document the text itself is kept as a note."""

    text: str
    claim_type: ClaimType = "fact"
    subject: str | None = None
    component: str | None = None
    confidence: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    trust: str | None = None
    sensitivity: str | None = None
    markers: tuple[str, ...] = ()
    document: EvidenceDocument | None = None
    anchors: tuple[AnchorInput, ...] = ()


class Remembered(Struct, frozen=True, kw_only=True):
    """The claim, and the bytes that it cites."""

    claim_id: str
    revision_id: str
    artifact_id: str
    artifact_revision_id: str
    start_byte: int | None
    end_byte: int | None
    reused_artifact: bool


def remember(invocation: Invocation, request: Remember) -> Remembered:
    """Write the evidence and the claim together, or neither.

    A document whose path is known becomes that artifact's next revision; unchanged bytes reuse the revision.
    """
    context = invocation.context
    claim = new_claim(
        ClaimAssert(
            claim_type=request.claim_type,
            statement=request.text,
            subject=request.subject,
            component=request.component or context.component,
            confidence=request.confidence,
            valid_from=request.valid_from,
            valid_until=request.valid_until,
            trust=request.trust,
            sensitivity=request.sensitivity,
            markers=request.markers,
        )
    )
    payload, data = _document(request)
    span = _span(request, data)
    places = anchored(invocation, request.anchors)

    def build(transaction: Transaction) -> Result:
        transaction.names = _NOTE_NAMES if request.document is None else _DOCUMENT_NAMES
        transaction.screen(request.text, "text")
        snapshot = snapshot_of(transaction)
        known = _known_artifact(invocation, snapshot, request)
        lineage = read_lineage(snapshot, known) if known is not None else None
        artifact, revision, reused = _evidence(transaction, invocation, payload, data, lineage)
        locator = Evidence(artifact, revision, *span) if span else Evidence(artifact, revision)
        op = draft(
            "assert",
            ids.new_entity_id("claim"),
            context.scope,
            msgspec.structs.replace(claim, evidence=(locator,), anchors=places.anchors()),
            revision=ids.new_revision_id("claim"),
        )
        staged = transaction.stage(op, statement_of(claim), main=True)
        return {
            "claim_id": staged.entity,
            "revision_id": staged.revision,
            "artifact_id": artifact,
            "artifact_revision_id": revision,
            "start_byte": locator.start,
            "end_byte": locator.end,
            "reused_artifact": reused,
        }

    written = invocation.write("remember", request, build)
    invocation.warnings += places.notes
    if span is None:
        invocation.warnings.append(
            "the document does not say the statement in these words, or says it more than once, so the claim cites all "
            "of it; a quote names the passage that proves it"
        )
    return Remembered(**written.result)


def _document(request: Remember) -> tuple[ArtifactPayload, bytes]:
    """Return the evidence's description and bytes: the document, or the text as a note."""
    document = request.document
    if document is None:
        note = ArtifactPut(
            kind="note",
            title=_title(request.text),
            content=Content("text", request.text),
            provenance=msgspec.json.decode(OWN_NOTE),
        )
        data = checks.content_bytes(note.content)
        return new_payload(note, data), data
    provenance: JsonValue = {"path": document.path} if document.path else None
    put = ArtifactPut(
        kind="document",
        title=document.title,
        content=document.content,
        media_type=document.media_type,
        component=request.component,
        provenance=provenance,
    )
    data = checks.content_bytes(put.content)
    return new_payload(put, data), data


def _span(request: Remember, data: bytes) -> tuple[int, int] | None:
    """Return the bytes that the claim cites: the quote's, else the text's where the document says it once, else None.

    Raises InvalidRequest for a quote that is missing or stands in two places.
    """
    document = request.document
    if document is None:
        return (0, len(data))
    if document.quote is not None:
        return find_quote(data, checks.utf8(document.quote, "document.quote"))
    with suppress(InvalidRequest):
        return find_quote(data, request.text.encode())
    return None


def _known_artifact(invocation: Invocation, snapshot: Snapshot, request: Remember) -> str | None:
    """Return the live artifact that an earlier write made of the same path in this scope."""
    if request.document is None or request.document.path is None:
        return None
    return invocation.state_of(snapshot).artifact_by_path(invocation.context.scope, request.document.path)


def _evidence(
    transaction: Transaction, invocation: Invocation, payload: ArtifactPayload, data: bytes, lineage: Lineage | None
) -> tuple[ArtifactId, RevisionId, bool]:
    """Stage the evidence where it is new; return its artifact, its revision, and whether it was there."""
    scope = invocation.context.scope
    if lineage is None or lineage.tombstone is not None or not lineage.heads:
        made = stage_artifact(transaction, scope, payload, data)
    else:
        head = head_revision(lineage)
        if artifact_payload(head).digest == digest_of(data):
            return ArtifactId(lineage.id), head.id, True
        if not continues_here(transaction, lineage.id):
            made = stage_artifact(transaction, scope, payload, data)
        else:
            kept = msgspec.structs.replace(payload, anchors=artifact_payload(head).anchors)
            made = stage_artifact(transaction, lineage.scope, kept, data, lineage, lineage.heads)
    return ArtifactId(made["artifact_id"]), RevisionId(made["revision_id"]), False


def _title(text: str) -> str:
    """Return a note's title: the first line, cut at a word."""
    line = next(line.strip() for line in text.splitlines() if line.strip())
    if len(line) <= 80:
        return line
    return line[:80].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
