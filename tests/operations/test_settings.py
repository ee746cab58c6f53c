"""Settings as operations: with their sources, the ambient context among them."""

from __future__ import annotations

import pytest

from tests.operations.conftest import SCOPE, Memory


def settings(memory: Memory) -> dict[str, dict[str, object]]:
    """Return every setting by name."""
    return {row["name"]: row for row in memory.run("config.list")["settings"]}


def test_each_setting_says_where_it_comes_from(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Environment before marker before Git config before default."""
    assert (settings(memory)["packEvery"]["value"], settings(memory)["packEvery"]["source"]) == (150, "default")
    memory.git("config", "memgit.packEvery", "20")
    assert (settings(memory)["packEvery"]["value"], settings(memory)["packEvery"]["source"]) == (20, "git")
    monkeypatch.setenv("MEMGIT_PACK_EVERY", "30")
    assert (settings(memory)["packEvery"]["value"], settings(memory)["packEvery"]["source"]) == (30, "environment")


def test_the_ambient_context_is_among_them(memory: Memory) -> None:
    """The marker's workspace and project are shown with their source."""
    found = settings(memory)["project_id"]
    assert (found["value"], found["source"]) == (SCOPE["project_id"], "marker")


def test_setting_and_removing(memory: Memory) -> None:
    """`config.set` writes Git config and returns what holds now; null removes."""
    changed = memory.run("config.set", name="durability", value="safe")
    assert (changed["value"], memory.git("config", "memgit.durability")) == ("safe", "safe")
    memory.claim("Written with every byte synced")
    assert memory.run("config.set", name="durability", value=None)["source"] == "default"


@pytest.mark.parametrize(
    ("name", "value"), [("durabilty", "safe"), ("durability", "fast"), ("packEvery", "-1"), ("workspace_id", "x")]
)
def test_wrong_names_and_values_are_refused(memory: Memory, name: str, value: str) -> None:
    """With what would be right, and nothing written."""
    error = memory.refused("config.set", name=name, value=value)
    assert error["code"] == "INVALID_REQUEST"


def test_pack_every_zero_leaves_packing_to_git(memory: Memory) -> None:
    """No pack of ours, however many writes."""
    memory.git("config", "memgit.packEvery", "0")
    for number in range(12):
        memory.claim(f"Claim {number}")
    assert "packs: 0" in memory.git("count-objects", "-v")
    memory.git("config", "memgit.packEvery", "3")
    for number in range(4):
        memory.claim(f"More {number}")
    assert "packs: 0" not in memory.git("count-objects", "-v")


def test_a_setting_that_names_no_model_is_told(empty: Memory) -> None:
    """It is kept, since the model may come later, with a warning; what is there needs none."""
    for name in ("reranker", "embedder"):
        assert "no model 'gone' is installed" in empty.envelope("config.set", name=name, value="gone")["warnings"][0]
        assert empty.envelope("config.set", name=name, value="none")["warnings"] == []
    assert empty.envelope("config.set", name="reranker", value=str(empty.directory))["warnings"] == []
