"""What claims rest on, as references beside them. They add nothing to what qualifies: the claims did that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memgit.index.passages import PASSAGE_BYTES, boundary_before, decode_text
from memgit.records.op import ClaimPayload, Evidence
from memgit.retrieval.candidates import Candidate, Excerptable
from memgit.retrieval.currentness import reasons_against
from memgit.retrieval.qualification import Match
from memgit.retrieval.view import View

_UNASKED = Match(None, (), ())


def evidence_candidates(claims: Iterable[Candidate], view: View, *, historical: bool) -> Iterator[Candidate]:
    """Yield the artifacts that these claims cite, at the cited revisions, in the order of the claims.

    What is out of scope or ended is left out, unless `historical` asks for the ended; a revision that has been revised
    since is still what the claim rests on, and says so. A passage that is not text has no excerpt.
    """
    for claim in claims:
        payload = claim.revision.payload
        for item in payload.evidence if isinstance(payload, ClaimPayload) else ():
            if found := _cited(item, view, historical=historical):
                yield found


def _cited(item: Evidence, view: View, *, historical: bool) -> Candidate | None:
    entity = view.entity(item.artifact)
    if entity is None or not view.sees(entity) or (entity.status != "active" and not historical):
        return None
    for revision in entity.lineage.revisions:
        if revision.id == item.revision:
            reasons = reasons_against(entity, revision, view.instant)
            data = view.read_blob(revision.blob) if revision.blob else None
            layer = view.layer_of(revision.digest)
            return Candidate(entity, revision, reasons, _UNASKED, 0.0, (), _passage(item, data), layer, view.trusts)
    return None


def _passage(item: Evidence, data: bytes | None) -> Excerptable | None:
    if data is None or decode_text(data) is None:
        return None
    start, end = (0, len(data)) if item.start is None or item.end is None else (item.start, item.end)
    piece = data[start : boundary_before(data, min(end, start + PASSAGE_BYTES, len(data)))]
    return Excerptable(start, start + len(piece), piece, _UNASKED) if decode_text(piece) else None
