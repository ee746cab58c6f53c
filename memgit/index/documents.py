"""Entities to index documents: what of a claim or an artifact can be found, and what its hits must carry.

Pure: it takes a folded entity and a way to read stored bytes, and returns values. It ranks nothing, and it leaves out
nothing that a filter could ask for: historical revisions, and what was derived from a text. The filter decides who sees
them. Of a document's past there is a bounded part (HISTORY_REVISIONS, HISTORY_BYTES).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from memgit.index.passages import decode_text, passages
from memgit.records.ids import BlobDigest, EntityId, RevisionId
from memgit.records.op import OWN_NOTE, Anchor, ArtifactPayload, ClaimPayload
from memgit.records.state import Entity, Projection, Revision, Status

ReadBlob = Callable[[BlobDigest], bytes | None]
"""Reads the stored bytes of an artifact revision; None where this clone cannot give them."""

DocumentKind = Literal["claim", "artifact"]

HISTORY_REVISIONS = 8
"""Earlier revisions of an artifact that can be found, the newest of them."""

HISTORY_BYTES = 32 * 1024
"""Of their texts, for one artifact. Each write to it analyses them again, which takes about 60 ms with Whoosh and 10
with tantivy; all revisions of a long log would take seconds."""


@dataclass(frozen=True, slots=True)
class Matchable:
    """What of a revision's own description can be matched.

    `title` and `body` are text. `names` are exact names that stand beside it: anchored paths and symbols.
    """

    title: str
    body: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One unit of ranking: a claim revision, an artifact's description (no span), or a passage of its bytes.

    `start` and `end` are byte offsets into the stored bytes, [start, end); both None where the document is no passage.
    `head`: the revision has no effective child. `title`, `body` and `names` are as in `Matchable`; a passage has only a
    body. `projection`: the body is that derived text, and the span the first that it was derived from.
    """

    entity: EntityId
    kind: DocumentKind
    workspace: str
    project: str
    task: str | None
    status: Status
    revision: RevisionId
    head: bool
    seq: int
    type: str  # the claim's type or the artifact's kind
    component: str | None = None
    markers: tuple[str, ...] = ()
    title: str = ""
    body: str = ""
    names: tuple[str, ...] = ()
    valid_from: str | None = None
    valid_until: str | None = None
    start: int | None = None
    end: int | None = None
    projection: EntityId | None = None


def documents_of(entity: Entity, read_blob: ReadBlob, projections: Iterable[Projection] = ()) -> Iterator[Document]:
    """Yield the documents of a claim or an artifact; other entities have none.

    A claim gives one for each revision, so that a search of the past finds what was said. An artifact gives, for each
    head (the last revision where all are undone), its description, the passages of its text (none where the bytes are
    not text or cannot be read) and the texts that `projections` derive from it; and for earlier revisions, as far as
    the bounds go, descriptions and passages. A note that only repeats a claim has none: it must not outlive the claim.
    Errors of `read_blob` pass through.
    """
    if entity.lineage.kind == "claim":
        for revision in entity.lineage.revisions:
            yield _description(entity, revision)
    elif entity.lineage.kind == "artifact" and not is_own_note(entity.current.payload):
        shown = entity.lineage.heads or (entity.current.id,)
        for revision in entity.lineage.revisions:
            if revision.id in shown:
                description = _description(entity, revision)
                yield description
                yield from _passages(description, revision, read_blob)
                yield from _derived(description, projections)
        yield from _past(
            entity, [revision for revision in entity.lineage.revisions if revision.id not in shown], read_blob
        )


def is_own_note(payload: ClaimPayload | ArtifactPayload) -> bool:
    """Tell whether this is the note that `remember` keeps as the evidence of a claim that came without a document."""
    return isinstance(payload, ArtifactPayload) and payload.provenance == OWN_NOTE


def matchable(payload: ClaimPayload | ArtifactPayload) -> Matchable:
    """Return what of a claim's or an artifact's description can be matched; an artifact's bytes are not part of it."""
    names = tuple(name for anchor in payload.anchors for name in _names(anchor))
    if isinstance(payload, ArtifactPayload):
        return Matchable(_join(payload.title, payload.component), "", names)
    value = payload.value.data if payload.value else None
    return Matchable(_join(payload.subject, payload.component), _join(payload.statement, value), names)


def _description(entity: Entity, revision: Revision) -> Document:
    payload = revision.payload
    match = matchable(payload)
    scope = entity.lineage.scope
    return Document(
        entity=entity.lineage.id,
        kind="claim" if isinstance(payload, ClaimPayload) else "artifact",
        workspace=scope.workspace,
        project=scope.project,
        task=scope.task,
        status=entity.status,
        revision=revision.id,
        head=revision.id in entity.lineage.heads,
        seq=revision.seq,
        type=payload.claim_type if isinstance(payload, ClaimPayload) else payload.kind,
        component=payload.component,
        markers=payload.markers,
        title=match.title,
        body=match.body,
        names=match.names,
        valid_from=payload.valid_from if isinstance(payload, ClaimPayload) else None,
        valid_until=payload.valid_until if isinstance(payload, ClaimPayload) else None,
    )


def _passages(description: Document, revision: Revision, read_blob: ReadBlob) -> Iterator[Document]:
    data = read_blob(revision.blob) if revision.blob else None
    if data is None or decode_text(data) is None:
        return
    for passage in passages(data):
        if passage.text.strip():
            yield replace(description, title="", body=passage.text, names=(), start=passage.start, end=passage.end)


def _derived(description: Document, projections: Iterable[Projection]) -> Iterator[Document]:
    """Yield the derived texts of a revision."""
    for projection in projections:
        payload = projection.payload
        if stands(projection) and payload.revision == description.revision and payload.spans:
            span = payload.spans[0]
            yield replace(
                description, title="", body=payload.text, names=(), start=span.start, end=span.end,
                projection=projection.id,
            )  # fmt: skip


def stands(projection: Projection) -> bool:
    """Tell whether a projection was neither dropped nor undone."""
    return not (projection.void or projection.dropped)


def _past(entity: Entity, earlier: list[Revision], read_blob: ReadBlob) -> Iterator[Document]:
    """Yield the documents of earlier revisions, newest first, as far as the bounds go."""
    room = HISTORY_BYTES
    for revision in sorted(earlier, key=lambda each: (-each.seq, each.id))[:HISTORY_REVISIONS]:
        description = _description(entity, revision)
        yield description
        size = revision.payload.size if isinstance(revision.payload, ArtifactPayload) else 0
        if size <= room:
            room -= size
            yield from _passages(description, revision, read_blob)


def _names(anchor: Anchor) -> Iterator[str]:
    if anchor.path and not anchor.path_encoded:
        yield anchor.path
    if anchor.symbol:
        yield anchor.symbol


def _join(*parts: str | None) -> str:
    return "\n".join(part for part in parts if part)
