"""The last resort: an anchored text looked for by itself, in files where it may be."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memgit.anchors.files import Files, OldTextMissing
from memgit.anchors.line_search import LineSearch
from memgit.anchors.motion import AddedLines, Region
from memgit.anchors.text import Text, weight
from memgit.anchors.way import Spot
from memgit.records.codec import digest_of
from memgit.records.op import Anchor
from memgit.store.backend import ObjectMissing
from memgit.store.code_history import CodeHistory
from memgit.store.objects import ObjectId

_ENOUGH_WEIGHT = 40  # word characters: a shorter text is found by chance
_ALIKE = 0.3  # the share of the lines that makes a place look like the anchored one


@dataclass(frozen=True, slots=True)
class Found:
    """A place with the whole anchored text, and how many of its two surroundings are the anchor's too."""

    spot: Spot
    agrees: int


def occurrences(anchor: Anchor, text: Text, path: str, blob: ObjectId | None) -> list[Found]:
    """Return where in a file the whole anchored text is."""
    if anchor.text is None or anchor.text_digest is None or anchor.start_line is None or anchor.end_line is None:
        return []
    needle, found, at = Text(anchor.text.encode()).data, [], -1
    length = anchor.end_line - anchor.start_line + 1
    while needle and (at := text.data.find(needle, at + 1)) >= 0:
        if at and text.data[at - 1 : at] != b"\n":
            continue
        start = text.data.count(b"\n", 0, at)
        end = start + length
        if end <= len(text.lines) and is_text(anchor, text, start, end):
            agrees = (text.before(start) == anchor.before_digest) + (text.after(end) == anchor.after_digest)
            found.append(Found(Spot(path, blob, start, end), agrees))
    return found


def is_text(anchor: Anchor, text: Text, start: int, end: int) -> bool:
    """Tell whether lines are the anchored text, to the byte but for line ends."""
    return digest_of(text.part(start, end)) == anchor.text_digest


def is_enough(anchor: Anchor) -> bool:
    """Tell whether the anchored text can be recognised by itself."""
    return weight((anchor.text or "").encode()) >= _ENOUGH_WEIGHT


def everywhere(anchor: Anchor, history: CodeHistory, files: Files, commit: ObjectId, lines: LineSearch) -> list[Found]:
    """Return the places in a commit that hold the whole anchored text, found by its heaviest line."""
    if not is_enough(anchor):
        return []
    return _in_paths(anchor, history, files, commit, lines.paths(anchor, commit))


def alike(anchor: Anchor, history: CodeHistory, files: Files, commit: ObjectId, lines: LineSearch) -> list[Spot]:
    """Return places in a commit that hold a good part of the anchored text: copies, which stay when one is removed."""
    old = Text((anchor.text or "").encode())
    if not old.lines:
        return []
    spots = []
    for path in lines.paths(anchor, commit):
        try:
            blob = history.file(commit, path)
            text = files.text(blob) if blob is not None else Text(b"")
        except (ObjectMissing, OldTextMissing):
            continue
        region = AddedLines([Region(path, blob, text, 0, len(text.lines))])
        motion = region.find(old, 0, len(old.lines), (0, len(old.lines)), path)
        if motion is not None and motion.best.kept >= _ALIKE:
            spots.append(Spot(path, blob, motion.best.start, motion.best.end))
    return spots


def _in_paths(
    anchor: Anchor, history: CodeHistory, files: Files, commit: ObjectId, paths: Iterable[str]
) -> list[Found]:
    found: list[Found] = []
    for path in paths:
        blob = history.file(commit, path)
        if blob is not None:
            try:
                found += occurrences(anchor, files.text(blob), path, blob)
            except OldTextMissing:
                continue
    return found


def the_one(found: list[Found]) -> Found | None:
    """Return the place that the surroundings decide for; None where there is none, or nothing decides."""
    if not found:
        return None
    most = max(item.agrees for item in found)
    best = [item for item in found if item.agrees == most]
    return best[0] if len(best) == 1 else None
