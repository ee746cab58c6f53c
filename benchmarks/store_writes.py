"""One `claim.assert` inside a process, on a store that already holds many: with and without a receipt, per back end."""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks.records import assertion, assertions, key, open_store, statements
from benchmarks.report import git, parser, progress, publish, summary, workplace
from memgit.store.backend import BackendName
from memgit.store.store import Store, StoreOptions


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--records", type=int, default=10_000, help="claims in the store before (default 10000)")
    options.add_argument("--writes", type=int, default=450, help="writes that are timed (default 450: three packings)")
    chosen = options.parse_args()
    figures: dict[str, object] = {"records": chosen.records, "writes": chosen.writes}
    with workplace(chosen.directory) as place:
        backends: tuple[BackendName, ...] = ("pygit2", "plumbing")
        for backend in backends:
            store = _filled(place / backend, backend, chosen.records)
            count = chosen.writes if backend == "pygit2" else min(chosen.writes, 100)
            figures[backend] = {
                "without_receipt": summary(_timed(store, count, receipts=False)),
                "with_receipt": summary(_timed(store, count, receipts=True)),
            }
            store.close()
    publish(figures)


def _filled(directory: Path, backend: BackendName, records: int) -> Store:
    git("init", "-q", str(directory))
    store = open_store(directory, StoreOptions(backend=backend))
    progress(f"{backend}: {records} claims in bulk")
    if records:
        store.write_bulk(assertions(records, seed=1))
    return store


def _timed(store: Store, count: int, *, receipts: bool) -> list[float]:
    taken = []
    for number, statement in zip(range(count), statements(seed=2), strict=False):
        begun = time.perf_counter()
        store.write(assertion(statement), key(number) if receipts else None)
        taken.append(time.perf_counter() - begun)
    progress(f"  {count} writes, receipts: {receipts}")
    return taken


if __name__ == "__main__":
    main()
