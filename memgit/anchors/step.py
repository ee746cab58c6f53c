"""One step of an anchor: over one change of the code, whether a commit's or that of a working tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from memgit.anchors.line_map import Carried, carry, removed_part, replacement
from memgit.anchors.located import less_certain
from memgit.anchors.motion import AddedLines, Motion
from memgit.anchors.text import Text, weight
from memgit.anchors.way import Ended, Spot, Way
from memgit.store.code_history import Change
from memgit.store.line_diff import Hunk
from memgit.store.objects import ObjectId

_KEPT = 0.5  # the share of lines that must be there for a place to be certain
_BETTER = 0.25  # by how much more another place must hold than what stayed
_TELLING_WEIGHT = 20  # word characters that must be left of changed lines: fewer may agree by chance
_FILE_WEIGHT = 60  # word characters in a file: smaller ones (an empty `__init__.py`) look like any other
_SIMILAR = 70  # percent; Git calls files a rename from 50 on


class Stage(Protocol):
    """One change of the code, as far as a step looks into it."""

    commit: ObjectId | None  # None for a working tree
    name: str  # for messages

    def text(self, path: str, blob: ObjectId | None) -> Text:
        """Return the text of a file after the change. Raises OldTextMissing."""

    def old_text(self, blob: ObjectId | None, path: str) -> Text:
        """Return the text of a file before the change. Raises OldTextMissing."""

    def differences(self, spot: Spot, path: str, blob: ObjectId | None) -> list[Hunk]:
        """Return what differs between a spot's file and a file after the change. Raises OldTextMissing."""

    def renamed(self, path: str) -> Sequence[Change]:
        """Return what a file that is gone was renamed or copied to."""

    def twins(self, change: Change) -> bool:
        """Tell whether another file of another name came with the same content."""

    def added(self) -> AddedLines:
        """Return all lines that the change added."""


def follow(spot: Spot, change: Change, stage: Stage) -> Way:
    """Return where a spot is after a change of its file. Raises OldTextMissing."""
    if change.new_blob is not None or change.status == "W":
        if spot.is_whole:
            return spot.at(change.new_path, change.new_blob, None, None)
        return _in_files(spot, [(change.new_path, change.new_blob)], stage)
    targets = stage.renamed(spot.path)
    if spot.is_whole:
        return _whole_file(spot, targets, stage)
    way = _in_files(spot, [(item.new_path, item.new_blob) for item in targets], stage)
    if isinstance(way, Spot) and len(targets) == 1 and stage.twins(targets[0]):
        return way.weaker("likely", f"{stage.name} has several files with this content")
    return way


def _in_files(spot: Spot, files: Iterable[tuple[str, ObjectId | None]], stage: Stage) -> Way:
    """Follow lines into the files that their file became, and wherever else they may have been moved."""
    assert spot.start is not None and spot.end is not None
    stayed: list[tuple[Carried, str, ObjectId | None]] = []
    differences: list[Hunk] = []
    file_list = list(files)
    for path, blob in file_list:
        new = stage.text(path, blob)
        if new.is_binary:
            continue
        differences = stage.differences(spot, path, blob)
        carried = carry(stage.old_text(spot.blob, spot.path), new, spot.start, spot.end, differences)
        if carried is not None:
            stayed.append((carried, path, blob))
    stayed.sort(key=lambda item: (-item[0].is_same, -item[0].kept, -item[0].known))
    if stayed and (stayed[0][0].is_same or stayed[0][0].kept >= _KEPT):
        return _stay(spot, stayed, stage)
    old = stage.old_text(spot.blob, spot.path)
    block = removed_part(spot.start, spot.end, differences) if file_list else (0, len(old.lines))
    motion = stage.added().find(old, spot.start, spot.end, block, spot.path)
    if motion is not None and (not stayed or motion.best.kept > stayed[0][0].known + _BETTER):
        return _moved(spot, motion, stage)
    if stayed:
        return _stay(spot, stayed, stage)
    if len(file_list) == 1 and (part := replacement(spot.start, spot.end, differences)) is not None:
        path, blob = file_list[0]
        return spot.at(path, blob, *part).weaker("likely", f"{stage.name} wrote the lines anew")
    return _ended(spot, old, stage)


def _stay(spot: Spot, stayed: list[tuple[Carried, str, ObjectId | None]], stage: Stage) -> Way:
    carried, path, blob = stayed[0]
    found = spot.at(path, blob, carried.start, carried.end)
    equal = [item for item in stayed[1:] if item[0].kept == carried.kept and item[0].is_same == carried.is_same]
    if equal:
        others = tuple(spot.at(item[1], item[2], item[0].start, item[0].end) for item in [stayed[0], *equal])
        return Ended(spot, stage.commit, "lost", f"{stage.name} left {len(others)} equal copies of the lines", others)
    if not carried.is_same and carried.kept < _KEPT:
        return found.weaker("likely", f"{stage.name} changed most of the lines")
    if not carried.is_same and carried.weight < _TELLING_WEIGHT:
        return found.weaker("likely", f"{stage.name} left little of the lines")
    return found


def _moved(spot: Spot, motion: Motion, stage: Stage) -> Way:
    best = motion.best
    if motion.equals:
        copies = (best, *motion.equals)
        others = tuple(spot.at(item.region.path, _blob(item.region.blob), item.start, item.end) for item in copies)
        return Ended(spot, stage.commit, "lost", f"{stage.name} made {len(others)} equal copies of the lines", others)
    found = spot.at(best.region.path, _blob(best.region.blob), best.start, best.end)
    if motion.is_sure:
        return found
    return found.weaker("likely", f"{stage.name} moved the lines, as it seems")


def _whole_file(spot: Spot, targets: Sequence[Change], stage: Stage) -> Way:
    ranked = sorted(targets, key=lambda change: (-change.similarity, change.status != "R"))
    if not ranked:
        return Ended(spot, stage.commit, "certain", f"{stage.name} deleted the file")
    best = ranked[0]
    found = spot.at(best.new_path, best.new_blob, None, None)
    text = stage.text(best.new_path, best.new_blob)
    small = len(text.data) < 4096 and weight(text.data) < _FILE_WEIGHT
    if len(ranked) > 1 or best.similarity < _SIMILAR or small or stage.twins(best):
        return found.weaker("likely", f"{stage.name} renamed the file, as it seems ({best.similarity} % alike)")
    return found


def _ended(spot: Spot, old: Text, stage: Stage) -> Ended:
    assert spot.start is not None and spot.end is not None
    is_sure = sum(weight(line) for line in old.lines[spot.start : spot.end]) > 0 and not stage.added().holds_any(
        old, spot.start, spot.end
    )
    if is_sure and stage.added().is_whole and not spot.has_rival:
        return Ended(spot, stage.commit, spot.certainty, f"{stage.name} removed the lines")
    return Ended(
        spot,
        stage.commit,
        less_certain(spot.certainty, "likely"),
        f"{stage.name} removed the lines, though parts of them may be elsewhere",
    )


def _blob(blob: str | None) -> ObjectId | None:
    return ObjectId(blob) if blob is not None else None
