"""Many processes, kill -9 at any point, other Git tools at work: an acknowledged write is never lost.

Acknowledged means that the writer's line reached us, which it prints after its write has returned. Each test breaks
when the law is broken: without the log, without its replay, or with a forced ref.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from memgit.store.objects import ObjectId
from memgit.store.store import Store
from tests.conftest import MakeRepository
from tests.store.scenario import (
    REF,
    WriterProcess,
    acknowledged,
    claims,
    fsck,
    git,
    loose_path,
    new_store,
    open_store,
    start_writers,
    statements,
    write,
)


def check(path: Path, acked: list[str], unfinished: int) -> None:
    """Fail unless everything acknowledged is there once, and what else is there is at most what was under way."""
    there = Counter(statements(path))
    lost = [statement for statement in acked if there[statement] != 1]
    assert not lost, f"{len(lost)} acknowledged writes are lost or doubled: {lost[:5]}"
    assert len(there) - len(acked) <= unfinished


def test_eight_processes_at_once(repository: MakeRepository) -> None:
    """8 processes x 50 writes: 400 acknowledged, 400 there, each once, every seq once."""
    path = repository("bare")
    store = new_store(path)

    acked = acknowledged(start_writers(path, 8, "50"))

    assert len(acked) == 400
    check(path, acked, 0)
    assert store.snapshot().seq == 401
    assert git(path, "rev-list", "--count", REF) == "401"
    fsck(path)


def kill_round(path: Path, chance: random.Random) -> list[str]:
    """Let four writers write, kill them at a moment of chance, and return what they acknowledged."""
    writers = [WriterProcess(path, f"{chance.random()}", "0", "pack") for _ in range(4)]
    for writer in writers:
        writer.await_ready()
    for writer in writers:
        writer.go()
    first = [writer.output.readline().strip() for writer in writers]
    time.sleep(chance.random() * 0.25)
    for writer in writers:
        writer.process.kill()
    return [*first, *acknowledged(writers)]


@pytest.mark.parametrize("rounds", [4, pytest.param(20, marks=pytest.mark.slow)])
def test_writers_killed_at_random(repository: MakeRepository, rounds: int) -> None:
    """Writers that pack every five writes are killed with SIGKILL: after each round everything acknowledged is there,
    one ordinary write repairs whatever they left, and Git finds nothing wrong."""
    path = repository("bare")
    store = new_store(path)
    chance = random.Random(rounds)
    acked: list[str] = []
    for number in range(rounds):
        acked += kill_round(path, chance)
        check(path, acked, 4 * (number + 1))
        write(store, f"after round {number}")
        acked.append(f"after round {number}")
        fsck(path)
    check(path, acked, 4 * rounds)
    assert len(acked) >= 5 * rounds
    assert not list(path.rglob("*.lock")) or all(lock.name == "writer.lock" for lock in path.rglob("*.lock"))


STEPS = [
    "memgit.store.write_ahead_log:WriteAheadLog.append:before",
    "memgit.store.write_ahead_log:WriteAheadLog.append:after",
    "memgit.store.loose:os.replace:before#3",
    "memgit.store.loose:os.replace:after#3",
    "memgit.store.database:Database.write:after",
    "memgit.store.lock:WriterLock.note_move:after",
    "memgit.store.pygit2_backend:Pygit2Backend.move_ref:after",
    "memgit.store.lock:WriterLock.clear_move:after",
    "memgit.store.publication:Publisher.publish:after",
    "memgit.store.packing:PackList._pack:before#1",
    "memgit.store.packing:PackList._pack:after#1",
    "memgit.store.packing:PackList.add:after",
    "memgit.store.write_ahead_log:WriteAheadLog.restart:before",
    "memgit.store.write_ahead_log:os.link:after",
    "memgit.store.write_ahead_log:WriteAheadLog.restart:after",
    "memgit.store.packing:remove_loose:after",
    "memgit.store.packing:PackList.consolidate:after#3",
    "memgit.store.packing:PackList._pack:after#9",
    "memgit.store.packing:PackList._pack:after#10",
    "memgit.store.packing:remove_leftovers:before",
]
BULK_STEPS = [
    "memgit.store.bulk:FastImport.add:after#2",
    "memgit.store.bulk:FastImport.commit:after",
    "memgit.store.bulk:_make_keep:after",
    "memgit.store.bulk:_move:after#1",
    "memgit.store.bulk:_move:after#3",
    "memgit.store.write_ahead_log:WriteAheadLog.append:after",
    "memgit.store.pygit2_backend:Pygit2Backend.move_ref:after",
    "memgit.store.packing:PackList.note:after",
]


@pytest.mark.parametrize(
    ("way", "step"),
    [("pack", step) for step in STEPS] + [("bulk", step) for step in BULK_STEPS],
    ids=[step.split(".", 2)[2] for step in STEPS + BULK_STEPS],
)
def test_killed_at_a_step(repository: MakeRepository, way: str, step: str) -> None:
    """A writer ends, as `kill -9` ends it, at each step of writing, packing and importing. Everything acknowledged is
    there for the next reader; the next write goes through, once the dead writer's request was repeated at most one is
    there twice never; Git finds nothing wrong; the packing after that works."""
    path = repository("bare")
    store = new_store(path)
    writer = WriterProcess(path, "w", "60", way, step)  # dies long before the sixtieth
    writer.await_ready()
    writer.go()
    acked = [line.strip() for line in writer.finish()]
    assert writer.process.returncode == 137, "the step was never reached"

    check(path, acked, 1)
    repeated = f"w {len(acked)}"
    write(store, repeated, key=repeated)
    check(path, [*acked, repeated], 0)
    fsck(path)
    for number in range(8):
        write(open_store(path, pack_every=4), f"after {number}")
    store.write_bulk(claims("bulk after"))
    git(path, "repack", "-ad", "-q")
    git(path, "prune", "--expire=now")
    check(path, [*acked, repeated, *(f"after {number}" for number in range(8)), "bulk after"], 0)


class Tidier(threading.Thread):
    """Runs Git's own housekeeping over and over."""

    COMMANDS = (
        ("gc", "--prune=now", "--quiet"),
        ("repack", "-ad", "-q"),
        ("pack-refs", "--all"),
        ("prune", "--expire=now"),
    )

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.stop = threading.Event()
        self.rounds = 0

    def run(self) -> None:
        """Tidy until told to stop. Its own failures are allowed: Git's commands race each other too."""
        while not self.stop.is_set():
            for command in self.COMMANDS:
                subprocess.run(["git", "-C", str(self.path), *command], capture_output=True, check=False)
            self.rounds += 1


