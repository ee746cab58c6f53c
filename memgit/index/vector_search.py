"""Nearest neighbours over the segments of the vector index: filter first, then rank, then cut.

Where few rows are admitted, all of them are compared. Where many are, their signs say which may be among the best
(`vector_signs`), and only these are: of the 64 best of 100,000 rows that loses about one of 200. Where a filter refuses
more than a few of them at the end, all rows are compared.

Scores of rows come from one `vecdot` a segment: it stays in one thread and took a third of the time that a
matrix product with two takes, a tenth on a busy machine. The few that can be among the best are computed
again in double precision, so that a score depends on the two vectors alone and not on where a row lies; equal texts
are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memgit.index.vector_segment import Segment
from memgit.index.vector_signs import asked, estimates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgit.index.embedders.embedder import Vectors

_SLACK = 1e-5
"""More than the error of a product of unit vectors in single precision: 1,024 roundings of 6e-8 at worst,
about 1e-6 as measured. What ranks lower by this much cannot be among the best."""

_DECIMALS = 7  # of a score; the last that double precision of single-precision vectors is sure of
_MARGIN = 4  # times the limit are ranked at first where `accepts` may refuse some, and then as many times more
_FEW = 0.1  # share of a group's documents; below, gathering the admitted rows is cheaper than multiplying all
_ALL = 16_384  # admitted documents that are all compared: 1 ms
_SAMPLED = 8  # one score of so many says where the best begin
_PROMISING, _PROMISING_EACH = 2_560, 40  # compared where there are more, at least, and for each that is asked for


@dataclass(frozen=True, slots=True)
class Admission:
    """What may be ranked at all. None admits any.

    `groups` judges the group of a document, and is asked once for each different one. `owners` are admitted alone.
    `besides` are admitted whatever their group. `accepts(owner, part, details)` is asked last, for what would be
    answered.
    """

    groups: Callable[[str], bool] | None = None
    owners: Collection[str] | None = None
    besides: Collection[str] = ()
    accepts: Callable[[str, str, bytes], bool] | None = None


@dataclass(frozen=True, slots=True)
class DenseHit:
    """A document near to the question: its cosine, and the bytes [start, end) of its text that are nearest.

    `details` came with its text.
    """

    owner: str
    part: str
    score: float
    start: int
    end: int
    details: bytes = b""


@dataclass(frozen=True, slots=True)
class LiveSegment:
    """A segment and which of its documents are dead, one flag each."""

    segment: Segment
    dead: NDArray[np.bool_]


def nearest(segments: Sequence[LiveSegment], query: Vectors, limit: int, where: Admission) -> tuple[DenseHit, ...]:
    """Return the `limit` best documents, each once with its best window; ties by owner, then part.

    Empty for a question without a vector.
    """
    if limit < 1 or not segments or not np.isfinite(query).all() or not query.any():
        return ()
    admitted = [_admitted(live, where) for live in segments]
    ranked = _Ranking([live.segment for live in segments], query)
    wanted = limit if where.accepts is None else limit + limit // _MARGIN
    promising = max(_PROMISING, _PROMISING_EACH * limit)
    if sum(np.count_nonzero(each) for each in admitted) > max(_ALL, promising):
        hits = list(_accepted(ranked.best(ranked.promising(admitted, promising), wanted), where, limit))
        if len(hits) >= limit:
            return tuple(hits)
    scores = ranked.scores(admitted)
    known = int(np.isfinite(scores).sum())
    while True:
        wanted = min(known, wanted)
        hits = list(_accepted(ranked.best(scores, wanted), where, limit))
        if len(hits) >= limit or wanted >= known:
            return tuple(hits)
        wanted *= _MARGIN


def _admitted(live: LiveSegment, where: Admission) -> NDArray[np.bool_]:
    """Return which documents with a vector are admitted, one flag each."""
    segment = live.segment
    admitted = segment.filled & ~live.dead
    if where.groups is not None:
        judged = np.array([where.groups(name) for name in segment.group_names], np.bool_)
        if not judged.all():
            in_group = judged[segment.groups]
            in_group[[number for owner in where.besides for number in segment.of_owner(owner)]] = True
            admitted &= in_group
    if where.owners is not None:
        named = np.zeros(len(admitted), np.bool_)
        named[[number for owner in where.owners for number in segment.of_owner(owner)]] = True
        admitted &= named
    return admitted


def _accepted(ranked: Iterator[DenseHit], where: Admission, limit: int) -> Iterator[DenseHit]:
    found = 0
    for hit in ranked:
        if where.accepts is None or where.accepts(hit.owner, hit.part, hit.details):
            yield hit
            found += 1
            if found == limit:
                return


_Products = Callable[[Segment, int, int], "Vectors"]
"""Gives the products of a question with the rows [first, end) of a segment, or about these."""


def _each(segment: Segment, admitted: NDArray[np.bool_], products: _Products, query: Vectors) -> Vectors:
    """Return the best product of each document of a segment, minus infinity for what is not admitted.

    The documents of a group lie together, so a question that sees one project of many multiplies little more than that.
    """
    result = np.full(len(admitted), -np.inf, np.float32)
    if not admitted.any():
        return result
    if segment.single and admitted.all():
        return products(segment, 0, len(admitted))
    shares = np.add.reduceat(admitted, segment.bounds[:-1], dtype=np.intp) / np.diff(segment.bounds)
    dense = shares >= _FEW
    edges = np.flatnonzero(np.diff(dense, prepend=False, append=False))
    for first, end in zip(segment.bounds[edges[::2]], segment.bounds[edges[1::2]], strict=True):
        filled = segment.filled[first:end]
        begin = int(segment.firsts[first])
        found = products(segment, begin, int(segment.firsts[end]))
        result[first:end][filled] = np.maximum.reduceat(found, segment.firsts[first:end][filled] - begin)
    few = np.flatnonzero(admitted & ~np.repeat(dense, np.diff(segment.bounds)))
    result[few] = _gathered(segment, few, query)
    result[~admitted] = -np.inf
    return result


def _gathered(segment: Segment, documents: NDArray[np.intp], query: NDArray[np.floating]) -> Vectors:
    """Return the best product of each of some documents that have a vector."""
    if segment.single or not len(documents):
        only: Vectors = np.vecdot(segment.vectors[documents], query)
        return only
    rows, begins = _rows(segment, documents)
    found: Vectors = np.maximum.reduceat(np.vecdot(segment.vectors[rows], query), begins)
    return found


def _rows(segment: Segment, documents: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows of some documents, one after the other, and where among these each document's begin."""
    counts = segment.firsts[documents + 1] - segment.firsts[documents]
    begins = np.cumsum(counts) - counts
    return np.arange(counts.sum()) + np.repeat(segment.firsts[documents] - begins, counts), begins


