"""Any input is text: nothing in a query has a meaning of its own, and nothing makes it fail but being blank."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import InvalidRequest
from memgit.limits import DEFAULT
from memgit.retrieval.query import UNITS, Query, analyse_query, with_similar_words
from memgit.retrieval.recall import RecallRequest, recall

from .memory import Memory


def units(text: str) -> list[tuple[str, str]]:
    """Return (shape, name) of each unit."""
    return [(unit.shape, unit.name) for unit in analyse_query(text).units]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("APP-BOUNDARY-101 the engine", [("identifier", "app-boundary-101"), ("word", "engine")]),
        ("cold-start marker", [("word", "cold"), ("word", "start"), ("word", "marker")]),
        ("UTF-8 in node.js", [("code", "utf-8"), ("code", "node.js")]),
        ("24,000,000-byte guard", [("code", "24000000"), ("word", "byte"), ("word", "guard")]),
        ("caches Cached CACHE", [("word", "caches")]),
        ("tell me about redis, please", [("word", "redis")]),
        ("tell me something", [("word", "tell"), ("word", "something")]),
        ("缓存", [("word", "缓存")]),
    ],
)  # fmt: skip
def test_units(text: str, expected: list[tuple[str, str]]) -> None:
    """Identifiers, codes and words, once each, without what only frames them."""
    assert units(text) == expected


def test_operators_are_punctuation_and_words() -> None:
    """What a query language would read as structure is text like any other."""
    names = [name for _, name in units('redis AND (cache OR title:queue*) NOT "exact phrase"~2')]
    assert names == ["redis", "cache", "title", "queue", "exact", "phrase", "2"]


@pytest.mark.parametrize("text", ["", " ", "\n\t ", "\u3000"])
def test_a_blank_query_is_refused(text: str) -> None:
    """There is nothing to look for."""
    with pytest.raises(InvalidRequest):
        analyse_query(text)


@pytest.mark.parametrize("text", ["!!!", "AND", "* ? ~", "🚀🔥", "\u200b.", "the of and", "((((", '"', "\x00\x01"])
def test_a_query_without_words_has_no_units(text: str) -> None:
    """Punctuation, symbols and stop words meet nothing, and the answer says so."""
    query = analyse_query(text)
    assert query.units == ()
    assert query.warnings == ("the query holds no searchable words",)


@pytest.mark.parametrize("text", ["word " * 250_000, "x" * 1_000_000, "水" * 400_000, "ä ö " * 200_000])
def test_a_long_query_is_cut_at_a_word(text: str) -> None:
    """A megabyte is cut to what a query may have, and the answer says so."""
    query = analyse_query(text)
    assert len(query.text.encode()) <= DEFAULT.query_bytes
    assert text.startswith(query.text)
    assert not text[len(query.text)].isalpha() or " " not in text
    assert "were considered" in query.warnings[0]


def test_many_different_words_are_cut() -> None:
    """A query of hundreds of words keeps the first."""
    query = analyse_query(
        " ".join(f"{a}{b}" for a in "bcdfghjklm" for b in ("ane", "ine", "one", "une", "olo", "ili", "utu"))
    )
    assert len(query.units) == UNITS
    assert "the first 64" in query.warnings[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where is the cache?", True),
        ("is the cache encrypted", True),
        ("缓存在哪里？", True),
        ("cache encryption", False),
        ("island traffic", False),
    ],
)
def test_questions(text: str, expected: bool) -> None:
    """A mark at the end or a question word at the start makes a question."""
    assert analyse_query(text).is_question is expected


def test_neighbours_know_their_joined_form() -> None:
    """`single flight` may stand in a text as `single-flight` or `singleflight`."""
    first, second, third = analyse_query("single flight preload").units
    assert first.joined == ("singleflight",)
    assert second.joined == ("singleflight", "flightpreload")
    assert third.joined == ("flightpreload",)


def test_similar_words_come_from_the_index(tmp_path: Path) -> None:
    """Only words are guessed; identifiers and codes stand for themselves."""
    memory = Memory(tmp_path)
    memory.claim("The browser uses UTF-8.")
    query = with_similar_words(analyse_query("brwser utf-9 SCOPED_ALPHA_01"), memory.view())
    assert [unit.similar for unit in query.units] == [("browser",), (), ()]
    first, *_ = query.terms
    assert (first.word, first.guesses) == ("brwser", ("browser",))


@given(st.text(min_size=1, max_size=200))
def test_any_text_is_a_query(text: str) -> None:
    """No text but a blank one fails, and its units have names."""
    if text.strip():
        query: Query = analyse_query(text)
        assert all(unit.name for unit in query.units)
        assert len({(unit.shape, unit.stem or unit.name) for unit in query.units}) == len(query.units)


@pytest.mark.parametrize(
    "text", ["AND (", "*", "statement:redis", '"redis', "redis^2", "[a TO b]", "\ud800 redis", "redis\x00"]
)
def test_query_languages_have_no_meaning(tmp_path: Path, text: str) -> None:
    """What would be an operator elsewhere neither fails nor matches more than its words."""
    memory = Memory(tmp_path)
    memory.claim("Redis is the cache.")
    memory.claim("Kafka is the queue.")
    result = recall(RecallRequest(query=text), memory.view())
    assert [claim.statement for claim in result.claims] in ([], ["Redis is the cache."])
