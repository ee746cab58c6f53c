"""The working tree as a step after HEAD's commit: what its files hold now, read from the disk each time.

A file is compared by its bytes first; Git is asked only where a file is missing or lines have left it. Untracked files
count: a file that was moved without `git mv` is still found.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from memgit.anchors.files import Files, OldTextMissing, compared
from memgit.anchors.located import Place
from memgit.anchors.motion import AddedLines, Region
from memgit.anchors.text import Text, weight
from memgit.anchors.way import Spot, read_path
from memgit.store.code_history import Change, CodeHistory
from memgit.store.line_diff import Hunk
from memgit.store.objects import ObjectId, hash_object

_UNTRACKED = 500  # files that are looked into; more are a build directory that nobody ignored
_UNTRACKED_BYTES = 1 << 20  # of one file
_ALIKE = 0.5  # the share of text that makes a file a renamed one; Git's own default
_SECONDS = 60


class WorkTree:
    """`Stage` of the working tree over HEAD's commit. One answer's worth: it reads each file once."""

    commit: ObjectId | None = None
    name = "the working tree"

    def __init__(self, history: CodeHistory, files: Files, head: ObjectId | None) -> None:
        self._history = history
        self._files = files
        self._head = head
        self._root = os.fsencode(history.repository.root)
        self._texts: dict[str, tuple[Text, ObjectId] | None] = {}
        self._as_committed: dict[tuple[str, str | None], bool] = {}
        self._differences: dict[tuple[ObjectId, str], list[Hunk]] = {}

    def present(self, path: str) -> Text | None:
        """Return a working file's text; None where there is no regular file."""
        read = self._read(path)
        return read[0] if read is not None else None

    def has(self, place: Place, blob: str | None) -> bool:
        """Tell whether a place's file is, to the byte, the one with this id: asked for many anchors of one file."""
        key = (place.path, blob)
        if key not in self._as_committed:
            read = None if blob is None else self._read(read_path(place.path, place.path_encoded))
            self._as_committed[key] = read is not None and read[1] == blob
        return self._as_committed[key]

    def change(self, spot: Spot) -> Change | None:
        """Return what the working tree did to a spot's file, or None where it did nothing."""
        read = self._read(spot.path)
        if read is None:
            is_left_out = self._is_skipped(spot.path)
            return None if is_left_out else Change("D", spot.path, spot.path, spot.blob, None)
        if read[1] == spot.blob or (spot.blob is not None and self._is_same(read[0], spot.blob)):
            return None
        if read[0].is_binary and spot.blob is not None and self._is_filtered(spot.path, spot.blob):
            return None
        return Change("W", spot.path, spot.path, spot.blob, None)

    def text(self, path: str, blob: ObjectId | None) -> Text:
        text = self.present(path)
        if text is None:
            raise OldTextMissing(path)
        return text

    def old_text(self, blob: ObjectId | None, path: str) -> Text:
        if blob is None:
            raise OldTextMissing(path)
        return self._files.text(blob)

    def differences(self, spot: Spot, path: str, blob: ObjectId | None) -> list[Hunk]:
        if spot.blob is None:
            raise OldTextMissing(path)
        key = (spot.blob, path)
        if key not in self._differences:
            self._differences[key] = compared(self._files.text(spot.blob), self.text(path, None))
        return self._differences[key]

    def renamed(self, path: str) -> Sequence[Change]:
        known = [item for item in self._changes if item.old_path == path and item.status in "RC"]
        if known:
            return known
        old = next((item.old_blob for item in self._changes if item.old_path == path), None)
        return self._untracked_like(path, old) if old is not None else []

    def twins(self, change: Change) -> bool:
        return False  # `renamed` names all of them

    def added(self) -> AddedLines:
        return self._added

    def changed_paths(self) -> set[str]:
        """Return the paths that differ from HEAD's commit, untracked ones too."""
        changed = self._changes
        return {item.old_path for item in changed} | {item.new_path for item in changed} | set(self._untracked)

    def _is_same(self, text: Text, blob: ObjectId) -> bool:
        try:
            return self._files.text(blob).data == text.data
        except OldTextMissing:
            return False

    def _read(self, path: str) -> tuple[Text, ObjectId] | None:
        if path not in self._texts:
            self._texts[path] = self._from_disk(path)
        return self._texts[path]

    def _from_disk(self, path: str) -> tuple[Text, ObjectId] | None:
        name = self._root + b"/" + os.fsencode(path)
        try:
            descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        except OSError:
            return None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None  # before it becomes a file object, which a directory cannot
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                data = file.read()
        finally:
            os.close(descriptor)
        return Text(data), hash_object("blob", data, self._history.backend.object_format).oid

    def _is_skipped(self, path: str) -> bool:
        """Tell whether a sparse checkout leaves the file out: then it is as it is committed."""
        answer = self._git(["ls-files", "-t", "-z", "--", f":(top,literal){path}"])
        return answer.startswith(b"S ")

    def _is_filtered(self, path: str, blob: ObjectId) -> bool:
        """Tell whether a file is the committed one in the encoding that its attributes ask for."""
        name = os.fsdecode(self._root + b"/" + os.fsencode(path))
        return self._git(["hash-object", f"--path={path}", "--", name]).strip() == blob.encode()

    @cached_property
    def _changes(self) -> list[Change]:
        if self._head is None:
            return []
        command = ["diff", "--raw", "-z", "-M", "--no-abbrev", "--no-ext-diff", "--ignore-submodules=all"]
        rows = self._git([*command, self._head, "--"]).split(b"\0")
        return list(self._history.rows(rows))

    @cached_property
    def _untracked(self) -> list[str]:
        names = self._git(["ls-files", "-z", "--others", "--exclude-standard"]).split(b"\0")
        return [name.decode("utf-8", "surrogateescape") for name in names[:_UNTRACKED] if name]

    @cached_property
    def _added(self) -> AddedLines:
        regions: list[Region] = []
        for item in self._changes:
            text = self.present(item.new_path) if item.status in "AMRC" else None
            if text is not None and not text.is_binary:
                regions += [Region(item.new_path, None, text, *part) for part in self._new_parts(item, text)]
        for path in self._untracked:
            text = self._small(path)
            if text is not None:
                regions.append(Region(path, None, text, 0, len(text.lines)))
        return AddedLines(regions, len(self._untracked) < _UNTRACKED)

    def _new_parts(self, item: Change, text: Text) -> Iterable[tuple[int, int]]:
        if item.old_blob is None or item.status == "A":
            return [(0, len(text.lines))]
        try:
            hunks = compared(self._files.text(item.old_blob), text)
        except OldTextMissing:
            return []
        return [(hunk.new_start, hunk.new_end) for hunk in hunks if hunk.new_end > hunk.new_start]

    def _untracked_like(self, path: str, old_blob: ObjectId) -> list[Change]:
        try:
            old = self._files.text(old_blob)
        except OldTextMissing:
            return []
        ranked = []
        for name in self._untracked:
            text = self._small(name)
            share = _alike(old, text) if text is not None else 0.0
            if share >= _ALIKE:
                ranked.append((share, PurePosixPath(name).name == PurePosixPath(path).name, name))
        ranked.sort(reverse=True)
        best = [item for item in ranked if item[:2] == ranked[0][:2]]
        return [Change("R", path, name, old_blob, None, round(share * 100)) for share, _, name in best]

    def _small(self, path: str) -> Text | None:
        text = self.present(path) if self._size(path) <= _UNTRACKED_BYTES else None
        return text if text is not None and not text.is_binary else None

    def _size(self, path: str) -> int:
        """Return a file's size, so that a large one is not read; 0 where there is none."""
        try:
            return os.lstat(self._root + b"/" + os.fsencode(path)).st_size
        except OSError:
            return 0

    def _git(self, arguments: list[str]) -> bytes:
        return self._history.git(arguments, timeout=_SECONDS, in_work_tree=True).stdout


def _alike(old: Text, new: Text) -> float:
    """Return how much of the two texts is in both, by lines, as a share of the longer one."""
    if old.data == new.data:
        return 1.0
    ours, theirs = set(old.lines), set(new.lines)
    common = sum(weight(line) for line in ours & theirs)
    return common / max(1, sum(map(weight, ours)), sum(map(weight, theirs)))
