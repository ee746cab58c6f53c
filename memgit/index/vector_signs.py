"""A first look at vectors: the sign of each number, from which a cosine is estimated at a fraction of the reading.

A scan of all vectors is bound by memory: 100,000 rows of 256 numbers are 100 MB, their signs 3 MB. A row is taken as
its segment's centre plus or minus one length in each dimension, which is the nearest such row; the question keeps two
bits of each number. (After J. Gao and C. Long, "RaBitQ", 2024.) It only says which rows are worth an exact look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgit.index.embedders.embedder import Vectors

_WORD = 64  # bits that are counted at once
_LEVELS = 3  # of a question's numbers: two bits
_LARGEST = 0.97  # of them in order of size; the few above count as this one


class Signs(NamedTuple):
    """The signs of rows about their centre.

    `center` (dimensions,); `bits` (words, rows), of each row 64 dimensions a word; `lengths` (rows,), how far from the
    centre a row is in each dimension.
    """

    center: Vectors
    bits: NDArray[np.uint64]
    lengths: Vectors


def signs_of(vectors: Vectors) -> Signs:
    """Return the signs of rows; of no rows, none."""
    rows, dimensions = vectors.shape
    center = vectors.mean(axis=0) if rows else np.zeros(dimensions, np.float32)
    around = vectors - center
    sums = np.abs(around).sum(axis=1)
    lengths = np.divide(np.vecdot(around, around), sums, out=np.zeros(rows, np.float32), where=sums > 0)
    return Signs(center.astype(np.float32), np.ascontiguousarray(_words(around > 0).T), lengths)


class Asked(NamedTuple):
    """A question as signs are compared with it. `planes` (2, words) are the bits of its numbers' sizes in `step`s."""

    query: Vectors
    opposite: NDArray[np.uint64]
    planes: NDArray[np.uint64]
    step: np.float32
    levels: np.float32


def asked(query: Vectors) -> Asked:
    """Return what to compare with for a question that has a vector."""
    sizes = np.abs(query)
    step = np.float32(np.sort(sizes)[int(_LARGEST * len(sizes))] or sizes.max()) / np.float32(_LEVELS)
    levels = np.minimum(np.rint(sizes / step), _LEVELS).astype(np.uint8)
    planes = _words(np.array([levels & 1, levels & 2], np.bool_))
    return Asked(query, ~_words((query > 0)[None])[0], planes, step, np.float32(levels.sum(dtype=np.int64)))


def estimates(signs: Signs, asked: Asked, first: int, end: int) -> Vectors:
    """Return about the products of the rows [first, end) with a question."""
    same = signs.bits[:, first:end] ^ asked.opposite[:, None]
    ones, twos = (np.bitwise_count(same & plane[:, None]).sum(axis=0, dtype=np.uint16) for plane in asked.planes)
    found: Vectors = (ones + 2 * twos).astype(np.float32)
    found *= 2  # what agrees, less what does not
    found -= asked.levels
    found *= signs.lengths[first:end]
    found *= asked.step
    found += signs.center @ asked.query
    return found


def _words(flags: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return rows of flags as rows of words; what a last word has too many is not set."""
    packed = np.zeros((len(flags), -(-flags.shape[1] // _WORD) * (_WORD // 8)), np.uint8)
    packed[:, : -(-flags.shape[1] // 8)] = np.packbits(flags, axis=1)
    return packed.view(np.uint64)
