"""Postings of a Whoosh segment, read a block at a time.

Whoosh's matchers give one posting a call, through several layers of Python. Its blocks hold them as whole sequences;
taking those costs a tenth. Where a release of Whoosh keeps its blocks otherwise, the slow way gives the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

BLOCK = 1024
"""Postings of a block when an index is written. Whoosh's own 128 suit readers that skip; here whole lists are read, and
each block costs a decompression and an unpickling."""

Postings = dict[int, float]


def postings_of(leaf: Any, field: str, term: str) -> Postings:
    """Return the living documents of a segment that hold a term, with its weight in each."""
    found: Postings = {}
    if (field, term) in leaf:
        matcher, deleted = _unfiltered(leaf.postings(field, term))
        for numbers, weights in _blocks(matcher):
            found.update(zip(numbers, weights, strict=False))
        for number in deleted if len(deleted) < len(found) else deleted.intersection(found):
            found.pop(number, None)
    return found


def living_numbers(leaf: Any, field: str, term: str) -> Iterator[int]:
    """Yield the living documents of a segment that hold a term, a block at a time: for whom the first may be enough."""
    if (field, term) in leaf:
        matcher, deleted = _unfiltered(leaf.postings(field, term))
        for numbers, _ in _blocks(matcher):
            yield from (number for number in numbers if number not in deleted)


def numbers_of(leaf: Any, field: str, term: str) -> list[int]:
    """Return the living documents of a segment that hold a term, in order."""
    return list(postings_of(leaf, field, term))


def _unfiltered(matcher: Any) -> tuple[Any, frozenset[int]]:
    """Return the matcher of all documents, and those among them that it left out because they are deleted."""
    inner = getattr(matcher, "child", None)
    deleted = getattr(matcher, "_ids", None)
    if inner is not None and isinstance(deleted, frozenset) and getattr(matcher, "_exclude", False):
        return inner, deleted
    return matcher, frozenset()


def _blocks(matcher: Any) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
    if not all(hasattr(matcher, name) for name in ("_read_ids", "_read_weights", "_next_block")):
        yield from _one_by_one(matcher)
        return
    while matcher.is_active():
        matcher._read_ids()
        matcher._read_weights()
        yield matcher._ids, matcher._weights
        matcher._next_block()


def _one_by_one(matcher: Any) -> Iterator[tuple[Sequence[int], Sequence[float]]]:
    while matcher.is_active():
        yield (matcher.id(),), (matcher.weight(),)
        matcher.next()
