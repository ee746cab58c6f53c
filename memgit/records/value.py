"""Typed values: what JSON brings, as one canonical text per type."""

from __future__ import annotations

import math
from typing import Any

from memgit import clock
from memgit.limits import DEFAULT
from memgit.records.op import ValueType

_EXACT_INTEGER = 2**63 - 1  # beyond it, readers of JSON and of SQLite disagree


def canonical_value(kind: ValueType, data: Any) -> str | None:
    """Return the canonical text of a value of this type, or None where it is not one.

    Numbers are JSON's, finite, integers within 64 bits; timestamps name an instant; JSON has sorted keys.
    """
    if kind == "boolean":
        return {True: "true", False: "false"}.get(data) if isinstance(data, bool) else None
    if kind == "number":
        return _number(data)
    if kind == "timestamp":
        return clock.parse_time(data) if isinstance(data, str) else None
    if kind == "json":
        from memgit.records.codec import canonical_json

        return canonical_json(data) if json_depth(data) <= DEFAULT.json_depth else None
    return data if isinstance(data, str) and data.strip() else None


def json_depth(value: Any) -> int:
    """Return how deep arrays and objects are nested in a JSON value: 0 for a scalar."""
    depth, level = 0, [value]
    while level := [item for outer in level for item in _members(outer)]:
        depth += 1
    return depth + (1 if isinstance(value, list | dict) and not value else 0)


def _members(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _number(data: Any) -> str | None:
    if isinstance(data, bool) or not isinstance(data, int | float):
        return None
    if isinstance(data, int):
        return str(data) if abs(data) <= _EXACT_INTEGER else None
    return repr(data) if math.isfinite(data) else None
