"""Entities to index documents: what of a claim or an artifact can be found, and what its hits must carry.

Pure: it takes a folded entity and a way to read stored bytes, and returns values. It ranks nothing, and it leaves out
nothing that a filter could ask for: historical revisions, and what was derived from a text. The filter decides who sees
them. Of a document's past there is a bounded part (HISTORY_REVISIONS, HISTORY_BYTES).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import msgspec

from memgit import clock
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


_PLAIN_FILE = re.compile(r"[\w-]{2,}\.[A-Za-z][A-Za-z0-9]{0,7}")  # the analysis of a path finds it by itself
_PATH_PARTS = 16  # of a path; deeper ones are found by their last parts


@dataclass(frozen=True, slots=True)
class Matchable:
    """What of a revision's own description can be matched.

    `title` and `body` are text. `names` are exact names that stand beside it: anchored paths and symbols, and the path
    that a document came from, each path also by its ends.
    """

    title: str
    body: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One unit of ranking: a claim revision, an artifact's description (no span), or a passage of its bytes.

    `start` and `end` are byte offsets into the stored bytes, [start, end); both None where the document is no passage.
    `head`: the revision has no effective child. `title`, `body` and `names` are as in `Matchable`; a passage has only a
    body. `projection`: the body is that derived text, and the span the first that it was derived from. `at`: when the
    revision was written.
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
    at: str = ""


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
    names = anchor_names(payload)
    if isinstance(payload, ArtifactPayload):
        path = path_of(payload)
        return Matchable(_join(payload.title, payload.component), "", (*names, *path_names(path or "")))
    value = payload.value.data if payload.value else None
    return Matchable(_join(payload.subject, payload.component), _join(payload.statement, value), names)


def anchor_names(payload: ClaimPayload | ArtifactPayload) -> tuple[str, ...]:
    """Return the exact names of the code that a claim or an artifact is anchored to."""
    return tuple(name for anchor in payload.anchors for name in _names(anchor))


def path_of(payload: ArtifactPayload) -> str | None:
    """Return the path that a document came from, as its provenance says; None where it says none."""
    if payload.provenance is None:
        return None
    try:
        provenance = msgspec.json.decode(payload.provenance)
    except msgspec.DecodeError:
        return None
    path = provenance.get("path") if isinstance(provenance, dict) else None
    return path if isinstance(path, str) and path else None


def path_names(path: str) -> tuple[str, ...]:
    """Return the exact names of a path: the whole of it, and each end after a slash that can only be a path's.

    `docs/guide/setup.md` is also `guide/setup.md` and `setup.md`; `src/cache` is no `cache`.
    """
    parts = path.strip("/").split("/")[-_PATH_PARTS:]
    ends = ("/".join(parts[start:]) for start in range(1, len(parts)))
    return tuple(dict.fromkeys(name for name in (path.strip("/"), *(end for end in ends if _is_path(end))) if name))


def _is_path(end: str) -> bool:
    return "/" in end or ("." in end and _PLAIN_FILE.fullmatch(end) is None)


def moment_names(moment: str) -> tuple[str, ...]:
    """Return the names under which a claim is indexed that was said at a moment: its day, month and year in UTC.

    A day and a month also without their year. No text is analysed to such a name, and qualification does not know it.
    """
    when = clock.parse_time(moment)
    if when is None:
        return ()
    year, month, day = when[:4], when[5:7], when[8:10]
    dates = ((year, month, day), (year, month), (year,), ("", month, day), ("", month))
    return tuple(date_name(*parts) for parts in dates)


def date_name(year: str, month: str = "", day: str = "") -> str:
    """Return the name of a date for `moment_names`; what is not known is empty."""
    return "time:" + "-".join(part for part in (year or "-", month, day) if part)


def _said_names(markers: Iterable[str]) -> Iterator[str]:
    for marker in markers:
        if marker.startswith("time:"):
            yield from moment_names(marker.removeprefix("time:"))


def _description(entity: Entity, revision: Revision) -> Document:
    payload = revision.payload
    match = matchable(payload)
    scope = entity.lineage.scope
    said = _said_names(payload.markers) if isinstance(payload, ClaimPayload) else ()
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
        names=(*match.names, *said),
        valid_from=payload.valid_from if isinstance(payload, ClaimPayload) else None,
        valid_until=payload.valid_until if isinstance(payload, ClaimPayload) else None,
        at=revision.at,
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
        yield from path_names(anchor.path)
    if anchor.symbol:
        yield anchor.symbol


def _join(*parts: str | None) -> str:
    return "\n".join(part for part in parts if part)
