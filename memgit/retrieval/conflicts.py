"""Open cases beside an answer: what disagrees with what, as far as the scope lets one see."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from memgit.index.documents import matchable
from memgit.records.ids import ArtifactId, CaseId, ClaimId, RevisionId
from memgit.records.op import ArtifactPayload
from memgit.records.state import Case, CaseKind, CaseStatus, Entity, Revision
from memgit.retrieval.citations import ArtifactCitation, ClaimCitation
from memgit.retrieval.results import Author, author_of
from memgit.retrieval.view import Trusts, View


class ConflictSide(Struct, frozen=True, kw_only=True):
    """One of the revisions that disagree. `text` is a claim's statement or an artifact's title at that revision."""

    entity_id: str
    revision_id: str
    text: str
    citation: str
    author: Author
    trusted: bool


class Conflict(Struct, frozen=True, kw_only=True):
    """An open case. `hidden_sides` counts what disagrees from outside the scope: shown is that it exists, not what."""

    case_id: str
    kind: CaseKind
    status: CaseStatus
    sequence: int
    relation_id: str | None
    sides: tuple[ConflictSide, ...]
    hidden_sides: int


def conflicts_of(case_ids: Iterable[CaseId], view: View) -> tuple[Conflict, ...]:
    """Return the open ones among these cases, each once, newest first."""
    found = (view.case(case_id) for case_id in dict.fromkeys(case_ids))
    cases = [case for case in found if case is not None and case.status == "open"]
    cases.sort(key=lambda case: (-case.sequence, case.id))
    return tuple(_conflict(case, view) for case in cases)


def _conflict(case: Case, view: View) -> Conflict:
    entities = [entity for name in case.entities if (entity := view.entity(name)) and view.sees(entity)]
    sides = [side for revision in case.revisions if (side := _side(entities, revision, view.trusts))]
    return Conflict(
        case_id=case.id,
        kind=case.kind,
        status=case.status,
        sequence=case.sequence,
        relation_id=case.relation,
        sides=tuple(sides),
        hidden_sides=len(case.revisions) - len(sides),
    )


def _side(entities: list[Entity], revision_id: RevisionId, trusts: Trusts) -> ConflictSide | None:
    for entity in entities:
        for revision in entity.lineage.revisions:
            if revision.id == revision_id:
                return _shown(entity, revision, trusts)
    return None


def _shown(entity: Entity, revision: Revision, trusts: Trusts) -> ConflictSide:
    payload, name = revision.payload, entity.lineage.id
    if isinstance(payload, ArtifactPayload):
        text, citation = payload.title, str(ArtifactCitation(ArtifactId(name), revision.id))
    else:
        text, citation = matchable(payload).body, str(ClaimCitation(ClaimId(name), revision.id))
    return ConflictSide(
        entity_id=name,
        revision_id=revision.id,
        text=text,
        citation=citation,
        author=author_of(revision.actor),
        trusted=trusts(entity, revision),
    )
