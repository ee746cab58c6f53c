"""Which lines differ between two texts, as Git's own algorithm sees it, in process and without a repository."""

from __future__ import annotations

from typing import NamedTuple

import pygit2
from pygit2.enums import DiffOption

_OPTIONS = DiffOption.INDENT_HEURISTIC | DiffOption.FORCE_TEXT | DiffOption.SKIP_BINARY_CHECK


class Hunk(NamedTuple):
    """The old lines [old_start, old_end) were replaced by the new lines [new_start, new_end). Lines count from 0."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def hunks(old: bytes, new: bytes) -> list[Hunk]:
    """Return the differences of two texts, in order, without context. Lines end with LF; the last one may lack it."""
    patch = pygit2.Patch.create_from(old, new, flag=_OPTIONS, context_lines=0, interhunk_lines=0)
    found = []
    for hunk in patch.hunks:
        old_start = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        new_start = hunk.new_start - 1 if hunk.new_lines else hunk.new_start
        found.append(Hunk(old_start, old_start + hunk.old_lines, new_start, new_start + hunk.new_lines))
    return found
