"""Ten new records, synced into a store that holds many: from one clone to a bare remote, and from there to another.

Each `git memory sync` is a process of its own. The states of both clones are warm, as a clone that is used has them;
`first_clone_s` is the one sync that brings everything, with its fold.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.records import assertion, assertions, open_store, statements
from benchmarks.report import git, parser, progress, publish, workplace


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--records", type=int, default=100_000, help="claims in the store before (default 100000)")
    options.add_argument("--new", type=int, default=10, help="new claims (default 10)")
    options.add_argument("--rounds", type=int, default=5, help="rounds (default 5)")
    chosen = options.parse_args()
    with workplace(chosen.directory) as place:
        figures = _prepare(place, chosen.records)
        sent, received = [], []
        for number in range(chosen.rounds):
            _write(place / "one", chosen.new, seed=1000 + number)
            sent.append(_timed(place / "one"))
            received.append(_timed(place / "two"))
            progress(f"round {number + 1}: sent in {sent[-1]:.2f} s, received in {received[-1]:.2f} s")
        publish(
            {
                "records": chosen.records,
                "new": chosen.new,
                **figures,
                "send_s": [round(one, 2) for one in sent],
                "receive_s": [round(one, 2) for one in received],
                "best_send_s": round(min(sent), 2),
                "best_receive_s": round(min(received), 2),
                "load": os.getloadavg(),
            }
        )


def _prepare(place: Path, records: int) -> dict[str, float]:
    git("init", "-q", "--bare", str(place / "hub.git"))
    git("init", "-q", str(place / "one"))
    git("remote", "add", "origin", str(place / "hub.git"), directory=place / "one")
    store = open_store(place / "one")
    progress(f"{records} claims in bulk")
    store.write_bulk(assertions(records, seed=1))
    store.close()
    _memory(place / "one", "status")
    first_push = _timed(place / "one")
    git("clone", "-q", str(place / "hub.git"), str(place / "two"))
    first_clone = _timed(place / "two")
    progress(f"first push {first_push:.2f} s, first clone {first_clone:.2f} s")
    return {"first_push_s": round(first_push, 2), "first_clone_s": round(first_clone, 2)}


def _write(clone: Path, count: int, seed: int) -> None:
    store = open_store(clone)
    for statement, _ in zip(statements(seed), range(count), strict=False):
        store.write(assertion(statement))
    store.close()
    _memory(clone, "status")


def _timed(clone: Path) -> float:
    begun = time.perf_counter()
    _memory(clone, "sync")
    return time.perf_counter() - begun


def _memory(clone: Path, *words: str) -> None:
    subprocess.run([sys.executable, "-m", "memgit.cli", "-C", str(clone), *words], check=True, capture_output=True)


if __name__ == "__main__":
    main()
