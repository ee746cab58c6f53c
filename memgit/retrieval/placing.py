"""Where the units of a query stand in a text. The text is analysed once, however many queries are placed in it.

A word that stands in many places is compared once, and a query's unit only with the words that it could be. So what a
placement costs follows what is found, not the length of the text times the length of the query.
"""

from __future__ import annotations

from collections.abc import Iterator

from memgit.index.analysis import Chunk, chunk_forms, tokens
from memgit.index.languages.detect import languages_of
from memgit.index.languages.stems import forms
from memgit.retrieval.qualification import Lexicon, is_written
from memgit.retrieval.query import Query, Unit

Place = tuple[int, int, frozenset[str]]
"""The bytes [start, end) of a word, and the units that it meets."""


class Placed:
    """UTF-8 text by its words."""

    def __init__(self, data: bytes) -> None:
        text = data.decode()
        self._languages = languages_of(text)
        self._spans: dict[str, list[tuple[int, int]]] = {}
        self._words: dict[str, Lexicon] = {}
        self._holding: dict[str, list[str]] = {}
        position, offset = 0, 0
        for start, end, chunk in tokens(text):
            raw = text[start:end]
            offset += len(text[position:start].encode())
            position = start
            if raw not in self._spans:
                self._spans[raw] = []
                self._learn(raw, chunk)
            self._spans[raw].append((offset, offset + len(raw.encode())))

    def places(self, query: Query) -> list[Place]:
        """Return where units of the query stand, in the order of the text."""
        met: dict[str, list[str]] = {}
        for unit in query.units:
            for raw in self._candidates(unit):
                words = self._words[raw]
                if is_written(unit, words) or not (words.surfaces | words.names).isdisjoint(unit.similar):
                    met.setdefault(raw, []).append(unit.name)
        return sorted((*span, frozenset(names)) for raw, names in met.items() for span in self._spans[raw])

    def _learn(self, raw: str, chunk: Chunk) -> None:
        surfaces = frozenset(chunk.surfaces + chunk.singles)
        names, written = frozenset(chunk.identifiers), frozenset(chunk.written)
        words = Lexicon(chunk_forms(chunk, self._languages), names, surfaces, self._languages, written)
        self._words[raw] = words
        for key in words.words | names | surfaces:
            self._holding.setdefault(key, []).append(raw)

    def _candidates(self, unit: Unit) -> Iterator[str]:
        """Yield the words that might meet a unit, each once."""
        keys = {unit.name, *unit.names, *unit.joined, *unit.similar}
        if unit.word:
            keys.update(forms(unit.word, self._languages))
        return iter(dict.fromkeys(raw for key in keys for raw in self._holding.get(key, ())))


def densest(places: list[Place], most: int) -> tuple[int, int]:
    """Return the first span of at most `most` bytes, from word to word, that holds the most different units.

    (0, 0) where there are no places. A single longer word is a span, too.
    """
    best, first = (0, 0), 0
    inside: dict[str, int] = {}
    width = 0
    for last, (_, end, met) in enumerate(places):
        for name in met:
            inside[name] = inside.get(name, 0) + 1
        while first < last and end - places[first][0] > most:
            _leave(inside, places[first][2])
            first += 1
        if len(inside) > width:
            best, width = (places[first][0], end), len(inside)
    return best


def _leave(inside: dict[str, int], names: frozenset[str]) -> None:
    for name in names:
        inside[name] -= 1
        if not inside[name]:
            del inside[name]
