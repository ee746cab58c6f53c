"""The front of the room: where anchors are now, and what became of their text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType, TracebackType

from msgspec.structs import replace

from memgit.anchors import verdict
from memgit.anchors.difference import difference, text_digest
from memgit.anchors.files import Files, OldTextMissing
from memgit.anchors.journey import Journey, Starts
from memgit.anchors.line_map import carry
from memgit.anchors.located import Located
from memgit.anchors.patches import Patches
from memgit.anchors.place_cache import PlaceCache, anchor_digest
from memgit.anchors.reach import Reach, reach
from memgit.anchors.search import occurrences, the_one
from memgit.anchors.step import follow
from memgit.anchors.symbol_place import by_symbol
from memgit.anchors.text import Text
from memgit.anchors.way import Ended, Spot, read_path
from memgit.anchors.work_tree import WorkTree
from memgit.errors import NotFound
from memgit.records.codec import digest_of
from memgit.records.op import Anchor
from memgit.store.backend import Backend, ObjectMissing
from memgit.store.clone_knowledge import clone_knowledge
from memgit.store.code_history import Change, CodeHistory, CommitGraph
from memgit.store.objects import ObjectId
from memgit.store.repository import Repository

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Tracer:
    """Finds anchors of one repository. Not thread-safe; keep it while more is asked, and close it.

    `rewrites` says which commit became which, as `post-rewrite` told. `is_cached` false leaves the cache alone.
    """

    def __init__(
        self,
        repository: Repository,
        *,
        rewrites: Mapping[str, str] = _NOTHING,
        backend: Backend | None = None,
        is_cached: bool = True,
    ) -> None:
        self.history = CodeHistory(repository, backend)
        self._rewrites = rewrites
        self._files = Files(self.history)
        self.cache = PlaceCache(repository.cache_dir) if is_cached else None
        self._patches = Patches(self.history, self.cache)
        self._graphs: dict[ObjectId, CommitGraph] = {}
        self._tree: tuple[ObjectId | None, WorkTree] | None = None

    def __enter__(self) -> Tracer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release what was opened."""
        self.history.close()
        if self.cache is not None:
            self.cache.close()

    def locate(self, anchor: Anchor, target: str | None = None) -> Located:
        """Return where an anchor is in a revision, or in the working tree. Raises NotFound for an unknown revision."""
        return self.locate_all([anchor], target)[0]

    def locate_all(self, anchors: Sequence[Anchor], target: str | None = None) -> list[Located]:
        """Return where anchors are, in their order: in a revision, or (None) in the working tree over HEAD.

        A bare repository has no working tree; there HEAD's commit counts. Raises NotFound for an unknown revision.
        """
        names = [anchor_digest(anchor) for anchor in anchors]
        found = self.locate_named(dict(zip(names, anchors, strict=True)), target)
        return [found[name] for name in names]

    def locate_named(
        self, unique: Mapping[str, Anchor], target: str | None = None, known: Mapping[str, Located] | None = None
    ) -> dict[str, Located]:
        """Return where anchors are, by their digests (`anchor_digest`), which the caller has at hand.

        `known` are answers for the target's commit that he has as well, for all of them or for none.
        """
        commit = self.commit(target)
        found = dict(known or {})
        if commit is not None and not known:
            found = self._at_commit(unique, commit)
        if target is None and self.history.repository.work_tree is not None:
            found = self._in_work_tree(unique, found, commit)
        elif commit is None:
            found = {name: _nothing_here() for name in unique}
        return found

    def commit(self, target: str | None = None) -> ObjectId | None:
        """Return the commit that a target means: HEAD's, or None in an empty repository. Raises NotFound."""
        if target is None:
            return self.history.head()
        commit = self.history.resolve(target)
        if commit is None:
            raise NotFound(f"no commit is called {target}", hint="`git log` lists the commits that are here.")
        return commit

    def difference(self, anchor: Anchor, located: Located, target: str | None = None) -> str:
        """Return a bounded unified difference from the anchored text to the present one; nothing where it is equal.

        Working files are as the last answer for the working tree has read them.
        """
        commit = self.commit(target)
        in_work_tree = target is None and self.history.repository.work_tree is not None
        work_tree = self._last_tree(commit) if in_work_tree else None
        return difference(anchor, located, self._files, work_tree)

    def text_digest(self, located: Located, target: str | None = None) -> str | None:
        """Return the digest of the whole text at an anchor's present place; None where it is gone or not in this clone.

        `target` is what it was located in.
        """
        commit = self.commit(target)
        in_work_tree = target is None and self.history.repository.work_tree is not None
        work_tree = WorkTree(self.history, self._files, commit) if in_work_tree else None
        return text_digest(located, self._files, work_tree)

    def reach(self, commits: Iterable[str], target: str | None = None) -> dict[str, Reach]:
        """Return of each stamped commit whether a history has it, or its change, or neither."""
        commit = self.commit(target)
        if commit is None:
            return dict.fromkeys(commits, "out")
        wanted = list(dict.fromkeys(commits))
        graph = self._graph(commit, wanted)
        return reach(self.history, graph, self._patches, self._rewrites, wanted)

    def changed_paths(self, since: str, target: str | None = None) -> frozenset[str]:
        """Return the paths whose content differs between a revision and a target; the working tree's changes count.

        Names that are not UTF-8 keep their bytes as surrogates. Raises NotFound for an unknown revision, and where this
        clone lacks the trees to tell.
        """
        old, new = self.commit(since), self.commit(target)
        if old is None or new is None:
            return frozenset()
        try:
            paths = self.history.changed_paths(old, new) if old != new else set()
        except ObjectMissing:
            raise NotFound(
                f"what changed between {old[:10]} and {new[:10]} is not in this clone: it lacks trees of the history",
                hint="`git fetch --refetch --no-filter` brings them; nothing is fetched unasked.",
            ) from None
        if target is None and self.history.repository.work_tree is not None:
            paths |= WorkTree(self.history, self._files, new).changed_paths()
        return frozenset(paths)

    def is_changed(self, path: str) -> bool:
        """Tell whether a working file is not as HEAD has it (or there is none in one of the two)."""
        head = self.history.head()
        if head is None or self.history.repository.work_tree is None:
            return self.history.repository.work_tree is not None
        spot = Spot(path, self.history.file(head, path), None, None)
        return spot.blob is None or WorkTree(self.history, self._files, head).change(spot) is not None

    @property
    def knowledge(self) -> str:
        """The name of what this clone knows beside its history; answers that are not settled depend on it."""
        pairs = sorted(self._rewrites.items())
        return digest_of(repr((pairs, clone_knowledge(self.history.repository))).encode())[:16]

    # One commit

    def _at_commit(self, anchors: Mapping[str, Anchor], commit: ObjectId) -> dict[str, Located]:
        knowledge = self.knowledge
        found = self.cache.read(commit, anchors, knowledge) if self.cache is not None else {}
        missing = {name: anchor for name, anchor in anchors.items() if name not in found}
        if not missing:
            return found
        graph = self._graph(commit, [anchor.commit for anchor in missing.values() if anchor.commit])
        inherited, starts = self._from_before(missing, graph, knowledge)
        found |= inherited
        missing = {name: anchor for name, anchor in missing.items() if name not in inherited}
        journey = Journey(self.history, self._files, graph, self._patches, self._rewrites)
        names = list(missing)
        known: Starts = {number: starts[name] for number, name in enumerate(names) if name in starts}
        fresh = dict(zip(names, journey.locate(list(missing.values()), known), strict=True))
        if self.cache is not None:
            self.cache.write(commit, inherited | fresh, knowledge)
        return found | fresh

    def _from_before(
        self, anchors: Mapping[str, Anchor], graph: CommitGraph, knowledge: str
    ) -> tuple[dict[str, Located], dict[str, tuple[ObjectId, Spot]]]:
        """Return what an earlier commit's answers say of this one: what did not change, and where to go on from."""
        inherited: dict[str, Located] = {}
        starts: dict[str, tuple[ObjectId, Spot]] = {}
        before = self._earlier(graph)
        if before is None or self.cache is None:
            return inherited, starts
        try:
            changed = self.history.changed_paths(before, graph.target)
        except ObjectMissing:
            return inherited, starts
        for name, item in self.cache.read(before, anchors, knowledge).items():
            if not item.reachable or (item.place or item.last) is None:
                continue
            spot = _spot(item)
            if spot is None:
                is_settled = item.certainty == "certain" and item.last is not None and not _touches(item, changed)
                if is_settled:
                    inherited[name] = _at(item, graph.target)
            elif spot.path not in changed:
                inherited[name] = _at(item, graph.target)
            else:
                starts[name] = (before, spot)
        return inherited, starts

    def _earlier(self, graph: CommitGraph) -> ObjectId | None:
        targets = self.cache.targets() if self.cache is not None else []
        for name in targets:
            if name != graph.target and (name in graph or name in self._graph(graph.target, [name])):
                return ObjectId(name)
        return None

    def _graph(self, target: ObjectId, wanted: Iterable[str]) -> CommitGraph:
        graph = self._graphs.get(target)
        ids = [ObjectId(name) for name in wanted]
        if graph is None or not (graph.is_whole or all(oid in graph for oid in ids)):
            graph = self._graphs[target] = self.history.graph(target, [*ids, *(graph.parents if graph else ())])
        return graph

    # The working tree

    def _in_work_tree(
        self, anchors: Mapping[str, Anchor], committed: Mapping[str, Located], head: ObjectId | None
    ) -> dict[str, Located]:
        tree = WorkTree(self.history, self._files, head)
        self._tree = (head, tree)
        return {name: self._working(anchor, committed.get(name), tree) for name, anchor in anchors.items()}

    def _last_tree(self, head: ObjectId | None) -> WorkTree:
        if self._tree is None or self._tree[0] != head:
            self._tree = (head, WorkTree(self.history, self._files, head))
        return self._tree[1]

    def _working(self, anchor: Anchor, committed: Located | None, tree: WorkTree) -> Located:
        if anchor.path is None:
            return committed or _nothing_here()
        if committed is not None and committed.place is not None and tree.has(committed.place, committed.blob):
            return committed
        spot = _spot(committed) if committed is not None else None
        if committed is None or spot is None:
            return self._uncommitted(anchor, committed, tree)
        change = tree.change(spot)
        if change is None:
            return committed
        try:
            return self._changed(anchor, spot, change, committed, tree)
        except OldTextMissing:
            return self._uncommitted(anchor, committed, tree)

    def _changed(self, anchor: Anchor, spot: Spot, change: Change, committed: Located, tree: WorkTree) -> Located:
        shifted = self._shifted(spot, change, committed, tree)
        if shifted is not None:
            return by_symbol(anchor, shifted, tree.text(spot.path, None), self._files)
        way = follow(spot, change, tree)
        if isinstance(way, Ended):
            located = verdict.ended(way, commit=committed.commit, reachable=committed.reachable)
            return self._uncommitted(anchor, located, tree)
        text = tree.text(way.path, way.blob)
        located = verdict.found(anchor, way, text, commit=committed.commit, reachable=committed.reachable)
        return by_symbol(anchor, located, text, self._files)

    def _shifted(self, spot: Spot, change: Change, committed: Located, tree: WorkTree) -> Located | None:
        """Return the answer for lines that the working file only has elsewhere: the common case, made short."""
        if change.status != "W" or spot.start is None or spot.end is None or committed.place is None:
            return None
        new = tree.text(spot.path, None)
        differences = tree.differences(spot, spot.path, None)
        carried = carry(tree.old_text(spot.blob, spot.path), new, spot.start, spot.end, differences)
        if carried is None or not carried.is_same or new.is_binary:
            return None
        place = replace(committed.place, start_line=carried.start + 1, end_line=carried.end)
        return replace(committed, place=place, blob=None)

    def _uncommitted(self, anchor: Anchor, otherwise: Located | None, tree: WorkTree) -> Located:
        """Look for a text that no commit has in the file that it was anchored in."""
        path = read_path(anchor.path or "", anchor.path_encoded)
        text = tree.present(path)
        answer = otherwise or _nothing_here()
        if text is None or anchor.text_digest is None:
            return answer
        spot = _text_spot(anchor, text, path)
        if spot is None:
            return answer
        located = verdict.found(anchor, spot, text, commit=answer.commit, reachable=answer.reachable)
        return by_symbol(anchor, located, text, self._files)


def _text_spot(anchor: Anchor, text: Text, path: str) -> Spot | None:
    if anchor.start_line is None or anchor.end_line is None:
        return Spot(path, None, None, None) if digest_of(text.data) == anchor.text_digest else None
    found = occurrences(anchor, text, path, None)
    here = [item for item in found if item.spot.start == anchor.start_line - 1 and item.agrees]
    if here:
        return here[0].spot
    best = the_one(found)
    return best.spot.weaker("likely", f"found by its text in {path}") if best is not None else None


def _spot(item: Located) -> Spot | None:
    if item.place is None:
        return None
    place = item.place
    start = None if place.start_line is None else place.start_line - 1
    blob = ObjectId(item.blob) if item.blob is not None else None
    why = item.why if item.certainty != "certain" else ""
    return Spot(read_path(place.path, place.path_encoded), blob, start, place.end_line, item.certainty, why)


def _touches(item: Located, changed: set[str]) -> bool:
    return item.last is not None and read_path(item.last.path, item.last.path_encoded) in changed


def _at(item: Located, commit: ObjectId) -> Located:
    return replace(item, commit=commit)


def _nothing_here() -> Located:
    return Located(state="gone", certainty="lost", why="the repository has no commit yet", reachable=False)
