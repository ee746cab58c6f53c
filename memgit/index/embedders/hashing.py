"""The `hash` embedder: signed feature hashing of words, pairs of neighbours and character trigrams. No model, no files.

The last fallback: it needs nothing but numpy and is the same on every machine. It sees shared words and parts of words,
never meanings.

K. Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", 2009 (a hashed sign makes collisions cancel
on average); the trigrams between word marks are those of P. Bojanowski et al., "Enriching Word Vectors with Subword
Information", 2017.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from blake3 import blake3

from memgit.index.analysis import ANALYSIS_VERSION, analyse
from memgit.index.embedders.embedder import Identity, Span
from memgit.index.embedders.windows import cut, first_window, utf8

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgit.index.embedders.embedder import Vectors

    Placed = tuple[NDArray[np.intp], NDArray[np.float64]]
    """Dimensions, and what is added to each."""

DIMENSIONS = 384
WINDOW_BYTES = 1024  # a few sentences: longer texts add up to nothing in particular

_VERSION = 1
_WORD, _PAIR, _TRIGRAM = 3, 1, 1
"""Whole numbers, so that the order of addition cannot matter. Chosen on the LoCoMo dev file (decision 0026)."""


class HashEmbedder:
    """An `Embedder` without a model."""

    @property
    def identity(self) -> Identity:
        """Which embedder this is: our own version and that of the analysis that finds the words."""
        revision = f"{_VERSION}.{ANALYSIS_VERSION}"
        return Identity("hash", revision, blake3(f"memgit hash {revision}".encode()).hexdigest(), DIMENSIONS)

    def windows(self, text: str) -> list[Span]:
        """Return pieces of at most WINDOW_BYTES."""
        return cut(utf8(text), WINDOW_BYTES)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row for each text."""
        rows = np.zeros((len(texts), DIMENSIONS), np.float64)
        for row, text in zip(rows, texts, strict=True):
            if features := _features(first_window(text, WINDOW_BYTES)):
                places, values = map(np.concatenate, zip(*features, strict=True))
                row[:] = np.bincount(places, values, DIMENSIONS)
        norms = np.sqrt((rows * rows).sum(axis=1, keepdims=True))
        np.divide(rows, norms, out=rows, where=norms > 0)
        return rows.astype(np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Return the vector of a question, made as any other."""
        row: Vectors = self.embed([text])[0]
        return row


def _features(text: str) -> list[Placed]:
    words = analyse(text).words
    if words:
        pairs = _placed([(f"{left} {right}", _PAIR) for left, right in pairwise(words)])
        return [*map(_word, words), pairs]
    folded = " ".join(text.casefold().split())  # signs, emoji, stop words alone: their characters are all there is
    return [_placed([(trigram, _TRIGRAM) for trigram in _trigrams(folded)])] if folded else []


@lru_cache(maxsize=32_768)
def _word(word: str) -> Placed:
    return _placed([(f"{word}\0", _WORD), *((trigram, _TRIGRAM) for trigram in _trigrams(word))])


def _trigrams(text: str) -> list[str]:
    marked = f"^{text}$"
    return [marked[start : start + 3] for start in range(len(text))]


def _placed(features: Sequence[tuple[str, int]]) -> Placed:
    """Return the dimension of each feature and what is added there, with the feature's sign."""
    hashes = [int.from_bytes(blake2b(utf8(name), digest_size=8).digest(), "little") for name, _ in features]
    signed = [weight if value >> 63 else -weight for value, (_, weight) in zip(hashes, features, strict=True)]
    return np.array([value % DIMENSIONS for value in hashes], np.intp), np.array(signed, np.float64)
