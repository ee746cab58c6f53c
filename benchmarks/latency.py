"""What a memory of many claims costs: indexing, one write, recall and search, by operations in one warm process.

The claims are made of made-up words with a Zipf-like distribution (`benchmarks.lexical`), in a real store of a
temporary repository, written in one bulk commit. A query takes 2 to 5 words of one claim. Each figure stands beside its
processor time (`cpu_`, all threads of this process), since wall time on a shared machine is also that of others.

rebuild: everything from commits, with no derived file there: the state cache, the lexical index, the vectors.
refresh_after_one_write: the same three after a write of one claim. write_to_found: the write, and the search that finds
it, as whole requests.
"""

from __future__ import annotations

import random
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.corpus import isolate
from benchmarks.lexical import generate
from benchmarks.records import SCOPE, new_claim, open_store
from benchmarks.report import git, parser, progress, publish, summary, workplace
from memgit.index.analysis import analyse
from memgit.index.lexical import open_index
from memgit.index.refresh import refresh_index
from memgit.operations.invocation import Invocation
from memgit.operations.nearness import nearness_in
from memgit.operations.reach import lexical_directory
from memgit.protocol.envelope import answer
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

_CONTEXT = {"workspace_id": SCOPE.workspace, "project_id": SCOPE.project}
_WARM = 20  # requests before any is measured
_WORDS = (2, 5)  # of a query


