"""Where lines of one version of a file are in the next: pure, by the hunks between the two.

A line that is the same is followed exactly. Where lines were replaced, the hunk is looked into: first without blanks
(a reindentation), then by likeness of single lines (an edit).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memgit.anchors.line_likeness import Line
from memgit.anchors.text import Text, bare_key, telling, weight
from memgit.store.line_diff import Hunk, hunks

Likeness = Literal["same", "blanks", "edited"]

_COMPARED_LINES = 40  # on each side of a replaced part; more are not compared one by one


@dataclass(frozen=True, slots=True)
class Pair:
    """A line of the old range and the line that it became."""

    old: int
    new: int
    likeness: Likeness


@dataclass(frozen=True, slots=True)
class Carried:
    """An old range [start, end) in the new version.

    `kept` is the share of its telling lines that are there but for blanks (`weight` the word characters in them, where
    some line was touched), `known` the share with edited lines.
    `is_same` says that not one line of it was touched.
    """

    start: int
    end: int
    kept: float
    known: float
    weight: int
    is_same: bool


def carry(old: Text, new: Text, start: int, end: int, differences: list[Hunk]) -> Carried | None:
    """Return where the lines [start, end) of `old` are in `new`; None where none of them can be recognised."""
    shift, touching = _touching(differences, start, end)
    if not touching:
        return Carried(start + shift, end + shift, 1.0, 1.0, 0, True)
    pairs = _pairs(old, new, start, end, touching, shift)
    return _hull(old, start, end, pairs)


def replacement(start: int, end: int, differences: list[Hunk]) -> tuple[int, int] | None:
    """Return the new lines of the one hunk that replaced the whole range, where their number is comparable."""
    _, touching = _touching(differences, start, end)
    if len(touching) != 1 or touching[0].old_start > start or touching[0].old_end < end:
        return None
    hunk = touching[0]
    added, removed = hunk.new_end - hunk.new_start, hunk.old_end - hunk.old_start
    if not added or removed > 2 * (end - start) + 2 or added > 3 * removed + 3:
        return None
    return hunk.new_start, hunk.new_end


def removed_part(start: int, end: int, differences: list[Hunk]) -> tuple[int, int]:
    """Return the range with all lines next to it that were removed with it."""
    _, touching = _touching(differences, start, end)
    first = min([start, *(hunk.old_start for hunk in touching)])
    return first, max([end, *(hunk.old_end for hunk in touching)])


def _touching(differences: list[Hunk], start: int, end: int) -> tuple[int, list[Hunk]]:
    """Return by how much the lines before the range grew, and the hunks that touch it."""
    shift = 0
    touching = []
    for hunk in differences:
        if hunk.old_start >= end:
            break
        is_insertion = hunk.old_start == hunk.old_end
        if hunk.old_end > start and not (is_insertion and hunk.old_start <= start):
            touching.append(hunk)
        elif not touching:
            shift += (hunk.new_end - hunk.new_start) - (hunk.old_end - hunk.old_start)
    return shift, touching


def _pairs(old: Text, new: Text, start: int, end: int, touching: list[Hunk], shift: int) -> list[Pair]:
    pairs: list[Pair] = []
    at = start
    for hunk in touching:
        pairs += [Pair(line, line + shift, "same") for line in range(at, hunk.old_start)]
        pairs += [pair for pair in align(old, new, hunk) if start <= pair.old < end]
        at = max(at, hunk.old_end)
        shift = hunk.new_end - hunk.old_end
    return pairs + [Pair(line, line + shift, "same") for line in range(at, end)]


def align(old: Text, new: Text, hunk: Hunk) -> list[Pair]:
    """Return which of the replaced lines became which of the new ones, in order."""
    pairs: list[Pair] = []
    if hunk.new_start == hunk.new_end or hunk.old_start == hunk.old_end:
        return pairs
    for old_start, old_end, new_start, new_end, is_equal in blocks(old, new, hunk):
        if is_equal:
            pairs += [Pair(old_start + n, new_start + n, "blanks") for n in range(old_end - old_start)]
        else:
            part = Hunk(old_start, old_end, new_start, new_end)
            pairs += _edited(old, new, part) if old.is_utf_8 == new.is_utf_8 else _recoded(old, new, part)
    return pairs


def _recoded(old: Text, new: Text, part: Hunk) -> list[Pair]:
    """Return the pairs of lines that agree but for what another encoding changed, which is no more than likeness."""
    old_keys = [bare_key(line) for line in old.lines[part.old_start : part.old_end]]
    new_keys = [bare_key(line) for line in new.lines[part.new_start : part.new_end]]
    differences = hunks(b"".join(key + b"\n" for key in old_keys), b"".join(key + b"\n" for key in new_keys))
    pairs: list[Pair] = []
    shift, at = part.new_start - part.old_start, 0
    for hunk in [*differences, Hunk(len(old_keys), len(old_keys), len(new_keys), len(new_keys))]:
        lines = [part.old_start + line for line in range(at, hunk.old_start) if old_keys[line]]
        pairs += [Pair(line, line + shift, "edited") for line in lines]
        at = hunk.old_end
        shift = part.new_start - part.old_start + hunk.new_end - hunk.old_end
    return pairs


def blocks(old: Text, new: Text, part: Hunk) -> list[tuple[int, int, int, int, bool]]:
    """Return a part of two texts as alternating blocks: old lines, new lines, and whether they agree but for blanks."""
    old_keys = b"".join([key + b"\n" for key in old.keys[part.old_start : part.old_end]])
    new_keys = b"".join([key + b"\n" for key in new.keys[part.new_start : part.new_end]])
    found = []
    old_at, new_at = part.old_start, part.new_start
    whole_old, whole_new = part.old_end - part.old_start, part.new_end - part.new_start
    for hunk in [*hunks(old_keys, new_keys), Hunk(whole_old, whole_old, whole_new, whole_new)]:
        old_stop, new_stop = part.old_start + hunk.old_start, part.new_start + hunk.new_start
        if old_stop > old_at:
            found.append((old_at, old_stop, new_at, new_stop, True))
        old_at, new_at = part.old_start + hunk.old_end, part.new_start + hunk.new_end
        if old_at > old_stop or new_at > new_stop:
            found.append((old_stop, old_at, new_stop, new_at, False))
    return found


def _edited(old: Text, new: Text, hunk: Hunk) -> list[Pair]:
    """Return the pairs of single lines that are alike, in order, the most alike first."""
    lines = max(hunk.old_end - hunk.old_start, hunk.new_end - hunk.new_start)
    if lines > _COMPARED_LINES:
        return []
    olds = [(at, Line.of(old.lines[at])) for at in range(hunk.old_start, hunk.old_end)]
    alike = []
    for new_line in range(hunk.new_start, hunk.new_end):
        line = Line.of(new.lines[new_line])
        alike += [(-ratio, at, new_line) for at, before in olds if (ratio := line.likeness(before)) is not None]
    chosen: list[Pair] = []
    for _, old_line, new_line in sorted(alike):
        crosses = any((pair.old - old_line) * (pair.new - new_line) <= 0 for pair in chosen)
        if not crosses:
            chosen.append(Pair(old_line, new_line, "edited"))
    return sorted(chosen, key=lambda pair: pair.old)


def _hull(old: Text, start: int, end: int, pairs: list[Pair]) -> Carried | None:
    wanted = {start + at for at in telling(old.lines[start:end])}
    found = [pair for pair in pairs if pair.old in wanted]
    if not found:
        return None
    kept = sum(pair.likeness != "edited" for pair in found) / len(wanted)
    known = len(found) / len(wanted)
    weighed = sum(weight(old.lines[pair.old]) for pair in found if pair.likeness != "edited")
    # A lone bracket far away must not stretch the range: only lines that say something set its ends, and the lines
    # next to them that kept their distance.
    first, last = found[0], found[-1]
    before = [pair for pair in pairs if pair.old < first.old and pair.new - first.new == pair.old - first.old]
    after = [pair for pair in pairs if pair.old > last.old and pair.new - last.new == pair.old - last.old]
    low = min([first.new, *(pair.new for pair in before)])
    high = max([last.new, *(pair.new for pair in after)])
    return Carried(low, high + 1, kept, known, weighed, False)
