"""What qualifies, by which tier, and what does not although it is near."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memgit.index.similarity import likeness
from memgit.retrieval.qualification import Match, lexicon, match, may_qualify, not_dominated, words_needed
from memgit.retrieval.query import Query, analyse_query

STATEMENT = "ADR-CACHE-12: the production request cache uses Redis 7 with UTF-8 keys, never memcached."


def ask(query: str, text: str = STATEMENT, *, guess: bool = False) -> Match:
    """Return how `text` matches `query`; with `guess`, its words stand in for an index's vocabulary."""
    analysed = analyse_query(query)
    return match(_guessed(analysed, text) if guess else analysed, lexicon(text))


def _guessed(query: Query, text: str) -> Query:
    surfaces = sorted(lexicon(text).surfaces)
    units = [
        replace(unit, similar=tuple(word for word in surfaces if likeness(unit.name, word)))
        if unit.shape == "word" and unit.name not in surfaces
        else unit
        for unit in query.units
    ]
    return replace(query, units=tuple(units))


@pytest.mark.parametrize(
    ("query", "tier"),
    [
        ("ADR-CACHE-12", "exact"),
        ("adr_cache_12", "exact"),
        ("Who signed ADR-CACHE-12 and when?", "exact"),
        ("ADR-CACHE-13", None),
        ("ADR-CACHE-13 production request cache redis", None),
        ("UTF-8", "exact"),
        ("redis", "lexical"),
        ("Redis caches for production requests", "lexical"),
        ("redis cluster", None),
        ("production request cache eviction", None),
        ("production request cache redis eviction", "lexical"),
        ("production request cache redis 6", None),
        ("production request cache redis 7", "lexical"),
        ("Does the production request cache use Redis?", "lexical"),
        ("Is the production request cache for Redis encrypted?", None),
        ("What stores the sessions of users?", None),
        ("the of and", None),
    ],
)
def test_tiers(query: str, tier: str | None) -> None:
    """Identifiers, then enough words as written; a number, a missing point or another identifier is not near enough."""
    assert ask(query).tier == tier


@pytest.mark.parametrize(
    ("query", "tier"),
    [
        ("prodution cache redis", "fuzzy"),
        ("prod requst cache", "fuzzy"),
        ("prod cache", None),
        ("prodution cache", "fuzzy"),
        ("kays cache", None),
        ("kays cache redis", "fuzzy"),
        ("prodution cahce", None),
        ("prod req mem", None),
        ("prodution cache eviction", None),
        ("prodution redis 6", None),
        ("ADR-CACHE-13 prodution cache", None),
        ("production cache", "lexical"),
    ],
)
def test_guesses(query: str, tier: str | None) -> None:
    """Typos and abbreviations qualify only if everything is met, something as written, and little is shortened."""
    assert ask(query, guess=True).tier == tier


def test_a_match_explains_itself() -> None:
    """What was met, what is missing and what was read as what."""
    assert ask("redis cluster") == Match(None, ("redis",), ("cluster",))
    assert ask("prodution cache redis", guess=True) == Match(
        "fuzzy", ("prodution", "cache", "redis"), (), (("prodution", "production"),)
    )


def test_joined_words_meet() -> None:
    """A hyphen, a space and neither are the same."""
    for written in ("single-flight preload", "single flight preload", "singleflight preload"):
        for asked in ("single-flight", "single flight", "singleflight"):
            expected = None if (asked, written) == ("singleflight", "single flight preload") else "lexical"
            assert ask(asked, written).tier == expected, (asked, written)


@pytest.mark.parametrize(
    ("asked", "written"),
    [
        ("café größe", "CAFE GRÖSSE"),
        ("缓存服务", "我们的缓存服务使用内存"),
        ("disabling caches", "disable the cache"),
        ("getUserName", "the getUserName call"),
        ("writer.py", "see memgit/store/writer.py:12"),
        ("C++ build", "the build of C++"),
    ],
)
def test_spellings_meet(asked: str, written: str) -> None:
    """Accents, case, inflection, scripts without spaces, code names."""
    assert ask(asked, written).tier in {"exact", "lexical"}


@pytest.mark.parametrize(
    ("asked", "written"),
    [("java threads", "JavaScript threads"), ("C# build", "the build of C++"), ("python 3.12", "Python 3.11")],
)
def test_near_names_do_not_meet(asked: str, written: str) -> None:
    """Half a name, another sign or another version is another thing."""
    assert ask(asked, written).tier is None


def test_names_beside_a_text_are_exact_only() -> None:
    """An anchored path is found as a path, and its parts are no words of the claim."""
    text = lexicon("Keep the lock short.", ["memgit/store/writer.py", "Writer"])
    for asked in ("memgit/store/writer.py", "writer.py"):
        assert match(analyse_query(asked), text).tier == "exact"
    assert match(analyse_query("store lock"), text).tier is None


def test_words_needed() -> None:
    """All of up to four, then a few may be missing; of a question all of up to six; never fewer for a longer query."""
    keywords = [words_needed(count, is_question=False) for count in range(1, 16)]
    assert keywords == [1, 2, 3, 4, 4, 5, 5, 6, 7, 7, 7, 8, 8, 9, 9]
    questions = [words_needed(count, is_question=True) for count in range(1, 16)]
    assert questions[:8] == [1, 2, 3, 4, 5, 6, 6, 7]
    assert all(k <= q for k, q in zip(keywords, questions, strict=True))
    assert keywords == sorted(keywords) and questions == sorted(questions)


def test_the_bound_from_an_index_never_excludes_what_qualifies() -> None:
    """What an index says to be met at most is enough to leave something out, and never too little."""
    for query in ("ADR-CACHE-12 other words", "redis", "production request cache redis eviction", "redis cluster"):
        analysed = analyse_query(query)
        found = match(analysed, lexicon(STATEMENT))
        assert may_qualify(analysed, frozenset(found.met)) or found.tier is None


def test_what_meets_less_falls_beside_what_meets_more() -> None:
    """Among lexical matches a strict superset wins; other tiers stand by themselves."""
    more = Match("lexical", ("a", "b", "c", "d", "e"), ())
    less = Match("lexical", ("a", "b", "c", "d"), ("e",))
    other = Match("lexical", ("a", "b", "c", "f"), ("d", "e"))
    exact = Match("exact", ("a",), ("b",))
    assert not_dominated([less, more, other, exact, more]) == [False, True, True, True, True]
    assert not_dominated([less, other]) == [True, True]
