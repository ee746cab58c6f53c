"""Long texts to windows, and windows to vectors. Pure but for the embedder that is handed in.

A window is a piece of a text that is small enough for a model to see whole. Its span is in bytes, so that a hit can
cite exactly what was near to the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from memgit.index.embedders.embedder import Embedder, Span
from memgit.index.passages import boundary_before

if TYPE_CHECKING:
    from memgit.index.embedders.embedder import Vectors

_BATCH = 256  # windows embedded at once: enough to keep the tokenizer's threads busy, a few MB of memory
_SMALLEST = 8  # bytes; two code points of any script
_MARKS = (b"\n\n", b"\n", b". ", b" ")  # where a cut disturbs least, best first


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of one text's windows, row by row, with their spans. Windows without a vector are left out."""

    vectors: Vectors
    spans: tuple[Span, ...]


def utf8(text: str) -> bytes:
    """Return the bytes of a text; what has no UTF-8 form (half of a surrogate pair) becomes a question mark."""
    return text.encode("utf-8", "replace")


def cut(data: bytes, size: int) -> list[Span]:
    """Return spans of at most `size` bytes that cover UTF-8 text, without those that hold only blanks.

    A span ends after a paragraph, else a line, a sentence, a word, else between two code points; never in the first
    half of its room. `size` is at least 8, so that a code point always fits.
    """
    spans: list[Span] = []
    start = 0
    while start < len(data):
        end = _end(data, start, size)
        if data[start:end].decode().strip():
            spans.append(Span(start, end))
        start = end
    return spans


def first_window(text: str, size: int) -> str:
    """Return the beginning of a text that has at most `size` bytes, for embedders that see no more."""
    data = utf8(text[:size])
    return (data if len(data) <= size else data[: boundary_before(data, size)]).decode()


def batches(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Yield the texts in runs of `size`."""
    for start in range(0, len(texts), size):
        yield texts[start : start + size]


def cut_by_count(data: bytes, most: int, size: int, count: Callable[[list[str]], list[int]]) -> list[Span]:
    """Return spans as `cut` does, each of which `count` finds to have at most `most` tokens.

    `count` tells the tokens of each of several texts; no token is shorter than a byte. Spans of `size` bytes are halved
    until they fit, or are as small as can be.
    """
    done: list[Span] = []
    waiting = cut(data, size)
    while waiting:
        counts = count([data[start:end].decode() for start, end in waiting])
        longer: list[Span] = []
        for span, tokens in zip(waiting, counts, strict=True):
            if tokens <= most or span.end - span.start <= _SMALLEST:
                done.append(span)
            else:
                longer += _halves(data, span)
        waiting = longer
    return sorted(done)


def embed_texts(embedder: Embedder, texts: Sequence[str]) -> list[Embedded]:
    """Return the vectors of all windows of each text. Windows with the same text are embedded once."""
    import numpy as np

    spans = [embedder.windows(text) for text in texts]
    pieces = [_pieces(text, found) for text, found in zip(texts, spans, strict=True)]
    numbers = {piece: number for number, piece in enumerate(dict.fromkeys(p for found in pieces for p in found))}
    rows = np.zeros((len(numbers), embedder.identity.dimensions), np.float32)
    distinct, done = iter(numbers), 0
    while batch := list(islice(distinct, _BATCH)):
        rows[done : done + len(batch)] = embedder.embed(batch)
        done += len(batch)
    return [
        _embedded(rows, [numbers[piece] for piece in found], where) for found, where in zip(pieces, spans, strict=True)
    ]


def _embedded(rows: Vectors, numbers: list[int], spans: list[Span]) -> Embedded:
    kept = [position for position, number in enumerate(numbers) if rows[number].any()]
    return Embedded(rows[[numbers[position] for position in kept]], tuple(spans[position] for position in kept))


def _pieces(text: str, spans: list[Span]) -> list[str]:
    data = utf8(text)
    return [data[start:end].decode() for start, end in spans]


def _halves(data: bytes, span: Span) -> list[Span]:
    size = max(_SMALLEST, (span.end - span.start + 1) // 2)
    return [Span(span.start + a, span.start + b) for a, b in cut(data[span.start : span.end], size)]


def _end(data: bytes, start: int, size: int) -> int:
    limit = start + size
    if limit >= len(data):
        return len(data)
    for mark in _MARKS:
        found = data.rfind(mark, start + size // 2, limit)
        if found >= 0:
            return found + len(mark)
    return boundary_before(data, limit)
