"""Clones that write and sync at random through one bare remote, while the network fails at random. Prints whether all
are equal at the end, and whether anything was lost.

Failures: the remote is away, its hook kills the connection in the middle of a push, the sync's own process is killed,
and the remote's ref is set back to an older commit.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from benchmarks.records import assertion, open_store, statements
from benchmarks.report import git, parser, progress, publish, workplace
from memgit.store.repository import discover
from memgit.store.store import Store

_REF = "refs/memgit/store"
_FAILURES = ("away", "cut", "killed", "rewound")


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--clones", type=int, default=5, help="clones (default 5)")
    options.add_argument("--operations", type=int, default=200, help="writes in each clone (default 200)")
    options.add_argument("--failing", type=float, default=0.4, help="share of syncs that fail (default 0.4)")
    options.add_argument("--seed", type=int, default=1, help="the seed (default 1)")
    chosen = options.parse_args()
    with workplace(chosen.directory) as place:
        publish(_Run(place, chosen.clones, chosen.operations, chosen.failing, chosen.seed).figures())


class _Run:
    def __init__(self, place: Path, clones: int, operations: int, failing: float, seed: int) -> None:
        self._hub = place / "hub.git"
        self._chooser = random.Random(seed)
        self._failing = failing
        self._operations = operations
        self._syncs: Counter[str] = Counter()
        self._acknowledged: set[str] = set()
        self._clones = [place / f"clone{number}" for number in range(clones)]

    def figures(self) -> dict[str, object]:
        begun = time.perf_counter()
        self._begin()
        self._write_and_sync()
        for clone in [*self._clones, *self._clones]:
            assert self._sync(clone) == 0
        trees = {git("rev-parse", f"{_REF}^{{tree}}", directory=clone) for clone in self._clones}
        names = git("ls-tree", "-r", "--name-only", _REF, directory=self._clones[0])
        return {
            "clones": len(self._clones),
            "operations_each": self._operations,
            "all_equal": len(trees) == 1,
            "acknowledged": len(self._acknowledged),
            "lost": sum(claim not in names for claim in self._acknowledged),
            "syncs": dict(self._syncs),
            "seconds": round(time.perf_counter() - begun, 1),
            "load": os.getloadavg(),
        }

    def _begin(self) -> None:
        git("init", "-q", "--bare", str(self._hub))
        for clone in self._clones:
            git("init", "-q", str(clone))
            git("remote", "add", "origin", str(self._hub), directory=clone)
        open_store(self._clones[0]).close()
        for clone in self._clones:
            assert self._sync(clone) == 0
        self._first = git("rev-parse", _REF, directory=self._hub)

    def _write_and_sync(self) -> None:
        texts = statements(seed=7)
        left = dict.fromkeys(self._clones, self._operations)
        while any(left.values()):
            clone = self._chooser.choice([clone for clone, number in left.items() if number])
            store = Store(discover(clone))
            for _ in range(min(left[clone], self._chooser.randint(1, 20))):
                self._acknowledged.add(str(store.write(assertion(next(texts))).result["claim_id"]))
                left[clone] -= 1
            store.close()
            failure = self._chooser.choice(_FAILURES) if self._chooser.random() < self._failing else ""
            self._sync(self._chooser.choice(self._clones), failure)
            progress(f"{sum(left.values())} writes left")

    def _sync(self, clone: Path, failure: str = "") -> int:
        away = self._hub.with_name("away.git")
        hook = self._hub / "hooks" / "pre-receive"
        if failure == "away":
            self._hub.rename(away)
        elif failure == "cut":
            hook.parent.mkdir(exist_ok=True)
            hook.write_text("#!/bin/sh\nkill -9 $PPID\n")
            hook.chmod(0o755)
        elif failure == "rewound":
            git("update-ref", _REF, self._first, directory=self._hub)
        command = [sys.executable, "-m", "memgit.cli", "-C", str(clone), "sync"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if failure == "killed":
            time.sleep(self._chooser.uniform(0.1, 0.8))
            process.send_signal(signal.SIGKILL)
        _, said = process.communicate()
        if failure == "away":
            away.rename(self._hub)
        hook.unlink(missing_ok=True)
        self._syncs[f"{failure or 'quiet'}: {'done' if process.returncode == 0 else 'failed'}"] += 1
        if process.returncode and not failure:
            progress(said.decode())
        return process.returncode


if __name__ == "__main__":
    main()
