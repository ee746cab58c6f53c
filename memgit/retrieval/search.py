"""What is closest? Ranked hits, each with an explained score and the reasons why it may not be current.

Nothing here says that memory knows something: a hit that would not qualify has no tier. The score is the sum of its
parts (`fusion`); the lexical score among them is BM25 by term (`entries.Counted`), and its terms add up to it.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import Struct

from memgit.index.documents import DocumentKind
from memgit.index.lexical import TermMatch
from memgit.records.ids import EntityId, RevisionId
from memgit.retrieval import bounds
from memgit.retrieval.candidates import Candidate, Selection, judged
from memgit.retrieval.query import Query, analyse_query, with_similar_words
from memgit.retrieval.ranking import Ranked, ranked
from memgit.retrieval.recency import Recency, with_recency
from memgit.retrieval.reranking import POOL_EACH, after_reading, nearest
from memgit.retrieval.results import ArtifactItem, ClaimItem, artifact_item, claim_item
from memgit.retrieval.scores import Scores
from memgit.retrieval.view import Horizon, View


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """What to search for. `types` are claim types and artifact kinds, one of which must fit; all `markers` must.

    `qualified_only` leaves out what would not qualify in a recall. `recency`: order what is answered by age, too.
    """

    query: str
    limit: int = 10
    kinds: frozenset[DocumentKind] = frozenset({"claim", "artifact"})
    types: frozenset[str] | None = None
    component: str | None = None
    markers: tuple[str, ...] = ()
    qualified_only: bool = False
    include_historical: bool = False
    max_excerpt_bytes: int = 320
    recency: bool = True


class TermScore(Struct, frozen=True, kw_only=True):
    """What one term of the query adds to a score, and in which field it was met best."""

    term: str
    field: str
    score: float


class ScorePart(Struct, frozen=True, kw_only=True):
    """What one reason adds to a score: words, meaning, what was said around it, who said it and when."""

    name: str
    score: float


class Ranking(Struct, frozen=True, kw_only=True):
    """Why a hit stands where it stands. `position` counts from 1.

    `score` is the sum of `parts`, and comparable within one answer. `lexical_score` is the sum of `terms`. `similarity`
    is the cosine of meaning, from -1 to 1; None where no embedder is in use. `recency`: what its age did to its place
    among its store's hits; None where nothing was ordered by age. `reading`: the score of the reranker, by which those
    that have one stand among their places, before age counts.
    """

    position: int
    score: float
    parts: tuple[ScorePart, ...]
    lexical_score: float
    terms: tuple[TermScore, ...]
    similarity: float | None
    recency: Recency | None = None
    reading: float | None = None


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
    reader = view.reranker() if query.units else None
    found = _found(query, request, view, is_read=reader is not None) if query.units else []
    read, readings = _read(query, found, reader)
    shown = _by_age(found, read[: request.limit], request, view)
    hits = [_hit(*each, readings, position, query, request) for position, each in enumerate(shown, 1)]
    return SearchResult(
        hits=tuple(hits),
        truncated=len(found) > request.limit,
        searched_horizons=(view.horizon,),
        evaluated_at=view.instant,
        warnings=query.warnings,
    )


def _found(query: Query, request: SearchRequest, view: View, *, is_read: bool) -> list[tuple[Ranked, Candidate]]:
    """Return one more than the limit where there is more, and what a reader orders. Only that is fetched and judged."""
    selection = Selection(
        kinds=request.kinds,
        types=request.types,
        component=request.component,
        markers=frozenset(request.markers),
        historical=request.include_historical,
        derived=not request.qualified_only,
    )
    where = view.index_filter(
        historical=selection.historical,
        kinds=selection.kinds,
        types=selection.types,
        component=selection.component,
        markers=selection.markers,
        derived=selection.derived,
    )
    guessed = with_similar_words(query, view)
    order = ranked(guessed, view, where, request.limit)
    found = _judged(query, order, request, view, selection, is_read=is_read)
    if guessed != query and not any(each.match.tier for _, each in found if each.entity.lineage.kind == "claim"):
        return _judged(guessed, order, request, view, selection, is_read=is_read)  # as a recall does it
    return found


def _judged(
    query: Query, order: list[Ranked], request: SearchRequest, view: View, selection: Selection, *, is_read: bool
) -> list[tuple[Ranked, Candidate]]:
    near = set(nearest([each.near for each in order])) if is_read else set()
    enough = max(request.limit, POOL_EACH) if is_read else request.limit
    found: list[tuple[Ranked, Candidate]] = []
    known: set[EntityId] = set()
    for place, each in enumerate(order):
        if len(found) > enough and place not in near:
            if place > max(near, default=0):
                break
            continue
        for candidate in judged(query, view, selection, each.hits, hopeful_only=False):
            shown = candidate.match.tier is not None or not request.qualified_only
            if shown and (request.include_historical or candidate.id not in known):
                known.add(candidate.id)
                found.append((each, candidate))
    return found


def _read(
    query: Query, found: list[tuple[Ranked, Candidate]], reader: Scores | None
) -> tuple[list[tuple[Ranked, Candidate]], dict[RevisionId, float]]:
    """Return what was found in the order that a reader gives it, and its scores by revision."""
    if reader is None:
        return found, {}
    places, scores = after_reading(
        query.text, [candidate for _, candidate in found], [rank.near for rank, _ in found], reader
    )
    return [found[place] for place in places], {found[place][1].revision.id: score for place, score in scores.items()}


def _by_age(
    found: list[tuple[Ranked, Candidate]], read: list[tuple[Ranked, Candidate]], request: SearchRequest, view: View
) -> list[tuple[Ranked, Candidate, Recency | None]]:
    """Return what was read in the order that its age gives it, where that is wanted. A place has the score it had."""
    if not request.recency:
        return [(rank, candidate, None) for rank, candidate in read]
    ranks = {(candidate.id, candidate.revision.id): rank for rank, candidate in read}
    scores = [rank.parts.score for rank, _ in found[: len(read)]]
    ordered = with_recency([candidate for _, candidate in read], view.instant, scores)
    return [(ranks[candidate.id, candidate.revision.id], candidate, recency) for candidate, recency in ordered]


def _hit(
    rank: Ranked,
    candidate: Candidate,
    recency: Recency | None,
    readings: dict[RevisionId, float],
    position: int,
    query: Query,
    request: SearchRequest,
) -> SearchHit:
    is_claim = candidate.entity.lineage.kind == "claim"
    return SearchHit(
        kind="claim" if is_claim else "artifact",
        claim=claim_item(candidate) if is_claim else None,
        artifact=None if is_claim else artifact_item(candidate, query, request.max_excerpt_bytes),
        ranking=Ranking(
            position=position,
            score=round(rank.parts.score, 6),
            parts=tuple(
                ScorePart(name=name, score=round(score, 6)) for name, score in rank.parts.as_dict().items() if score
            ),
            lexical_score=round(candidate.score, 6),
            terms=tuple(_term_score(term) for term in candidate.terms),
            similarity=rank.near,
            recency=recency,
            reading=readings.get(candidate.revision.id),
        ),
    )


def _term_score(term: TermMatch) -> TermScore:
    return TermScore(term=term.term, field=term.field, score=round(term.weight, 6))
