"""Words that a word of a query may stand for, found among the words of an index.

An index only proposes words that share trigrams; what may stand for what is `similarity`'s to say, and how many are
looked at is said here, so that every implementation finds the same. Whether a word is a slip decides what qualifies, so
a word counts only where the asker's scope holds it: what others know must not change what is known here.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Protocol

from memgit.index.similarity import Likeness, comparable, likeness, shared_trigrams_needed, trigrams

COMPARED = 256  # words that share the most trigrams; edit distances cost about 10 µs each
_BESIDE_OTHERS = 4  # times as many are compared where those of other scopes take places among them
_BEGINNINGS = 256  # of a scope's words among others' that a beginning is looked for in
_KEPT = 16
_MOST_EXPANSIONS = 24  # a beginning of more words than this abbreviates none of them


class Vocabulary(Protocol):
    """The folded words of an index, and those of a scope among them. `shared`: there is more than the scope."""

    shared: bool

    def holds(self, word: str) -> bool:
        """Tell whether the index holds a word."""

    def admits(self, word: str) -> bool:
        """Tell whether a text of the scope, current or not, holds a word or a form of it."""

    def sharing(self, found: frozenset[str], least: int, most: int) -> Iterable[tuple[str, int]]:
        """Return the words with at least `least` of these trigrams, and how many: `most` of those with the most."""

    def beginning(self, word: str) -> Iterable[str]:
        """Return the words that begin with a word."""


def similar_words(vocabulary: Vocabulary, word: str) -> tuple[str, ...]:
    """Return the words that `word` may stand for, likeliest first: see `LexicalIndex.similar_words`."""
    if not comparable(word):
        return ()
    if vocabulary.holds(word) and vocabulary.admits(word):
        return ()
    most = COMPARED * (_BESIDE_OTHERS if vocabulary.shared else 1)
    shares = dict(vocabulary.sharing(trigrams(word), shared_trigrams_needed(word), most))
    nearest = sorted(shares, key=lambda other: (-shares[other], other))[:most]
    found: list[tuple[Likeness, str]] = [(like, other) for other in nearest if (like := likeness(word, other))]
    similar = (other for like, other in found if like != "abbreviation" and vocabulary.admits(other))
    return (*islice(similar, _KEPT), *_expansions(vocabulary, word))


def _expansions(vocabulary: Vocabulary, word: str) -> list[str]:
    found: list[str] = []
    expanded = (other for other in vocabulary.beginning(word) if likeness(word, other) == "abbreviation")
    for looked_at, other in enumerate(expanded):
        if vocabulary.admits(other):
            found.append(other)
        if len(found) > _MOST_EXPANSIONS or looked_at > _BEGINNINGS:
            return []
    return sorted(found, key=lambda other: (len(other), other))
