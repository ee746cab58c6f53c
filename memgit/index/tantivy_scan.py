"""Asking a tantivy index: documents in the order of a bound from above, then of their exact rank.

tantivy gives documents by what they can weigh at most; each gets its exact rank from what is stored of it, and is
answered with as soon as no other can still be better. So the answer is the one that the Whoosh index gives, whatever
the steps of the scale.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tantivy import Occur, Query

from memgit.index.documents import DocumentKind
from memgit.index.entries import FIELD_BOOSTS, KINDS, bonus, judge_facet, rarity
from memgit.index.lexical import Hit, IndexFilter, Order, QueryTerm, TermMatch, choose, term_forms
from memgit.index.tantivy_recent import Recent, RecentDocument
from memgit.index.tantivy_schema import KEPT, LANGUAGE, WORD, Kept, field_of, terms_of

_ENOUGH = 4  # times the documents of a first look; a term in more is not needed to find the best
_GROWTH = 8  # the next look takes so many times as many documents
_SLACK = 1e-6  # of a bound: tantivy adds up in 32 bits


_FIELDS_OF = {field: tuple(field_of(kind, field) for kind in KINDS) for field in FIELD_BOOSTS}


@dataclass(frozen=True, slots=True)
class Opened:
    """One moment of an index: a searcher, its schema, and what was written since. All of it is of one watermark."""

    searcher: Any
    schema: Any
    recent: Recent
    languages: tuple[str, ...]
    facets: tuple[str, ...]
    living: int


class _Form(NamedTuple):
    """A form of a term, and what meeting it counts. `committed` and `counts`: how many documents of each of KINDS have
    it, without the recent ones and with them."""

    field: str
    form: str
    factor: float
    committed: list[int]
    counts: list[int]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query term: its forms, how rare it is, and what meeting it adds to a rank beside its weight."""

    term: QueryTerm
    forms: tuple[_Form, ...]
    rarity: float
    bonus: float


@dataclass(frozen=True, slots=True)
class _Bounded:
    """The query of a term, in how many committed documents it stands, and the most that it gives to a rank."""

    query: Any
    frequency: int
    most: float


def languages_in(searcher: Any) -> tuple[str, ...]:
    """Return the languages of the index's texts."""
    return tuple(sorted(name.removeprefix(LANGUAGE) for name, _ in searcher.terms_with_prefix("own", LANGUAGE)))


def living_documents(searcher: Any, languages: tuple[str, ...]) -> int:
    """Return how many documents there are beside the index's own entries: its words, languages and watermark."""
    own: int = searcher.doc_freq("own", WORD) + len(languages) + 1
    return int(searcher.num_docs) - own


def scan(opened: Opened, terms: tuple[QueryTerm, ...], where: IndexFilter, limit: int, order: Order) -> tuple[Hit, ...]:
    """Return up to `limit` hits of each kind in `where`, by `order`."""
    if not terms or limit <= 0:
        return ()
    asked = [_asked(opened, term, order) for term in terms]
    judged = {facet: judge_facet(facet, where) for facet in opened.facets}
    hits: list[Hit] = []
    for kind in KINDS:
        if kind in where.kinds:
            look = _Look(opened, kind, where, asked)
            ranked = heapq.merge(look.recent(), look.committed(judged, limit), key=lambda pair: -pair[0])
            hits += choose(ranked, limit)
    return tuple(hits)


def _asked(opened: Opened, term: QueryTerm, order: Order) -> _Asked:
    """Return a term with its rarity: that of its most frequent form, in documents of any kind."""
    forms = term_forms(term, opened.languages)
    total = opened.living + len(opened.recent.documents)
    found, most = [], 0
    frequency = opened.searcher.doc_freq
    for field, form, factor in forms:
        committed = [frequency(name, form) for name in _FIELDS_OF[field]]
        counts = committed
        if opened.recent.documents:
            counts = [n + _recently(opened, kind, field, form) for n, kind in zip(committed, KINDS, strict=True)]
        if any(counts):
            found.append(_Form(field, form, FIELD_BOOSTS[field] * factor, committed, counts))
            most = max(most, sum(counts))
    return _Asked(term, tuple(found), rarity(total, most), bonus(term, order))


def _of_kind(kind: DocumentKind, asked: _Asked) -> _Asked:
    """Return a term with those of its forms that documents of a kind have."""
    return replace(asked, forms=tuple(form for form in asked.forms if form.counts[KINDS.index(kind)]))


def _recently(opened: Opened, kind: DocumentKind, field: str, form: str) -> int:
    documents = (document.kept for document in opened.recent.documents)
    return len([1 for kept in documents if kept.details.kind == kind and kept.weight(field, form)])


