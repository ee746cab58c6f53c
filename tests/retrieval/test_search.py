"""What is closest? Ranked, explained, and honest about what is not current."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from memgit.errors import InvalidRequest, LimitExceeded
from memgit.index.lexical import ScopeFilter
from memgit.retrieval.citations import resolve
from memgit.retrieval.search import SearchRequest, SearchResult, search

from .memory import AMBIENT, ELSEWHERE, Memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty memory."""
    return Memory(tmp_path)


def ask(memory: Memory, query: str, scope: ScopeFilter = AMBIENT, **fields: Any) -> SearchResult:
    """Return what search answers, from a fresh index."""
    return search(SearchRequest(query=query, **fields), memory.view(scope))


def texts(result: SearchResult) -> list[str | None]:
    """Return the statement or title of each hit."""
    return [hit.claim.statement if hit.claim else hit.artifact.title if hit.artifact else None for hit in result.hits]


def test_hits_are_ranked_over_claims_and_artifacts(memory: Memory) -> None:
    """What meets more of the query comes first, whatever its kind; nothing need qualify."""
    memory.claim("Redis is written in C.")
    memory.artifact("Eviction in the Redis cache is lazy.", "Eviction notes")
    memory.claim("The queue uses Kafka.")
    result = ask(memory, "redis cache eviction lazy policy")
    assert texts(result) == ["Eviction notes", "Redis is written in C."]
    assert [hit.ranking.position for hit in result.hits] == [1, 2]
    assert result.hits[1].claim is not None and result.hits[1].claim.why.tier is None


def test_a_score_explains_itself(memory: Memory) -> None:
    """The terms add up to the score, each with its field."""
    memory.artifact("Eviction is lazy.", "Redis cache")
    (hit,) = ask(memory, "redis eviction absent").hits
    assert {term.term: term.field for term in hit.ranking.terms} == {"redis": "title", "eviction": "word"}
    assert hit.ranking.lexical_score == pytest.approx(sum(term.score for term in hit.ranking.terms), abs=1e-5)


def test_scope_comes_first(memory: Memory) -> None:
    """What another project has is not there."""
    foreign = memory.claim("The cache uses Redis.", scope=ELSEWHERE)
    assert ask(memory, "redis").hits == ()
    result = ask(memory, "redis", ScopeFilter("wsp_test"))
    assert [hit.claim.claim_id for hit in result.hits if hit.claim] == [foreign]


def test_history_says_why_it_is_not_current(memory: Memory) -> None:
    """Out by default; on request every old revision is a hit with its reasons, after an equal current one."""
    old = memory.claim("The cache uses Redis.")
    new = memory.claim("The cache uses Redis now.")
    memory.revise(new, "The cache uses Redis today.")
    memory.end(old, "superseded", by=(new,))
    assert texts(ask(memory, "cache redis")) == ["The cache uses Redis today."]
    result = ask(memory, "cache redis", include_historical=True)
    reasons = {
        hit.claim.statement: [(reason.code, reason.by) for reason in hit.claim.not_current]
        for hit in result.hits
        if hit.claim
    }
    assert reasons == {
        "The cache uses Redis today.": [],
        "The cache uses Redis now.": [("revised", memory.entities[new].lineage.heads)],
        "The cache uses Redis.": [("superseded", (new,))],
    }


def test_filters(memory: Memory) -> None:
    """Kinds, types, component and markers."""
    memory.claim("Redis one.", claim_type="decision", component="api", markers=("a",))
    memory.claim("Redis two.")
    memory.artifact("Redis three.", "Three", kind="runbook")
    assert texts(ask(memory, "redis", kinds=frozenset({"artifact"}))) == ["Three"]
    assert texts(ask(memory, "redis", types=frozenset({"decision"}))) == ["Redis one."]
    assert texts(ask(memory, "redis", types=frozenset({"runbook", "decision"}))) in (
        ["Redis one.", "Three"], ["Three", "Redis one."],
    )  # fmt: skip
    assert texts(ask(memory, "redis", component="api")) == ["Redis one."]
    assert texts(ask(memory, "redis", markers=("a",))) == ["Redis one."]


def test_typos_are_forgiven_at_a_price(memory: Memory) -> None:
    """A misspelt word finds what it was meant for, below what was written so."""
    memory.claim("The production database.")
    memory.claim("The production cache.")
    assert texts(ask(memory, "prodution cache"))[0] == "The production cache."
    (term,) = (term for term in ask(memory, "prodution cache").hits[0].ranking.terms if term.term == "prodution")
    (written,) = (term for term in ask(memory, "production cache").hits[0].ranking.terms if term.term == "production")
    assert term.score < written.score


def test_every_excerpt_resolves(memory: Memory) -> None:
    """To exactly these bytes; a title alone is cited without a span."""
    memory.artifact("größer\n" * 900 + "the needle\n", "Haystack")
    memory.artifact("nothing", "Needle")
    for hit in ask(memory, "needle").hits:
        assert hit.artifact is not None
        if hit.artifact.title == "Needle":
            assert (hit.artifact.excerpt, hit.artifact.start_byte) == (None, None)
        else:
            assert resolve(hit.artifact.citation, None, memory.view()).text == hit.artifact.excerpt


def test_the_limit_counts_entities(memory: Memory) -> None:
    """A long document is one hit, and more than the limit is said."""
    memory.artifact("The cache uses Redis.\n" * 3000, "Log")
    for number in range(6):
        memory.claim(f"Redis {number}.")
    result = ask(memory, "redis", limit=5)
    assert (len(result.hits), result.truncated) == (5, True)
    assert not ask(memory, "redis", limit=7).truncated
    assert sorted(filter(None, texts(ask(memory, "redis", limit=7))))[0] == "Log"


def test_bounds(memory: Memory) -> None:
    """Blank and out of bounds are refused; no words are no hits."""
    with pytest.raises(InvalidRequest):
        ask(memory, " ")
    with pytest.raises(InvalidRequest):
        ask(memory, "redis", limit=0)
    with pytest.raises(LimitExceeded):
        ask(memory, "redis", limit=101)
    result = ask(memory, "???")
    assert (result.hits, result.warnings) == ((), ("the query holds no searchable words",))


def test_everything_is_json(memory: Memory) -> None:
    """The result is plain data."""
    memory.claim("The cache uses Redis.")
    result = ask(memory, "redis")
    assert msgspec.json.decode(msgspec.json.encode(result), type=SearchResult) == result
