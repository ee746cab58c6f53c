"""Models stay loaded; what could not be loaded is tried again, and what takes long to fail not at once."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from memgit.index.embedders.hashing import HashEmbedder
from memgit.index.embedders.registry import EMBEDDERS
from memgit.operations import nearness
from memgit.operations.kept_models import LONG_SECONDS, STANDS_SECONDS, KeptModels
from tests.operations.conftest import Memory


@dataclass
class Opens:
    """Opens models that are there, each in `takes` seconds of its own clock."""

    there: set[str]
    takes: float = 0.0
    now: float = 0.0
    asked: list[str] = field(default_factory=list)

    def __call__(self, name: str) -> str:
        self.asked.append(name)
        self.now += self.takes
        if name not in self.there:
            raise LookupError(name)
        return name.upper()


def test_a_model_is_loaded_once_and_the_oldest_goes() -> None:
    """As many are kept as are wanted."""
    opens = Opens({"a", "b", "c"})
    kept = KeptModels(opens, 2)
    assert [kept.get(name) for name in "aabac"] == ["A", "A", "B", "A", "C"]
    assert opens.asked == ["a", "b", "c"]
    kept.get("a"), kept.get("b")
    assert opens.asked == ["a", "b", "c", "b"]


def test_a_failure_is_tried_again() -> None:
    """What was installed since is found by a process that stays."""
    opens = Opens(set())
    kept = KeptModels(opens, 2, clock=lambda: opens.now)
    for _ in range(2):
        with pytest.raises(LookupError):
            kept.get("a")
    opens.there.add("a")
    assert kept.get("a") == "A" and len(opens.asked) == 3


def test_a_failure_that_took_long_stands_for_a_while() -> None:
    """Requests must not wait for it each time."""
    opens = Opens(set(), takes=2 * LONG_SECONDS)
    kept = KeptModels(opens, 2, clock=lambda: opens.now)
    for _ in range(3):
        with pytest.raises(LookupError):
            kept.get("a")
    assert len(opens.asked) == 1
    opens.now += STANDS_SECONDS
    opens.there.add("a")
    assert kept.get("a") == "A"


def test_an_embedder_that_is_installed_later_is_used(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the same process: the vectors are made anew, and the note is gone."""
    nearness._embedders.clear()
    memory.git("config", "memgit.embedder", "late")
    memory.claim("The heron dives into cold water.")
    assert any("late" in warning for warning in memory.envelope("search", query="heron")["warnings"])
    monkeypatch.setitem(EMBEDDERS, "late", HashEmbedder)
    found = memory.envelope("search", query="heron")
    assert found["warnings"] == [] and found["result"]["hits"][0]["ranking"]["similarity"] is not None
    nearness._embedders.clear()
