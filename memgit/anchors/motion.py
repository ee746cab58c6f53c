"""Code motion: lines that one change removed here and added there, in the same file or in another.

Pure. A range alone may be one short line; so it is looked for with the lines that were removed around it. The amounts
of text that count as a move are those of `git blame -M` and `-C`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memgit.anchors.line_map import blocks
from memgit.anchors.text import Text, telling, weight
from memgit.store.line_diff import Hunk

_SAME_FILE_WEIGHT = 20  # word characters; git-blame's default for -M
_OTHER_FILE_WEIGHT = 40  # git-blame's default for -C
_SURE_WEIGHT = 60
_SURE_LEAD = 1.5  # how much more the best place must hold than the second best
_AROUND = 25  # removed lines on each side of a range that are looked for with it
_GAP = 8  # lines that may lie between two parts of one moved block
_PLACES = 40  # regions that are compared line by line


@dataclass(frozen=True, slots=True)
class Region:
    """Lines [start, end) that a change added to a file."""

    path: str
    blob: str | None
    text: Text
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Moved:
    """A place that a range may have moved to: its lines there, the share of it that is there, how much text agrees."""

    region: Region
    start: int
    end: int
    kept: float
    weight: int


@dataclass(frozen=True, slots=True)
class Motion:
    """The best place, whether it is beyond doubt, and the places that are as good."""

    best: Moved
    is_sure: bool
    equals: tuple[Moved, ...]


class AddedLines:
    """All that one change added, ready to be searched. `is_whole` is false where some of it was not looked into."""

    def __init__(self, regions: Sequence[Region], is_whole: bool = True) -> None:
        self.is_whole = is_whole
        self._regions = regions
        self._where: dict[bytes, set[int]] = defaultdict(set)
        for number, region in enumerate(regions):
            for key in region.text.keys[region.start : region.end]:
                if key:
                    self._where[key].add(number)

    def holds_any(self, text: Text, start: int, end: int) -> bool:
        """Tell whether any telling line of a range was added anywhere."""
        return any(text.keys[start + at] in self._where for at in telling(text.lines[start:end]))

    def find(self, text: Text, start: int, end: int, block: tuple[int, int], path: str) -> Motion | None:
        """Return where the lines [start, end) went; `block` is what was removed with them, `path` where they were."""
        low, high = max(block[0], start - _AROUND), min(block[1], end + _AROUND)
        wanted = {start + at for at in telling(text.lines[start:end])}
        places = []
        for region in self._likely(text.keys[at] for at in sorted(wanted)):
            moved = _compare(text, low, high, wanted, region)
            enough = _SAME_FILE_WEIGHT if region.path == path else _OTHER_FILE_WEIGHT
            if moved is not None and moved.weight >= enough:
                places += _copies(text, (start, end), (low, high), moved)
        return _decide(places, end - start)

    def _likely(self, keys: Iterable[bytes]) -> list[Region]:
        hits: Counter[int] = Counter()
        for key in keys:
            hits.update(self._where.get(key, ()))
        return [self._regions[number] for number, _ in hits.most_common(_PLACES)]


def _compare(text: Text, low: int, high: int, wanted: set[int], region: Region) -> Moved | None:
    """Return the part of a region that agrees best with the removed lines, with at least one line of the range."""
    agreed: list[tuple[int, int]] = []
    best: Moved | None = None
    parts = blocks(text, region.text, Hunk(low, high, region.start, region.end))
    for old_start, old_end, new_start, _, is_equal in [*parts, (high, high, region.end, region.end, False)]:
        if is_equal:
            if agreed and new_start - agreed[-1][1] > _GAP + (old_start - agreed[-1][0]):
                best = _better(best, _moved(text, agreed, wanted, region))
                agreed = []
            agreed += [(old_start + n, new_start + n) for n in range(old_end - old_start)]
    return _better(best, _moved(text, agreed, wanted, region))


def _copies(text: Text, wanted: tuple[int, int], block: tuple[int, int], moved: Moved) -> list[Moved]:
    """Return a place with those of its region that hold the same lines, weighed by what agrees around each."""
    keys = moved.region.text.keys
    lines = keys[moved.start : moved.end]
    last = moved.region.end - len(lines)
    starts = [at for at in range(moved.region.start, last + 1) if keys[at : at + len(lines)] == lines]
    if len(starts) < 2 or moved.end - moved.start != wanted[1] - wanted[0]:
        return [moved]
    inside = sum(map(weight, moved.region.text.lines[moved.start : moved.end]))
    return [
        Moved(moved.region, at, at + len(lines), moved.kept, inside + _around(text, wanted, block, moved.region, at))
        for at in starts
    ]


def _around(text: Text, wanted: tuple[int, int], block: tuple[int, int], region: Region, at: int) -> int:
    """Return the weight of the lines next to a place that agree with those next to the removed range."""
    total, shift = 0, at - wanted[0]
    for side in (range(wanted[0] - 1, block[0] - 1, -1), range(wanted[1], block[1])):
        for old in side:
            if not region.start <= old + shift < region.end or text.keys[old] != region.text.keys[old + shift]:
                break
            total += weight(text.lines[old])
    return total


def _moved(text: Text, agreed: list[tuple[int, int]], wanted: set[int], region: Region) -> Moved | None:
    inside = [new for old, new in agreed if old in wanted]
    if not inside:
        return None
    first, last = min(wanted), max(wanted)
    reached = [new for old, new in agreed if first <= old <= last and inside[0] <= new <= inside[-1]]
    total = sum(weight(text.lines[old]) for old, _ in agreed)
    return Moved(region, reached[0], reached[-1] + 1, len(inside) / len(wanted), total)


def _better(one: Moved | None, other: Moved | None) -> Moved | None:
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda moved: (moved.kept, moved.weight))


def _decide(places: list[Moved], lines: int) -> Motion | None:
    ranked = sorted(places, key=lambda moved: (-round(moved.kept, 2), -moved.weight))
    if not ranked:
        return None
    best, rest = ranked[0], ranked[1:]
    equals = tuple(item for item in rest if item.kept == best.kept and item.weight == best.weight)
    leads = all(item.weight * _SURE_LEAD <= best.weight or item.kept < best.kept / 2 for item in rest)
    is_sure = leads and best.kept >= 0.9 and best.weight >= _SURE_WEIGHT and best.end - best.start <= 2 * lines + _GAP
    return Motion(best, is_sure, equals)
