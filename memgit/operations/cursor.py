"""Page cursors: (seq, digest), opaque, so that a page never splits a tie. A plain seq is accepted too."""

from __future__ import annotations

import re

from memgit.errors import InvalidRequest

_CURSOR = re.compile(r"([0-9]{1,16})\.([0-9a-z_]{1,80})")


def encode_cursor(seq: int, key: str) -> str:
    """Return the cursor of the last item of a page."""
    return f"{seq}.{key}"


def decode_cursor(cursor: str | None, plain: int | None) -> tuple[int, str] | None:
    """Return what a page lies before: the cursor's place, or everything of a lower seq, or None for the first page."""
    if cursor is None:
        return (plain, "") if plain is not None else None
    match = _CURSOR.fullmatch(cursor)
    if match is None:
        raise not_a_cursor(cursor)
    return int(match[1]), match[2]


def not_a_cursor(cursor: str) -> InvalidRequest:
    """Return the error for a text that no page gave."""
    return InvalidRequest(
        f"{cursor[:80]!r} is not a cursor",
        hint="Copy `next_cursor` of the page before.",
        details={"field": "cursor"},
    )
