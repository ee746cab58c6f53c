"""What recall and search do with claims that say the same, and with age: order and brevity, never membership."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from memgit.clock import format_time
from memgit.records.ids import EntityId
from memgit.retrieval.recall import RecallRequest, RecallResult, recall
from memgit.retrieval.recency import LARGEST_PROMOTION, POLICY
from memgit.retrieval.results import SAME_NAMED
from memgit.retrieval.search import SearchRequest, search

from .memory import START, Memory

DAY = 86_400.0


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty memory."""
    return Memory(tmp_path)


def ask(memory: Memory, query: str, **fields: Any) -> RecallResult:
    """Return what recall answers."""
    return recall(RecallRequest(query=query, **fields), memory.view())


def made(memory: Memory, days_ago: float, statement: str, **fields: Any) -> EntityId:
    """Add a claim that was made so many days before now."""
    name = memory.claim(statement, **{"claim_type": "observation", **fields})
    entity = memory.entities[name]
    at = format_time(START + 1_000_000 - days_ago * DAY)
    old = replace(entity.current, at=at)
    memory.entities[name] = replace(entity, lineage=replace(entity.lineage, revisions=(old,)))
    return name


class TestRepetition:
    """Near-duplicates are shown once, and counted once."""

    def test_what_says_the_same_is_shown_once_and_named(self, memory: Memory) -> None:
        """The best of them stands for the others; `claims_truncated` does not count them."""
        old, new = memory.claim("We pin every dependency."), memory.claim("we pin every dependency")
        other = memory.claim("We pin every dependency but one.")
        result = ask(memory, "pin dependency", max_claims=2)
        assert [claim.claim_id for claim in result.claims] == [new, other]
        assert (result.claims[0].same_as, result.claims[0].same_count) == ((old,), 1)
        assert not result.claims_truncated
        assert ask(memory, "pin dependency", max_claims=1).claims_truncated

    def test_a_repetition_is_no_candidate(self, memory: Memory) -> None:
        """What is named beside a claim did qualify; it does not come back as a near miss."""
        memory.claim("We pin every dependency.")
        memory.claim("We pin every dependency!")
        assert ask(memory, "pin dependency", max_candidate_claims=16).candidate_claims == ()

    def test_a_conflict_is_not_collapsed(self, memory: Memory) -> None:
        """Both sides stay, whatever their words."""
        memory.contradict(memory.claim("We pin dependencies."), memory.claim("We pin dependencies."))
        assert [claim.standing for claim in ask(memory, "pin dependencies").claims] == ["disputed", "disputed"]

    def test_an_untrusted_repetition_does_not_stand_for_a_trusted_claim(self, memory: Memory) -> None:
        """Whoever can push could else take a claim out of every prompt by saying it again."""
        trusted = memory.claim("We pin dependencies.")
        memory.claim("We pin dependencies.")
        view = memory.view(trusts=lambda entity, revision: entity.lineage.id == trusted)
        claims = recall(RecallRequest(query="pin dependencies"), view).claims
        assert {claim.trusted for claim in claims} == {True, False}

    def test_three_hundred_repetitions_hide_nothing(self, memory: Memory) -> None:
        """One is shown, all are counted, some are named, and what else qualifies is still found."""
        memory.claim("Dependencies: we pin them, and then we pray.")
        for _ in range(300):
            memory.claim("We pin dependencies.")
        result = ask(memory, "pin dependencies")
        assert [claim.statement for claim in result.claims] == [
            "We pin dependencies.",
            "Dependencies: we pin them, and then we pray.",
        ]
        assert (len(result.claims[0].same_as), result.claims[0].same_count) == (SAME_NAMED, 299)
        assert not result.claims_truncated

    def test_three_hundred_documents_with_the_same_text(self, memory: Memory) -> None:
        """Each is a document of its own; as many are shown as were asked for, and what else there is stays in reach."""
        for _ in range(300):
            memory.artifact("We pin dependencies.", "Policy")
        memory.claim("Dependencies: we pin them.")
        result = ask(memory, "pin dependencies", max_artifact_refs=5)
        assert (result.presence, len(result.claims), len(result.artifacts)) == ("claims", 1, 5)
        assert len({artifact.artifact_id for artifact in result.artifacts}) == 5
        found = search(SearchRequest(query="pin dependencies", limit=100), memory.view())
        assert found.truncated and len(found.hits) == 100
        claims = SearchRequest(query="pin dependencies", kinds=frozenset({"claim"}))
        assert len(search(claims, memory.view()).hits) == 1


