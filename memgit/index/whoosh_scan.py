"""Reading a Whoosh index: term at a time, into a dictionary of documents, without Whoosh's matchers and scoring.

A query of six words over 100,000 claims took 146 ms as a Whoosh OR query (Python 3.11). Here whole posting lists become
dictionaries, what only meets common words is not ranked unless it must be, and filters are asked only about documents
that are next in rank.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from memgit.index.documents import DocumentKind
from memgit.index.entries import FIELD_BOOSTS, KINDS, bonus, judge_facet, rarity, stored
from memgit.index.lexical import Hit, IndexFilter, Order, QueryTerm, TermMatch, choose, term_forms
from memgit.index.whoosh_postings import Postings, numbers_of, postings_of
from memgit.index.whoosh_schema import LANGUAGE, WATERMARK, WORD, field_of

_Form = tuple[str, str, float]  # a field, a term, and what a match counts


@dataclass(slots=True)
class _Scanned:
    """What a segment holds for one query term: each field and form that it has, with its factor and its postings."""

    term: QueryTerm
    forms: list[tuple[str, str, float, Postings]]

    def best(self, number: int) -> tuple[str, float] | None:
        """Return the field in which a document meets the term best, with its weight, or None."""
        found = [(field, postings[number] * factor) for field, _, factor, postings in self.forms if number in postings]
        return max(found, key=itemgetter(1), default=None)

    def weights(self) -> Postings:
        """Return the best weight of each document over all fields and forms in which it meets the term."""
        best: Postings = {}
        for _, _, factor, postings in self.forms:
            scaled = postings if factor == 1 else {number: weight * factor for number, weight in postings.items()}
            if not best:
                best = scaled
            elif scaled:
                both = best.keys() & scaled.keys()
                best = {**best, **scaled, **{number: max(best[number], scaled[number]) for number in both}}
        return best


def scan(
    reader: Any,
    languages: tuple[str, ...],
    terms: tuple[QueryTerm, ...],
    where: IndexFilter,
    limit: int,
    order: Order,
) -> tuple[Hit, ...]:
    """Return up to `limit` hits of each kind in `where`, by `order`.

    Both kinds are read whatever the filter admits: what is rare must not depend on who asks.
    """
    asked = [(term, term_forms(term, languages)) for term in terms]
    segments = {
        kind: [_Segment(leaf, kind, where, asked) for leaf, _ in reader.leaf_readers()] for kind in sorted(KINDS)
    }
    rarities = _rarities(reader, languages, terms, [segment for of_kind in segments.values() for segment in of_kind])
    hits: list[Hit] = []
    for kind, of_kind in segments.items():
        if kind in where.kinds:
            ranked = [segment.ranked(rarities, order, limit) for segment in of_kind]
            hits += choose(heapq.merge(*ranked, key=lambda pair: -pair[0]), limit)
    return tuple(hits)


def observed(reader: Any) -> tuple[Any, ...] | None:
    """Return the stored data of the watermark entry, or None where there is none."""
    for leaf, _ in reader.leaf_readers():
        for number in numbers_of(leaf, "own", WATERMARK):
            data: tuple[Any, ...] = leaf.stored_fields(number)["data"]
            return data
    return None


def languages(reader: Any) -> tuple[str, ...]:
    """Return the languages of the index's texts."""
    found = (bytes(term).decode().removeprefix(LANGUAGE) for term in reader.expand_prefix("own", LANGUAGE))
    return tuple(sorted(set(found)))


def _rarities(
    reader: Any, languages: tuple[str, ...], terms: tuple[QueryTerm, ...], segments: list[_Segment]
) -> list[float]:
    """Return the rarity of each term among the living documents: of its most frequent form."""
    own = [leaf.doc_frequency("own", WORD) if ("own", WORD) in leaf else 0 for leaf, _ in reader.leaf_readers()]
    total = reader.doc_count() - sum(own) - len(languages) - 1  # the watermark is the last of the index's own entries
    rarities: list[float] = []
    for position in range(len(terms)):
        counts: dict[tuple[str, str], int] = {}
        for segment in segments:
            for field, form, _, postings in segment.scanned[position].forms:
                counts[field, form] = counts.get((field, form), 0) + len(postings)
        frequency = max(counts.values(), default=0)
        rarities.append(rarity(total, frequency))
    return rarities


