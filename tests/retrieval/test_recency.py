"""Recency orders a little, within bounds that are disclosed, and chooses nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.clock import format_time
from memgit.records.op import ClaimType
from memgit.records.state import Revision
from memgit.retrieval.candidates import Candidate
from memgit.retrieval.currentness import Reason
from memgit.retrieval.qualification import Match, Tier
from memgit.retrieval.recency import DECAY, LARGEST_PROMOTION, POLICY, with_recency

from .memory import Memory

NOW = 1_800_000_000.0
DAY = 86_400.0


def candidate(
    score: float, age_days: float, claim_type: ClaimType = "observation", tier: Tier | None = None, **fields: object
) -> Candidate:
    """Return a claim that was made so many days ago."""
    memory = Memory(Path("unused"))
    name = memory.claim("A statement.", claim_type=claim_type, **fields)
    entity = memory.entities[name]
    from msgspec.structs import replace as changed

    revision: Revision = changed(entity.current, at=format_time(NOW - age_days * DAY))
    return Candidate(entity, revision, (), Match(tier, (), ()), score, ())


def test_a_fresh_hit_passes_a_slightly_better_one() -> None:
    """What is nearly as relevant and much newer comes first, and the answer says why."""
    old, fresh = candidate(1.0, 400), candidate(0.97, 0)
    (first, why), (second, _) = with_recency([old, fresh], format_time(NOW))
    assert (first, second) == (fresh, old)
    assert (why.policy, why.position, why.final_position, why.basis) == (POLICY, 2, 1, "revision_created")
    assert why.bonus == pytest.approx(DECAY["fleeting"].bonus)


def test_a_clearly_better_hit_stays_first() -> None:
    """Freshness does not outweigh relevance."""
    old, fresh = candidate(1.0, 4000), candidate(0.7, 0)
    assert [item for item, _ in with_recency([old, fresh], format_time(NOW))] == [old, fresh]


def test_what_lasts_gets_the_smaller_bonus() -> None:
    """A decision gains less by being new than an observation, and loses it more slowly."""
    durable, fleeting = DECAY["durable"], DECAY["fleeting"]
    assert durable.bonus < fleeting.bonus and durable.half_life_days > fleeting.half_life_days


def test_what_is_not_current_or_not_yet_gets_nothing() -> None:
    """Historical and future material is not eligible."""
    past = replace(candidate(0.99, 0), reasons=(Reason(code="superseded"),))
    future = candidate(0.99, -1)
    for hit in (past, future):
        (first, _), (_, why) = with_recency([candidate(1.0, 4000), hit], format_time(NOW))
        assert first.score == 1.0 and not why.eligible and why.bonus == 0.0


def test_a_claim_counts_from_its_valid_from() -> None:
    """The stated beginning of validity is the basis, not when somebody wrote it down."""
    stated = candidate(1.0, 0, valid_from=format_time(NOW - 1000 * DAY))
    ((_, why),) = with_recency([stated], format_time(NOW))
    assert why.basis == "valid_from" and why.bonus < 1e-6


def test_nothing_passes_a_better_tier() -> None:
    """The order of qualification stands."""
    exact, fuzzy = candidate(0.5, 4000, tier="exact"), candidate(0.5, 0, tier="fuzzy")
    assert [item for item, _ in with_recency([exact, fuzzy], format_time(NOW))] == [exact, fuzzy]


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(-10, 1000)), max_size=12))
def test_membership_is_frozen_and_promotion_bounded(hits: list[tuple[float, float]]) -> None:
    """The same hits come back, none more than two places higher, each with its place told."""
    ranked = sorted((candidate(score, age) for score, age in hits), key=lambda item: -item.score)
    given_back = with_recency(ranked, format_time(NOW))
    assert sorted(id(item) for item, _ in given_back) == sorted(map(id, ranked))
    for place, (item, why) in enumerate(given_back, 1):
        assert why.final_position == place
        assert ranked[why.position - 1] is item
        assert why.position - place <= LARGEST_PROMOTION
