"""Every term of the three specifications is tied to the tests that prove it, to a later stage, or to a reason.

`docs/seeds.yaml` is the whole list. Tests are looked up by their syntax, so that this check imports none of them.
"""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from memgit.protocol.table import OPERATIONS

ROOT = Path(__file__).resolve().parents[2]
ENTRIES: list[dict[str, Any]] = yaml.safe_load((ROOT / "docs" / "seeds.yaml").read_text("utf-8"))
TERMS = {"memoree": 81, "Remem": 35, "Memory Genome Engine": 33}
STAGES = range(1, 16)
BUILT = {1, 2, 3, 4}  # storage, sync, retrieval, hooks
KEYS = {"term", "seed", "stage", "where", "tests", "later", "status", "reason", "not_applicable"}


def _name(entry: dict[str, Any]) -> str:
    return f"{entry['seed']}: {entry['term'][:50]}"


def test_no_term_is_missing_or_twice() -> None:
    """The list is whole: so many terms of each specification, each once."""
    assert Counter(entry["seed"] for entry in ENTRIES) == TERMS
    names = Counter((entry["seed"], entry["term"]) for entry in ENTRIES)
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("entry", ENTRIES, ids=_name)
def test_an_entry_says_one_thing(entry: dict[str, Any]) -> None:
    """Proven by tests, planned for a later stage, or not applicable for a reason; and where it lives."""
    assert set(entry) <= KEYS
    if "not_applicable" in entry:
        assert entry["not_applicable"].strip()
        assert "tests" not in entry
        assert "status" not in entry
        return
    assert entry["stage"]
    assert set(entry["stage"]) <= set(STAGES)
    assert ("tests" in entry) != (entry.get("status") == "planned")
    assert entry.get("status") in (None, "planned")
    where = entry["where"]
    planned_room = "status" in entry and where.endswith("/")
    assert where in OPERATIONS or (ROOT / where).exists() or planned_room, where


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if BUILT & set(entry.get("stage", ()))], ids=_name)
def test_a_term_of_a_stage_that_is_built_is_proven(entry: dict[str, Any]) -> None:
    """It has a test, or the reason why not."""
    assert entry.get("tests") or entry.get("reason") or entry.get("not_applicable")


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if "tests" in entry], ids=_name)
def test_named_tests_exist(entry: dict[str, Any]) -> None:
    """Each is a function, or a method of a class, in the file that it names."""
    for named in entry["tests"]:
        file, _, name = named.partition("::")
        assert file.startswith("tests/"), named
        assert (ROOT / file).is_file(), named
        assert name in _tests(ROOT / file), named


@cache
def _tests(file: Path) -> frozenset[str]:
    """Return the tests of a file, as `function` or `Class::method`."""
    found = set()
    for node in ast.parse(file.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            methods = [item.name for item in node.body if isinstance(item, ast.FunctionDef)]
            found |= {f"{node.name}::{name}" for name in methods if name.startswith("test_")}
    return frozenset(found)
