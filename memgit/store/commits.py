"""The commits of a store without their trees: in order, from a point on, and which of them brought an operation.

A seq never grows towards the parents, so an order by seq visits children before parents. Which commit brought an
operation is guessed from the numbers and proved by the trees.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from memgit.errors import StoreCorrupt
from memgit.records.ids import OpDigest
from memgit.records.paths import KIND_BY_DIRECTORY, OpPath, parse_op_path
from memgit.store.ancestry import seq_of
from memgit.store.database import Database
from memgit.store.objects import Commit, ObjectId, subtree
from memgit.store.snapshot import Snapshot


class Visit(NamedTuple):
    """A commit on the way through a history. `seq` is 0 where the commit is not a store's; `seconds` is its time."""

    oid: ObjectId
    parents: tuple[ObjectId, ...]
    seq: int
    seconds: int


class Graph:
    """Who is whose parent, as far as somebody looked. What a commit id names never changes, so what is known stays."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.known: dict[ObjectId, Visit] = {}

    def visit(self, oid: ObjectId) -> Visit | None:
        """Return a commit, or None where it is missing, as beyond the end of a history that was fetched in part."""
        return self.known.get(oid) or self._learn(oid)

    def _learn(self, oid: ObjectId) -> Visit | None:
        """Read a commit and remember where it stands."""
        try:
            commit = self.database.commit(oid)
        except StoreCorrupt:
            return None
        return self._note(oid, commit)

    def _note(self, oid: ObjectId, commit: Commit) -> Visit:
        """Remember where a commit stands."""
        found = self.known[oid] = Visit(oid, commit.parents, seq_of(commit), commit.seconds)
        return found


def commits(
    graph: Graph, tips: Iterable[ObjectId], enters: Callable[[Visit], bool] = lambda _: True
) -> Iterator[Visit]:
    """Yield each commit that the tips reach once, in falling order of seq and, within one, rising order of id.

    A commit that `enters` refuses is yielded, and what only it leads to is not. What is missing is left out.
    """
    queue: list[tuple[int, str, Visit]] = []
    seen: set[ObjectId] = set()

    def push(oids: Iterable[ObjectId]) -> None:
        for oid in oids:
            if oid not in seen:
                seen.add(oid)
                found = graph.visit(oid)
                if found is not None:
                    heapq.heappush(queue, (-found.seq, oid, found))

    push(tips)
    while queue:
        found = heapq.heappop(queue)[2]
        yield found
        if enters(found):
            push(found.parents)


def frontier(graph: Graph, tips: Iterable[ObjectId], wanted: Callable[[Visit], bool]) -> list[ObjectId]:
    """Return the newest commits that are wanted: those that are reached only through commits that are not.

    The state of a store at a seq or a date is the union of these; without parallel work there is one.
    """
    return [found.oid for found in commits(graph, tips, lambda seen: not wanted(seen)) if wanted(found)]


def merge_bases(ours: Iterator[Visit], graph: Graph, theirs: Iterable[ObjectId]) -> list[ObjectId]:
    """Return the newest commits of a history that are among ours too; none where the two began apart."""
    known = {found.oid for found in ours}
    return frontier(graph, theirs, lambda found: found.oid in known)


def origins(graph: Graph, tips: Collection[ObjectId], wanted: Iterable[OpPath]) -> dict[OpDigest, ObjectId]:
    """Return, by the operation's digest, the commit that brought each operation into the history of the tips.

    Merges bring nothing by themselves. An operation that no commit holds is left out.
    """
    missing = {path.digest: path for path in wanted}
    found: dict[OpDigest, ObjectId] = {}
    if not missing:
        return found
    for seen in commits(graph, tips):
        known = (graph.visit(parent) for parent in seen.parents)
        floor = max((parent.seq for parent in known if parent is not None), default=0)
        for path in [path for path in missing.values() if floor < path.seq <= seen.seq]:
            if _brings(graph.database, seen, path):
                found[path.digest] = seen.oid
                del missing[path.digest]
        if not missing:
            return found
    for path in missing.values():  # an operation that was replayed onto a rewritten history has an older seq
        oid = _descend(graph.database, tips, path)
        if oid is not None:
            found[path.digest] = oid
    return found


def brought(snapshot: Snapshot) -> Iterator[OpPath]:
    """Yield the operations of a commit that none of its parents holds, directory by directory."""
    parents = [found for found in map(snapshot.at, snapshot.commit.parents) if found is not None]
    older = parents[0] if parents else None
    for top in KIND_BY_DIRECTORY:
        for change in snapshot.changes_since(older, top):
            path = parse_op_path(change.path)
            if change.new is None or change.old is not None or path is None:
                continue
            if all(other.find(change.path) is None for other in parents[1:]):
                yield path


def _brings(database: Database, seen: Visit, path: OpPath) -> bool:
    try:
        return _holds(database, database.commit(seen.oid), path) and not any(
            _holds(database, parent, path) for parent in map(database.commit, seen.parents)
        )
    except StoreCorrupt:  # a parent that was not fetched: nobody can tell
        return False


def _descend(database: Database, tips: Iterable[ObjectId], path: OpPath) -> ObjectId | None:
    """Return the commit that brought an operation, by following whoever holds it."""
    try:
        oid = next((tip for tip in tips if _holds(database, database.commit(tip), path)), None)
        older = oid
        while older is not None:
            oid = older
            parents = database.commit(oid).parents
            older = next((one for one in parents if _holds(database, database.commit(one), path)), None)
    except StoreCorrupt:
        return None
    return oid


def _holds(database: Database, commit: Commit, path: OpPath) -> bool:
    item = subtree(commit.tree)
    for part in path.path.split("/"):
        found = database.tree(item.oid).get(part) if item.is_tree else None
        if found is None:
            return False
        item = found
    return True
