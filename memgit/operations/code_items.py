"""The items of a retrieval's answer with what became of their code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from memgit.operations.code_states import CodeChoice, CodeStates
from memgit.operations.invocation import Invocation
from memgit.operations.reading import OrderedRequest
from memgit.records.ids import EntityId
from memgit.records.state import Revision
from memgit.retrieval.code_state import CodeState
from memgit.retrieval.results import ArtifactItem, ClaimItem

if TYPE_CHECKING:  # a recall needs no search
    from memgit.retrieval.recall import RecallResult
    from memgit.retrieval.retrieve import RetrieveResult
    from memgit.retrieval.search import SearchResult

ItemT = TypeVar("ItemT", ClaimItem, ArtifactItem)

_Told = dict[str, CodeState]  # by revision


def code_choice(request: OrderedRequest) -> CodeChoice:
    """Return what a retrieval wants to know of code."""
    return CodeChoice(at=request.at, differences=request.differences, merged_only=request.merged_only)


def recalled(result: RecallResult, place: Invocation, states: CodeStates) -> RecallResult:
    """Return a recall whose items say what became of their code."""
    told = _told(
        (*result.claims, *result.candidate_claims, *result.artifacts, *result.candidate_artifacts), place, states
    )
    if not told:
        return result
    return replace(
        result,
        claims=_labelled(result.claims, told),
        candidate_claims=_labelled(result.candidate_claims, told),
        artifacts=_labelled(result.artifacts, told),
        candidate_artifacts=_labelled(result.candidate_artifacts, told),
    )


def retrieved(result: RetrieveResult, place: Invocation, states: CodeStates) -> RetrieveResult:
    """Return a retrieval whose recall says what became of the code."""
    return replace(result, recall=recalled(result.recall, place, states))


def searched(result: SearchResult, place: Invocation, states: CodeStates) -> SearchResult:
    """Return a search whose hits say what became of their code."""
    items = [item for hit in result.hits for item in (hit.claim, hit.artifact) if item is not None]
    told = _told(items, place, states)
    if not told:
        return result
    hits = tuple(replace(hit, claim=_one(hit.claim, told), artifact=_one(hit.artifact, told)) for hit in result.hits)
    return replace(result, hits=hits)


def _told(items: Iterable[ClaimItem | ArtifactItem], place: Invocation, states: CodeStates) -> _Told:
    revisions = {revision.id: revision for item in items if (revision := _revision(item, place)) is not None}
    found = states.of(list(revisions.values()))
    return {name: state for name, state in zip(revisions, found, strict=True) if state is not None}


def _revision(item: ClaimItem | ArtifactItem, place: Invocation) -> Revision | None:
    name = item.claim_id if isinstance(item, ClaimItem) else item.artifact_id
    entity = place.state.entity(EntityId(name))
    revisions = entity.lineage.revisions if entity is not None else ()
    return next((revision for revision in revisions if revision.id == item.revision_id), None)


def _labelled(items: tuple[ItemT, ...], told: _Told) -> tuple[ItemT, ...]:
    return tuple(
        replace(item, code_state=told[item.revision_id]) if item.revision_id in told else item for item in items
    )


def _one(item: ItemT | None, told: _Told) -> ItemT | None:
    return None if item is None else _labelled((item,), told)[0]
