"""What qualifies in a search is what a recall finds, and neither reads what cannot qualify."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from memgit.records.ids import EntityId
from memgit.records.state import Entity
from memgit.retrieval.candidates import Selection, candidates
from memgit.retrieval.query import analyse_query, with_similar_words
from memgit.retrieval.recall import RecallRequest, recall
from memgit.retrieval.search import SearchRequest, search

from .memory import Memory

WORDS = (
    "heron", "herons", "diving", "dives", "cold", "water", "payment-service", "cache", "redis", "queue", "retries",
    "timeout", "APP-101", "v2.3", "snapshot", "snapshots", "migration", "ledger",
)  # fmt: skip


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty memory."""
    return Memory(tmp_path)


@pytest.mark.parametrize("query", ["herns dive cold watr", "snapshpt migratoin ledger"])
def test_a_search_reads_typos_as_a_recall_does(memory: Memory, query: str) -> None:
    """What a recall finds under a misspelt query qualifies in a search, too: a bundle is made of it."""
    memory.claim("Herons dive into cold water.")
    memory.claim("The snapshot comes before the migration of the ledger.")
    memory.claim("Payments are retried.")
    view = memory.view()
    known = [claim.claim_id for claim in recall(RecallRequest(query=query), view).claims]
    hits = search(SearchRequest(query=query, qualified_only=True), view).hits
    assert len(known) == 1 and [hit.claim.claim_id for hit in hits if hit.claim] == known
    assert hits[0].claim is not None and hits[0].claim.why.tier == "fuzzy"


def test_what_is_met_as_written_needs_no_guess(memory: Memory) -> None:
    """Where a claim holds the words themselves, what only looks like them does not qualify, as in a recall."""
    memory.claim("The heron dives.")
    memory.claim("The herons' diver dives.")
    view = memory.view()
    for query in ("heron dives", "herron dives"):
        known = {claim.claim_id for claim in recall(RecallRequest(query=query), view).claims}
        hits = search(SearchRequest(query=query, qualified_only=True), view).hits
        assert {hit.claim.claim_id for hit in hits if hit.claim} == known


def test_only_what_can_qualify_is_read(memory: Memory) -> None:
    """Whatever the words: what is left out unread would not have qualified, and what is read mostly does."""
    chance = random.Random(7)
    for _ in range(60):
        memory.claim(" ".join(chance.sample(WORDS, chance.randint(2, 7))) + ".")
    plain = memory.view()
    read: list[EntityId] = []

    def entity(name: EntityId) -> Entity | None:
        read.append(name)
        return plain.entity(name)

    view = replace(plain, entity=entity)
    kept = 0
    for number in range(120):
        words = chance.sample(WORDS, chance.randint(1, 4))
        if number % 3 == 1:
            words[0] = words[0][:-1] + "x"
        asked = " ".join(words) if number % 3 < 2 else f"which {' '.join(words)}?"
        for query in {analyse_query(asked), with_similar_words(analyse_query(asked), plain)}:
            everything = candidates(query, plain, Selection(), 64, "coverage")
            hopeful = candidates(query, view, Selection(), 64, "coverage", hopeful_only=True)
            wanted = [candidate.id for candidate in everything if candidate.match.tier]
            assert [candidate.id for candidate in hopeful if candidate.match.tier] == wanted
            kept += len(wanted)
    assert kept <= len(read) < 2 * kept
