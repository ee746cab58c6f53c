"""The words of a tantivy index, and which of them a scope holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from tantivy import Occur, Query

from memgit.index.entries import KINDS, scope_of_facet
from memgit.index.lexical import QueryTerm, ScopeFilter, Stored, term_forms
from memgit.index.similarity import trigrams
from memgit.index.tantivy_scan import Opened
from memgit.index.tantivy_schema import KEPT, field_of

_LOOK, _GROWTH = 16, 8  # documents of a first look for one that the scope admits, and how looks grow


class TantivyVocabulary:
    """The `Vocabulary` of a moment of an index."""

    def __init__(self, opened: Opened, scope: ScopeFilter) -> None:
        self._opened = opened
        self._recent = opened.recent.words
        self._scope = scope
        self.shared = scope != ScopeFilter()
        self._facets = {facet: scope.admits_project(*scope_of_facet(facet)) for facet in opened.facets}

    def holds(self, word: str) -> bool:
        """Tell whether the index holds a word."""
        return word in self._recent or self._opened.searcher.doc_freq("surface", word) > 0

    def admits(self, word: str) -> bool:
        """Tell whether a text of the scope holds a word or a form of it."""
        if not self.shared:
            return True
        forms = term_forms(QueryTerm(word, word), self._opened.languages)
        asked = [(field, form) for field, form, _ in forms if field != "part"]
        return self._is_recent(asked) or self._is_committed(asked)

    def sharing(self, found: frozenset[str], least: int, most: int) -> Iterable[tuple[str, int]]:
        """Yield the words with the most of these trigrams, and how many."""
        schema, searcher = self._opened.schema, self._opened.searcher
        wanted = [Query.const_score_query(Query.term_query(schema, "trigram", each, "basic"), 1.0) for each in found]
        query = Query.boolean_query([(Occur.Should, each) for each in wanted], minimum_number_should_match=least)
        for shared, address in searcher.search(query, limit=most, count=False).hits:
            yield bytes(searcher.doc(address).get_first("data")).decode(), round(shared)
        for word in self._recent:
            if (share := len(found & trigrams(word))) >= least:
                yield word, share

    def beginning(self, word: str) -> Iterator[str]:
        """Yield the words that begin with a word."""
        for found, _ in self._opened.searcher.terms_with_prefix("surface", word):
            yield found
        yield from (found for found in self._recent if found.startswith(word))

    def _is_recent(self, forms: list[tuple[str, str]]) -> bool:
        for document in self._opened.recent.documents:
            in_project = self._scope.admits_project(*scope_of_facet(document.facet))
            if self._scope.admits_words(document.kept.details, in_project=in_project) and any(
                document.kept.weight(field, form) for field, form in forms
            ):
                return True
        return False

    def _is_committed(self, forms: list[tuple[str, str]]) -> bool:
        """Tell whether a committed document that the scope admits has one of these forms."""
        schema, frequency = self._opened.schema, self._opened.searcher.doc_freq
        named = [(field_of(kind, field), form) for field, form in forms for kind in KINDS]
        held = [Query.term_query(schema, name, form, "basic") for name, form in named if frequency(name, form)]
        return bool(held) and any(
            self._scope.admits_words(document, in_project=in_project)
            for clauses, in_project in self._filters()
            for document in self._found(
                [(Occur.Must, Query.boolean_query([(Occur.Should, each) for each in held])), *clauses]
            )
        )

    def _filters(self) -> Iterator[tuple[list[tuple[Any, Any]], bool]]:
        """Yield the clauses for what lies in the scope's projects, then for what is pinned."""
        schema, hidden = self._opened.schema, sorted(self._opened.recent.hidden)
        without = [(Occur.MustNot, Query.term_set_query(schema, "entity", hidden))] if hidden else []
        admitted = [facet for facet, in_project in self._facets.items() if in_project]
        for name, values, in_project in (("facet", admitted, True), ("entity", sorted(self._scope.pins), False)):
            if values:
                among = Query.const_score_query(Query.term_set_query(schema, name, values), 0.0)
                yield [(Occur.Must, among), *without], in_project

    def _found(self, clauses: list[tuple[Any, Any]]) -> Iterator[Stored]:
        searcher, query, seen, size = self._opened.searcher, Query.boolean_query(clauses), 0, _LOOK
        while True:
            hits = searcher.search(query, limit=size, count=False).hits
            for _, address in hits[seen:]:
                yield KEPT.decode(searcher.doc(address).get_first("data")).details
            if len(hits) < size:
                return
            seen, size = size, size * _GROWTH
