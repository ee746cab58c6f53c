"""The walk of many anchors through one history: each commit's changes are read once for all of them.

From the commit of an anchor to the target, along every line of descent between the two. Where lines of descent meet,
the one that has the anchored lines counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from memgit.anchors.commit_stage import CommitStage
from memgit.anchors.files import Files, OldTextMissing
from memgit.anchors.step import follow
from memgit.anchors.way import Ended, Spot, Way
from memgit.store.backend import ObjectMissing
from memgit.store.code_history import Change, CodeHistory, CommitGraph
from memgit.store.objects import ObjectId

_FEW_PATHS = 50  # looked up by path; for more, everything that a commit changed is read
_FEW_READS = 3

_Pair = tuple[ObjectId, ObjectId]  # a parent and its child


class Walk:
    """Carries spots from commits to the target of one graph."""

    def __init__(self, history: CodeHistory, files: Files, graph: CommitGraph) -> None:
        self.graph = graph
        self._history = history
        self._files = files
        self._oldest_first = list(graph.parents)[::-1]
        self._stages: dict[_Pair, CommitStage] = {}
        self._changes: dict[_Pair, dict[str, Change]] = defaultdict(dict)
        self._loaded: set[str] | None = set()  # None: all paths
        self._reads = 0
        self._unread: set[_Pair] = set()  # what they changed cannot be read here

    def carry(self, starts: Sequence[tuple[ObjectId, Spot]]) -> list[Way]:
        """Return where each spot, given with the commit that it is in, is at the target, in the same order."""
        self._load({spot.path for _, spot in starts})
        groups: dict[ObjectId, list[int]] = defaultdict(list)
        for number, (commit, _) in enumerate(starts):
            groups[commit].append(number)
        ways: list[Way] = [spot for _, spot in starts]
        for commit, numbers in groups.items():
            carried = self._carry_from(commit, tuple(starts[number][1] for number in numbers))
            for number, way in zip(numbers, carried, strict=True):
                ways[number] = way
        return ways

    def _carry_from(self, start: ObjectId, spots: tuple[Spot, ...]) -> tuple[Way, ...]:
        states: dict[ObjectId, tuple[Way, ...]] = {start: spots}
        begun = False
        for commit in self._oldest_first:
            if commit == start:
                begun = True
            if not begun or commit in states:
                continue
            parents = [parent for parent in self.graph.parents[commit] if parent in states]
            if len(parents) == 1:
                states[commit] = self._step(parents[0], commit, states[parents[0]])
            elif parents:
                reached = [self._step(parent, commit, states[parent]) for parent in parents]
                states[commit] = tuple(_meet(ways) for ways in zip(*reached, strict=True))
        return states[self.graph.target]

    def _step(self, parent: ObjectId, commit: ObjectId, ways: tuple[Way, ...]) -> tuple[Way, ...]:
        if (parent, commit) in self._unread:
            return tuple(way if isinstance(way, Ended) else _unread(way, commit) for way in ways)
        changed = self._changes.get((parent, commit))
        if not changed:
            return ways
        return tuple(self._one(parent, commit, way, changed) for way in ways)

    def _one(self, parent: ObjectId, commit: ObjectId, way: Way, changed: Mapping[str, Change]) -> Way:
        if isinstance(way, Ended):
            return way
        change = changed.get(way.path)
        if change is None:
            return way
        try:
            found = follow(way, change, self._stage(parent, commit))
        except OldTextMissing:
            return Ended(way, commit, "lost", f"an older text of {way.path} is not in this clone")
        except ObjectMissing:
            return _unread(way, commit)
        if isinstance(found, Spot) and found.path != way.path and not self._is_loaded(found.path):
            self._load({found.path, *self._renamed_too(parent, commit)})
        return found

    def _stage(self, parent: ObjectId, commit: ObjectId) -> CommitStage:
        pair = (parent, commit)
        if pair not in self._stages:
            self._stages[pair] = CommitStage(self._history, self._files, parent, commit)
        return self._stages[pair]

    def _renamed_too(self, parent: ObjectId, commit: ObjectId) -> Iterable[str]:
        """Return where the other files went that anchors are in: a directory was renamed, and they come next."""
        loaded = self._loaded or set()
        changes = self._stage(parent, commit).changes
        return [item.new_path for item in changes if item.status in "RC" and item.old_path in loaded]

    def _is_loaded(self, path: str) -> bool:
        return self._loaded is None or path in self._loaded

    def _load(self, paths: set[str]) -> None:
        """Read what every commit did to some more paths."""
        if self._loaded is None or paths <= self._loaded:
            return
        self._reads += 1
        wanted = paths - self._loaded
        is_all = self._reads > _FEW_READS or len(wanted) > _FEW_PATHS
        pairs = [
            (parent, commit)
            for commit, parents in self.graph.parents.items()
            for parent in parents
            if parent in self.graph.parents
        ]
        found = self._history.changes(pairs, None if is_all else sorted(wanted))
        read = 0
        with suppress(ObjectMissing):
            for pair, changes in zip(pairs, found, strict=True):
                read += 1
                if changes:
                    self._changes[pair].update((item.old_path, item) for item in changes if item.status != "A")
        self._unread.update(pairs[read:])
        self._loaded = None if is_all else self._loaded | wanted


def _unread(spot: Spot, commit: ObjectId) -> Ended:
    why = f"what {commit[:10]} changed is not in this clone, which lacks trees of the history"
    return Ended(spot, commit, "lost", why)


def _meet(ways: Sequence[Way]) -> Way:
    """Return the way that has the lines, where several lines of descent meet."""
    spots = [way for way in ways if isinstance(way, Spot)]
    if spots:
        best = max(spots, key=lambda spot: spot.certainty == "certain")  # the first of equals: the first parent
        rivals = [spot for spot in spots if (spot.path, spot.start, spot.end) != (best.path, best.start, best.end)]
        if any(spot.certainty == best.certainty for spot in rivals):
            best = best.weaker("likely", "merged branches put the lines in different places")
        return replace(best, has_rival=best.has_rival or bool(rivals))
    ended = [way for way in ways if isinstance(way, Ended)]
    return max(ended, key=lambda way: ("certain", "likely", "lost").index(way.certainty))
