"""Where words stand: found once for all queries, and the same as by comparing each word with each unit."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from memgit.index.analysis import chunk_forms, tokens
from memgit.index.languages.detect import languages_of
from memgit.retrieval.placing import Place, Placed, densest
from memgit.retrieval.qualification import Lexicon, is_written
from memgit.retrieval.query import Query, analyse_query

WORDS = (
    "cache caches caching Single flight single-flight singleflight UTF-8 utf_8 C++ node.js src/app/main.py main.py "
    "APP-BOUNDARY-101 getUserName Schlüssel Schlüsseln verschlüsselt clés expirent 密钥轮换 密钥 サーバー ключи ключ "
    f"1,000 1000 the die é 🚀 - {'x' * 90}"
).split()
TEXTS = st.lists(st.sampled_from([*WORDS, " ", "\n", ". "]), max_size=60).map(" ".join)
PLACES = st.lists(
    st.tuples(st.integers(1, 6), st.integers(0, 4), st.frozensets(st.sampled_from("abcd"), min_size=1, max_size=2)),
    max_size=30,
)


def compared(text: str, query: Query) -> list[Place]:
    """Return the places by comparing each word with each unit."""
    languages = languages_of(text)
    found: list[Place] = []
    for start, end, chunk in tokens(text):
        surfaces, names = frozenset(chunk.surfaces + chunk.singles), frozenset(chunk.identifiers)
        words = Lexicon(chunk_forms(chunk, languages), names, surfaces, languages, frozenset(chunk.written))
        met = [unit.name for unit in query.units if is_written(unit, words)]
        met += [unit.name for unit in query.units if not (surfaces | names).isdisjoint(unit.similar)]
        if met:
            found.append((len(text[:start].encode()), len(text[:end].encode()), frozenset(met)))
    return found


@given(TEXTS, TEXTS)
def test_places_are_those_of_every_comparison(text: str, asked: str) -> None:
    """Whatever the language, the shape of a word, and what it may have been meant for."""
    if not asked.strip():
        return
    query = analyse_query(asked)
    query = replace(query, units=tuple(replace(unit, similar=(unit.name + "s", "cache")) for unit in query.units))
    assert Placed(text.encode()).places(query) == compared(text, query)


@given(PLACES, st.integers(1, 30))
def test_the_densest_span_is_the_first_of_the_widest(steps: list[tuple[int, int, frozenset[str]]], most: int) -> None:
    """As by looking at every span."""
    places: list[Place] = []
    end = 0
    for gap, length, names in steps:
        places.append((end + gap, end + gap + 1 + length, names))
        end += gap + 1 + length
    best, width = (0, 0), 0
    for i, (start, _, _) in enumerate(places):
        units: frozenset[str] = frozenset()
        for j, (_, last, met) in enumerate(places[i:], i):
            if last - start > most and j != i:
                break
            units |= met
            if len(units) > width:
                best, width = (start, last), len(units)
    assert densest(places, most) == best
