"""Real processes on one vector index: two that refresh, one that reads, and one that is killed."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memgit.index.vectors import VectorIndex
from tests.index.vector_texts import SmallEmbedder, mark

PROJECT = Path(__file__).parents[2]
WRITER = """
import sys
from pathlib import Path
from memgit.index.vectors import VectorIndex
from tests.index.vector_texts import SmallEmbedder, item, mark
index = VectorIndex(Path(sys.argv[1]), SmallEmbedder())
first, last = int(sys.argv[2]), int(sys.argv[3])
for number in range(first, last):
    while True:
        seen = index.watermark()
        step = seen.seq if seen else 0
        # without a base the items are everything, so the first to come writes an empty state
        items = [item(number), item(number + 50_000, f"text of {number}")] if seen else []
        if index.apply(items, (), mark(step + 1), seen) and seen:
            break
    print(number, flush=True)
"""
READER = """
import sys
from pathlib import Path
from memgit.index.vectors import VectorIndex
from tests.index.vector_texts import SmallEmbedder
index = VectorIndex(Path(sys.argv[1]), SmallEmbedder())
question = SmallEmbedder().embed_query("x")
seen, asked = set(), 0
while not (Path(sys.argv[1]) / "stop").exists():
    found = {hit.owner for hit in index.search(question, 100_000)}
    assert seen <= found, sorted(seen - found)[:3]
    halves = {int(owner[4:]) % 50_000 for owner in found}
    assert len(found) == 2 * len(halves), "a change was seen in part"
    seen, asked = found, asked + 1
print(asked)
"""


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a program in a process of its own."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=PROJECT)


@pytest.mark.slow
def test_two_refresh_and_one_reads(tmp_path: Path) -> None:
    """Nothing that a writer put is lost, no change is seen in part, and nothing that was seen vanishes."""
    reader = start(READER, tmp_path)
    writers = [start(WRITER, tmp_path, first, first + 60) for first in (0, 100)]
    for writer in writers:
        assert writer.wait(timeout=60) == 0
    (tmp_path / "stop").touch()
    said, _ = reader.communicate(timeout=30)
    assert reader.returncode == 0 and int(said) > 5
    (tmp_path / "stop").unlink()
    index = VectorIndex(tmp_path, SmallEmbedder())
    owners = {hit.owner for hit in index.search(SmallEmbedder().embed_query("x"), 1000)}
    expected = [*range(60), *range(100, 160)]
    assert owners == {f"clm_{number + more:04d}" for number in expected for more in (0, 50_000)}
    assert index.watermark() == mark(121)


@pytest.mark.slow
def test_a_killed_writer_leaves_a_usable_index(tmp_path: Path) -> None:
    """kill -9 at any moment: everything acknowledged is found, no lock is left, and the next writer goes on at once."""
    chance = random.Random(4)
    acknowledged: set[int] = set()
    for round_ in range(6):
        writer = start(WRITER, tmp_path, round_ * 1000, round_ * 1000 + 900)
        assert writer.stdout is not None
        acknowledged.add(int(writer.stdout.readline()))
        time.sleep(chance.random() * 0.2)
        writer.send_signal(signal.SIGKILL)
        rest, _ = writer.communicate()
        acknowledged |= {int(line) for line in rest.splitlines()}
        index = VectorIndex(tmp_path, SmallEmbedder())
        found = {hit.owner for hit in index.search(SmallEmbedder().embed_query("x"), 100_000)}
        assert {f"clm_{number:04d}" for number in acknowledged} <= found
