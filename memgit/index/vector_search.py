"""Exact nearest neighbours over the segments of the vector index: filter first, then rank, then cut.

Scores of all admitted rows come from one `vecdot` a segment: it stays in one thread and took a third of the time that a
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

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgit.index.embedders.embedder import Vectors

_SLACK = 1e-5
"""More than the error of a product of unit vectors in single precision: 1,024 roundings of 6e-8 at worst,
about 1e-6 as measured. What ranks lower by this much cannot be among the best."""

_DECIMALS = 7  # of a score; the last that double precision of single-precision vectors is sure of
_MARGIN = 4  # times the limit are ranked at first where `accepts` may refuse some, and then as many times more
_FEW = 0.1  # share of a group's documents; below, gathering the admitted rows is cheaper than multiplying all


@dataclass(frozen=True, slots=True)
class Admission:
    """What may be ranked at all. None admits any.

    `groups` judges the group of a document, and is asked once for each different one. `owners` are admitted alone.
    `besides` are admitted whatever their group. `accepts(owner, part)` is asked last, for what would be answered.
    """

    groups: Callable[[str], bool] | None = None
    owners: Collection[str] | None = None
    besides: Collection[str] = ()
    accepts: Callable[[str, str], bool] | None = None


@dataclass(frozen=True, slots=True)
class DenseHit:
    """A document near to the question: its cosine, and the bytes [start, end) of its text that are nearest."""

    owner: str
    part: str
    score: float
    start: int
    end: int


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
    scored = [_scores(live, query, where) for live in segments]
    starts = np.cumsum([0, *(len(scores) for scores in scored)])
    scores = np.concatenate(scored)
    ranked = _Ranking(segments, starts, query.astype(np.float64))
    admitted = int(np.isfinite(scores).sum())
    wanted = min(admitted, limit if where.accepts is None else limit + limit // _MARGIN)
    while True:
        hits = list(_accepted(ranked.best(scores, wanted), where, limit))
        if len(hits) >= limit or wanted >= admitted:
            return tuple(hits)
        wanted = min(admitted, wanted * _MARGIN)


def _scores(live: LiveSegment, query: Vectors, where: Admission) -> Vectors:
    """Return the score of each document of a segment, minus infinity for what is not admitted or has no vector.

    The documents of a group lie together, so a question that sees one project of many multiplies little more than that.
    """
    segment = live.segment
    admitted = _admitted(live, where) & segment.filled
    result = np.full(len(admitted), -np.inf, np.float32)
    shares = np.add.reduceat(admitted, segment.bounds[:-1], dtype=np.intp) / np.diff(segment.bounds)
    dense = shares >= _FEW
    edges = np.flatnonzero(np.diff(dense, prepend=False, append=False))
    for first, end in zip(segment.bounds[edges[::2]], segment.bounds[edges[1::2]], strict=True):
        firsts = segment.firsts[first:end][segment.filled[first:end]]
        begin = int(segment.firsts[first])
        products = np.vecdot(segment.vectors[begin : int(segment.firsts[end])], query)
        result[first:end][segment.filled[first:end]] = np.maximum.reduceat(products, firsts - begin)
    few = np.flatnonzero(admitted & ~np.repeat(dense, np.diff(segment.bounds)))
    if len(few):
        counts = segment.firsts[few + 1] - segment.firsts[few]
        begins = np.cumsum(counts) - counts
        rows = np.arange(counts.sum()) + np.repeat(segment.firsts[few] - begins, counts)
        result[few] = np.maximum.reduceat(np.vecdot(segment.vectors[rows], query), begins)
    result[~admitted] = -np.inf
    return result


def _admitted(live: LiveSegment, where: Admission) -> NDArray[np.bool_]:
    segment = live.segment
    admitted = ~live.dead
    if where.groups is not None:
        judged = np.array([where.groups(name) for name in segment.group_names], np.bool_)
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
        if where.accepts is None or where.accepts(hit.owner, hit.part):
            yield hit
            found += 1
            if found == limit:
                return


class _Ranking:
    """The documents of all segments under one numbering, ranked by scores that are computed exactly when needed."""

    def __init__(self, segments: Sequence[LiveSegment], starts: NDArray[np.intp], query: NDArray[np.float64]) -> None:
        self._segments = segments
        self._starts = starts
        self._query = query

    def best(self, scores: Vectors, wanted: int) -> Iterator[DenseHit]:
        """Yield the documents that are surely among the best, exactly ordered; about `wanted` of them."""
        if wanted < 1:
            return iter(())
        finite = scores[np.isfinite(scores)]  # partitioning is slow where most are equal
        threshold = float(np.partition(finite, len(finite) - wanted)[len(finite) - wanted])
        near = np.flatnonzero(scores >= threshold - _SLACK)
        hits = sorted((self._hit(int(number)) for number in near), key=lambda hit: (-hit.score, hit.owner, hit.part))
        return (hit for hit in hits if hit.score >= threshold - _SLACK / 2)

    def _hit(self, number: int) -> DenseHit:
        place = int(np.searchsorted(self._starts, number, "right")) - 1
        segment, document = self._segments[place].segment, number - int(self._starts[place])
        first, end = int(segment.firsts[document]), int(segment.firsts[document + 1])
        products = (segment.vectors[first:end].astype(np.float64) * self._query).sum(axis=1)
        best = int(products.argmax())
        owner, part = segment.key(document)
        start, stop = segment.spans[first + best]
        return DenseHit(owner, part, round(float(products[best]), _DECIMALS), int(start), int(stop))
