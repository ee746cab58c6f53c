"""Whole processes, started from the virtual environment that runs this: `git-memory --version` and a few verbs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.report import git, parser, progress, publish, summary, workplace


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--runs", type=int, default=20, help="runs of each command (default 20)")
    chosen = options.parse_args()
    program = str(Path(sys.executable).parent / ("git-memory.exe" if os.name == "nt" else "git-memory"))
    with workplace(chosen.directory) as place:
        git("init", "-q", str(place))
        for words in (["init"], ["remember", "The heron dives at noon."], ["recall", "when does the heron dive"]):
            subprocess.run([program, *words], cwd=place, check=True, capture_output=True)
        figures = {}
        for words in (["--version"], ["status"], ["recall", "when does the heron dive"]):
            progress(" ".join(words))
            figures[" ".join(words[:1])] = summary([_run([program, *words], place) for _ in range(chosen.runs)])
        figures["bare python"] = summary([_run([sys.executable, "-c", "pass"], place) for _ in range(chosen.runs)])
    publish({"runs": chosen.runs, "whole_process": figures})


def _run(command: list[str], directory: Path) -> float:
    begun = time.perf_counter()
    subprocess.run(command, cwd=directory, check=True, capture_output=True)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
