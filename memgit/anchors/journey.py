"""Anchors against one commit: by the file's id, by the walk through the history, by a foothold in it, by their text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from memgit.anchors import verdict
from memgit.anchors.files import Files, OldTextMissing
from memgit.anchors.foothold import Footholds, spot_of
from memgit.anchors.line_search import LineSearch
from memgit.anchors.located import Located
from memgit.anchors.patches import Patches
from memgit.anchors.search import alike, everywhere, is_enough, occurrences, the_one
from memgit.anchors.symbol_place import by_symbol
from memgit.anchors.walk import Walk
from memgit.anchors.way import Ended, Spot, Way, read_path
from memgit.records.op import Anchor
from memgit.store.backend import ObjectMissing
from memgit.store.code_history import CodeHistory, CommitGraph
from memgit.store.objects import ObjectId

_OTHERS = 10  # places that an answer names

Starts = Mapping[int, tuple[ObjectId, Spot]]
"""By the position of an anchor: a commit of the history at which its spot is known already."""


class Journey:
    """What is known of one target while an answer is worked out."""

    def __init__(
        self,
        history: CodeHistory,
        files: Files,
        graph: CommitGraph,
        patches: Patches,
        rewrites: Mapping[str, str],
    ) -> None:
        self._history = history
        self._files = files
        self._graph = graph
        self._patches = patches
        self._lines = LineSearch(history)
        self._footholds = Footholds(history, files, graph, rewrites)

    @property
    def target(self) -> ObjectId:
        """The commit that anchors are looked for in."""
        return self._graph.target

    def locate(self, anchors: Sequence[Anchor], known: Starts) -> list[Located]:
        """Return where anchors are at the target; `known` shortens the way of some."""
        ways: dict[int, Way] = {}
        starts: dict[int, tuple[ObjectId, Spot]] = {}
        answers: dict[int, Located] = {}
        for number, anchor in enumerate(anchors):
            if anchor.path is None:
                answers[number] = self._commit_alone(anchor)
            elif (spot := self._same_file(anchor)) is not None:
                ways[number] = spot
            elif (start := known.get(number) or self._start(anchor)) is not None:
                starts[number] = start
            else:
                ways[number] = self._without_start(anchor)
        ways |= self._walked(anchors, starts, known)
        self._look_for_lines(anchors, ways)
        for number, way in ways.items():
            answers[number] = self._judge(anchors[number], way)
        return [answers[number] for number in range(len(anchors))]

    def _look_for_lines(self, anchors: Sequence[Anchor], ways: Mapping[int, Way]) -> None:
        """Look at once for what the judgement of each lost anchor would look for by itself."""
        wanted: dict[ObjectId, list[Anchor]] = defaultdict(list)
        for number, way in ways.items():
            if isinstance(way, Ended) and way.certainty == "certain":
                if way.commit is not None and not way.last.is_whole:
                    wanted[way.commit].append(anchors[number])
            elif isinstance(way, Ended) and is_enough(anchors[number]):
                wanted[self.target].append(anchors[number])
        for commit, many in wanted.items():
            self._lines.look_for(many, commit)

    def is_reachable(self, anchor: Anchor) -> bool:
        """Tell whether an anchor's commit is in the target's history; so is an anchor that names none."""
        return anchor.commit is None or anchor.commit in self._graph

    def _walked(self, anchors: Sequence[Anchor], starts: Starts, known: Starts) -> dict[int, Way]:
        numbers = list(starts)
        ways = dict(zip(numbers, self._walk.carry([starts[number] for number in numbers]), strict=True))
        # A shortened way may have missed a line of descent that still has the lines: then go the whole of it.
        again = {
            number: start
            for number, way in ways.items()
            if isinstance(way, Ended) and number in known and (start := self._start(anchors[number])) is not None
        }
        if again:
            ways |= dict(zip(again, self._walk.carry(list(again.values())), strict=True))
        return ways

    def _same_file(self, anchor: Anchor) -> Spot | None:
        """Return the anchor's own spot where the target has the very same file in the same place."""
        path = read_path(anchor.path or "", anchor.path_encoded)
        if anchor.blob is None or self._blob(path) != anchor.blob:
            return None
        return spot_of(anchor, path, ObjectId(anchor.blob))

    def _start(self, anchor: Anchor) -> tuple[ObjectId, Spot] | None:
        path = read_path(anchor.path or "", anchor.path_encoded)
        if anchor.commit is not None and anchor.commit in self._graph and anchor.blob is not None:
            return ObjectId(anchor.commit), spot_of(anchor, path, ObjectId(anchor.blob))
        same_patch = self._same_patch.get(anchor.patch_id or "") if self._may_be_copied(anchor) else None
        found = self._footholds.find(anchor, same_patch)
        return (found.commit, found.spot) if found is not None else None

    def _may_be_copied(self, anchor: Anchor) -> bool:
        return anchor.patch_id is not None and anchor.blob is not None and not self.is_reachable(anchor)

    def _without_start(self, anchor: Anchor) -> Ended:
        path = read_path(anchor.path or "", anchor.path_encoded)
        start = None if anchor.start_line is None else anchor.start_line - 1
        last = Spot(path, None, start, anchor.end_line)
        return Ended(last, None, "lost", self._why_lost(anchor))

    def _why_lost(self, anchor: Anchor) -> str:
        if anchor.commit is None or anchor.blob is None:
            return "the text was never committed as it was"
        if not self._history.has(anchor.commit):
            cut = self._history.boundaries()
            return "the history here is shallow and begins later" if cut else "its commit is not in this clone"
        return f"its commit {anchor.commit[:10]} is not in this history, and nothing here looks like its text"

    def _judge(self, anchor: Anchor, way: Way) -> Located:
        reachable = self.is_reachable(anchor)
        if isinstance(way, Ended):
            again = self._by_text(anchor, way)
            if not isinstance(again, Spot):
                return verdict.ended(again, commit=self.target, reachable=reachable)
            way = again
        if way.blob == anchor.blob and (way.start, way.end) == _lines(anchor):
            return verdict.found(anchor, way, None, commit=self.target, reachable=reachable)
        assert way.blob is not None
        try:
            text = self._files.text(way.blob)
        except OldTextMissing:
            return verdict.unread(way, commit=self.target, reachable=reachable)
        located = verdict.found(anchor, way, text, commit=self.target, reachable=reachable)
        return by_symbol(anchor, located, text, self._files)

    def _by_text(self, anchor: Anchor, way: Ended) -> Way:
        """Look for the text itself. What a known commit removed stays removed, unless its path came back."""
        path = way.last.path
        blob = self._blob(path)
        if way.certainty == "certain" and blob is None:
            return self._with_copies(anchor, way)
        try:
            found = occurrences(anchor, self._files.text(blob), path, blob) if blob is not None else []
        except OldTextMissing:
            found = []
        if way.certainty != "certain" and not found:
            found = everywhere(anchor, self._history, self._files, self.target, self._lines)
        best = the_one(found)
        if best is not None and (best.agrees or len(found) == 1):
            return best.spot.weaker("likely", f"{way.why}; the same text is in {best.spot.place().path}")
        if found and not way.others:
            others = tuple(item.spot for item in found[:_OTHERS])
            return Ended(way.last, way.commit, "lost", f"{way.why}; {len(found)} places have the same text", others)
        return self._with_copies(anchor, way) if way.certainty == "certain" else way

    def _with_copies(self, anchor: Anchor, way: Ended) -> Ended:
        """Say of lines that a commit removed whether it left others that are like them: then nobody can be certain."""
        if way.commit is None or way.last.is_whole:
            return way
        others = tuple(alike(anchor, self._history, self._files, way.commit, self._lines))
        if not others and self._lines.is_whole(way.commit):
            return way
        if not others:
            return Ended(way.last, way.commit, "likely", f"{way.why}; not every file of that commit is in this clone")
        why = f"{way.why}; like ones are in {others[0].place().path}"
        return Ended(way.last, way.commit, "likely", why, others[:_OTHERS])

    def _commit_alone(self, anchor: Anchor) -> Located:
        if anchor.commit is None:
            return Located(state="gone", certainty="lost", why="the anchor names neither a file nor a commit")
        if anchor.commit in self._graph:
            return Located(state="fresh", certainty="certain", why="in this history", commit=anchor.commit)
        became = self._footholds.rewritten(anchor.commit)
        if became is not None:
            why = f"rewritten as {became[:10]}"
            return Located(state="moved", certainty="certain", why=why, commit=became, reachable=False)
        same = self._same_patch.get(anchor.patch_id) if anchor.patch_id is not None else None
        if same is not None:
            why = f"its change is in this history as {same[:10]}"
            return Located(state="moved", certainty="likely", why=why, commit=same, reachable=False)
        here = self._history.has(anchor.commit)
        why = "not in this history" if here else self._why_lost(anchor)
        return Located(state="gone", certainty="certain" if here else "lost", why=why, reachable=False)

    def _blob(self, path: str) -> ObjectId | None:
        try:
            return self._history.file(self.target, path)
        except ObjectMissing:
            return None

    @cached_property
    def _walk(self) -> Walk:
        return Walk(self._history, self._files, self._graph)

    @cached_property
    def _same_patch(self) -> dict[str, ObjectId]:
        return self._patches.newest(self._graph)


def _lines(anchor: Anchor) -> tuple[int | None, int | None]:
    return (None if anchor.start_line is None else anchor.start_line - 1), anchor.end_line
