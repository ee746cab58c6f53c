"""Does memory know this? Claims first, artifacts apart, conflicts beside them, and nothing that did not qualify.

`presence` follows from qualification alone: `claims`, `artifacts_only` or `none`. Candidates are added only where the
request asks for them, have no tier, and never change it. Nothing broadens the horizon.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from msgspec import Struct

from memgit.index.documents import DocumentKind
from memgit.index.lexical import REVISIONS_KEPT
from memgit.records.ids import EntityId
from memgit.retrieval import bounds
from memgit.retrieval.candidates import Candidate, Selection, candidates, one_per_entity
from memgit.retrieval.cited_sources import evidence_candidates
from memgit.retrieval.collapse import collapsed
from memgit.retrieval.conflicts import Conflict, conflicts_of
from memgit.retrieval.qualification import not_dominated
from memgit.retrieval.query import Query, analyse_query, with_similar_words
from memgit.retrieval.questions import with_answers
from memgit.retrieval.recency import with_recency
from memgit.retrieval.reranking import within_tiers
from memgit.retrieval.results import ArtifactItem, ClaimItem, artifact_item, claim_item
from memgit.retrieval.view import Horizon, View

Presence = Literal["claims", "artifacts_only", "none"]

_PROPOSALS = 64  # hits of each kind to judge: the order by coverage puts what can qualify among the first
_MOST_PROPOSALS = 1024  # where claims that say the same take the first places
_HITS_PER_ARTIFACT = 4  # most that a document usually has among them: its description and passages
_EXCERPTS = 8  # documents of which the excerpt is looked at before the order is settled
_WIDER = 4  # times as many at each further look


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """What to recall. `markers` must all be present on what is returned. `recency`: order what is shown by age, too."""

    query: str
    max_claims: int = 5
    max_artifact_refs: int = 3
    max_excerpt_bytes: int = 320
    max_candidate_claims: int = 0
    max_candidate_artifact_refs: int = 0
    include_historical: bool = False
    markers: tuple[str, ...] = ()
    recency: bool = True


class CandidatesHint(Struct, frozen=True, kw_only=True):
    """How many near misses a request for candidates would give: at most 16 of each, none of which qualifies."""

    claims: int
    artifacts: int


class RecallResult(Struct, frozen=True, kw_only=True):
    """`candidate_*` hold what did not qualify. `candidates_hint` is None where a claim qualified or nothing is close.

    `claims_truncated`: more claims qualify than were asked for; those that say the same count once.
    `artifacts_truncated`: more artifacts qualify than are here. `evaluated_at` is the instant of validity.
    """

    presence: Presence
    claims: tuple[ClaimItem, ...]
    artifacts: tuple[ArtifactItem, ...]
    conflicts: tuple[Conflict, ...]
    claims_truncated: bool
    artifacts_truncated: bool
    candidate_claims: tuple[ClaimItem, ...]
    candidate_artifacts: tuple[ArtifactItem, ...]
    candidates_hint: CandidatesHint | None
    searched_horizons: tuple[Horizon, ...]
    evaluated_at: str
    warnings: tuple[str, ...]


def recall(request: RecallRequest, view: View) -> RecallResult:
    """Return what memory knows about the query, as far as `view` sees.

    Raises InvalidRequest for a blank query, InvalidRequest or LimitExceeded for a number out of bounds, and whatever
    the view's index and reader raise (IndexDamaged means: rebuild, and ask again).
    """
    return recall_with_near(request, view)[0]


def recall_with_near(request: RecallRequest, view: View) -> tuple[RecallResult, list[Candidate]]:
    """Return what `recall` does, and what comes close, best first, where it was looked for."""
    _check(request)
    query = analyse_query(request.query)
    selection = Selection(markers=frozenset(request.markers), historical=request.include_historical)
    query, said, artifacts, is_cut, are_cut = _known(request, query, view, selection)
    claims = [claim for claim, _ in said]
    presence: Presence = "claims" if claims else "artifacts_only" if artifacts else "none"
    shown, items = _shown(request, said, view)
    known = {artifact.id for artifact in artifacts}.union(*((claim.id, *same) for claim, same in said))
    near = _near(request, query, view, selection, known, [*claims, *artifacts])
    near_claims = [candidate for candidate in near if candidate.entity.lineage.kind == "claim"]
    near_artifacts = [candidate for candidate in near if candidate.entity.lineage.kind == "artifact"]
    most = request.max_excerpt_bytes
    result = RecallResult(
        presence=presence,
        claims=items,
        artifacts=tuple(_references(request, query, view, shown, artifacts)),
        conflicts=conflicts_of((case for claim in shown for case in claim.entity.open_cases), view),
        claims_truncated=is_cut or len(claims) > len(shown),
        artifacts_truncated=are_cut or len(artifacts) > request.max_artifact_refs,
        candidate_claims=tuple(claim_item(claim) for claim in near_claims[: request.max_candidate_claims]),
        candidate_artifacts=tuple(
            artifact_item(artifact, query, most) for artifact in near_artifacts[: request.max_candidate_artifact_refs]
        ),
        candidates_hint=_hint(presence, near_claims, near_artifacts),
        searched_horizons=(view.horizon,),
        evaluated_at=view.instant,
        warnings=query.warnings,
    )
    return result, near


def _check(request: RecallRequest) -> None:
    bounds.check("max_claims", request.max_claims, bounds.CLAIMS)
    bounds.check("max_artifact_refs", request.max_artifact_refs, bounds.ARTIFACT_REFS)
    bounds.check("max_excerpt_bytes", request.max_excerpt_bytes, bounds.EXCERPT_BYTES)
    bounds.check("max_candidate_claims", request.max_candidate_claims, bounds.CANDIDATES)
    bounds.check("max_candidate_artifact_refs", request.max_candidate_artifact_refs, bounds.CANDIDATES)


def _known(
    request: RecallRequest, query: Query, view: View, selection: Selection
) -> tuple[Query, list[tuple[Candidate, tuple[EntityId, ...]]], list[Candidate], bool, bool]:
    """Return the query, the claims that qualify, each with those that say the same, the artifacts that do, and of each
    whether more than these may qualify.

    Where repetitions, or what only shares a stem or asks, fill what was looked at, more is looked at: they must not
    hide the rest.
    """
    limit = _PROPOSALS
    while True:
        judged, found = _judge(query, view, selection, limit)
        said = collapsed(_qualified(found, "claim", historical=request.include_historical))
        artifacts = _qualified(found, "artifact")
        more_claims = len(said) <= request.max_claims and (
            _is_crowded(found, "claim", limit) or (_is_full(found, "claim", limit) and any(same for _, same in said))
        )
        more_artifacts = len(artifacts) < request.max_artifact_refs and _may_hide(found, limit)
        if limit >= _MOST_PROPOSALS or not (more_claims or more_artifacts):
            return judged, said, artifacts, more_claims or _is_history_cut(found), more_artifacts
        limit *= _WIDER


def _is_history_cut(found: list[Candidate]) -> bool:
    """Tell whether a claim has more revisions than an index keeps of one, so that some of them may be missing."""
    counts = Counter(candidate.id for candidate in found if candidate.entity.lineage.kind == "claim")
    full = {name for name, count in counts.items() if count >= REVISIONS_KEPT}
    return any(len(each.entity.lineage.revisions) > REVISIONS_KEPT for each in found if each.id in full)


def _is_full(found: list[Candidate], kind: DocumentKind, limit: int) -> bool:
    """Tell whether as much was proposed of a kind as was asked for: there may be more."""
    count = sum(candidate.entity.lineage.kind == kind for candidate in found)
    return count >= (limit if kind == "claim" else limit // _HITS_PER_ARTIFACT)


def _is_crowded(found: list[Candidate], kind: DocumentKind, limit: int) -> bool:
    """Tell whether what is withheld has places among the proposals of a kind that others may need."""
    withheld = any(each.match.withheld for each in found if each.entity.lineage.kind == kind)
    return withheld and _is_full(found, kind, limit)


def _may_hide(found: list[Candidate], limit: int) -> bool:
    """Tell whether artifacts may qualify that were not proposed: the last one does, or others have their places."""
    last = next((each for each in reversed(found) if each.entity.lineage.kind == "artifact"), None)
    is_last_good = last is not None and last.match.tier is not None
    return _is_crowded(found, "artifact", limit) or (is_last_good and _is_full(found, "artifact", limit))


def _shown(
    request: RecallRequest, said: list[tuple[Candidate, tuple[EntityId, ...]]], view: View
) -> tuple[list[Candidate], tuple[ClaimItem, ...]]:
    """Return the claims to show, which relevance has chosen, and as they are shown: by a reader, then by their age."""
    same = {claim.revision.id: others for claim, others in said}
    chosen = [claim for claim, _ in said[: request.max_claims]]
    reader = view.reranker() if len(chosen) > 1 else None
    read = within_tiers(request.query, chosen, reader) if reader is not None else chosen
    if not request.recency:
        return chosen, tuple(claim_item(claim, same[claim.revision.id]) for claim in read)
    ordered = with_recency(read, view.instant, [claim.score for claim in chosen])
    items = tuple(claim_item(claim, same[claim.revision.id], recency) for claim, recency in ordered)
    # What else is shown with the claims must not depend on whether a reader was quick enough.
    return chosen if reader is not None else [claim for claim, _ in ordered], items


def _judge(query: Query, view: View, selection: Selection, limit: int) -> tuple[Query, list[Candidate]]:
    """Return what an index proposes, judged; where no claim is met as written, with the query's words also guessed."""
    if not query.units:
        return query, []
    found = candidates(query, view, selection, limit, "coverage", hopeful_only=True)
    if any(candidate.match.tier for candidate in found if candidate.entity.lineage.kind == "claim"):
        return query, found
    guessed = with_similar_words(query, view)
    if guessed == query:
        return query, found
    return guessed, candidates(guessed, view, selection, limit, "coverage", hopeful_only=True)


