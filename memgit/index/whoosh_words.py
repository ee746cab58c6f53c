"""The words of a Whoosh index, and which of them a scope holds."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from collections.abc import Iterator
from typing import Any

from memgit.index.entries import KINDS, scope_of_facet, stored
from memgit.index.lexical import QueryTerm, ScopeFilter, term_forms
from memgit.index.whoosh_postings import living_numbers, numbers_of
from memgit.index.whoosh_schema import field_of


class WhooshVocabulary:
    """The `Vocabulary` of a Whoosh reader with texts of these languages."""

    def __init__(self, reader: Any, languages: tuple[str, ...], scope: ScopeFilter) -> None:
        self._reader = reader
        self._languages = languages
        self._scope = scope
        self.shared = scope != ScopeFilter()

    def holds(self, word: str) -> bool:
        """Tell whether the index holds a word."""
        return ("surface", word) in self._reader

    def admits(self, word: str) -> bool:
        """Tell whether a text of the scope holds a word or a form of it."""
        if not self.shared:
            return True
        forms = term_forms(QueryTerm(word, word), self._languages)
        asked = [(field_of(kind, field), form) for field, form, _ in forms if field != "part" for kind in KINDS]
        leaves = [leaf for leaf, _ in self._reader.leaf_readers()]
        return any(self._stands(leaf, field, form) for leaf in leaves for field, form in asked)

    def sharing(self, found: frozenset[str], least: int, most: int) -> Iterator[tuple[str, int]]:
        """Yield each segment's words with the most of these trigrams, and how many."""
        for leaf, _ in self._reader.leaf_readers():
            for number, shared in _sharing(leaf, found, least, most):
                yield leaf.stored_fields(number)["data"][0], shared

    def beginning(self, word: str) -> Iterator[str]:
        """Yield the words that begin with a word."""
        for term in self._reader.expand_prefix("surface", word):
            yield bytes(term).decode()

    def _stands(self, leaf: Any, field: str, form: str) -> bool:
        """Tell whether a document of a segment that the scope admits has a form; a derived text is no witness."""
        numbers = living_numbers(leaf, field, form)
        column: Any = None
        judged: dict[bytes, bool] = {}
        for number in numbers:
            column = column or leaf.column_reader("facet", translate=False)
            facet = column[number]
            if facet not in judged:
                judged[facet] = self._scope.admits_project(*scope_of_facet(facet.decode()))
            if judged[facet] or self._scope.pins:
                document = stored(leaf.stored_fields(number)["data"])
                if self._scope.admits_words(document, in_project=judged[facet]):
                    return True
        return False


def _sharing(leaf: Any, found: frozenset[str], least: int, most: int) -> list[tuple[int, int]]:
    """Return the numbers of a segment's words with at least `least` of these trigrams, and how many."""
    holding = (numbers_of(leaf, "trigram", trigram) for trigram in found)
    if least == len(found):
        common: set[int] | None = None
        for numbers in holding:
            common = set(numbers) if common is None else common.intersection(numbers)
            if not common:
                break
        return [(number, least) for number in sorted(common or ())[:most]]
    counts = Counter(itertools.chain.from_iterable(holding))
    enough = [(-count, number) for number, count in counts.items() if count >= least]
    return [(number, -shared) for shared, number in heapq.nsmallest(most, enough)]
