"""`search`: what is closest? Ranked hits with their scores explained; a hit is a lead, not an answer."""

from __future__ import annotations

import heapq
from typing import Literal, get_args

import msgspec

from memgit.operations import checks
from memgit.operations.code_items import code_choice, searched
from memgit.operations.invocation import Invocation
from memgit.operations.reach import answers
from memgit.operations.reading import OrderedRequest
from memgit.operations.told import searched_once
from memgit.records.op import ClaimType
from memgit.retrieval import search as retrieval
from memgit.retrieval.search import SearchHit, SearchRequest, SearchResult


class Search(OrderedRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Find what is closest to a query. `kinds`, `types`, `component` and `markers` filter before anything is ranked.

    `types` are types of claims, and the kinds of documents that were given when they were put.
    """

    limit: int = 10
    kinds: tuple[Literal["claim", "artifact"], ...] = ("claim", "artifact")
    types: tuple[str, ...] = ()
    component: str | None = None
    markers: tuple[str, ...] = ()
    include_historical: bool = False
    max_excerpt_bytes: int = 320


class Found(SearchResult, frozen=True, kw_only=True):
    """Ranked hits. `origins` names the repository of what came from another store, by entity id."""

    origins: dict[str, str]


def search(invocation: Invocation, request: Search) -> Found:
    """Return the closest of every store that the horizon reaches."""
    invocation.warnings.extend(_empty_filters(request))
    invocation.look(request.horizon, request.reason)
    invocation.await_commit(request.min_commit_seq, request.min_commit)
    asked = SearchRequest(
        query=request.query,
        limit=request.limit,
        kinds=frozenset(request.kinds),
        types=frozenset(request.types) or None,
        component=request.component,
        markers=checks.markers(request.markers),
        include_historical=request.include_historical,
        max_excerpt_bytes=request.max_excerpt_bytes,
        recency=request.recency.enabled,
    )
    found = list(
        answers(
            invocation,
            lambda view: retrieval.search(asked, view),
            request.as_of,
            code_choice(request),
            searched,
        )
    )
    invocation.warnings.extend(dict.fromkeys(warning for _, result in found for warning in result.warnings))
    return unite(searched_once(invocation, found), request.limit)


def _empty_filters(request: Search) -> list[str]:
    """Return what to say of filters that nothing can pass, or only some of `kinds`. Nothing found is an answer."""
    if not request.kinds:
        return ["`kinds` is empty, so nothing was looked at"]
    of_documents = [name for name in request.types if name not in get_args(ClaimType)]
    if of_documents and "artifact" not in request.kinds:
        return [
            f"{name[:80]!r} is no type of claim: these are {', '.join(get_args(ClaimType))}" for name in of_documents
        ]
    if request.types and not of_documents and "claim" not in request.kinds:
        return [f"{request.types[0]} is a type of claims, and only documents were looked at"]
    return [f"{name[:80]!r} is no type of claim: only documents of that kind can have it" for name in of_documents]


def unite(found: list[tuple[str | None, SearchResult]], limit: int) -> Found:
    """Return the stores' hits as one list, each store's in its order.

    A score is a share of what a store's best text meets, so it counts here as much as that text does beside the
    others'. Scores of different indexes are comparable only roughly.
    """
    first = found[0][1]
    weights = {_id(hit): _best(result) for _, result in found for hit in result.hits}
    hits = list(
        heapq.merge(
            *(result.hits for _, result in found), key=lambda hit: (-hit.ranking.score * weights[_id(hit)], _id(hit))
        )
    )
    shown = [_at(hit, position) for position, hit in enumerate(hits[:limit], 1)]
    return Found(
        hits=tuple(shown),
        truncated=len(hits) > limit or any(result.truncated for _, result in found),
        searched_horizons=first.searched_horizons,
        evaluated_at=first.evaluated_at,
        warnings=first.warnings,
        origins={_id(hit): place for place, result in found if place is not None for hit in result.hits},
    )


def _best(result: SearchResult) -> float:
    return max((hit.ranking.lexical_score for hit in result.hits), default=0.0)


def _at(hit: SearchHit, position: int) -> SearchHit:
    return msgspec.structs.replace(hit, ranking=msgspec.structs.replace(hit.ranking, position=position))


def _id(hit: SearchHit) -> str:
    if hit.claim is not None:
        return hit.claim.claim_id
    return hit.artifact.artifact_id if hit.artifact is not None else ""