def _qualified(found: list[Candidate], kind: DocumentKind, *, historical: bool = False) -> list[Candidate]:
    """Return what qualifies of a kind, best first: one revision of each entity, with history each of a claim."""
    of_kind = [candidate for candidate in found if candidate.entity.lineage.kind == kind and candidate.match.tier]
    chosen = of_kind if historical and kind == "claim" else one_per_entity(of_kind)
    best = sorted(chosen, key=lambda candidate: candidate.order)
    keep = not_dominated([candidate.match for candidate in best])
    return [candidate for candidate, kept in zip(best, keep, strict=True) if kept]


def _references(
    request: RecallRequest, query: Query, view: View, claims: list[Candidate], artifacts: list[Candidate]
) -> Iterator[ArtifactItem]:
    """Yield the artifacts that qualify, then those that the returned claims rest on, each once, as many as wanted."""
    left = request.max_artifact_refs
    shown = _by_what_is_shown(artifacts, query, request)[:left]
    yield from shown
    left -= len(shown)
    known = {artifact.id for artifact in artifacts}
    sources = evidence_candidates(claims, view, known, historical=request.include_historical)
    for source in islice(sources, max(0, left)):
        yield artifact_item(source, query, request.max_excerpt_bytes, "evidence")


def _by_what_is_shown(artifacts: list[Candidate], query: Query, request: RecallRequest) -> list[ArtifactItem]:
    """Return the best artifacts as they are shown: within a tier those first whose excerpt and title hold more."""
    if request.max_artifact_refs == 0:
        return []
    looked_at = artifacts[: max(request.max_artifact_refs, _EXCERPTS)]
    items = [artifact_item(artifact, query, request.max_excerpt_bytes) for artifact in looked_at]
    places = sorted(range(len(items)), key=lambda place: (*_standing(looked_at[place]), -_held(items[place])))
    return [items[place] for place in places]


