"""Typed values: what JSON brings, as one canonical text per type."""

from __future__ import annotations

import math
from typing import Any

from memgit import clock
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

        return canonical_json(data)
    return data if isinstance(data, str) and data.strip() else None


def _number(data: Any) -> str | None:
    if isinstance(data, bool) or not isinstance(data, int | float):
        return None
    if isinstance(data, int):
        return str(data) if abs(data) <= _EXACT_INTEGER else None
    return repr(data) if math.isfinite(data) else None
