"""The few bytes of a passage that show why it was found: exact, whole words, at most so many."""

from __future__ import annotations

from memgit.index.passages import boundary_before, is_boundary
from memgit.retrieval.placing import Placed, densest
from memgit.retrieval.query import Query

_SPACE = b" \t\r\n"


def excerpt_span(data: bytes, query: Query, most: int, placed: Placed | None = None) -> tuple[int, int]:
    """Return the span [start, end) of UTF-8 `data` to quote: at most `most` bytes around most units of the query.

    The first of several equally good places. It begins at a line, else a sentence, else a word, and ends at a word;
    where a single word is longer, between two code points. The span is empty only where `data` is blank or `most` too
    small. `placed` is `data` by its words, where several queries are placed in it.
    """
    if len(data) <= most:
        return _trimmed(data, 0, len(data))
    first, last = densest((placed or Placed(data)).places(query), most)
    start = _beginning(data, first, last, most)
    end = min(len(data), start + most)
    if end < len(data):
        end = _ending(data, max(start, last), boundary_before(data, end))
    return _trimmed(data, start, end)


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
