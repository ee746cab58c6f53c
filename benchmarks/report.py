"""What every benchmark says about itself: the machine, the versions, the command, and figures as JSON."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any


def parser(description: str) -> argparse.ArgumentParser:
    """Return an argument parser with the option that all benchmarks share."""
    made = argparse.ArgumentParser(description=description)
    made.add_argument("--directory", type=Path, help="where to work (default: a temporary directory)")
    return made


@contextmanager
def workplace(directory: Path | None) -> Iterator[Path]:
    """Yield an empty directory that is removed afterwards."""
    made = Path(tempfile.mkdtemp(prefix="memgit-benchmark-", dir=directory))
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def git(*arguments: str, directory: Path | None = None) -> str:
    """Run git and return what it printed."""
    done = subprocess.run(["git", *arguments], cwd=directory, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def progress(text: str) -> None:
    """Say how far it is, on standard error."""
    print(text, file=sys.stderr, flush=True)


def publish(figures: dict[str, Any]) -> None:
    """Print the figures with the machine and the command."""
    print(json.dumps({"command": "python -m " + _command(), "machine": machine(), **figures}, indent=2))


def machine() -> dict[str, Any]:
    """Return what the figures depend on."""
    return {
        "cpus": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "git": git("--version").removeprefix("git version "),
        "pygit2": version("pygit2"),
    }


def summary(seconds: Sequence[float]) -> dict[str, float]:
    """Return median, 95th percentile and mean in milliseconds."""
    ordered = sorted(seconds)
    return {
        "median_ms": round(statistics.median(ordered) * 1000, 3),
        "p95_ms": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))] * 1000, 3),
        "mean_ms": round(statistics.fmean(ordered) * 1000, 3),
    }


def _command() -> str:
    module = Path(sys.argv[0]).stem
    return " ".join([f"benchmarks.{module}", *sys.argv[1:]])
