"""A process that stays does at each request only what the request needs."""

from __future__ import annotations

from typing import Any

import pytest

from memgit.index import vectors
from memgit.operations import nearness
from memgit.operations.invocation import Invocation
from tests.operations.conftest import Memory


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """Each test begins cold."""
    nearness._embedders.clear()
    nearness._vectors.cache_clear()


def test_a_search_opens_its_files_once(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors are compared with their digest when they are first used; the store is not opened where nothing is new."""
    opened: list[str] = []
    real = vectors.Segment

    def segment(directory: Any, entry: Any, identity: Any) -> Any:
        opened.append(entry.name)
        return real(directory, entry, identity)

    monkeypatch.setattr(vectors, "Segment", segment)
    memory.git("config", "memgit.embedder", "hash")
    memory.claim("Herons dive at noon.")
    first = memory.run("search", query="herons")
    assert len(opened) == 1
    monkeypatch.setattr(Invocation, "snapshot_at", None)
    assert memory.run("search", query="herons")["hits"] == first["hits"]
    assert len(opened) == 1


def test_what_another_process_wrote_is_seen(memory: Memory) -> None:
    """What is kept open is compared with the newest state at each request."""
    memory.git("config", "memgit.embedder", "hash")
    memory.claim("Herons dive at noon.")
    memory.run("search", query="herons")
    nearness._vectors.cache_clear()  # stands for another process, with vectors of its own
    memory.claim("Herons rest at dusk.")
    assert all(hit["ranking"]["similarity"] for hit in memory.run("search", query="herons")["hits"])