class _Segment:
    """One segment of the index during one query, for one kind of documents; `scanned` runs beside the query's terms."""

    def __init__(
        self, leaf: Any, kind: DocumentKind, where: IndexFilter, asked: list[tuple[QueryTerm, list[_Form]]]
    ) -> None:
        self._leaf = leaf
        self._kind = kind
        self._where = where
        self._pinned = {number for pin in where.scope.pins for number in numbers_of(leaf, "entity", pin)}
        self._facets: dict[bytes, tuple[bool, bool]] = {}
        self._rarities: list[float] = []
        self.scanned = [self._scan(term, forms) for term, forms in asked]

    def ranked(self, rarities: list[float], order: Order, limit: int) -> Iterator[tuple[float, Hit]]:
        """Yield the admissible hits with their ranks, best first.

        What meets only the commonest terms is looked at when nothing better is left, which is seldom: most of a query's
        postings are theirs. (After H. Turtle and J. Flood, "Query Evaluation: Strategies and Optimizations", 1995.)
        """
        self._rarities = rarities
        ranks, later, bound = self._essential(order, limit)
        heap = [(-rank, number) for number, rank in ranks.items()]
        heapq.heapify(heap)
        column: Any = self._leaf.column_reader("facet", translate=False) if heap or later else ()
        while heap or later:
            if later and (not heap or -heap[0][0] <= bound):
                heap += [(-rank, number) for number, rank in _accumulate(later).items() if number not in ranks]
                heapq.heapify(heap)
                later = []
                continue
            rank, number = heapq.heappop(heap)
            if self._admits(column[number], number) and (hit := self._hit(number)):
                yield -rank, hit

    def _scan(self, term: QueryTerm, forms: list[_Form]) -> _Scanned:
        found = [
            (field, form, FIELD_BOOSTS[field] * factor, postings_of(self._leaf, field_of(self._kind, field), form))
            for field, form, factor in forms
        ]
        return _Scanned(term, [each for each in found if each[3]])

    def _essential(self, order: Order, limit: int) -> tuple[dict[int, float], list[_Term], float]:
        """Return the ranks of the documents that meet a rarer term, the commonest terms, and the most that these give.

        The commonest are left out as soon as enough documents are better than one that meets them all.
        """
        terms = self._terms(order)
        bounds = list(itertools.accumulate((term.most for term in reversed(terms)), initial=0.0))[::-1]
        ranks: dict[int, float] = {}
        for position, term in enumerate(terms):
            bound = bounds[position]
            if len(ranks) >= limit and sum(rank > bound for rank in ranks.values()) >= limit:
                later = terms[position:]
                for common in later:
                    _add_to_known(ranks, common)
                return ranks, later, bound
            _add(ranks, term)
        return ranks, [], 0.0

    def _terms(self, order: Order) -> list[_Term]:
        """Return what each term gives to a rank, rarest first."""
        found: list[_Term] = []
        for scanned, rare in zip(self.scanned, self._rarities, strict=True):
            extra = bonus(scanned.term, order)
            if weights := scanned.weights():
                found.append(_Term(weights, rare, extra, max(weights.values()) * rare + extra))
        return sorted(found, key=lambda term: len(term.weights))

    def _admits(self, facet: bytes, number: int) -> bool:
        """Tell whether a document's facet passes the filter; a pinned entity needs no scope."""
        if facet not in self._facets:
            self._facets[facet] = judge_facet(facet.decode(), self._where)
        lifecycle, scope = self._facets[facet]
        return lifecycle and (scope or number in self._pinned)

    def _hit(self, number: int) -> Hit | None:
        document = stored(self._leaf.stored_fields(number)["data"])
        if not self._where.admits_details(document):
            return None
        matches = tuple(
            TermMatch(scanned.term.name, best[0], best[1] * rare)
            for scanned, rare in zip(self.scanned, self._rarities, strict=True)
            if (best := scanned.best(number))
        )
        return Hit(document, sum(match.weight for match in matches), matches)


@dataclass(frozen=True, slots=True)
class _Term:
    """What a query term gives to the rank of a document: its weight times the rarity, and the bonus; `most` at most."""

    weights: Postings
    rarity: float
    bonus: float
    most: float


def _accumulate(terms: list[_Term]) -> dict[int, float]:
    ranks: dict[int, float] = {}
    for term in terms:
        _add(ranks, term)
    return ranks


def _add(ranks: dict[int, float], term: _Term) -> None:
    rarity, bonus = term.rarity, term.bonus
    if not ranks:
        ranks.update({number: weight * rarity + bonus for number, weight in term.weights.items()})
        return
    for number, weight in term.weights.items():
        ranks[number] = ranks.get(number, 0.0) + weight * rarity + bonus


def _add_to_known(ranks: dict[int, float], term: _Term) -> None:
    """Add what a term gives to the documents that have a rank."""
    for number in ranks.keys() & term.weights.keys():
        ranks[number] += term.weights[number] * term.rarity + term.bonus
