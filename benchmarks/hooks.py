"""What the hooks add: to one action of Git each, to a commit, over the size of a repository, and to long actions.

Each figure compares the same command in copies of one repository, without hooks and with all of them, in turns. The
hooks are those that `hooks install` puts there; the memory is real.
"""

from __future__ import annotations

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.report import git, parser, progress, publish, workplace
from memgit.checkpoints import spool
from memgit.hosts.git_hooks.install import install
from memgit.hosts.git_hooks.shipped import HOOKS
from memgit.store.repository import discover

NAMES = ("none", "idle_hooks", "our_hooks")
FIGURES = {"one_hook_ms": 5.0, "commit_ms": 20.0, "long_action_percent": 10.0}


class Spent(NamedTuple):
    """Seconds of one run: by the clock, and of processors."""

    clock: float
    processor: float


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--runs", type=int, default=40, help="runs of each command (default 40)")
    options.add_argument("--long-runs", type=int, default=7, help="runs of each long action (default 7)")
    options.add_argument("--files", type=int, default=100_000, help="files of the large repository (default 100,000)")
    chosen = options.parse_args()
    with workplace(chosen.directory) as place:
        os.environ |= {"MEMGIT_DATA_DIR": str(place / "data"), "GIT_CONFIG_GLOBAL": str(place / "gitconfig")}
        git("config", "--global", "user.name", "Benchmark")
        git("config", "--global", "user.email", "benchmark@example.invalid")
        git("config", "--global", "gc.auto", "0")
        small, large = (_repository(place / f"files-{count}", count) for count in (10, chosen.files))
        publish(
            {
                "runs": chosen.runs,
                "figures": FIGURES,
                "columns": ["clock", "processor"],
                "one_hook": {hook: _one_hook(place, small, hook, chosen.runs) for hook in HOOKS},
                "commit": {
                    f"{count} files": _compared(place, template, _commit, chosen.runs)
                    for count, template in ((10, small), (chosen.files, large))
                },
                "long_actions": {
                    f"{count} files": _long_actions(place, template, chosen.long_runs)
                    for count, template in ((10, small), (5000, _repository(place / "files-5000", 5000)))
                },
            }
        )


def _repository(path: Path, files: int) -> Path:
    """Make a repository with a memory and so many files."""
    progress(f"a repository of {files} files")
    git("init", "-q", "--template=", "-b", "main", str(path))
    for number in range(files):
        directory = path / f"{number // 1000:03}"
        directory.mkdir(exist_ok=True)
        (directory / f"{number}.txt").write_text(f"{number}\n")
    git("add", ".", directory=path)
    git("commit", "-q", "-m", "files", directory=path)
    program = Path(sys.executable).with_name("git-memory")
    subprocess.run([program, "init", "--offline", "--quiet"], cwd=path, check=True, capture_output=True)
    git("add", ".", directory=path)
    git("commit", "-q", "-m", "marker", directory=path)
    return path


def _copies(place: Path, template: Path, prepare: Callable[[Path], None] | None = None) -> list[Path]:
    """Return copies of a repository: without hooks, with hooks that do nothing, and with ours."""
    copies = [place / name for name in NAMES]
    for copy in copies:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(template, copy, symlinks=True)
        if prepare is not None:
            prepare(copy)
        git("status", directory=copy)  # so that the copy's index is fresh
    idle = copies[1] / ".git" / "hooks"
    idle.mkdir()
    for hook in HOOKS:
        (idle / hook).write_text("#!/bin/sh\n")
        (idle / hook).chmod(0o755)
    install(discover(copies[2]), None, push=None)
    return copies


def _one_hook(place: Path, template: Path, hook: str, runs: int) -> dict[str, float]:
    """Return what one hook adds to `git hook run`, which starts the hook and nothing else."""
    progress(hook)
    copies = _copies(place, template)
    pairs = f"{'1' * 40} {'2' * 40}\n"
    (place / "input").write_text(pairs)
    arguments = {"post-checkout": ["1" * 40, "2" * 40, "1"], "post-rewrite": ["amend"], "pre-push": ["origin", "x"]}
    to_input = [f"--to-stdin={place / 'input'}"] if _has_to_stdin() and hook == "post-rewrite" else []
    words = ["git", "hook", "run", "--ignore-missing", *to_input, hook, "--", *arguments.get(hook, [])]
    return _in_turns(copies, lambda directory: _timed(words, directory), runs)


def _has_to_stdin() -> bool:
    return "--to-stdin" in subprocess.run(["git", "hook", "-h"], capture_output=True, text=True).stdout


