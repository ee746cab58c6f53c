"""Checkpoint and restore of a tree of many files, as whole processes: the first checkpoint, later ones, restores.

The tree is committed; then some files change, some are staged, some are new, and the checkpoint is made. A restore goes
back to a checkpoint after as many other changes, and must bring back every byte of files and index. Beside each time
stands the processor's, of the process and its children, since wall time on a shared machine is also that of others.
`loose` has the user's objects as files of their own, as after `git add`; `packed` as after a clone or `git gc`. The
first checkpoint takes the objects over, a later one only what is new. `drop` removes all, and `hook_drain` is the first
command after a commit, `nothing_waiting` the same command without one.
"""

from __future__ import annotations

import hashlib
import os
import random
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.corpus import isolate
from benchmarks.report import git, parser, progress, publish, summary, workplace


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--files", type=int, default=20_000, help="files of the tree (default 20000)")
    options.add_argument("--changes", type=int, default=50, help="files that change (default 50)")
    options.add_argument("--rounds", type=int, default=5, help="later checkpoints and restores (default 5)")
    chosen = options.parse_args()
    figures: dict[str, Any] = {"files": chosen.files, "changes": chosen.changes}
    with workplace(chosen.directory) as place:
        isolate(place)
        for kind in ("loose", "packed"):
            bench = Bench(place / kind, chosen.files, chosen.changes)
            if kind == "packed":
                git("gc", "-q", directory=bench.directory)
            figures[kind] = bench.measure(chosen.rounds)
    publish(figures)


class Time(NamedTuple):
    """Wall and processor time in seconds."""

    wall: float
    cpu: float


class Bench:
    """A repository of many files with a memory."""

    def __init__(self, directory: Path, files: int, changes: int) -> None:
        self.directory = directory
        self._chance = random.Random(1)
        self._changes = changes
        progress(f"writing {files} files")
        self._paths = [directory / f"d{number % 200}/s{number % 7}/f{number}.txt" for number in range(files)]
        for path in self._paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self._text(), "utf-8")
        git("init", "-q", str(directory))
        git("config", "user.name", "Benchmark", directory=directory)
        git("config", "user.email", "benchmark@example.invalid", directory=directory)
        git("config", "gc.auto", "0", directory=directory)
        self._memory("init", "--offline")
        git("add", ".", directory=directory)
        git("commit", "-qm", "first", directory=directory)

    def measure(self, rounds: int) -> dict[str, Any]:
        """Return the figures, in ms of wall time of whole processes."""
        later: list[Time] = []
        restores: list[Time] = []
        self._change()
        first = self._timed("checkpoint", "first")
        for number in range(rounds):
            progress(f"round {number + 1} of {rounds}")
            self._change()
            later.append(self._timed("checkpoint", f"number {number}"))
            saved, before = self._last(), self._digest()
            self._change()
            restores.append(self._timed("checkpoint", "restore", saved))
            if self._digest() != before:
                raise SystemExit("a restore did not bring back every byte")
        size = sum(path.stat().st_size for path in self._archive().rglob("*") if path.is_file())
        drained, idle = self._drain()
        return {
            "first_checkpoint": _figures([first]),
            "later_checkpoint": _figures(later),
            "restore": _figures(restores),
            "archive_bytes": size,
            "hook_drain": _figures([drained]),
            "nothing_waiting": _figures([idle]),
            "drop_all": _figures([self._timed("checkpoint", "drop", "--all")]),
        }

    def _drain(self) -> tuple[Time, Time]:
        """Return what a command takes right after a commit that a hook noted, and what it takes otherwise."""
        self._memory("hooks", "install")
        git("commit", "-qam", "second", directory=self.directory)
        drained = self._timed("config", "get", "lockWait")
        return drained, min(self._timed("config", "get", "lockWait") for _ in range(3))

    def _change(self) -> None:
        chosen = self._chance.sample(self._paths, self._changes)
        for path in chosen:
            path.write_text(self._text(), "utf-8")
        git("add", *(str(path) for path in chosen[: self._changes // 5]), directory=self.directory)
        for number in range(3):
            name = f"untracked/{self._chance.randrange(10**9)}-{number}.txt"
            (self.directory / name).parent.mkdir(exist_ok=True)
            (self.directory / name).write_text(self._text(), "utf-8")

    def _digest(self) -> str:
        """Return a digest of all files and of the index, which Git must not refresh in between."""
        digest = hashlib.sha256((self.directory / ".git/index").read_bytes())
        for directory, below, names in os.walk(self.directory):
            below[:] = sorted(name for name in below if name != ".git")
            for name in sorted(names):
                path = Path(directory, name)
                digest.update(f"{path}\0{path.stat().st_mode}\0".encode() + path.read_bytes())
        return digest.hexdigest()

    def _text(self) -> str:
        return "".join(self._chance.choices("abcdefgh \n", k=800))

    def _last(self) -> str:
        listed = self._memory("checkpoint", "list", "-n", "1")
        return listed.split()[0]

    def _archive(self) -> Path:
        return self.directory / ".git/memgit/state/checkpoints.git"

    def _timed(self, *words: str) -> Time:
        begun, used = time.perf_counter(), _used()
        self._memory(*words)
        return Time(time.perf_counter() - begun, _used() - used)

    def _memory(self, *words: str) -> str:
        command = [str(Path(sys.executable).parent / "git-memory"), *words]
        return subprocess.run(command, cwd=self.directory, check=True, capture_output=True, text=True).stdout


def _figures(times: list[Time]) -> dict[str, float]:
    wall, cpu = summary([one.wall for one in times]), summary([one.cpu for one in times])
    return {**wall, **{f"cpu_{name}": value for name, value in cpu.items()}}


def _used() -> float:
    """Return the processor time of all children that have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
