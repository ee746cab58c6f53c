"""Words that a word of a query may stand for, found among the words of an index.

An index only proposes words that share trigrams; what may stand for what is `similarity`'s to say, and how many are
looked at is said here, so that every implementation finds the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from memgit.index.similarity import (
    LONGEST_AFFIX,
    SHORTEST_AFFIXED,
    Likeness,
    comparable,
    likeness,
    shared_trigrams_needed,
    trigrams,
)

COMPARED = 256  # words that share the most trigrams; edit distances cost about 10 µs each
_KEPT = 16
_MOST_EXPANSIONS = 24  # a beginning of more words than this abbreviates none of them


class Vocabulary(Protocol):
    """The folded words of an index."""

    def holds(self, word: str) -> bool:
        """Tell whether the index holds a word."""

    def sharing(self, found: frozenset[str], least: int) -> Iterable[tuple[str, int]]:
        """Return the words with at least `least` of these trigrams, and how many: COMPARED of those with the most."""

    def beginning(self, word: str) -> Iterable[str]:
        """Return the words that begin with a word."""


def similar_words(vocabulary: Vocabulary, word: str) -> tuple[str, ...]:
    """Return the words that `word` may stand for, likeliest first: see `LexicalIndex.similar_words`."""
    if not comparable(word):
        return ()
    if vocabulary.holds(word):
        return tuple(_affixed(vocabulary, word))[:_KEPT]
    shares = dict(vocabulary.sharing(trigrams(word), shared_trigrams_needed(word)))
    nearest = sorted(shares, key=lambda other: (-shares[other], other))[:COMPARED]
    found: list[tuple[Likeness, str]] = [(like, other) for other in nearest if (like := likeness(word, other))]
    similar = [other for like, other in found if like != "abbreviation"][:_KEPT]
    return tuple(similar + _expansions(vocabulary, word))


def _affixed(vocabulary: Vocabulary, word: str) -> list[str]:
    """Return the words of the index that are `word` with or without a prefix, those with the most in common first."""
    if len(word) < SHORTEST_AFFIXED:
        return []
    found = {rest for cut in range(1, LONGEST_AFFIX + 1) if vocabulary.holds(rest := word[cut:])}
    inside = trigrams(word) - {f"^{word[:2]}"}
    found.update(other for other, _ in vocabulary.sharing(inside, len(inside)))
    own = trigrams(word)
    similar = [other for other in found if likeness(word, other) == "affix"]
    return sorted(similar, key=lambda other: (-len(own & trigrams(other)), other))


def _expansions(vocabulary: Vocabulary, word: str) -> list[str]:
    found: list[str] = []
    for other in vocabulary.beginning(word):
        if likeness(word, other) == "abbreviation":
            found.append(other)
        if len(found) > _MOST_EXPANSIONS:
            return []
    return sorted(found, key=lambda other: (len(other), other))
