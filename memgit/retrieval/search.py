"""What is closest? Ranked hits, each with an explained score and the reasons why it may not be current.

Nothing here says that memory knows something: a hit that would not qualify has no tier. The lexical score is BM25 by
term (`whoosh_schema.weights`), and the explanation adds up to it.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

from memgit.index.documents import DocumentKind
from memgit.index.lexical import TermMatch
from memgit.retrieval import bounds
from memgit.retrieval.candidates import Candidate, Selection, candidates, one_per_entity
from memgit.retrieval.query import Query, analyse_query, with_similar_words
from memgit.retrieval.results import ArtifactItem, ClaimItem, artifact_item, claim_item
from memgit.retrieval.view import Horizon, View

_PROPOSALS_PER_HIT = 4  # hits of the index for each hit of the answer, because an artifact may give several
_FEWEST_PROPOSALS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """What to search for. `types` are claim types and artifact kinds, one of which must fit; all `markers` must."""

    query: str
    limit: int = 10
    kinds: frozenset[DocumentKind] = frozenset({"claim", "artifact"})
    types: frozenset[str] | None = None
    component: str | None = None
    markers: tuple[str, ...] = ()
    include_historical: bool = False
    max_excerpt_bytes: int = 320


class TermScore(Struct, frozen=True, kw_only=True):
    """What one term of the query adds to a score, and in which field it was met best."""

    term: str
    field: str
    score: float


class Ranking(Struct, frozen=True, kw_only=True):
    """Why a hit stands where it stands. `lexical_score` is the sum of `terms`; `position` counts from 1."""

    position: int
    lexical_score: float
    terms: tuple[TermScore, ...]


class SearchHit(Struct, frozen=True, kw_only=True):
    """A claim or an artifact; the other is None. The item holds the provenance: scope, revision, standing, reasons."""

    kind: DocumentKind
    claim: ClaimItem | None
    artifact: ArtifactItem | None
    ranking: Ranking


class SearchResult(Struct, frozen=True, kw_only=True):
    """`truncated`: more would have been found. `evaluated_at` is the instant of validity."""

    hits: tuple[SearchHit, ...]
    truncated: bool
    searched_horizons: tuple[Horizon, ...]
    evaluated_at: str
    warnings: tuple[str, ...]


def search(request: SearchRequest, view: View) -> SearchResult:
    """Return what is closest to the query, as far as `view` sees. Raises as `recall` does."""
    bounds.check("limit", request.limit, bounds.SEARCH_HITS)
    bounds.check("max_excerpt_bytes", request.max_excerpt_bytes, bounds.EXCERPT_BYTES)
    query = analyse_query(request.query)
    ranked = _ranked(query, request, view) if query.units else []
    hits = [_hit(candidate, position, query, request) for position, candidate in enumerate(ranked[: request.limit], 1)]
    return SearchResult(
        hits=tuple(hits),
        truncated=len(ranked) > request.limit,
        searched_horizons=(view.horizon,),
        evaluated_at=view.instant,
        warnings=query.warnings,
    )


def _ranked(query: Query, request: SearchRequest, view: View) -> list[Candidate]:
    selection = Selection(
        kinds=request.kinds,
        types=request.types,
        component=request.component,
        markers=frozenset(request.markers),
        historical=request.include_historical,
    )
    proposals = max(_FEWEST_PROPOSALS, _PROPOSALS_PER_HIT * request.limit)
    found = candidates(with_similar_words(query, view.index), view, selection, proposals, "score")
    found.sort(key=lambda candidate: (-candidate.score, -candidate.revision.seq, candidate.id))
    return found if request.include_historical else one_per_entity(found)


def _hit(candidate: Candidate, position: int, query: Query, request: SearchRequest) -> SearchHit:
    is_claim = candidate.entity.lineage.kind == "claim"
    return SearchHit(
        kind="claim" if is_claim else "artifact",
        claim=claim_item(candidate) if is_claim else None,
        artifact=None if is_claim else artifact_item(candidate, query, request.max_excerpt_bytes),
        ranking=Ranking(
            position=position,
            lexical_score=round(candidate.score, 6),
            terms=tuple(_term_score(term) for term in candidate.terms),
        ),
    )


def _term_score(term: TermMatch) -> TermScore:
    return TermScore(term=term.term, field=term.field, score=round(term.weight, 6))
