"""The first look at vectors: what signs say of a product, and that a search over many rows loses next to nothing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import memgit.index.vector_search as searching
from memgit.index.embedders.embedder import Identity, Span
from memgit.index.vector_search import Admission, LiveSegment, nearest
from memgit.index.vector_segment import Embedding, Segment, write_segment
from memgit.index.vector_signs import asked, estimates, signs_of

if TYPE_CHECKING:
    from memgit.index.embedders.embedder import Vectors

ROWS, BEST = 6_000, 64


def unit(rows: Vectors) -> Vectors:
    """Return rows at length 1."""
    found: Vectors = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return found


def texts(dimensions: int, rows: int = ROWS) -> Vectors:
    """Return rows as embedders give them: sums of a few of many directions, with a direction that all share."""
    random = np.random.default_rng(3)
    words = random.standard_normal((500, dimensions))
    chosen = random.integers(0, 500, (rows, 8))
    return unit(words[chosen].sum(axis=1) + 2 * words[0])


def segment(directory: Path, rows: Vectors) -> LiveSegment:
    """Return a segment with a document for each row, of two projects in turn."""
    identity = Identity("test", "1", "0" * 64, rows.shape[1])
    documents = [
        Embedding(f"clm_{number:05}", "", "ab"[number % 2], bytes(16), row[None], [Span(0, 1)], str(number).encode())
        for number, row in enumerate(rows)
    ]
    made = Segment(directory, write_segment(directory, identity, documents), identity)
    return LiveSegment(made, np.zeros(len(rows), np.bool_))


@pytest.mark.parametrize("dimensions", [8, 100, 256, 384])
def test_an_estimate_is_near_the_product(dimensions: int) -> None:
    """Whatever the number of dimensions, estimates go with the products, of any part of the rows."""
    rows = texts(dimensions)
    query = unit(rows[7] + rows[9])
    about = estimates(signs_of(rows), asked(query), 100, 5_000)
    assert np.corrcoef(about, rows[100:5_000] @ query)[0, 1] > (0.5 if dimensions == 8 else 0.7)


def test_rows_without_anything_have_signs() -> None:
    """No rows, equal rows, and rows of zeros are no error, and give numbers."""
    query = unit(np.arange(1, 17, dtype=np.float32))
    assert len(estimates(signs_of(np.zeros((0, 16), np.float32)), asked(query), 0, 0)) == 0
    for rows in (np.zeros((3, 16), np.float32), np.ones((3, 16), np.float32)):
        assert np.allclose(estimates(signs_of(rows), asked(query), 0, 3), rows @ query, atol=1e-4)


def test_of_many_rows_hardly_any_of_the_best_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over three segments, with a look at a fifth of the rows, 99 of 100 of the best are found, as they would be."""
    rows = texts(256)
    live = [segment(tmp_path, part) for part in np.array_split(rows, 3)]
    monkeypatch.setattr(searching, "_PROMISING", 1_200)
    monkeypatch.setattr(searching, "_PROMISING_EACH", 1)
    found = total = 0
    for number in range(0, ROWS, 300):
        query = unit(rows[number] + rows[number + 1])
        monkeypatch.setattr(searching, "_ALL", ROWS)
        exact = nearest(live, query, BEST, Admission())
        monkeypatch.setattr(searching, "_ALL", 0)
        found += len(set(exact) & set(nearest(live, query, BEST, Admission())))
        total += len(exact)
    assert total == 20 * BEST
    assert found >= 0.99 * total


def test_what_is_refused_takes_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project alone, or conditions that refuse whatever looks best, leave as many answers as there are."""
    rows = texts(64)
    live = [segment(tmp_path, rows)]
    query = unit(rows[7] + rows[9])
    monkeypatch.setattr(searching, "_ALL", 0)
    monkeypatch.setattr(searching, "_PROMISING", 64)
    monkeypatch.setattr(searching, "_PROMISING_EACH", 1)
    project = nearest(live, query, 10, Admission(groups=lambda group: group == "b"))
    assert len(project) == 10
    assert all(int(hit.owner.removeprefix("clm_")) % 2 for hit in project)
    least = {str(number).encode() for number in np.argsort(rows @ query)[:20]}
    where = Admission(accepts=lambda owner, part, details: details in least)
    found = nearest(live, query, 10, where)
    monkeypatch.setattr(searching, "_ALL", ROWS)
    assert found == nearest(live, query, 10, where)
    assert len(found) == 10
