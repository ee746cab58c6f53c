"""Another order for claims that stand beside each other anyway, from scores of a model that has read them. Pure.

It never decides what qualifies or what a recall shows: it moves claims of one tier among their own places. The exact
tier stays as it is, and so do artifacts. In a search that holds for what words and meaning have put first. Where there
are no scores, all stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from memgit.index.documents import matchable
from memgit.retrieval.candidates import Candidate
from memgit.retrieval.scores import Scores

POOL_EACH = 8  # of a search: so many of the best by all reasons, and so many of the nearest in meaning

T = TypeVar("T")


def within_tiers(question: str, claims: Sequence[Candidate], scores: Scores) -> list[Candidate]:
    """Return the claims of a recall, in their order, with those of each tier but the exact one among their places.

    What is not current never moves before what is.
    """
    found = list(claims)
    for places in _tiers(claims):
        given = scores(question, [text_of(claims[place]) for place in places])
        if given is not None:
            found = reordered(found, places, given)
    return found


def after_reading(
    question: str, hits: Sequence[Candidate], near: Sequence[float | None], scores: Scores
) -> tuple[list[int], dict[int, float]]:
    """Return the places of a search's hits in their new order, and the score of each that was read, by its place.

    `near` are the cosines of the hits. Read are the claims among the first hits and among the nearest, all at once;
    those of each tier keep to their places, and what is not current never moves before what is.
    """
    read = [place for place in sorted({*range(len(hits))[:POOL_EACH], *nearest(near)}) if _may_move(hits[place])]
    given = scores(question, [text_of(hits[place]) for place in read]) if len(read) > 1 else None
    if given is None:
        return list(range(len(hits))), {}
    scored = dict(zip(read, given, strict=True))
    order = list(range(len(hits)))
    for group in _tiers([hits[place] for place in read]):
        places = [read[number] for number in group]
        order = reordered(order, places, [scored[place] for place in places])
    return order, scored


def nearest(near: Sequence[float | None]) -> list[int]:
    """Return the places of the nearest in meaning, nearest first."""
    known = [(-cosine, place) for place, cosine in enumerate(near) if cosine is not None]
    return [place for _, place in sorted(known)[:POOL_EACH]]


def reordered(items: Sequence[T], places: Sequence[int], scores: Sequence[float]) -> list[T]:
    """Return the items with those at `places` by score, best first, in these places; ties and all others stay.

    `scores` has one number for each place.
    """
    found = list(items)
    order = sorted(zip(places, scores, strict=True), key=lambda pair: -pair[1])
    for place, (source, _) in zip(places, order, strict=True):
        found[place] = items[source]
    return found


def text_of(candidate: Candidate) -> str:
    """Return what a model reads of a claim."""
    return matchable(candidate.revision.payload).body


def _may_move(candidate: Candidate) -> bool:
    """Tell whether a hit may be ordered anew: a claim that is met by no exact identifier."""
    return candidate.entity.lineage.kind == "claim" and candidate.match.tier != "exact"


def _tiers(claims: Sequence[Candidate]) -> Iterator[list[int]]:
    """Yield the places of each tier in which there is something to order; what has none is a tier, too."""
    groups: dict[tuple[object, bool], list[int]] = {}
    for place, claim in enumerate(claims):
        if claim.match.tier != "exact":
            groups.setdefault((claim.match.tier, bool(claim.reasons)), []).append(place)
    yield from (places for places in groups.values() if len(places) > 1)
