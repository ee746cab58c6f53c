"""A reader's scores order claims among their places, and nothing else: not what qualifies, not what is exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.retrieval.recall import RecallRequest, RecallResult, recall
from memgit.retrieval.reranking import POOL_EACH, nearest, reordered
from memgit.retrieval.search import SearchRequest, SearchResult, search

from .memory import Memory

Scores = Callable[[str, Sequence[str]], "Sequence[float] | None"]


class Reader:
    """Prefers texts that hold a word, and remembers what it read."""

    def __init__(self, favourite: str) -> None:
        self.favourite = favourite
        self.read: list[list[str]] = []

    def __call__(self, question: str, texts: Sequence[str]) -> Sequence[float] | None:
        self.read.append(list(texts))
        return [float(self.favourite in text) for text in texts]


def no_scores(question: str, texts: Sequence[str]) -> Sequence[float] | None:
    """Have nothing to say."""
    return None


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty memory."""
    return Memory(tmp_path)


def recalled(memory: Memory, query: str, reader: Scores | None, **fields: int) -> RecallResult:
    """Return what recall answers with a reader."""
    view = replace(memory.view(), reranker=lambda: reader)
    return recall(RecallRequest(query=query, recency=False, **fields), view)


def searched(memory: Memory, query: str, reader: Scores | None, **fields: int) -> SearchResult:
    """Return what search answers with a reader."""
    view = replace(memory.view(), reranker=lambda: reader)
    return search(SearchRequest(query=query, recency=False, **fields), view)


def statements(result: RecallResult | SearchResult) -> list[str | None]:
    """Return the statements of the claims in an answer, in its order."""
    if isinstance(result, RecallResult):
        return [claim.statement for claim in result.claims]
    return [hit.claim.statement if hit.claim else hit.artifact.title if hit.artifact else None for hit in result.hits]


def some_claims(memory: Memory) -> None:
    """Add claims that meet the same words; the later ones come first."""
    for bird in ("heron", "egret", "stork", "ibis"):
        memory.claim(f"The {bird} dives into cold water.")


def test_a_recall_is_ordered_within_its_tier(memory: Memory) -> None:
    """The reader's favourite comes first, the others stay in their order; presence and the rest do not change."""
    some_claims(memory)
    plain = recalled(memory, "dives into cold water", None)
    reader = Reader("egret")
    read = recalled(memory, "dives into cold water", reader)
    order = statements(plain)
    favourite = "The egret dives into cold water."
    assert order[0] != favourite
    assert statements(read) == [favourite, *(text for text in order if text != favourite)]
    assert reader.read == [order]
    assert (read.presence, read.artifacts, read.conflicts) == (plain.presence, plain.artifacts, plain.conflicts)


def test_a_recall_shows_the_same_claims(memory: Memory) -> None:
    """A reader that is too slow one day must not change what memory knows: it only orders what is shown."""
    some_claims(memory)
    plain = recalled(memory, "dives into cold water", None, max_claims=2)
    read = recalled(memory, "dives into cold water", Reader("heron"), max_claims=2)
    assert set(statements(read)) == set(statements(plain)) and read.claims_truncated


def test_the_exact_tier_is_never_read(memory: Memory) -> None:
    """What an identifier names stays in its order, in a recall and in a search."""
    for bird in ("heron", "egret", "stork"):
        memory.claim(f"APP-101: the {bird} dives.")
    reader = Reader("heron")
    for ask in (recalled, searched):
        assert statements(ask(memory, "APP-101", reader)) == statements(ask(memory, "APP-101", None))
    assert reader.read == []


def test_without_scores_all_stays(memory: Memory) -> None:
    """A reader that is slow, broken or resting changes nothing."""
    some_claims(memory)
    for ask in (recalled, searched):
        assert statements(ask(memory, "dives into cold water", no_scores)) == statements(
            ask(memory, "dives into cold water", None)
        )


def test_a_search_orders_its_first_hits(memory: Memory) -> None:
    """The first eight claims by their reading, which each of them shows; what stands behind them stays."""
    for number in range(POOL_EACH + 4):
        memory.claim(f"The heron number{'x' * number}z dives into cold water.")
    plain = statements(searched(memory, "dives into cold water", None, limit=12))
    last_read = str(plain[POOL_EACH - 1]).split()[2]
    result = searched(memory, "dives into cold water", Reader(last_read), limit=12)
    expected = [plain[POOL_EACH - 1], *plain[: POOL_EACH - 1], *plain[POOL_EACH:]]
    assert statements(result) == expected
    readings = [hit.ranking.reading for hit in result.hits]
    assert readings == [1.0, *[0.0] * (POOL_EACH - 1), *[None] * 4]
    assert statements(searched(memory, "dives into cold water", Reader(last_read), limit=1)) == expected[:1]


def test_a_search_orders_within_a_tier(memory: Memory) -> None:
    """What qualifies stays before and behind what does not, where it was, however much a reader likes the other."""
    for bird in ("heron", "egret", "stork"):
        memory.claim(f"The {bird} dives into cold water at noon.")
        memory.claim(f"The {bird} dives.")
    hits = searched(memory, "dives cold water noon", None).hits
    tiers = [hit.claim.why.tier for hit in hits if hit.claim]
    assert len(set(tiers)) == 2
    for favourite in ("heron dives.", "egret dives.", "heron dives into", "stork dives into"):
        read = searched(memory, "dives cold water noon", Reader(favourite))
        assert [hit.claim.why.tier for hit in read.hits if hit.claim] == tiers
        assert statements(read) != statements(searched(memory, "dives cold water noon", None)) or "stork" in favourite


def test_artifacts_keep_their_places(memory: Memory) -> None:
    """Only claims are read: an artifact's excerpt is not what it says."""
    memory.claim("Herons dive into cold water.")
    memory.artifact("Herons dive into cold water.", "Herons dive")
    memory.claim("Herons never dive into cold water in June.")
    plain = statements(searched(memory, "herons dive cold water", None))
    reader = Reader("never" if str(plain[0]).find("never") < 0 else "Herons dive into")
    result = statements(searched(memory, "herons dive cold water", reader))
    assert result.index("Herons dive") == plain.index("Herons dive")
    assert all(text != "Herons dive" for texts in reader.read for text in texts)


@given(st.lists(st.tuples(st.booleans(), st.floats(-1, 1))))
def test_reordering_is_a_permutation_of_the_chosen_places(items: list[tuple[bool, float]]) -> None:
    """All others stay; the chosen come by score, ties as they were."""
    places = [place for place, (chosen, _) in enumerate(items) if chosen]
    numbers = list(range(len(items)))
    result = reordered(numbers, places, [items[place][1] for place in places])
    assert sorted(result) == numbers
    assert all(result[place] == place for place in numbers if place not in places)
    moved = [result[place] for place in places]
    assert moved == sorted(moved, key=lambda place: (-items[place][1], place))


def test_the_nearest_are_those_with_a_cosine() -> None:
    """At most eight, nearest first."""
    assert nearest([0.1, None, 0.9, 0.5]) == [2, 3, 0]
    assert len(nearest([0.5] * 20)) == POOL_EACH