def loose_at_tip(store: Store) -> int:
    """Return how many of the newest objects are loose, so that they can be cut."""
    newest = list(store.database.log.entries())[-5:]
    return sum(loose_path(store, oid).exists() for entry in newest for oid, *_ in entry.objects)


def truncate_tip(store: Store, part: float) -> int:
    """Cut the loose objects of the tip (commit, trees, newest blobs) as a power loss does; return how many."""
    cut = 0
    for entry in list(store.database.log.entries())[-5:]:
        for oid, *_ in entry.objects:
            path = loose_path(store, oid)
            if path.exists():
                data = path.read_bytes()
                path.chmod(0o644)
                path.write_bytes(data[: int(len(data) * part)])
                cut += 1
    return cut


@pytest.mark.parametrize("seconds", [3, pytest.param(60, marks=pytest.mark.slow)])
@pytest.mark.parametrize("part", [0.5, pytest.param(0.0, marks=pytest.mark.slow)])
def test_beside_gc_and_after_a_power_loss(repository: MakeRepository, seconds: int, part: float) -> None:
    """Four writers beside a loop of gc, repack, pack-refs and prune; then the newest objects are cut. Nothing that was
    acknowledged is lost, no writer fails, and an ordinary read or write heals what was cut."""
    if seconds > 3 and part:
        pytest.skip("once is enough")
    path = repository("plain")
    store = new_store(path)
    tidier = Tidier(path)
    tidier.start()
    writers = start_writers(path, 4, "0")
    time.sleep(seconds * (1 if part else 0.7))
    for writer in writers:
        writer.process.kill()
    acked = acknowledged(writers)
    tidier.stop.set()
    tidier.join()
    assert tidier.rounds >= 1 and len(acked) > 40
    for number in range(9):  # a write among them may pack what is there: then others are the newest
        if number >= 3 and loose_at_tip(store) > 20:
            break
        write(store, f"newest {number}", key=str(number))
        acked.append(f"newest {number}")
    copy = path.with_name("copy")
    shutil.copytree(path, copy)

    assert truncate_tip(store, part) > 20
    check(path, acked, 4)  # by reading
    fsck(path)

    cut = open_store(copy)
    assert truncate_tip(cut, part) > 20
    written = write(cut, "after the power loss")  # by writing
    assert git(copy, "cat-file", "-t", written.commit_id) == "commit"
    check(copy, [*acked, "after the power loss"], 4)
    fsck(copy)


def test_without_the_log_the_same_is_lost(repository: MakeRepository) -> None:
    """The test above can fail: with the log gone, cut objects stay lost, and are reported."""
    path = repository("plain")
    store = new_store(path)
    write(store, "one")
    assert truncate_tip(store, 0.0) > 5
    store.database.log.path.unlink()

    with pytest.raises(Exception, match="missing or damaged"):
        statements(path)


def test_a_forced_ref_loses_writes(repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first test of this module can fail: a ref moved by force, without the lock, drops what others wrote."""
    path = repository("bare")
    one, two = new_store(path), open_store(path)
    tip = one.tip()
    assert tip is not None

    def force(backend: object, name: str, new: ObjectId, old: ObjectId | None) -> None:
        git(path, "update-ref", name, new)

    for store in (one, two):
        monkeypatch.setattr(type(store.backend), "move_ref", force)
        monkeypatch.setattr(store.ref, "settle", lambda author: tip)
        monkeypatch.setattr(store.database.log, "append", lambda *arguments, **keywords: None)
    write(one, "from one")
    write(two, "from two")

    assert Counter(statements(path))["from one"] == 0