class TestAge:
    """Freshness orders what relevance has chosen."""

    def test_a_fresh_claim_passes_a_slightly_better_one(self, memory: Memory) -> None:
        """And the answer tells why; without recency the order is that of relevance."""
        old, fresh = made(memory, 400, "The tide is high."), made(memory, 0, "The tide of the bay is high.")
        result = ask(memory, "tide high")
        assert [claim.claim_id for claim in result.claims] == [fresh, old]
        told = result.claims[0].recency
        assert told is not None
        assert (told.policy, told.position, told.final_position, told.eligible) == (POLICY, 2, 1, True)
        assert (told.decay_class, told.basis) == ("fleeting", "revision_created")
        plain = ask(memory, "tide high", recency=False).claims
        assert [(claim.claim_id, claim.recency) for claim in plain] == [(old, None), (fresh, None)]

    def test_membership_is_frozen_before_age_counts(self, memory: Memory) -> None:
        """What relevance leaves out does not come in for being new."""
        old = made(memory, 400, "The tide is high.")
        made(memory, 0, "The tide of the bay is high.")
        assert [claim.claim_id for claim in ask(memory, "tide high", max_claims=1).claims] == [old]

    def test_age_passes_nothing_that_meets_more(self, memory: Memory) -> None:
        """Within a tier, more of the query comes first."""
        for number in range(30):
            memory.claim(f"An old tide, {number}.")  # these two words are common, and weigh little
        more = made(memory, 4000, f"The tide in the bay near the old pier in a spring night{' and so on' * 9}.")
        less = made(memory, 0, "Bay pier: high spring night.")
        shown = ask(memory, "tide bay old pier spring night high").claims
        assert [claim.claim_id for claim in shown] == [more, less]
        assert [claim.why.tier for claim in shown] == ["lexical", "lexical"]

    def test_disputed_claims_are_eligible(self, memory: Memory) -> None:
        """Both sides of a conflict stay in sight; age may order them."""
        left, right = made(memory, 1, "The tide is high."), made(memory, 0, "The tide is not high.")
        memory.contradict(left, right)
        shown = ask(memory, "tide high").claims
        assert {claim.claim_id for claim in shown} == {left, right}
        assert all(claim.recency is not None and claim.recency.eligible for claim in shown)

    def test_history_gets_no_bonus(self, memory: Memory) -> None:
        """What ended is shown where it is asked for, and stays where relevance put it."""
        gone = made(memory, 0, "The tide is high.")
        memory.end(gone, "retracted")
        (shown,) = ask(memory, "tide high", include_historical=True).claims
        assert shown.recency is not None and not shown.recency.eligible and shown.recency.bonus == 0.0

    def test_search_orders_by_age_within_bounds(self, memory: Memory) -> None:
        """The same hits with and without; none more than two places higher; each tells what was done."""
        for days in (900, 800, 700, 3, 0):
            made(memory, days, f"The tide is high{' in the bay' * (days < 100)}.")
        fresh, plain = (
            search(SearchRequest(query="tide high", recency=wanted), memory.view()).hits for wanted in (True, False)
        )
        ids = [hit.claim.claim_id for hit in plain if hit.claim]
        assert {hit.claim.claim_id for hit in fresh if hit.claim} == set(ids)
        assert [hit.claim.claim_id for hit in fresh if hit.claim] != ids
        assert all(hit.ranking.recency is None for hit in plain)
        for place, hit in enumerate(fresh, 1):
            told = hit.ranking.recency
            assert hit.claim is not None and told is not None
            assert (told.final_position, hit.ranking.position) == (place, place)
            assert ids[told.position - 1] == hit.claim.claim_id
            assert told.position - place <= LARGEST_PROMOTION

    def test_search_chooses_before_it_looks_at_age(self, memory: Memory) -> None:
        """The limit cuts by relevance."""
        old = made(memory, 900, "The tide is high.")
        made(memory, 0, "The tide in the bay is high.")
        (hit,) = search(SearchRequest(query="tide high", limit=1), memory.view()).hits
        assert hit.claim is not None and hit.claim.claim_id == old
