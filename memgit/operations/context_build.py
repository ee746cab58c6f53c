"""`context.build`: what was found, as bounded Markdown for a model's prompt, with citations and warnings."""

from __future__ import annotations

from typing import Literal

from memgit.errors import MemgitError
from memgit.index.documents import is_own_note
from memgit.operations import checks
from memgit.operations.code_items import code_choice, searched
from memgit.operations.code_states import CodeStates
from memgit.operations.invocation import Invocation
from memgit.operations.reach import answers
from memgit.operations.reading import OrderedRequest
from memgit.operations.search import unite
from memgit.operations.told import searched_once
from memgit.records.ids import CaseId
from memgit.retrieval import bounds
from memgit.retrieval.bundle import ContextBundle, Quote, build_bundle
from memgit.retrieval.citations import resolve
from memgit.retrieval.cited_sources import shown_evidence
from memgit.retrieval.conflicts import Conflict, conflicts_of
from memgit.retrieval.results import EvidenceRef, author_of
from memgit.retrieval.search import SearchRequest, SearchResult, search
from memgit.retrieval.view import View

_QUOTE_BYTES = 1024  # of the evidence behind one claim; a longer one is cited, not shown
_LOOKED_THROUGH = (4, 40)  # times the limit, and at least so many: others must not crowd out whom the user trusts
_Answer = tuple[SearchResult, tuple[Conflict, ...], dict[str, Quote]]


class ContextBuild(OrderedRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Freeze a search as Markdown of at most `max_bytes`. `include_unqualified` admits what would not be recalled.

    What authors wrote whom this clone's user does not trust is left out and counted; `include_untrusted` admits it.
    """

    max_bytes: int = 8192
    limit: int = 10
    kinds: tuple[Literal["claim", "artifact"], ...] = ("claim", "artifact")
    types: tuple[str, ...] = ()
    component: str | None = None
    markers: tuple[str, ...] = ()
    include_unqualified: bool = False
    include_historical: bool = False
    include_untrusted: bool = False
    max_excerpt_bytes: int = 320


def build(invocation: Invocation, request: ContextBuild) -> ContextBundle:
    """Return the bundle of everything that the horizon reaches."""
    invocation.look(request.horizon, request.reason)
    invocation.await_commit(request.min_commit_seq, request.min_commit)
    asked = _asked(request)
    found = list(
        answers(invocation, lambda view: _answer(asked, view), request.as_of, code_choice(request), _with_states)
    )
    told = searched_once(invocation, [(place, answer[0]) for place, answer in found])
    invocation.warnings.extend(dict.fromkeys(warning for _, answer in found for warning in answer[0].warnings))
    last_first = [answer for _, answer in reversed(found)]  # of two clones, this one's word counts
    return build_bundle(
        unite(told, asked.limit),
        [conflict for answer in last_first for conflict in answer[1]],
        {citation: text for answer in last_first for citation, text in answer[2].items()},
        request.max_bytes,
        limit=request.limit,
        include_untrusted=request.include_untrusted,
    )


def _asked(request: ContextBuild) -> SearchRequest:
    """Return the search behind a bundle. Raises InvalidRequest, LimitExceeded."""
    bounds.check("limit", request.limit, bounds.SEARCH_HITS)
    times, least = _LOOKED_THROUGH
    wanted = request.limit if request.include_untrusted else max(request.limit * times, least)
    return SearchRequest(
        query=request.query,
        limit=min(wanted, bounds.SEARCH_HITS.most),
        kinds=frozenset(request.kinds),
        types=frozenset(request.types) or None,
        component=request.component,
        markers=checks.markers(request.markers),
        qualified_only=not request.include_unqualified,
        include_historical=request.include_historical,
        max_excerpt_bytes=request.max_excerpt_bytes,
        recency=request.recency.enabled,
    )


def _with_states(answer: _Answer, place: Invocation, states: CodeStates) -> _Answer:
    return (searched(answer[0], place, states), *answer[1:])


def _answer(asked: SearchRequest, view: View) -> _Answer:
    found = search(asked, view)
    claims = [hit.claim for hit in found.hits if hit.claim is not None]
    conflicts = conflicts_of((CaseId(case) for claim in claims for case in claim.open_cases), view)
    cited = {ref.citation: ref for claim in claims for ref in claim.evidence}
    quotes = {citation: quote for citation, ref in cited.items() if (quote := _quote(ref, view)) is not None}
    return found, conflicts, quotes


def _quote(ref: EvidenceRef, view: View) -> Quote | None:
    """Return what a claim cites, or None for what is cited all the same, but not shown.

    That is what has ended, is out of sight, too long, not text, or lost, and the note that only repeats the claim.
    """
    shown = shown_evidence(ref.artifact_id, ref.revision_id, view)
    if shown is None:
        return None
    try:
        text = resolve(ref.citation, _QUOTE_BYTES, view).text
    except MemgitError:
        return None
    entity, revision = shown
    if is_own_note(revision.payload):
        return None  # it says what the claim says, or what the claim said before it was revised
    return Quote(text, author_of(revision.actor), view.trusts(entity, revision))
