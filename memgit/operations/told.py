"""Answers of several stores, each thing once: two clones of one memory on a machine know the same.

What this store knows, it tells itself, or leaves out because it has ended here; another clone that has not heard of
that does not tell it instead. Of others, the first that tells something counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from memgit.operations.invocation import Invocation
from memgit.records.ids import CaseId, EntityId

if TYPE_CHECKING:  # one store is the rule, and a recall needs no search
    from memgit.retrieval.conflicts import Conflict
    from memgit.retrieval.probe import Lead, ProbeResult
    from memgit.retrieval.recall import Presence, RecallResult
    from memgit.retrieval.results import ArtifactItem, ClaimItem
    from memgit.retrieval.retrieve import RetrieveResult, UnqualifiedEvidence
    from memgit.retrieval.search import SearchHit, SearchResult

    Item = ClaimItem | ArtifactItem | SearchHit | Lead | Conflict | UnqualifiedEvidence

Place = str | None
"""The path of a store's repository, None for this one."""

T = TypeVar("T", bound="Item")


def recalled_once(invocation: Invocation, found: list[tuple[Place, RecallResult]]) -> list[tuple[Place, RecallResult]]:
    """Return the stores' recalls without what one before has told; their presence follows from what is left."""
    if len(found) < 2:
        return found
    told = _Told(invocation)
    return [(place, _recalled(told, place, result)) for place, result in found]


def searched_once(invocation: Invocation, found: list[tuple[Place, SearchResult]]) -> list[tuple[Place, SearchResult]]:
    """Return the stores' hits without those that one before has told."""
    if len(found) < 2:
        return found
    told = _Told(invocation)
    return [(place, replace(result, hits=told.new(place, result.hits))) for place, result in found]


def probed_once(invocation: Invocation, found: list[tuple[Place, ProbeResult]]) -> list[tuple[Place, ProbeResult]]:
    """Return the stores' leads without those that one before has told."""
    if len(found) < 2:
        return found
    told = _Told(invocation)
    return [(place, replace(result, leads=told.new(place, result.leads))) for place, result in found]


def retrieved_once(
    invocation: Invocation, found: list[tuple[Place, RetrieveResult]]
) -> list[tuple[Place, RetrieveResult]]:
    """Return the stores' answers without what one before has told; leads are told beside claims, not instead."""
    if len(found) < 2:
        return found
    recalled = recalled_once(invocation, [(place, result.recall) for place, result in found])
    told, led = _Told(invocation), _Told(invocation)
    return [
        (
            place,
            replace(
                result,
                recall=recall,
                probe=replace(result.probe, leads=led.new(place, result.probe.leads)) if result.probe else None,
                unqualified_evidence=told.new(place, result.unqualified_evidence),
            ),
        )
        for (place, result), (_, recall) in zip(found, recalled, strict=True)
    ]


class _Told:
    """What has been told, by which store."""

    def __init__(self, invocation: Invocation) -> None:
        self._state = invocation.state
        self._by: dict[str, Place] = {}

    def new(self, place: Place, items: Iterable[T]) -> tuple[T, ...]:
        """Return what of a store's items nobody has told before."""
        return tuple(item for item in items if self._is_new(place, item))

    def _is_new(self, place: Place, item: Item) -> bool:
        name = _name(item)
        if self._by.setdefault(name, place) != place:
            return False
        if place is None:
            return True
        return (
            self._state.case(CaseId(name)) if name.startswith("case_") else self._state.entity(EntityId(name))
        ) is None


def _recalled(told: _Told, place: Place, result: RecallResult) -> RecallResult:
    claims, artifacts = told.new(place, result.claims), told.new(place, result.artifacts)
    presence: Presence = result.presence
    if (result.claims and not claims) or (not result.claims and result.artifacts and not artifacts):
        presence = "artifacts_only" if any(item.reason == "match" for item in artifacts) else "none"
    return replace(
        result,
        presence=presence,
        claims=claims,
        artifacts=artifacts,
        candidate_claims=told.new(place, result.candidate_claims),
        candidate_artifacts=told.new(place, result.candidate_artifacts),
        conflicts=told.new(place, result.conflicts),
    )


def _name(item: Item) -> str:
    """Return what tells an item from others: the id of its entity or its case."""
    from memgit.retrieval.conflicts import Conflict
    from memgit.retrieval.probe import Lead
    from memgit.retrieval.results import ArtifactItem, ClaimItem
    from memgit.retrieval.retrieve import UnqualifiedEvidence

    if isinstance(item, ClaimItem | UnqualifiedEvidence):
        return item.claim_id
    if isinstance(item, ArtifactItem):
        return item.artifact_id
    if isinstance(item, Conflict):
        return item.case_id
    if isinstance(item, Lead):
        return item.claim_id or item.sources[0].artifact_id
    found = item.claim or item.artifact
    assert found is not None
    return _name(found)
