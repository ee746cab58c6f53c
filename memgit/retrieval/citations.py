"""Citations: names of exact bytes of immutable revisions, and the bytes that they name.

`memoree://artifact/ARTIFACT@REVISION#START-END` (bytes [START, END); without a span the whole revision) and
`memoree://claim/CLAIM@REVISION`. Resolving is an exact lookup: it asks neither scope nor lifecycle, and it gives the
very bytes or nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn, Protocol

from memgit.errors import CitationError, InvalidRequest, JsonValue, LimitExceeded, NotFound, StoreCorrupt
from memgit.index.documents import matchable
from memgit.index.passages import decode_text, is_boundary
from memgit.limits import DEFAULT
from memgit.records import ids
from memgit.records.ids import ArtifactId, BlobDigest, ClaimId, EntityId, RevisionId
from memgit.records.state import Entity, Revision

_ARTIFACT = re.compile(r"memoree://artifact/(art_[0-9a-z]+)@(arev_[0-9a-z]+)(?:#([0-9]{1,16})-([0-9]{1,16}))?")
_CLAIM = re.compile(r"memoree://claim/(clm_[0-9a-z]+)@(crev_[0-9a-z]+)")
_HINT = "The forms are memoree://artifact/ARTIFACT@REVISION#START-END and memoree://claim/CLAIM@REVISION."


@dataclass(frozen=True, slots=True)
class ArtifactCitation:
    """A revision of an artifact, or its bytes [start, end). Both ends are None for the whole revision."""

    artifact: ArtifactId
    revision: RevisionId
    start: int | None = None
    end: int | None = None

    def __str__(self) -> str:
        span = "" if self.start is None else f"#{self.start}-{self.end}"
        return f"memoree://artifact/{self.artifact}@{self.revision}{span}"


@dataclass(frozen=True, slots=True)
class ClaimCitation:
    """A revision of a claim."""

    claim: ClaimId
    revision: RevisionId

    def __str__(self) -> str:
        return f"memoree://claim/{self.claim}@{self.revision}"


Citation = ArtifactCitation | ClaimCitation


@dataclass(frozen=True, slots=True)
class Resolved:
    """The bytes that `citation` names exactly, and as text. `size` is that of the whole revision, in bytes."""

    citation: Citation
    data: bytes
    size: int
    media_type: str

    @property
    def text(self) -> str:
        """The bytes as text; they always are UTF-8."""
        return self.data.decode()


class Lookup(Protocol):
    """Where citations are resolved; a `View` is one."""

    def entity(self, entity_id: EntityId, /) -> Entity | None:
        """Return an entity by its id, whatever its scope and status."""

    def read_blob(self, digest: BlobDigest, /) -> bytes | None:
        """Return stored bytes, or None where this clone cannot give them."""


def parse_citation(text: str) -> Citation:
    """Return the citation that `text` writes. Raises InvalidRequest where it has neither form."""
    if (found := _CLAIM.fullmatch(text)) and ids.is_entity_id(found[1]) and ids.is_revision_id(found[2]):
        return ClaimCitation(ClaimId(found[1]), RevisionId(found[2]))
    found = _ARTIFACT.fullmatch(text)
    if found is None or not ids.is_entity_id(found[1]) or not ids.is_revision_id(found[2]):
        raise InvalidRequest(f"{text[:200]!r} is not a citation", hint=_HINT, details={"field": "citation"})
    span = (int(found[3]), int(found[4])) if found[3] else (None, None)
    return ArtifactCitation(ArtifactId(found[1]), RevisionId(found[2]), *span)


def resolve(citation: str | Citation, max_bytes: int | None, lookup: Lookup) -> Resolved:
    """Return the bytes that a citation names: all of them, at most `max_bytes` (the 8 KiB ceiling where None).

    Raises CitationError, whose details have a `kind`: unknown_artifact and unknown_revision; not_text where the
    revision is not UTF-8 text; range_required where the citation names a whole revision that is larger than may be
    returned; invalid_range where the range runs backwards, is empty or ends past the end; split_code_point where an end
    lies inside a UTF-8 code point. NotFound for an unknown claim, LimitExceeded for a range that is larger than may be
    returned or a `max_bytes` above the ceiling, StoreCorrupt where the bytes are missing.
    """
    parsed = parse_citation(citation) if isinstance(citation, str) else citation
    most = _limit(max_bytes)
    if isinstance(parsed, ClaimCitation):
        return _resolve_claim(parsed, most, lookup)
    return _resolve_artifact(parsed, most, lookup)


def _limit(max_bytes: int | None) -> int:
    ceiling = DEFAULT.response_citation_bytes
    if max_bytes is None:
        return ceiling
    if max_bytes < 1:
        raise InvalidRequest("`max_bytes` is not positive", details={"field": "max_bytes"})
    if max_bytes > ceiling:
        raise _too_large("max_bytes", ceiling, max_bytes, hint=f"Ask for at most {ceiling} bytes at a time.")
    return max_bytes


def _resolve_claim(citation: ClaimCitation, most: int, lookup: Lookup) -> Resolved:
    entity = lookup.entity(citation.claim)
    if entity is None:
        raise NotFound(f"no claim {citation.claim}")
    payload = _revision(entity, citation.revision, str(citation)).payload
    data = matchable(payload).body.encode()
    if len(data) > most:
        raise _too_large("max_bytes", most, len(data), hint="Read the claim itself with `claim.get`.")
    return Resolved(citation, data, len(data), "text/plain; charset=utf-8")


def _resolve_artifact(citation: ArtifactCitation, most: int, lookup: Lookup) -> Resolved:
    entity = lookup.entity(citation.artifact)
    if entity is None:
        _refuse("unknown_artifact", f"no artifact {citation.artifact}", citation)
    revision = _revision(entity, citation.revision, str(citation))
    data = lookup.read_blob(revision.blob) if revision.blob else None
    if data is None:
        raise StoreCorrupt(f"the bytes of {citation.revision} are missing")
    if decode_text(data) is None:
        _refuse("not_text", f"{citation.revision} is not UTF-8 text", citation)
    start, end = _span(citation, data, most)
    exact = ArtifactCitation(citation.artifact, citation.revision, start, end) if end else citation
    media_type = getattr(revision.payload, "media_type", "application/octet-stream")
    return Resolved(exact, data[start:end], len(data), media_type)


def _span(citation: ArtifactCitation, data: bytes, most: int) -> tuple[int, int]:
    """Return the range to read, checked."""
    if citation.start is None or citation.end is None:
        if len(data) > most:
            _refuse("range_required", f"{citation.revision} has {len(data)} bytes; at most {most} at once", citation)
        return 0, len(data)
    start, end = citation.start, citation.end
    if not start < end <= len(data):
        _refuse("invalid_range", f"{start}-{end} is no range of the {len(data)} bytes", citation, size=len(data))
    for offset in (start, end):
        if not is_boundary(data, offset):
            _refuse("split_code_point", f"byte {offset} lies inside a UTF-8 code point", citation, offset=offset)
    if end - start > most:
        raise _too_large("max_bytes", most, end - start, hint="Ask for a narrower range.")
    return start, end


def _revision(entity: Entity, wanted: RevisionId, citation: str) -> Revision:
    found = next((revision for revision in entity.lineage.revisions if revision.id == wanted), None)
    if found is None:
        _refuse("unknown_revision", f"{entity.lineage.id} has no revision {wanted}", citation)
    return found


def _too_large(name: str, limit: int, seen: int, *, hint: str) -> LimitExceeded:
    return LimitExceeded(
        f"{seen} bytes; at most {limit} at once", hint=hint, details={"limit": name, "value": limit, "size": seen}
    )


def _refuse(kind: str, message: str, citation: Citation | str, **details: JsonValue) -> NoReturn:
    raise CitationError(message, details={"kind": kind, "citation": str(citation), **details})
