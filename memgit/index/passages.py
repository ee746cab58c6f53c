"""Stored bytes to passages: pieces of a text with exact byte offsets, small enough to rank and to read for an excerpt.

Pure. A passage is a view of the stored bytes, never a copy that could drift from them. What is not UTF-8 text has no
passages.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

PASSAGE_BYTES = 2048  # the length norm of a ranking needs like sizes; a few paragraphs, 16 excerpts
OVERLAP_BYTES = 200  # a sentence or two, so that what a cut divides stands whole in one of its sides
_SHORTEST = PASSAGE_BYTES // 2  # a cut is never earlier: an early blank line must not make tiny passages


@dataclass(frozen=True, slots=True)
class Passage:
    """The bytes [start, end) of a stored text, decoded."""

    start: int
    end: int
    text: str


def decode_text(data: bytes) -> str | None:
    """Return stored bytes as text, or None where they are not: invalid UTF-8, or a NUL byte as binary formats have.

    The bytes decide, not the media type: what is cited must be readable whatever it calls itself.
    """
    if b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def passages(data: bytes) -> Iterator[Passage]:
    """Yield the passages of UTF-8 text, which cover all of it: at most PASSAGE_BYTES each, in order, none empty.

    A passage ends after a blank line, else a line, else a sentence, else a word, else between two code points. The next
    begins up to OVERLAP_BYTES before that end, except after a blank line, where nothing is divided.
    """
    start = 0
    while start < len(data):
        end, clean = _cut(data, start)
        yield Passage(start, end, data[start:end].decode())
        start = end if clean or end == len(data) else _overlap(data, start, end)


def is_boundary(data: bytes, offset: int) -> bool:
    """Tell whether `offset` lies between two code points of UTF-8 text, or at one of its ends."""
    return offset in {0, len(data)} or (0 < offset < len(data) and data[offset] & 0xC0 != 0x80)


def boundary_before(data: bytes, offset: int) -> int:
    """Return the greatest boundary between code points that is not after `offset`."""
    offset = min(offset, len(data))
    while not is_boundary(data, offset):
        offset -= 1
    return offset


def _cut(data: bytes, start: int) -> tuple[int, bool]:
    """Return where the passage from `start` ends, and whether that is between paragraphs."""
    limit = start + PASSAGE_BYTES
    if limit >= len(data):
        return len(data), True
    for mark in (b"\n\n", b"\n\r\n", b"\n", b". ", b" "):
        found = data.rfind(mark, start + _SHORTEST, limit)
        if found >= 0:
            return found + len(mark), len(mark) > 1 and mark.startswith(b"\n")
    return boundary_before(data, limit), False


def _overlap(data: bytes, start: int, end: int) -> int:
    """Return where the passage after one that ends at `end` begins: a line or word inside the last OVERLAP_BYTES."""
    earliest = max(start + 1, end - OVERLAP_BYTES)
    for mark in (b"\n", b" "):
        found = data.find(mark, earliest, end - 1)
        if found >= 0:
            return found + 1
    return boundary_before(data, earliest) if boundary_before(data, earliest) > start else end
