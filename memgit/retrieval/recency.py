"""`bounded_recency_v1`: a little order by freshness within what relevance has chosen.

Relevance freezes which hits there are; this policy adds a small bonus by age and moves an eligible hit up by at most
two places, never past one that meets more of the query. It adds no hit, removes none, and changes nothing about scope,
validity or conflict: what is disputed is eligible, so that both sides stay in sight. Newer is not more right: the bonus
of what should last (decisions, constraints) is smallest and fades slowest.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from msgspec import Struct

from memgit import clock
from memgit.records.op import ClaimPayload
from memgit.retrieval.candidates import Candidate

POLICY = "bounded_recency_v1"
LARGEST_PROMOTION = 2  # places

DecayClass = Literal["durable", "settled", "fleeting", "document"]
Basis = Literal["valid_from", "revision_created"]


class Decay(Struct, frozen=True):
    """How a bonus fades: `bonus` of a hit that is new, as a share of the best score, halved every `half_life_days`."""

    bonus: float
    half_life_days: float


DECAY: dict[DecayClass, Decay] = {
    "durable": Decay(0.02, 365.0),
    "settled": Decay(0.04, 120.0),
    "fleeting": Decay(0.10, 14.0),
    "document": Decay(0.04, 120.0),
}
"""The largest is what one word of ten is worth; the half-lives are a year, a season and two weeks, which is how long
such statements tend to be meant."""

_CLASS_OF_TYPE: dict[str, DecayClass] = {
    "decision": "durable",
    "constraint": "durable",
    "fact": "settled",
    "preference": "settled",
    "procedure": "settled",
    "observation": "fleeting",
}
_HOUR = 3_600.0


class Recency(Struct, frozen=True, kw_only=True):
    """What the policy did to one hit. Positions count from 1; `score` and `bonus` are shares of the best score.

    `position` is the place by relevance alone. `eligible` is false for what is not current, or not yet. Age is counted
    from `effective_at` to the answer's `evaluated_at`, in whole hours: asked again, memory answers the same.
    """

    policy: str
    effective_at: str
    basis: Basis
    decay_class: DecayClass
    eligible: bool
    score: float
    position: int
    bonus: float
    final_position: int


def with_recency(
    ranked: Sequence[Candidate], instant: str, scores: Sequence[float] | None = None
) -> list[tuple[Candidate, Recency]]:
    """Return the same candidates, best first, in the order that the policy gives them, with what it did.

    `ranked` is in order of relevance. `scores` say how relevant each is, where that is not its lexical score alone.
    Nothing passes what qualified by a better tier, or by more of the query; an observation no decision with its score.
    """
    known = [candidate.score for candidate in ranked] if scores is None else scores
    best = max(known, default=0.0)
    judged = [
        _judge(candidate, place, score / best if best > 0 else 0.0, instant)
        for place, (candidate, score) in enumerate(zip(ranked, known, strict=True), 1)
    ]
    order: list[int] = []
    for place in range(len(ranked)):
        at = len(order)
        while at > 0 and place - (at - 1) <= LARGEST_PROMOTION and _passes(ranked, judged, place, order[at - 1]):
            at -= 1
        order.insert(at, place)
    return [(ranked[place], _placed(judged[place], position)) for position, place in enumerate(order, 1)]


def effective_time(candidate: Candidate) -> tuple[str, Basis]:
    """Return the moment that a revision's age counts from: the claim's `valid_from`, else when it was made."""
    payload = candidate.revision.payload
    stated = clock.parse_time(payload.valid_from) if isinstance(payload, ClaimPayload) and payload.valid_from else None
    return (stated, "valid_from") if stated else (candidate.revision.at, "revision_created")


def _judge(candidate: Candidate, place: int, score: float, instant: str) -> Recency:
    effective, basis = effective_time(candidate)
    kind = _decay_class(candidate)
    eligible = not candidate.reasons and effective <= instant
    bonus = DECAY[kind].bonus * 0.5 ** (_days(effective, instant) / DECAY[kind].half_life_days) if eligible else 0.0
    return Recency(
        policy=POLICY,
        effective_at=effective,
        basis=basis,
        decay_class=kind,
        eligible=eligible,
        score=round(score, 6),
        position=place,
        bonus=round(bonus, 6),
        final_position=place,
    )


def _passes(ranked: Sequence[Candidate], judged: Sequence[Recency], mine: int, other: int) -> bool:
    if not judged[mine].eligible or ranked[mine].match.order > ranked[other].match.order:
        return False
    if judged[mine].score == judged[other].score and ranked[mine].weight > ranked[other].weight:
        return False  # what was only observed does not pass what binds for being newer
    return judged[mine].score + judged[mine].bonus > judged[other].score + judged[other].bonus


def _placed(judged: Recency, position: int) -> Recency:
    fields = {name: getattr(judged, name) for name in judged.__struct_fields__}
    return Recency(**fields | {"final_position": position})


def _decay_class(candidate: Candidate) -> DecayClass:
    payload = candidate.revision.payload
    return _CLASS_OF_TYPE[payload.claim_type] if isinstance(payload, ClaimPayload) else "document"


def _days(earlier: str, later: str) -> float:
    """Return the days between two moments as `clock.now` writes them, in whole hours."""
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() // _HOUR / 24
