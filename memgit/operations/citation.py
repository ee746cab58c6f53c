"""`citation.get`: the exact bytes behind a citation."""

from __future__ import annotations

from msgspec import Struct

from memgit.operations.checks import Content
from memgit.operations.invocation import Invocation
from memgit.operations.reading import ReadRequest
from memgit.records.ids import BlobDigest, EntityId
from memgit.records.state import Entity
from memgit.retrieval.citations import resolve


class CitationGet(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read the bytes that a citation names: at most 8 KiB at once."""

    citation: str
    max_bytes: int | None = None


class CitedBytes(Struct, frozen=True, kw_only=True):
    """Bytes, and the citation that names exactly them. `size` is that of the whole revision."""

    citation: str
    content: Content
    size: int
    media_type: str


class _Lookup:
    """Where citations are looked up: the folded state and the tip's blobs."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation

    def entity(self, entity_id: EntityId, /) -> Entity | None:
        """Return an entity by its id."""
        return self._invocation.state.entity(entity_id)

    def read_blob(self, digest: BlobDigest, /) -> bytes | None:
        """Return stored bytes."""
        return self._invocation.snapshot().blob(digest)


def get(invocation: Invocation, request: CitationGet) -> CitedBytes:
    """Return exact bytes. Exact lookup asks neither scope nor lifecycle."""
    found = resolve(request.citation, request.max_bytes, _Lookup(invocation))
    return CitedBytes(
        citation=str(found.citation),
        content=Content("text", found.text),
        size=found.size,
        media_type=found.media_type,
    )
