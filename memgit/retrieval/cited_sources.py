"""What claims rest on, as references beside them. They add nothing to what qualifies: the claims did that.

A claim outlives its evidence, and may cite what a reader does not see. So whoever shows bytes of evidence asks here
whether they may be shown; the citation itself always is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from memgit.index.documents import is_own_note, matchable
from memgit.index.passages import PASSAGE_BYTES, boundary_before, decode_text
from memgit.records.ids import EntityId
from memgit.records.op import ClaimPayload, Evidence
from memgit.records.state import Entity, Revision
from memgit.retrieval.candidates import Candidate, Excerptable
from memgit.retrieval.currentness import reasons_against
from memgit.retrieval.qualification import Match
from memgit.retrieval.view import View

_UNASKED = Match(None, (), ())


def evidence_candidates(
    claims: Iterable[Candidate], view: View, known: Set[EntityId], *, historical: bool
) -> Iterator[Candidate]:
    """Yield the artifacts that these claims cite, at the cited revisions, in the order of the claims, each once.

    The `known` ones are left out. Nothing is read before it is asked for: documents are large. What is out of scope
    or ended is left out, unless `historical` asks for the ended; a revision that has been revised since is still what
    the claim rests on, and says so. A passage that is not text has no excerpt. A note that only repeats what the claim
    said before it was revised is left out: it speaks against it.
    """
    seen = set(known)
    for claim in claims:
        payload = claim.revision.payload
        for item in payload.evidence if isinstance(payload, ClaimPayload) else ():
            if item.artifact not in seen and (found := _cited(claim, item, view, historical=historical)):
                seen.add(item.artifact)
                yield found


def shown_evidence(artifact: str, revision: str, view: View) -> tuple[Entity, Revision] | None:
    """Return a cited document and its revision where the bytes may be shown with a claim that rests on them.

    None where it is out of scope, forgotten, withdrawn or superseded, or where that revision was undone: a prompt that
    quotes evidence does not say that it has ended.
    """
    entity = view.entity(EntityId(artifact))
    if entity is None or not view.sees(entity) or entity.status != "active":
        return None
    found = next((each for each in entity.lineage.revisions if each.id == revision), None)
    return (entity, found) if found is not None and not found.void else None


def is_outdated_note(claim: Revision, note: Revision, data: bytes | None) -> bool:
    """Tell whether bytes are a note of a claim's own text, and the claim says something else by now."""
    said = matchable(claim.payload).body.encode()
    return is_own_note(note.payload) and data is not None and said not in data


def _cited(claim: Candidate, item: Evidence, view: View, *, historical: bool) -> Candidate | None:
    entity = view.entity(item.artifact)
    if entity is None or not view.sees(entity) or (entity.status != "active" and not historical):
        return None
    for revision in entity.lineage.revisions:
        if revision.id == item.revision:
            reasons = reasons_against(entity, revision, view.instant)
            data = view.read_blob(revision.blob) if revision.blob else None
            if is_outdated_note(claim.revision, revision, data):
                return None
            layer = view.layer_of(revision.digest)
            return Candidate(entity, revision, reasons, _UNASKED, 0.0, (), _passage(item, data), layer, view.trusts)
    return None


def _passage(item: Evidence, data: bytes | None) -> Excerptable | None:
    if data is None or decode_text(data) is None:
        return None
    start, end = (0, len(data)) if item.start is None or item.end is None else (item.start, item.end)
    piece = data[start : boundary_before(data, min(end, start + PASSAGE_BYTES, len(data)))]
    return Excerptable(start, start + len(piece), piece, _UNASKED) if decode_text(piece) else None
