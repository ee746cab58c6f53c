"""A commit as a step: what it did to files against one of its parents, read when a step asks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import PurePosixPath

from memgit.anchors.files import Files, OldTextMissing
from memgit.anchors.motion import AddedLines, Region
from memgit.anchors.text import Text
from memgit.anchors.way import Spot
from memgit.store.code_history import Change, CodeHistory
from memgit.store.line_diff import Hunk
from memgit.store.objects import ObjectId

_SEARCHED_FILES = 400
_SEARCHED_BYTES = 8 << 20


class CommitStage:
    """`Stage` of one commit against one parent."""

    def __init__(self, history: CodeHistory, files: Files, parent: ObjectId, commit: ObjectId) -> None:
        self.commit: ObjectId | None = commit
        self.name = commit[:10]
        self._history = history
        self._files = files
        self._parent = parent
        self._commit = commit

    def text(self, path: str, blob: ObjectId | None) -> Text:
        assert blob is not None
        return self._files.text(blob)

    def old_text(self, blob: ObjectId | None, path: str) -> Text:
        assert blob is not None
        return self._files.text(blob)

    def differences(self, spot: Spot, path: str, blob: ObjectId | None) -> list[Hunk]:
        assert blob is not None and spot.blob is not None
        return self._files.differences(spot.blob, blob)

    def renamed(self, path: str) -> Sequence[Change]:
        return [item for item in self.changes if item.old_path == path and item.status in "RC" and item.new_blob]

    def twins(self, change: Change) -> bool:
        if change.similarity < 100 or PurePosixPath(change.old_path).name == PurePosixPath(change.new_path).name:
            return False
        same = (item for item in self.changes if item.new_blob == change.new_blob and item.status in "ARC")
        return any(item.new_path != change.new_path for item in same)

    def added(self) -> AddedLines:
        return self._added

    @cached_property
    def changes(self) -> list[Change]:
        """All that the commit changed, with renames."""
        return self._history.renames(self._parent, self._commit)

    @cached_property
    def _added(self) -> AddedLines:
        changed = [item for item in self.changes if item.new_blob is not None and item.status != "T"]
        return added_lines(self._files, changed)


def added_lines(files: Files, changed: Sequence[Change]) -> AddedLines:
    """Return what changes added. Very many or large files are not all looked into, and the answer says so."""
    regions: list[Region] = []
    seen_bytes, is_whole = 0, len(changed) <= _SEARCHED_FILES
    for change in changed[:_SEARCHED_FILES]:
        assert change.new_blob is not None
        try:
            text = files.text(change.new_blob)
            seen_bytes += len(text.data)
            if seen_bytes > _SEARCHED_BYTES:
                is_whole = False
                break
            parts = _parts(files, change, text)
        except OldTextMissing:
            is_whole = False
            continue
        if not text.is_binary:
            regions += [Region(change.new_path, change.new_blob, text, start, end) for start, end in parts]
    return AddedLines(regions, is_whole)


def _parts(files: Files, change: Change, text: Text) -> list[tuple[int, int]]:
    """Return the lines that are new in a file; of an added one or a copy, all: they are new there."""
    if change.status in "MR" and change.old_blob is not None and change.new_blob is not None:
        hunks = files.differences(change.old_blob, change.new_blob)
        return [(hunk.new_start, hunk.new_end) for hunk in hunks if hunk.new_end > hunk.new_start]
    return [(0, len(text.lines))]
