"""Differences of texts: by words for a sentence, by lines for a document, and whose each word or line is."""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeVar

from msgspec import Struct

K = TypeVar("K")

Piece = tuple[Literal["=", "-", "+"], str]
"""A part of a changed text: kept, removed or added."""

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_COMPARED_BYTES = 256 * 1024  # a larger document is named, not compared: difflib is quadratic at worst
_COMPARED_LINES = 6_000
SHOWN_LINES = 120
"""How many lines of one document's difference are shown."""

NEW_LINES = 8
"""How many lines are shown of a document that is new as a whole: enough to know it by."""

WHOLE = sys.maxsize
"""All of its lines."""

_SHOWN_CHARACTERS = 400  # of one line


class TextChange(Struct, frozen=True, kw_only=True):
    """A document's difference: lines in unified form without their file header.

    `note` says why there are none; `left_out` counts the lines that are not shown.
    """

    added: int
    removed: int
    lines: tuple[str, ...] = ()
    left_out: int = 0
    note: str | None = None


def words(text: str) -> list[str]:
    """Return the words, spaces and signs of a text; together they are the text."""
    return _WORD.findall(text)


def word_diff(old: str, new: str) -> tuple[Piece, ...]:
    """Return the pieces of a changed text, in order; without the added ones they are the old text."""
    before, after = words(old), words(new)
    pieces: list[Piece] = []
    for tag, i, j, k, m in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(("=", "".join(before[i:j])))
            continue
        if j > i:
            pieces.append(("-", "".join(before[i:j])))
        if m > k:
            pieces.append(("+", "".join(after[k:m])))
    return tuple(pieces)


def text_change(old: bytes | None, new: bytes | None, most: int = SHOWN_LINES) -> TextChange:
    """Return how a document's text changed, at most so many lines. None: there was or is no such document."""
    try:
        before, after = ((data or b"").decode() for data in (old, new))
    except UnicodeDecodeError:
        return TextChange(added=0, removed=0, note=f"not text: {_sizes(old, new)}")
    lines = before.splitlines(), after.splitlines()
    too_large = max(len(old or b""), len(new or b"")) > _COMPARED_BYTES or max(map(len, lines)) > _COMPARED_LINES
    if too_large and old is not None and new is not None:
        return TextChange(added=0, removed=0, note=f"too large to compare: {_sizes(old, new)}")
    if old is None or new is None:
        return _shown([*(f"-{line}" for line in lines[0]), *(f"+{line}" for line in lines[1])], most)
    return _shown(list(difflib.unified_diff(*lines, lineterm="", n=2))[2:], most)


def attribute(
    text_of: Mapping[K, Sequence[str]], parents_of: Callable[[K], Sequence[K]], order: Sequence[K]
) -> dict[K, list[K]]:
    """Return, for each revision, the revision that each of its tokens (words or lines) comes from.

    `order` has every revision after its parents. A token that several parents have is the first parent's.
    """
    owners: dict[K, list[K]] = {}
    for name in order:
        tokens = text_of[name]
        mine: list[K | None] = [None] * len(tokens)
        for parent in parents_of(name):
            if parent in owners:
                _inherit(text_of[parent], owners[parent], tokens, mine)
        owners[name] = [name if owner is None else owner for owner in mine]
    return owners


def runs(tokens: Sequence[str], owners: Sequence[K]) -> list[tuple[K, str]]:
    """Return a text as pieces of one owner each. Spaces belong to the piece that they stand in."""
    found: list[tuple[K, str]] = []
    for token, owner in zip(tokens, owners, strict=True):
        if found and (found[-1][0] == owner or token.isspace()):
            found[-1] = (found[-1][0], found[-1][1] + token)
        else:
            found.append((owner, token))
    return found


def _inherit(theirs: Sequence[str], owners: Sequence[K], tokens: Sequence[str], mine: list[K | None]) -> None:
    """Hand on the owners of tokens that a parent has; common ends first, since most texts grow at one place."""
    start, end = 0, min(len(theirs), len(tokens))
    while start < end and theirs[start] == tokens[start]:
        start += 1
    back = 0
    while back < end - start and theirs[-1 - back] == tokens[-1 - back]:
        back += 1
    blocks = [(0, 0, start), (len(theirs) - back, len(tokens) - back, back)]
    middle = difflib.SequenceMatcher(
        None, theirs[start : len(theirs) - back], tokens[start : len(tokens) - back], autojunk=len(tokens) > 2_000
    )
    blocks += [(i + start, j + start, size) for i, j, size in middle.get_matching_blocks()]
    for i, j, size in blocks:
        for step in range(size):
            if mine[j + step] is None:
                mine[j + step] = owners[i + step]


def _shown(lines: Sequence[str], most: int) -> TextChange:
    shown = tuple(line[:_SHOWN_CHARACTERS] + ("…" if len(line) > _SHOWN_CHARACTERS else "") for line in lines[:most])
    return TextChange(
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
        lines=shown,
        left_out=max(0, len(lines) - most),
    )


def _sizes(old: bytes | None, new: bytes | None) -> str:
    return " to ".join(f"{len(data)} bytes" for data in (old, new) if data is not None)
