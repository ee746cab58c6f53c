"""The few bytes of a document cited as a whole that a claim may rest on: windows around the words of its clauses.

One request reads and analyses so much and no more, whatever claims cite and however long they are. Beyond that a
document is led to by its beginning, or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memgit.index.passages import boundary_before, decode_text
from memgit.records.ids import BlobDigest
from memgit.records.op import ArtifactPayload, ClaimPayload
from memgit.records.state import Revision
from memgit.retrieval.excerpt import excerpt_span
from memgit.retrieval.placing import Placed
from memgit.retrieval.query import Query, analyse_query
from memgit.retrieval.view import View

WINDOW_BYTES = 384  # of a passage that nobody cited exactly
WINDOWS = 3  # of one document behind one claim; they do not overlap
CLAUSES = 12  # of a claim, with the whole of it: most have one or two, and three windows are soon found
SCANNED_BYTES = 256 * 1024  # of a document
REQUEST_SCANNED_BYTES = 512 * 1024  # of all documents of a request: about a quarter of a second
REQUEST_READ_BYTES = 32 * 1024 * 1024  # four of the largest documents, each of which is compared with its digest
_CLAUSE = re.compile(
    r"[.;:!?\n]+\s|,\s+|\s+(?:and|but|or|because|which|while|when|unless|until|so that)\s+", re.IGNORECASE
)


class Documents:
    """What one request reads of documents. Each is read, and analysed, once."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._read: dict[BlobDigest, bytes | None] = {}
        self._placed: dict[BlobDigest, tuple[bytes, Placed | None]] = {}
        self._to_read, self._to_scan = REQUEST_READ_BYTES, REQUEST_SCANNED_BYTES

    def text(self, revision: Revision) -> bytes | None:
        """Return the stored bytes of a text; None for what is none, is lost, or is more than a request reads."""
        blob = revision.blob
        if blob is None:
            return None
        if blob not in self._read:
            size = revision.payload.size if isinstance(revision.payload, ArtifactPayload) else 0
            if size > self._to_read:
                return None
            self._to_read -= size
            data = self._view.read_blob(blob)
            self._read[blob] = data if data is not None and decode_text(data) is not None else None
        return self._read[blob]

    def windows(self, revision: Revision, clauses: list[Query]) -> Iterator[tuple[int, int]]:
        """Yield at most WINDOWS spans of a text that do not overlap, around the words of clauses, in their order."""
        data = self.text(revision)
        if data is None or revision.blob is None:
            return
        scanned, placed = self._scanned(revision.blob, data)
        seen: list[tuple[int, int]] = []
        for clause in clauses if placed is not None else clauses[:1]:
            start, end = excerpt_span(scanned, clause, WINDOW_BYTES, placed)
            if start < end and all(end <= before or start >= after for before, after in seen):
                seen.append((start, end))
                yield start, end
            if len(seen) == WINDOWS:
                return

    def _scanned(self, blob: BlobDigest, data: bytes) -> tuple[bytes, Placed | None]:
        """Return as much of a text as is analysed, with its words; its beginning alone, where there is no room left."""
        if blob not in self._placed:
            scanned = data[: boundary_before(data, min(len(data), SCANNED_BYTES))]
            if len(scanned) > self._to_scan:
                return data[: boundary_before(data, min(len(data), WINDOW_BYTES))], None
            self._to_scan -= len(scanned)
            self._placed[blob] = scanned, Placed(scanned)
        return self._placed[blob]


def clauses_of(claim: Revision) -> list[Query]:
    """Return a claim's statement as queries, clause by clause, the whole of it first; at most CLAUSES."""
    payload = claim.payload
    statement = (payload.statement or "") if isinstance(payload, ClaimPayload) else ""
    parts = [part for part in (statement, *_CLAUSE.split(statement)) if part.strip()]
    return [query for part in parts[:CLAUSES] if (query := analyse_query(part)).units]