def _compared(
    place: Path,
    template: Path,
    action: Callable[[Path], Spent],
    runs: int,
    prepare: Callable[[Path], None] | None = None,
) -> dict[str, float]:
    progress(action.__name__.strip("_"))
    return _in_turns(_copies(place, template, prepare), action, runs)


def _in_turns(copies: Sequence[Path], action: Callable[[Path], Spent], runs: int) -> dict[str, Any]:
    """Return what an action takes in the copies, which take turns, and what hooks add that do nothing, and ours.

    Processor time is that of all processes; it differs less than the clock where other work keeps the machine busy.
    """
    spent: dict[str, list[Spent]] = {copy.name: [] for copy in copies}
    for run in range(runs + 2):
        for copy in copies:
            taken = action(copy)
            if run >= 2:  # the first ones warm the caches
                spent[copy.name].append(taken)
        spool.take(discover(copies[2])).done()  # as the next command would
    base = _medians(spent[NAMES[0]])
    rows: dict[str, Any] = {"without_ms": [round(value, 2) for value in base]}
    for name in NAMES[1:]:
        seen = _medians(spent[name])
        rows[f"{name}_add_ms"] = [round(after - before, 2) for before, after in zip(base, seen, strict=True)]
        rows[f"{name}_add_percent"] = [round((b / a - 1) * 100, 1) for a, b in zip(base, seen, strict=True)]
    return rows


def _medians(spent: Sequence[Spent]) -> list[float]:
    """Return the medians of the clock and of processors, in milliseconds."""
    columns = ([one.clock for one in spent], [one.processor for one in spent])
    return [statistics.median(column) * 1000 for column in columns]


def _timed(words: Sequence[str], directory: Path) -> Spent:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    subprocess.run(words, cwd=directory, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    taken = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _commit(directory: Path) -> Spent:
    return _timed(["git", "commit", "-q", "--allow-empty", "-m", "x"], directory)


def _long_actions(place: Path, template: Path, runs: int) -> dict[str, Any]:
    rows: dict[str, Any] = {}
    for name, prepare, action in (
        ("rebase of 50 commits", _branch_of_fifty, _rebase),
        ("bisect of 10 steps", _history_of_many, _bisect),
        ("30 checkouts", _branch_of_fifty, _checkouts),
    ):
        figures: dict[str, Any] = dict(_compared(place, template, action, runs, prepare))
        action(place / NAMES[2])
        events = spool.take(discover(place / NAMES[2])).events
        rows[name] = figures | {"events": len(events), "runs_of_hooks": sum(event.runs for event in events)}
    return rows


def _branch_of_fifty(directory: Path) -> None:
    git("checkout", "-q", "-b", "topic", directory=directory)
    for number in range(50):
        (directory / f"topic-{number}").write_text(f"{number}\n")
        git("add", ".", directory=directory)
        git("commit", "-q", "-m", f"topic {number}", directory=directory)
    git("tag", "topic-end", directory=directory)
    git("checkout", "-q", "main", directory=directory)
    (directory / "main").write_text("main\n")
    git("add", ".", directory=directory)
    git("commit", "-q", "-m", "main", directory=directory)
    git("checkout", "-q", "topic", directory=directory)


def _history_of_many(directory: Path) -> None:
    """Make a history of 1,400 commits, of which a bisect needs ten steps."""
    lines = ["reset refs/heads/long\n"]
    for number in range(1400):
        lines.append(f"commit refs/heads/long\ncommitter B <b@example.invalid> {1_700_000_000 + number} +0000\n")
        lines.append(f"data 1\nx\nM 644 inline number\ndata {len(str(number))}\n{number}\n")
    subprocess.run(["git", "fast-import", "--quiet"], cwd=directory, input="".join(lines), text=True, check=True)
    git("checkout", "-q", "long", directory=directory)


def _rebase(directory: Path) -> Spent:
    git("-c", f"core.hooksPath={os.devnull}", "reset", "-q", "--hard", "topic-end", directory=directory)
    return _timed(["git", "rebase", "-q", "main"], directory)


def _bisect(directory: Path) -> Spent:
    first = git("rev-list", "--max-parents=0", "long", directory=directory)
    script = 'git bisect start long "$1"; for i in 1 2 3 4 5 6 7 8 9 10; do git bisect bad; done; git bisect reset'
    return _timed(["sh", "-c", script, "sh", first], directory)


def _checkouts(directory: Path) -> Spent:
    script = (
        "for i in 1 2 3 4 5 6 7 8 9 10; do git checkout -q main; git checkout -q topic~25; git checkout -q topic; done"
    )
    return _timed(["sh", "-c", script], directory)


if __name__ == "__main__":
    main()
