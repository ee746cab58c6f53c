"""`memory.recall`: does memory know this? Deterministic, claim-first, and honest about absence."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from memgit.operations import checks
from memgit.operations.code_items import code_choice, recalled
from memgit.operations.invocation import Invocation
from memgit.operations.reach import answers
from memgit.operations.reading import OrderedRequest
from memgit.operations.told import recalled_once
from memgit.retrieval import bounds
from memgit.retrieval import recall as retrieval
from memgit.retrieval.conflicts import Conflict
from memgit.retrieval.recall import CandidatesHint, Presence, RecallRequest, RecallResult
from memgit.retrieval.results import ArtifactItem, ClaimItem


class Recall(OrderedRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ask whether memory knows something. `presence` says yes, only documents, or no."""

    max_claims: int = 5
    max_artifact_refs: int = 3
    max_excerpt_bytes: int = 320
    max_candidate_claims: int = 0
    max_candidate_artifact_refs: int = 0
    include_historical: bool = False
    markers: tuple[str, ...] = ()


class Recalled(RecallResult, frozen=True, kw_only=True):
    """What memory knows. `origins` names the repository of what came from another store, by entity id."""

    origins: dict[str, str]


def recall(invocation: Invocation, request: Recall) -> Recalled:
    """Return what qualifies in every store that the horizon reaches, best first."""
    invocation.look(request.horizon, request.reason)
    invocation.await_commit(request.min_commit_seq, request.min_commit)
    asked = RecallRequest(
        query=request.query,
        max_claims=request.max_claims,
        max_artifact_refs=request.max_artifact_refs,
        max_excerpt_bytes=request.max_excerpt_bytes,
        max_candidate_claims=request.max_candidate_claims,
        max_candidate_artifact_refs=request.max_candidate_artifact_refs,
        include_historical=request.include_historical,
        markers=checks.markers(request.markers),
        recency=request.recency.enabled,
    )
    found = list(
        answers(
            invocation,
            lambda view: retrieval.recall(asked, view),
            request.as_of,
            code_choice(request),
            recalled,
        )
    )
    united = unite(recalled_once(invocation, found), asked)
    invocation.warnings.extend(united.warnings)
    return united


_TIERS = ("exact", "lexical", "fuzzy", None)
_PRESENCE: tuple[Presence, ...] = ("claims", "artifacts_only", "none")


def unite(found: list[tuple[str | None, RecallResult]], asked: RecallRequest) -> Recalled:
    """Return the stores' answers as one. A single answer stays as it is."""
    results = [result for _, result in found]
    origins = {name: place for place, result in found if place is not None for name in _names(result)}
    first = results[0]
    fields: dict[str, Any] = msgspec.structs.asdict(first)
    if len(results) > 1:
        claims = _best(result.claims for result in results)
        fields |= {
            "presence": min((result.presence for result in results), key=_PRESENCE.index),
            "claims": claims[: asked.max_claims],
            "artifacts": _artifacts(results)[: asked.max_artifact_refs],
            "conflicts": _conflicts(results),
            "claims_truncated": any(result.claims_truncated for result in results) or len(claims) > asked.max_claims,
            "artifacts_truncated": any(result.artifacts_truncated for result in results)
            or sum(item.reason != "evidence" for item in _artifacts(results)) > asked.max_artifact_refs,
            "candidate_claims": _best(result.candidate_claims for result in results)[: asked.max_candidate_claims],
            "candidate_artifacts": tuple(item for result in results for item in result.candidate_artifacts)[
                : asked.max_candidate_artifact_refs
            ],
            "warnings": tuple(dict.fromkeys(warning for result in results for warning in result.warnings)),
        }
        fields["candidates_hint"] = _hint(results) if fields["presence"] != "claims" else None
    return Recalled(**fields, origins=origins)


def _names(result: RecallResult) -> Iterator[str]:
    """Yield the ids of all that an answer shows."""
    yield from (item.claim_id for item in (*result.claims, *result.candidate_claims))
    yield from (item.artifact_id for item in (*result.artifacts, *result.candidate_artifacts))


def _best(lists: Iterable[tuple[ClaimItem, ...]]) -> tuple[ClaimItem, ...]:
    """Return claims of several stores by tier, each store's in its order; scores only settle what is left open."""
    order = heapq.merge(*lists, key=lambda item: (_TIERS.index(item.why.tier), -item.why.score, item.claim_id))
    return tuple(order)


def _artifacts(results: list[RecallResult]) -> tuple[ArtifactItem, ...]:
    """Return what matched by itself before what claims rest on."""
    items = [item for result in results for item in result.artifacts]
    return tuple(sorted(items, key=lambda item: item.reason == "evidence"))


def _conflicts(results: list[RecallResult]) -> tuple[Conflict, ...]:
    return tuple(conflict for result in results for conflict in result.conflicts)


def _hint(results: list[RecallResult]) -> CandidatesHint | None:
    hints = [result.candidates_hint for result in results if result.candidates_hint is not None]
    if not hints:
        return None
    most = bounds.CANDIDATES.most
    return CandidatesHint(
        claims=min(most, sum(hint.claims for hint in hints)),
        artifacts=min(most, sum(hint.artifacts for hint in hints)),
    )
