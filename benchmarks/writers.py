"""Writer processes that acknowledge: a line on a pipe after each write has returned, never before."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.process import BaseProcess
from pathlib import Path

from benchmarks.records import assertion, open_store

_spawn = multiprocessing.get_context("spawn")


class Crew:
    """Writers on one repository, and what they have acknowledged."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._acknowledged = directory / "acknowledged"
        self._acknowledged.mkdir(exist_ok=True)
        self._numbers = 0

    def start(self, count: int | None) -> BaseProcess:
        """Start a writer of `count` claims, or of claims until it is killed."""
        self._numbers += 1
        file = self._acknowledged / f"{self._numbers}.txt"
        process = _spawn.Process(target=write, args=(self._directory, file, count, self._numbers), daemon=True)
        process.start()
        return process

    def acknowledged(self) -> set[str]:
        """Return the claim ids that some writer was told are safe; a line that was cut off is none."""
        found: set[str] = set()
        for file in self._acknowledged.glob("*.txt"):
            whole = file.read_text("ascii").rpartition("\n")[0]
            found.update(line for line in whole.splitlines() if line)
        return found


def write(directory: Path, file: Path, count: int | None, number: int) -> None:
    """Write claims and acknowledge each."""
    store = open_store(directory)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    done = 0
    while count is None or done < count:
        written = store.write(assertion(f"Writer {number} writes claim {done}"))
        os.write(descriptor, f"{written.result['claim_id']}\n".encode("ascii"))
        done += 1


def present(directory: Path) -> set[str]:
    """Return the claim ids that the store holds."""
    store = open_store(directory)
    found = {path.rpartition("/")[2].partition(".")[0] for path, _ in store.snapshot().files("claims")}
    store.close()
    return found
