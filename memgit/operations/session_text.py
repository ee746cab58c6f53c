"""Turns to the texts of claims: several short ones together, a long one in parts that end with a sentence. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from memgit.index.passages import boundary_before
from memgit.records.conversation import Turns

_SENTENCE_END = re.compile(rb"(?:[.!?]|\xe2\x80\xa6)[\"')\]]*\s+|(?:\xe3\x80\x82|\xef\xbc\x81|\xef\xbc\x9f)\s*|\n+")
"""After a mark and its blanks, after the full-width marks of Chinese and Japanese, after a line."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What one claim holds."""

    turns: Turns
    text: str


def pieces(turns: Mapping[int, tuple[str, str]], most: int, size: int) -> Iterator[Piece]:
    """Yield the pieces of the given turns in their order: up to `most` turns and `size` bytes each.

    `turns` gives by number the text, and the line that it makes among others. Only neighbours share a piece. A text
    beyond `size` is split; its parts joined are the text again.
    """
    run: list[int] = []
    used = 0
    for number in sorted(turns):
        text, line = turns[number]
        length = len(line.encode())
        follows = bool(run) and run[-1] == number - 1 and len(run) < most and used + 1 + length <= size
        if run and not follows:
            yield _joined(turns, run)
            run, used = [], 0
        if len(text.encode()) > size:
            yield from _parts(number, text, size)
            continue
        used += length + (1 if run else 0)
        run.append(number)
    if run:
        yield _joined(turns, run)


def split(text: str, size: int) -> list[str]:
    """Return the parts of a text of at most `size` bytes each: after a sentence, else a word, else a code point.

    Joined they are the text. No part is blank, unless the text is.
    """
    data = text.encode()
    parts: list[bytes] = []
    start = 0
    while start < len(data):
        end = _end(data, start, size)
        if parts and not (parts[-1].strip() and data[start:end].strip()):
            parts[-1] += data[start:end]  # blanks are no statement
        else:
            parts.append(data[start:end])
        start = end
    return [part.decode() for part in parts]


def _joined(turns: Mapping[int, tuple[str, str]], run: list[int]) -> Piece:
    if len(run) == 1:
        return Piece(Turns(run[0], run[0]), turns[run[0]][0])
    return Piece(Turns(run[0], run[-1]), "\n".join(turns[number][1] for number in run))


def _parts(number: int, text: str, size: int) -> Iterator[Piece]:
    for part, piece in enumerate(split(text, size), 1):
        yield Piece(Turns(number, number, part), piece)


def _end(data: bytes, start: int, size: int) -> int:
    """Return where a part that begins at `start` ends."""
    limit = start + size
    if limit >= len(data):
        return len(data)
    window = data[start:limit]
    ends = [found.end() for found in _SENTENCE_END.finditer(window) if found.end() <= len(window)]
    if ends:
        return start + ends[-1]
    blank = max(window.rfind(b" "), window.rfind(b"\t"))
    return start + blank + 1 if blank > 0 else boundary_before(data, limit)
