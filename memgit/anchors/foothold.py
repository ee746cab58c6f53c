"""Into the history of a target from a commit that is not in it: amended, rebased, squashed, picked, or collected.

A foothold is a commit of that history, and the spot of the anchor in it. From there the walk goes on step by step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memgit.anchors.files import Files, OldTextMissing
from memgit.anchors.line_map import carry
from memgit.anchors.motion import AddedLines, Region
from memgit.anchors.rewritten import rewritten
from memgit.anchors.search import is_enough, occurrences, the_one
from memgit.anchors.text import Text, telling, weight
from memgit.anchors.way import Spot, read_path
from memgit.records.op import Anchor
from memgit.store.backend import ObjectMissing
from memgit.store.code_history import CodeHistory, CommitGraph
from memgit.store.objects import ObjectId

_VERSIONS = 200  # of one path, newest first
_KEPT = 0.5
_SURE_WEIGHT = 40  # word characters that a text must have to be certain by itself


@dataclass(frozen=True, slots=True)
class Foothold:
    """A commit of the target's history and the spot there."""

    commit: ObjectId
    spot: Spot


class Footholds:
    """Looks for footholds in the history of one target. `rewrites` says which commit became which."""

    def __init__(self, history: CodeHistory, files: Files, graph: CommitGraph, rewrites: Mapping[str, str]) -> None:
        self._history = history
        self._files = files
        self._graph = graph
        self._rewrites = rewrites
        self._known_versions: dict[str, list[tuple[ObjectId, ObjectId]]] = {}

    def rewritten(self, commit: str) -> ObjectId | None:
        """Return the commit of this history that a commit became, as the events of rewriting say."""
        return rewritten(commit, self._graph, self._rewrites)

    def find(self, anchor: Anchor, same_patch: ObjectId | None) -> Foothold | None:
        """Return the surest foothold, or None. `same_patch` is a commit of this history with the anchor's patch."""
        assert anchor.path is not None
        path = read_path(anchor.path, anchor.path_encoded)
        became = self.rewritten(anchor.commit) if anchor.commit else None
        for commit, why in ((became, "rewritten as"), (same_patch, "the same patch as")):
            found = self._in_commit(anchor, path, commit, why) if commit is not None else None
            if found is not None:
                return found
        return self._in_versions(anchor, path)

    def _in_commit(self, anchor: Anchor, path: str, commit: ObjectId, why: str) -> Foothold | None:
        """Look in a commit that stands for the anchor's own."""
        try:
            blob = self._history.file(commit, path)
        except ObjectMissing:
            return None
        if blob is None:
            return None
        if blob == anchor.blob:
            return Foothold(commit, spot_of(anchor, path, blob))
        spot = self._compared(anchor, path, blob)
        return Foothold(commit, spot.weaker(spot.certainty, f"{why} {commit[:10]}")) if spot is not None else None

    def _in_versions(self, anchor: Anchor, path: str) -> Foothold | None:
        """Look in the versions that the path had: for the same file, for the same text, for the nearest text."""
        versions = self._versions(path)
        for commit, blob in versions:
            if blob == anchor.blob:
                return Foothold(commit, spot_of(anchor, path, blob))
        for look in (self._by_whole_text, self._compared, self._by_text, self._by_likeness):
            for commit, blob in versions:
                spot = look(anchor, path, blob)
                if spot is not None:
                    return Foothold(commit, spot)
        return None

    def _versions(self, path: str) -> list[tuple[ObjectId, ObjectId]]:
        if path in self._known_versions:
            return self._known_versions[path]
        seen: dict[ObjectId, ObjectId] = {}
        for commit in self._history.commits_on(path, self._graph.target, None, _VERSIONS):
            try:
                blob = self._history.file(commit, path)
            except ObjectMissing:
                continue
            if blob is not None:
                seen.setdefault(blob, commit)
        versions = [(commit, blob) for blob, commit in seen.items()]
        self._known_versions[path] = versions
        return versions

    def _by_whole_text(self, anchor: Anchor, path: str, blob: ObjectId) -> Spot | None:
        """Look for the text with what was around it on both sides."""
        spot = self._by_text(anchor, path, blob)
        return spot if spot is not None and spot.certainty == "certain" else None

    def _by_text(self, anchor: Anchor, path: str, blob: ObjectId) -> Spot | None:
        try:
            found = occurrences(anchor, self._files.text(blob), path, blob)
        except OldTextMissing:
            return None
        best = the_one(found)
        if best is None or not (is_enough(anchor) or best.agrees):
            return None
        if best.agrees == 2 and weight((anchor.text or "").encode()) >= _SURE_WEIGHT:
            return best.spot
        return best.spot.weaker("likely", f"found by its text in {path}")

    def _compared(self, anchor: Anchor, path: str, blob: ObjectId) -> Spot | None:
        """Compare the anchored file itself, where it is still here, with another version."""
        if anchor.blob is None:
            return None
        try:
            old, new = self._files.text(ObjectId(anchor.blob)), self._files.text(blob)
        except OldTextMissing:
            return None
        is_whole = anchor.start_line is None or anchor.end_line is None
        start, end = (anchor.start_line or 1) - 1, anchor.end_line or len(old.lines)
        if end > len(old.lines) or new.is_binary:
            return None
        if not _may_hold(new, old, start, end):
            return None
        carried = carry(old, new, start, end, self._files.differences(ObjectId(anchor.blob), blob))
        if carried is None or carried.kept < _KEPT:
            return None
        spot = Spot(path, blob, None, None) if is_whole else Spot(path, blob, carried.start, carried.end)
        if carried.is_same and self._is_beyond_doubt(old, new, start, carried.start, end - start):
            return spot
        return spot.weaker("likely", f"found by comparing {path} with its former text")

    def _by_likeness(self, anchor: Anchor, path: str, blob: ObjectId) -> Spot | None:
        """Compare the copy that the anchor holds, which may be all that is left of its text."""
        try:
            new = self._files.text(blob)
        except OldTextMissing:
            return None
        if new.is_binary or anchor.start_line is None or not anchor.text:
            return None
        old = Text(anchor.text.encode())
        if not _may_hold(new, old, 0, len(old.lines)):
            return None
        everything = AddedLines([Region(path, blob, new, 0, len(new.lines))])
        motion = everything.find(old, 0, len(old.lines), (0, len(old.lines)), path)
        if motion is None or motion.equals or motion.best.kept < _KEPT:
            return None
        spot = Spot(path, blob, motion.best.start, motion.best.end)
        return spot.weaker("likely", f"found by comparing {path} with the copy of its former text")

    @staticmethod
    def _is_beyond_doubt(old: Text, new: Text, was: int, now: int, length: int) -> bool:
        said = weight(old.part(was, was + length)) >= _SURE_WEIGHT
        near = old.before(was) == new.before(now), old.after(was + length) == new.after(now + length)
        return all(near) or (said and any(near))


def _may_hold(text: Text, old: Text, start: int, end: int) -> bool:
    """Tell whether enough of the telling lines [start, end) of `old` are anywhere in a text: mostly, none is."""
    wanted = telling(old.lines[start:end])
    return sum(old.keys[start + at] in text.key_set for at in wanted) >= _KEPT * len(wanted)


def spot_of(anchor: Anchor, path: str, blob: ObjectId) -> Spot:
    """Return the spot that an anchor has in its own file."""
    if anchor.start_line is None or anchor.end_line is None:
        return Spot(path, blob, None, None)
    return Spot(path, blob, anchor.start_line - 1, anchor.end_line)
