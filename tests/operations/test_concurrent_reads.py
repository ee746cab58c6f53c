"""Readers beside writers: nothing that was acknowledged is missing from what is recalled afterwards."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from tests.operations.conftest import SCOPE, Memory

CLAIMS = 25


def write(directory: Path, writer: int) -> None:
    """Remember claims, one after another, each with a word of its own."""
    for number in range(CLAIMS):
        Memory(directory).run("claim.assert", claim_type="fact", statement=f"Sighting zq{writer}x{number}q of a heron")


def recall(directory: Path, stop: multiprocessing.synchronize.Event) -> None:
    """Recall without pause."""
    while not stop.is_set():
        Memory(directory).run("memory.recall", query="sighting of a heron")
        Memory(directory).run("status")


def test_recall_beside_writers_loses_nothing(memory: Memory) -> None:
    """Two writers, two readers that keep state cache and index moving: every claim is found in the end."""
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    readers = [context.Process(target=recall, args=(memory.directory, stop)) for _ in range(2)]
    writers = [context.Process(target=write, args=(memory.directory, number)) for number in range(2)]
    for process in (*readers, *writers):
        process.start()
    for process in writers:
        process.join()
    stop.set()
    for process in readers:
        process.join()
    assert [process.exitcode for process in (*readers, *writers)] == [0, 0, 0, 0]
    missing = [
        f"zq{writer}x{number}q"
        for writer in range(2)
        for number in range(CLAIMS)
        if memory.run("memory.recall", query=f"zq{writer}x{number}q")["presence"] != "claims"
    ]
    assert missing == []
    assert memory.run("verify")["ok"] is True


def test_an_old_reader_does_not_turn_the_cache_back(memory: Memory) -> None:
    """A process that still holds an older snapshot adopts what another brought the cache to."""
    from memgit.index.state_cache import StateCache
    from memgit.store.repository import discover
    from memgit.store.store import Store

    memory.claim("One")
    store = Store(discover(memory.directory))
    older = store.snapshot()
    newer = memory.claim("Two")["claim_id"]
    memory.run("status")
    cache = StateCache(store.repository.cache_dir)
    cache.refresh(older, lambda commit: store.tip() == commit)
    assert cache.watermark is not None and cache.watermark.commit_id != older.commit_id
    assert cache.entity(newer) is not None
    cache.close()
    store.close()


def test_a_cache_that_stays_locked_does_not_stop_a_read(memory: Memory) -> None:
    """Another process's write transaction is waited for, then worked around in memory."""
    import sqlite3

    memory.claim("One")
    memory.run("status")
    memory.claim("Two")
    (file,) = (memory.directory / ".git" / "memgit" / "cache").glob("state-*.sqlite")
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        envelope = memory.envelope("status")
        assert envelope["ok"] and envelope["result"]["here"]["claims"] == 2
        assert any("without it" in warning for warning in envelope["warnings"])
    finally:
        other.execute("ROLLBACK")
        other.close()


@pytest.mark.parametrize("depth", [40, 900])
def test_deeply_nested_provenance_is_refused(memory: Memory, depth: int) -> None:
    """What a reader could not decode is not written."""
    value: object = 1
    for _ in range(depth):
        value = {"a": value}
    content = {"type": "text", "data": "x"}
    error = memory.refused("artifact.put", kind="d", title="T", content=content, provenance=value)
    assert error["details"]["limit"] == "json_depth"
    assert memory.run("status", context=SCOPE)["artifacts"] == {}
