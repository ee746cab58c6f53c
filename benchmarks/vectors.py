"""The vector index on its own: building, opening, searching, one change; and what each installed embedder costs.

Vectors of the index part are random, so only the index is measured. Cold means that the files were put out of the page
cache first, where the system can do that. `formats` compares the product of all rows with a question in other
encodings.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.report import parser, progress, publish, summary, workplace
from memgit.index.embedders.embedder import EmbedderUnavailable, Identity, Span
from memgit.index.embedders.registry import EMBEDDERS
from memgit.index.lexical import Watermark
from memgit.index.vectors import Admission, Item, VectorIndex

_GROUPS = 8  # documents of eight projects, of which a question sees one
_BLOCK = 4096


class RandomEmbedder:
    """An embedder whose vectors mean nothing and cost next to nothing."""

    def __init__(self, dimensions: int) -> None:
        self.identity = Identity("random", "1", "0" * 64, dimensions)
        self._random = np.random.default_rng(1)

    def windows(self, text: str) -> list[Span]:
        """Return one window."""
        return [Span(0, len(text))]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return random rows."""
        rows = self._random.standard_normal((len(texts), self.identity.dimensions), np.float32)
        unit: NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Return a random row."""
        row: NDArray[np.float32] = self.embed([text])[0]
        return row


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--documents", type=int, nargs="+", default=[10_000, 100_000], help="sizes (default both)")
    options.add_argument("--dimensions", type=int, nargs="+", default=[256, 384], help="default 256 and 384")
    options.add_argument("--queries", type=int, default=200, help="questions of each kind (default 200)")
    options.add_argument("--changes", type=int, default=50, help="refreshes of one document (default 50)")
    options.add_argument("--texts", type=int, default=5_000, help="texts for each light embedder (default 5000)")
    chosen = options.parse_args()
    figures: dict[str, Any] = {"queries": chosen.queries, "index": [], "formats": {}, "embedders": {}}
    for dimensions in chosen.dimensions:
        for documents in chosen.documents:
            progress(f"{documents} documents of {dimensions} dimensions")
            with workplace(chosen.directory) as place:
                figures["index"].append(_index(place, documents, dimensions, chosen.queries, chosen.changes))
        figures["formats"][str(dimensions)] = _formats(max(chosen.documents), dimensions)
    for name in EMBEDDERS:
        progress(f"embedder {name}")
        figures["embedders"][name] = _embedder(name, chosen.texts)
    publish(figures)


def _index(place: Path, documents: int, dimensions: int, queries: int, changes: int) -> dict[str, Any]:
    embedder = RandomEmbedder(dimensions)
    index = VectorIndex(place, embedder)
    build = _timed(lambda: index.apply(_items(documents), (), _mark(1), None))
    size = index.size()
    questions = [embedder.embed_query("") for _ in range(queries)]
    one_project = Admission(groups=lambda group: group == "3")
    cold = [_cold(place, embedder, question) for question in questions[:5]]
    fresh = [_timed(lambda: VectorIndex(place, embedder).watermark()) for _ in range(10)]
    return {
        "documents": documents,
        "dimensions": dimensions,
        "bytes": size.bytes,
        "segments": size.segments,
        "build_s": round(build, 3),
        "open_warm": summary(fresh),
        "open_and_query_cold": summary(cold),
        "query": summary([_timed(lambda q=q: index.search(q, 10)) for q in questions]),  # type: ignore[misc]
        "query_one_of_eight_groups": summary(
            [_timed(lambda q=q: index.search(q, 10, one_project)) for q in questions]  # type: ignore[misc]
        ),
        "refresh_of_one": summary([_change(index, step) for step in range(1, changes + 1)]),
        "bytes_after": sum(path.stat().st_size for path in place.iterdir()),
    }


def _items(documents: int) -> Iterator[Item]:
    for number in range(documents):
        yield Item(f"clm_{number:026d}", f"crev_{number:026d}", f"text {number}", str(number % _GROUPS))


def _change(index: VectorIndex, step: int) -> float:
    items = [Item(f"clm_{step:026d}", f"crev_{step:026d}", f"changed {step}", "3")]
    return _timed(lambda: index.apply(items, (), _mark(step + 1), _mark(step)))


def _cold(place: Path, embedder: RandomEmbedder, question: NDArray[np.float32]) -> float:
    if hasattr(os, "posix_fadvise"):
        os.sync()
        for path in place.iterdir():
            descriptor = os.open(path, os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)
    return _timed(lambda: VectorIndex(place, embedder).search(question, 10))


def _formats(documents: int, dimensions: int) -> dict[str, Any]:
    """Return the time of all products with one question: float32, and float16 and int8 widened block by block."""
    rows = RandomEmbedder(dimensions).embed([""] * documents)
    question = rows[0]
    scale = 127 / np.abs(rows).max()
    encodings = {"float16": rows.astype(np.float16), "int8": np.round(rows * scale).astype(np.int8)}

    def widened(matrix: NDArray[Any]) -> None:
        for start in range(0, documents, _BLOCK):
            np.vecdot(matrix[start : start + _BLOCK].astype(np.float32), question)

    found = {
        "float32": summary([_timed(lambda: np.vecdot(rows, question)) for _ in range(15)]),
        "float32_by_matrix_product": summary([_timed(lambda: rows @ question) for _ in range(15)]),
    }
    for name, matrix in encodings.items():
        found[name] = summary([_timed(lambda m=matrix: widened(m)) for _ in range(7)])  # type: ignore[misc]
    return found


def _embedder(name: str, texts: int) -> dict[str, Any]:
    """Return what an embedder costs: its start in a fresh process, texts a second, a question."""
    try:
        embedder = EMBEDDERS[name]()
    except EmbedderUnavailable as error:
        return {"unavailable": str(error)}
    count = min(texts, 200) if name == "neural" else texts
    written = [
        f"In sprint {n} the team decided that service {n % 37} keeps its data for {n % 90} days." for n in range(count)
    ]
    taken = _timed(lambda: embedder.embed(written))
    questions = [f"how long does service {number} keep its data" for number in range(50)]
    program = f"from memgit.index.embedders.registry import EMBEDDERS; EMBEDDERS[{name!r}]().embed_query('a question')"
    bare = [_timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True)) for _ in range(5)]
    starts = [_timed(lambda: subprocess.run([sys.executable, "-c", program], check=True)) for _ in range(5)]
    return {
        "dimensions": embedder.identity.dimensions,
        "texts_per_s": round(count / taken),
        "query": summary([_timed(lambda q=q: embedder.embed_query(q)) for q in questions]),  # type: ignore[misc]
        "first_question_in_a_fresh_process": summary(starts),
        "bare_process": summary(bare),
    }


def _mark(seq: int) -> Watermark:
    return Watermark(f"{seq:040x}", seq)


def _timed(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