def _standing(artifact: Candidate) -> tuple[int, bool]:
    return (artifact.match.order[0], bool(artifact.reasons))


def _held(item: ArtifactItem) -> int:
    return len(item.why.met) if item.why is not None else 0


def _near(
    request: RecallRequest,
    query: Query,
    view: View,
    selection: Selection,
    known: set[EntityId],
    answers: list[Candidate],
) -> list[Candidate]:
    """Return what comes closest without qualifying (`known` did), where it is asked for or no claim qualified.

    What qualifies beside `answers` without having been looked at is no candidate: the answer is cut before it.
    """
    wanted = request.max_candidate_claims + request.max_candidate_artifact_refs
    if not query.units or (not wanted and any(each.entity.lineage.kind == "claim" for each in answers)):
        return []
    proposals = bounds.CANDIDATES.most + len(known)
    while True:
        found = candidates(query, view, replace(selection, derived=True), proposals, "score")
        others = [candidate for candidate in one_per_entity(found) if candidate.id not in known]
        near = [each for candidate in others if (each := _without_tier(candidate, answers))]
        if len(near) == len(others) or len(near) >= bounds.CANDIDATES.most or proposals >= _MOST_PROPOSALS:
            break
        proposals = min(_MOST_PROPOSALS, proposals * _WIDER)
    ordered = sorted(near, key=lambda candidate: (candidate.by_score, -candidate.revision.seq, candidate.id))
    return list(with_answers(ordered, query, view, known, request.markers))


def _without_tier(candidate: Candidate, answers: list[Candidate]) -> Candidate | None:
    """Return a candidate as one: without a tier where an answer of its kind meets more; None where it qualifies."""
    if candidate.match.tier is None:
        return candidate
    kind = candidate.entity.lineage.kind
    stands = not_dominated([candidate.match, *(each.match for each in answers if each.entity.lineage.kind == kind)])
    return None if stands[0] else replace(candidate, match=replace(candidate.match, tier=None))


def _hint(presence: Presence, claims: list[Candidate], artifacts: list[Candidate]) -> CandidatesHint | None:
    if presence == "claims" or not (claims or artifacts):
        return None
    most = bounds.CANDIDATES.most
    return CandidatesHint(claims=min(most, len(claims)), artifacts=min(most, len(artifacts)))