class _Look:
    """One kind of documents during one query."""

    def __init__(self, opened: Opened, kind: DocumentKind, where: IndexFilter, asked: list[_Asked]) -> None:
        self._opened = opened
        self._kind = kind
        self._where = where
        self._asked = [_of_kind(kind, each) for each in asked]

    def recent(self) -> list[tuple[float, Hit]]:
        """Return the admissible hits among the recent documents with their ranks, best first."""
        found = []
        for document in self._opened.recent.documents:
            if document.kept.details.kind == self._kind and self._sees(document):
                ranked = self._ranked(document.kept)
                if ranked is not None:
                    found.append(ranked)
        return sorted(found, key=lambda pair: -pair[0])

    def committed(self, judged: dict[str, tuple[bool, bool]], limit: int) -> Iterator[tuple[float, Hit]]:
        """Yield the admissible hits of the committed documents with their ranks, best first."""
        waiting: list[tuple[float, int, Hit]] = []
        count = itertools.count()
        for bound, kept in self._by_bound(judged, 2 * limit):
            while waiting and -waiting[0][0] > bound * (1 + _SLACK):
                rank, _, hit = heapq.heappop(waiting)
                yield -rank, hit
            ranked = self._ranked(kept)
            if ranked is not None:
                heapq.heappush(waiting, (-ranked[0], next(count), ranked[1]))
        while waiting:
            rank, _, hit = heapq.heappop(waiting)
            yield -rank, hit

    def _by_bound(self, judged: dict[str, tuple[bool, bool]], size: int) -> Iterator[tuple[float, Kept]]:
        """Yield the documents that meet a term with the most that each can rank at, best first.

        What meets only the commonest terms is asked for when nothing better is left, which is seldom: most of a query's
        postings are theirs. (After H. Turtle and J. Flood, "Query Evaluation: Strategies and Optimizations", 1995.)
        """
        admitted = self._filter(judged)
        terms = [found for asked in self._asked if (found := self._term(asked))]
        bounded = sorted(terms, key=lambda term: term.frequency)
        if admitted is None or not bounded:
            return
        needed = next((i for i in range(1, len(bounded)) if bounded[i - 1].frequency >= _ENOUGH * size), len(bounded))
        rare, common = bounded[:needed], bounded[needed:]
        most = sum(term.most for term in common)
        beside = [(Occur.Should, term.query) for term in common]
        first = self._search([(Occur.Must, _any(rare)), *beside, *admitted], size)
        if not common:
            yield from first
            return
        for bound, kept in first:
            if bound <= most:
                first = itertools.chain(((bound, kept),), first)
                break
            yield bound, kept
        else:
            first = iter(())
        rest = self._search([(Occur.Must, _any(common)), (Occur.MustNot, _any(rare)), *admitted], size)
        yield from heapq.merge(first, rest, key=lambda pair: -pair[0])

    def _search(self, clauses: list[tuple[Any, Any]], size: int) -> Iterator[tuple[float, Kept]]:
        searcher, query, seen = self._opened.searcher, Query.boolean_query(clauses), 0
        while True:
            hits = searcher.search(query, limit=size, count=False).hits
            for bound, address in hits[seen:]:
                yield bound, KEPT.decode(searcher.doc(address).get_first("data"))
            if len(hits) < size:
                return
            seen, size = size, size * _GROWTH

    def _term(self, asked: _Asked) -> _Bounded | None:
        """Return the query of one term: the best of its forms, each at the most that its step can weigh."""
        schema, searcher = self._opened.schema, self._opened.searcher
        found, frequency, highest = [], 0, 0.0
        for form in asked.forms:
            name = field_of(self._kind, form.field)
            count = form.committed[KINDS.index(self._kind)]
            frequency += count
            for term, most in terms_of(form.field, form.form) if count else ():
                if searcher.doc_freq(name, term):
                    score = most * form.factor * asked.rarity + asked.bonus
                    highest = max(highest, score)
                    query = Query.term_query(schema, name, term, "basic")
                    found.append(Query.const_score_query(query, score))
        return _Bounded(Query.disjunction_max_query(found), frequency, highest) if found else None

    def _filter(self, judged: dict[str, tuple[bool, bool]]) -> list[tuple[Any, Any]] | None:
        """Return the clauses that admit what the filter admits, or None where that is nothing."""
        schema = self._opened.schema
        seen = [facet for facet, (lifecycle, scope) in judged.items() if lifecycle and scope]
        clauses = [(Occur.Should, Query.term_set_query(schema, "facet", seen))] if seen else []
        pinned = [facet for facet, (lifecycle, scope) in judged.items() if lifecycle and not scope]
        if pinned and (pins := self._where.scope.pins):
            both = [("facet", pinned), ("entity", sorted(pins))]
            must = [(Occur.Must, Query.term_set_query(schema, name, values)) for name, values in both]
            clauses.append((Occur.Should, Query.boolean_query(must)))
        if not clauses:
            return None
        admitted = [(Occur.Must, Query.const_score_query(Query.boolean_query(clauses), 0.0))]
        if hidden := self._opened.recent.hidden:
            admitted.append((Occur.MustNot, Query.term_set_query(schema, "entity", sorted(hidden))))
        return admitted

    def _sees(self, document: RecentDocument) -> bool:
        lifecycle, scope = judge_facet(document.facet, self._where)
        return lifecycle and (scope or document.entity in self._where.scope.pins)

    def _ranked(self, kept: Kept) -> tuple[float, Hit] | None:
        """Return the exact rank of a document with its hit, or None where the finer conditions do not admit it."""
        document = kept.details
        if not self._where.admits_details(document):
            return None
        matches: list[TermMatch] = []
        rank = score = 0.0
        for asked in self._asked:
            best, field = 0.0, ""
            for name, form, factor, *_ in asked.forms:
                weight = kept.weight(name, form)
                if weight and weight * factor > best:
                    best, field = weight * factor, name
            if field:
                best *= asked.rarity
                matches.append(TermMatch(asked.term.name, field, best))
                score += best
                rank += best + asked.bonus
        return (rank, Hit(document, score, tuple(matches))) if matches else None


def _any(terms: list[_Bounded]) -> Any:
    return Query.boolean_query([(Occur.Should, term.query) for term in terms])
