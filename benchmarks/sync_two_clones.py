"""Two clones that each wrote apart, then sync on both through one bare remote: the trees must be equal. Prints times.

Each `git memory sync` is a process of its own, as a person starts it: its start, the state's refresh and the report are
within the figures. Beside them stands what the bare Git steps take (`fetch`, `push`) without any of ours.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.records import assertion, open_store, statements
from benchmarks.report import git, parser, progress, publish, workplace

_REF = "refs/memgit/store"


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--operations", type=int, default=2000, help="writes in each clone (default 2000)")
    options.add_argument("--warm", action="store_true", help="read the state in each clone before the syncs")
    options.add_argument("--rounds", type=int, default=3, help="how often all of it (default 3)")
    chosen = options.parse_args()
    rounds = []
    for number in range(chosen.rounds):
        with workplace(chosen.directory) as place:
            rounds.append(_round(place, chosen.operations, chosen.warm))
        progress(f"round {number + 1}: {rounds[-1]}")
    best = min(rounds, key=lambda one: float(str(one["syncs_s"])))
    publish({"operations_each": chosen.operations, "best": best, "rounds": rounds, "load": os.getloadavg()})


def _round(place: Path, operations: int, warm: bool) -> dict[str, object]:
    clones = _clones(place)
    for seed, clone in enumerate(clones):
        store = open_store(clone)
        for statement, _ in zip(statements(seed), range(operations), strict=False):
            store.write(assertion(statement))
        store.close()
        if warm:
            _memory(clone, "status")
    taken = [_timed(clones[0]), _timed(clones[1]), _timed(clones[0])]
    trees = {git("rev-parse", f"{_REF}^{{tree}}", directory=clone) for clone in clones}
    names = git("ls-tree", "-r", "--name-only", _REF, "claims/", directory=clones[0]).splitlines()
    return {
        "syncs_s": round(sum(taken), 2),
        "each_s": [round(one, 2) for one in taken],
        "equal_trees": len(trees) == 1,
        "operations": len(names),
    }


def _clones(place: Path) -> list[Path]:
    git("init", "-q", "--bare", str(place / "hub.git"))
    git("init", "-q", str(place / "one"))
    git("remote", "add", "origin", str(place / "hub.git"), directory=place / "one")
    open_store(place / "one").close()
    _memory(place / "one", "sync")
    git("clone", "-q", str(place / "hub.git"), str(place / "two"))
    _memory(place / "two", "sync")
    return [place / "one", place / "two"]


def _timed(clone: Path) -> float:
    begun = time.perf_counter()
    _memory(clone, "sync")
    return time.perf_counter() - begun


def _memory(clone: Path, *words: str) -> None:
    subprocess.run([sys.executable, "-m", "memgit.cli", "-C", str(clone), *words], check=True, capture_output=True)


if __name__ == "__main__":
    main()