@dataclass
class Times:
    """Wall and processor time of something that is done many times, in seconds."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    def of(self, action: Callable[[], object]) -> None:
        """Do something and note what it took."""
        wall, cpu = time.perf_counter(), time.process_time()
        action()
        self.cpu.append(time.process_time() - cpu)
        self.wall.append(time.perf_counter() - wall)

    def summary(self) -> dict[str, float]:
        """Return p50 and p95 of both, in ms."""
        wall, cpu = summary(self.wall), summary(self.cpu)
        return {
            "p50_ms": wall["median_ms"],
            "p95_ms": wall["p95_ms"],
            "cpu_p50_ms": cpu["median_ms"],
            "cpu_p95_ms": cpu["p95_ms"],
        }

    def once(self) -> dict[str, float]:
        """Return both of the only time, in seconds."""
        return {"s": round(self.wall[0], 2), "cpu_s": round(self.cpu[0], 2)}


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--records", type=int, default=10_000, help="claims (default 10000)")
    options.add_argument("--lexical", choices=("whoosh", "tantivy", "both"), default="both", help="(default both)")
    options.add_argument("--embedder", default="static", help="static, neural, hash or none (default static)")
    options.add_argument("--queries", type=int, default=200, help="queries of each kind (default 200)")
    options.add_argument("--writes", type=int, default=30, help="single writes (default 30)")
    options.add_argument("--seed", type=int, default=1, help="of the random numbers (default 1)")
    chosen = options.parse_args()
    kinds = ("whoosh", "tantivy") if chosen.lexical == "both" else (chosen.lexical,)
    with workplace(chosen.directory) as place:
        isolate(place)
        progress("generating")
        texts = generate(chosen.records, random.Random(chosen.seed)).texts
        bench = Bench(place / "repository", texts, chosen.embedder, chosen.seed)
        figures: dict[str, Any] = {"records": chosen.records, "embedder": chosen.embedder, "write": bench.fill()}
        for kind in kinds:
            figures[kind] = bench.measure(kind, chosen.queries, chosen.writes)
        publish(figures)


class Bench:
    """A repository with a memory of many claims."""

    def __init__(self, directory: Path, texts: list[str], embedder: str, seed: int) -> None:
        self._directory = directory
        self._texts = texts
        self._chance = random.Random(seed + 1)
        self._written = 0
        git("init", "-q", str(directory))
        git("config", "user.name", "Benchmark", directory=directory)
        git("config", "user.email", "benchmark@example.invalid", directory=directory)
        git("config", "memgit.embedder", embedder, directory=directory)

    def fill(self) -> dict[str, float]:
        """Write all claims in one bulk commit and return what it took."""
        progress(f"writing {len(self._texts)} claims")
        store = open_store(self._directory)

        def build(transaction: Transaction) -> Result:
            for text in self._texts:
                transaction.stage(new_claim(text), text)
            return {}

        times = Times()
        times.of(lambda: store.write_bulk(build))
        store.close()
        return times.once()

    def measure(self, kind: str, queries: int, writes: int) -> dict[str, Any]:
        """Return the figures with one of the lexical indexes, everything made anew first."""
        git("config", "memgit.lexicalIndex", kind, directory=self._directory)
        cache = self._open().repository.cache_dir
        shutil.rmtree(cache, ignore_errors=True)
        progress(f"{kind}: indexing")
        steps = self._bring_up()
        wall, cpu = (sum(getattr(step, name)[0] for step in steps.values()) for name in ("wall", "cpu"))
        figures: dict[str, Any] = {
            "rebuild": {
                "s": round(wall, 2),
                "cpu_s": round(cpu, 2),
                **{name: step.once() for name, step in steps.items()},
            },
            "lexical_per_s": round(len(self._texts) / steps["lexical"].wall[0]),
            "bytes": {path.name: _size(path) for path in sorted(cache.iterdir())},
        }
        asked = [self._query() for _ in range(queries)]
        for operation in ("memory.recall", "search"):
            figures[operation.rpartition(".")[2]] = self._asked(operation, asked, f"{kind}: {operation}")
        return figures | self._refreshes(writes, kind)

    def _asked(self, operation: str, asked: list[str], what: str) -> dict[str, float]:
        times, found = Times(), 0
        for query in asked[:_WARM]:
            self._call(operation, {"query": query})
        for number, query in enumerate(asked, 1):
            results: list[dict[str, Any]] = []
            times.of(lambda q=query, r=results: r.append(self._call(operation, {"query": q})))  # type: ignore[misc]
            found += bool(results[0].get("claims") or results[0].get("hits"))
            _bar(what, number, len(asked))
        return times.summary() | {"answered": round(found / max(1, len(asked)), 3)}

    def _refreshes(self, writes: int, kind: str) -> dict[str, Any]:
        parts: dict[str, Times] = {}
        whole, total = Times(), Times()
        for number in range(1, writes + 1):
            self._write()
            total.of(lambda: self._add(parts))
            word = self._word()
            whole.of(lambda w=word: self._found(w))  # type: ignore[misc]
            _bar(f"{kind}: writes", number, writes)
        return {
            "refresh_after_one_write": {
                **total.summary(),
                **{name: part.summary() for name, part in parts.items()},
            },
            "write_to_found": whole.summary(),
        } if writes else {}  # fmt: skip

    def _add(self, parts: dict[str, Times]) -> None:
        for name, step in self._bring_up().items():
            known = parts.setdefault(name, Times())
            known.wall += step.wall
            known.cpu += step.cpu

    def _bring_up(self) -> dict[str, Times]:
        """Bring every derived file to the tip, as a request does, and return what each took."""
        steps = {name: Times() for name in ("state", "lexical", "vectors")}
        invocation = self._open()
        try:
            steps["state"].of(lambda: invocation.state)
            steps["lexical"].of(lambda: _follow(invocation))
            steps["vectors"].of(nearness_in(invocation, invocation))
        finally:
            invocation.close()
        if invocation.warnings:
            progress("; ".join(invocation.warnings))
        return steps

    def _open(self) -> Invocation:
        return Invocation(self._directory, context=_CONTEXT)

    def _word(self) -> str:
        self._written += 1
        return f"zyx{self._written}q"

    def _write(self, extra: str = "") -> None:
        text = f"{self._chance.choice(self._texts)} once more {extra}".strip()
        self._call("claim.assert", {"claim_type": "fact", "statement": text})

    def _found(self, word: str) -> None:
        self._write(word)
        if not self._call("search", {"query": word})["hits"]:
            sys.exit(f"a claim that was just written is not found by {word}")

    def _query(self) -> str:
        words = sorted(analyse(self._chance.choice(self._texts)).surfaces)
        return " ".join(self._chance.sample(words, min(len(words), self._chance.randint(*_WORDS))))

    def _call(self, operation: str, given: dict[str, Any]) -> dict[str, Any]:
        envelope = answer({"op": operation, "input": given, "context": _CONTEXT}, self._directory).envelope
        if not envelope["ok"]:
            sys.exit(f"{operation}: {envelope['error']['message']}")
        result: dict[str, Any] = envelope["result"]
        return result


def _follow(invocation: Invocation) -> None:
    """Bring the lexical index to the state of a request."""
    index = open_index(lexical_directory(invocation), invocation.config.text("lexicalIndex"))
    try:
        refresh_index(index, invocation.snapshot(), invocation.state)
    finally:
        index.close()


def _size(path: Path) -> int:
    files = [path] if path.is_file() else path.rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


def _bar(what: str, done: int, total: int) -> None:
    """Show how far it is, on one line of standard error; in a file or a pipe, now and then."""
    if sys.stderr.isatty():
        print(f"{what} {done} of {total}", end="\n" if done == total else "\r", file=sys.stderr, flush=True)
    elif done == total or done % 100 == 0:
        progress(f"{what} {done} of {total}")


if __name__ == "__main__":
    main()
