"""`search`: what is closest? Ranked hits with their scores explained; a hit is a lead, not an answer."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

from memgit.operations import checks
from memgit.operations.invocation import Invocation
from memgit.operations.reach import answers
from memgit.retrieval import search as retrieval
from memgit.retrieval.search import SearchHit, SearchRequest, SearchResult


class Search(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Find what is closest to a query. `kinds`, `types`, `component` and `markers` filter before anything is ranked."""

    query: str
    limit: int = 10
    kinds: tuple[Literal["claim", "artifact"], ...] = ("claim", "artifact")
    types: tuple[str, ...] = ()
    component: str | None = None
    markers: tuple[str, ...] = ()
    include_historical: bool = False
    max_excerpt_bytes: int = 320
    horizon: str | None = None
    reason: str | None = None
    min_commit_seq: int | None = None
    min_commit: str | None = None


class Found(SearchResult, frozen=True, kw_only=True):
    """Ranked hits. `origins` names the repository of what came from another store, by entity id."""

    origins: dict[str, str]


def search(invocation: Invocation, request: Search) -> Found:
    """Return the closest of every store that the horizon reaches."""
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
    )
    found = list(answers(invocation, lambda view: retrieval.search(asked, view)))
    invocation.warnings.extend(dict.fromkeys(warning for _, result in found for warning in result.warnings))
    return _unite(found, request.limit)


def _unite(found: list[tuple[str | None, SearchResult]], limit: int) -> Found:
    """Return the stores' hits as one list. Scores of different indexes are comparable only roughly."""
    first = found[0][1]
    hits = [hit for _, result in found for hit in result.hits]
    if len(found) > 1:
        hits.sort(key=lambda hit: (-hit.ranking.lexical_score, _id(hit)))
    shown = [_at(hit, position) for position, hit in enumerate(hits[:limit], 1)]
    return Found(
        hits=tuple(shown),
        truncated=len(hits) > limit or any(result.truncated for _, result in found),
        searched_horizons=first.searched_horizons,
        evaluated_at=first.evaluated_at,
        warnings=first.warnings,
        origins={_id(hit): place for place, result in found if place is not None for hit in result.hits},
    )


def _at(hit: SearchHit, position: int) -> SearchHit:
    return msgspec.structs.replace(hit, ranking=msgspec.structs.replace(hit.ranking, position=position))


def _id(hit: SearchHit) -> str:
    if hit.claim is not None:
        return hit.claim.claim_id
    return hit.artifact.artifact_id if hit.artifact is not None else ""
