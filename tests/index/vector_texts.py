"""A small embedder for tests of the vector index, which counts what it embeds, and documents for it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from memgit.index.embedders.embedder import Identity, Span
from memgit.index.embedders.windows import cut, utf8
from memgit.index.lexical import Watermark
from memgit.index.vectors import Item

if TYPE_CHECKING:
    from memgit.index.embedders.embedder import Vectors

DIMENSIONS = 8


class SmallEmbedder:
    """An embedder of a few dimensions whose vectors have no meaning; `seen` are the texts that it was given."""

    def __init__(self, name: str = "small") -> None:
        self.identity = Identity(name, "1", hashlib.sha256(name.encode()).hexdigest(), DIMENSIONS)
        self.seen: list[str] = []

    def windows(self, text: str) -> list[Span]:
        """Return pieces of 16 bytes."""
        return cut(utf8(text), 16)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a row of few different numbers, so that ties are common."""
        self.seen += texts
        return np.array([_row(text) for text in texts], np.float32).reshape(-1, DIMENSIONS)

    def embed_query(self, text: str) -> Vectors:
        """Return the row of a text."""
        row: Vectors = np.array(_row(text), np.float32)
        return row


def _row(text: str) -> Vectors:
    if not text.strip():
        return np.zeros(DIMENSIONS, np.float32)
    numbers = np.frombuffer(hashlib.sha256(utf8(text)).digest()[:DIMENSIONS], np.uint8) % 3 - 1.0
    numbers[0] += 0.5  # never all zeros
    row: Vectors = (numbers / np.linalg.norm(numbers)).astype(np.float32)
    return row


def mark(number: int) -> Watermark:
    """Return a watermark."""
    return Watermark(f"{number:040x}", number)


def item(number: int, text: str | None = None, part: str = "", group: str = "") -> Item:
    """Return a document of one owner."""
    return Item(f"clm_{number:04d}", part, f"text {number}" if text is None else text, group)