def _about(scores: Vectors, count: int) -> np.float32:
    """Return a score that about `count` reach, and not many fewer: that of a sample is found in a tenth of the time."""
    sample = scores[::_SAMPLED]
    wanted = count // _SAMPLED
    least: np.float32 = np.partition(sample, len(sample) - wanted)[len(sample) - wanted]
    if count // 2 <= np.count_nonzero(scores >= least) <= 2 * count:
        return least
    known: np.float32 = np.partition(scores, len(scores) - count)[len(scores) - count]
    return known


def _best_of(products: NDArray[np.float64], begins: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return which of all products is the best of each document, whose own begin at `begins`."""
    ends = (*begins[1:], len(products))
    return np.array([first + products[first:end].argmax() for first, end in zip(begins, ends, strict=True)], np.intp)


class _Ranking:
    """The documents of all segments under one numbering, ranked by scores that are computed exactly when needed."""

    def __init__(self, segments: Sequence[Segment], query: Vectors) -> None:
        self._segments = segments
        self._starts = np.cumsum([0, *(len(segment.filled) for segment in segments)])
        self._query = query
        self._exact = query.astype(np.float64)

    def scores(self, admitted: Sequence[NDArray[np.bool_]]) -> Vectors:
        """Return the score of each document, minus infinity for what is not admitted."""
        return self._of(admitted, lambda segment, first, end: np.vecdot(segment.vectors[first:end], self._query))

    def promising(self, admitted: Sequence[NDArray[np.bool_]], count: int) -> Vectors:
        """Return the scores of about `count` documents that are likely the best, minus infinity for all others."""
        question = asked(self._query)
        about = self._of(admitted, lambda segment, first, end: estimates(segment.signs, question, first, end))
        least = _about(about, count)
        result = np.full(len(about), -np.inf, np.float32)
        for segment, start in zip(self._segments, self._starts, strict=False):
            found = np.flatnonzero(about[start : start + len(segment.filled)] >= least)
            result[start + found] = _gathered(segment, found, self._query)
        return result

    def best(self, scores: Vectors, wanted: int) -> Iterator[DenseHit]:
        """Yield the documents that are surely among the best, exactly ordered; about `wanted` of them."""
        if wanted < 1:
            return iter(())
        finite = scores[np.isfinite(scores)]  # partitioning is slow where most are equal
        threshold = float(np.partition(finite, len(finite) - wanted)[len(finite) - wanted])
        hits: list[DenseHit] = []
        for segment, start in zip(self._segments, self._starts, strict=False):
            near = np.flatnonzero(scores[start : start + len(segment.filled)] >= threshold - _SLACK)
            hits += self._hits(segment, near)
        hits.sort(key=lambda hit: (-hit.score, hit.owner, hit.part))
        return (hit for hit in hits if hit.score >= threshold - _SLACK / 2)

    def _of(self, admitted: Sequence[NDArray[np.bool_]], products: _Products) -> Vectors:
        pairs = zip(self._segments, admitted, strict=True)
        return np.concatenate([_each(segment, flags, products, self._query) for segment, flags in pairs])

    def _hits(self, segment: Segment, documents: NDArray[np.intp]) -> Iterator[DenseHit]:
        """Yield some documents of a segment with their exact scores."""
        if not len(documents):
            return
        rows, begins = _rows(segment, documents)
        products = (segment.vectors[rows].astype(np.float64) * self._exact).sum(axis=1)
        best = begins if segment.single else _best_of(products, begins)
        found = zip(documents.tolist(), products[best].tolist(), segment.spans[rows[best]].tolist(), strict=True)
        for document, score, (start, end) in found:
            yield DenseHit(*segment.key(document), round(score, _DECIMALS), start, end, segment.details(document))
