"""The few bytes of a passage that show why it was found: exact, whole words, at most so many."""

from __future__ import annotations

from memgit.index.analysis import chunk_forms, tokens
from memgit.index.languages.detect import languages_of
from memgit.index.passages import boundary_before, is_boundary
from memgit.retrieval.qualification import Lexicon, is_written
from memgit.retrieval.query import Query

_SPACE = b" \t\r\n"


def excerpt_span(data: bytes, query: Query, most: int) -> tuple[int, int]:
    """Return the span [start, end) of UTF-8 `data` to quote: at most `most` bytes around most units of the query.

    The first of several equally good places. It begins at a line, else a sentence, else a word, and ends at a word;
    where a single word is longer, between two code points. The span is empty only where `data` is blank or `most` too
    small.
    """
    if len(data) <= most:
        return _trimmed(data, 0, len(data))
    first, last = _densest(_places(data, query), most)
    start = _beginning(data, first, last, most)
    end = min(len(data), start + most)
    if end < len(data):
        end = _ending(data, max(start, last), boundary_before(data, end))
    return _trimmed(data, start, end)


def _places(data: bytes, query: Query) -> list[tuple[int, int, frozenset[str]]]:
    """Return where units of the query stand: byte offsets, and the units."""
    text = data.decode()
    languages = languages_of(text)
    found: list[tuple[int, int, frozenset[str]]] = []
    position, offset = 0, 0
    for token in tokens(text):
        chunk = token.chunk
        surfaces = frozenset(chunk.surfaces + chunk.singles)
        terms = Lexicon(chunk_forms(chunk, languages), frozenset(chunk.identifiers), surfaces, languages)
        met = [unit.name for unit in query.units if is_written(unit, terms)]
        met += [unit.name for unit in query.units if not terms.surfaces.isdisjoint(unit.similar)]
        if met:
            offset += len(text[position : token.start].encode())
            position = token.start
            found.append((offset, offset + len(text[token.start : token.end].encode()), frozenset(met)))
    return found


def _densest(places: list[tuple[int, int, frozenset[str]]], most: int) -> tuple[int, int]:
    """Return the first window of at most `most` bytes, from word to word, that holds the most different units."""
    best, width = (0, 0), 0
    for i, (start, _, _) in enumerate(places):
        units: frozenset[str] = frozenset()
        for first, end, met in places[i:]:
            if end - start > most and first != start:
                break
            units |= met
            if len(units) > width:
                best, width = (start, end), len(units)
    return best


def _beginning(data: bytes, first: int, last: int, most: int) -> int:
    """Return where to begin so that [first, last) stays inside: far enough back for context, at a natural place."""
    earliest = max(0, last - most, first - most // 3)
    if earliest == 0:
        return 0
    for mark in (b"\n", b". ", b" "):
        found = data.find(mark, earliest - 1, first)
        if found >= 0:
            return min(found + len(mark), first)
    return earliest if is_boundary(data, earliest) else boundary_before(data, first)


def _ending(data: bytes, least: int, limit: int) -> int:
    """Return where to end: after a whole word, unless that would cut what must be shown."""
    if data[limit : limit + 1] in (b" ", b"\n"):
        return limit
    found = max(data.rfind(b" ", least, limit), data.rfind(b"\n", least, limit))
    return found if found > 0 else limit


def _trimmed(data: bytes, start: int, end: int) -> tuple[int, int]:
    piece = data[start:end]
    start += len(piece) - len(piece.lstrip(_SPACE))
    return start, max(start, start + len(piece.strip(_SPACE)))
