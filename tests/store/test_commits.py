"""The commits of a store: their order, the newest of a kind, and which of them brought an operation."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.records.codec import encode_op
from memgit.records.paths import FORMAT_PATH, FORMAT_TEXT, OpPath, parse_op_path
from memgit.store.commits import Graph, brought, commits, frontier, merge_bases, origins
from memgit.store.database import Database
from memgit.store.objects import ObjectId, encode_commit
from memgit.store.snapshot import Snapshot
from memgit.store.tree_edit import add_files
from tests.index.trees import AUTHOR, open_database
from tests.records.strategies import asserted, law, path_of

Program = list[tuple[int, int, bool]]
PROGRAMS: st.SearchStrategy[Program] = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.booleans()), min_size=1, max_size=14
)


class History:
    """Three clones that write and merge; `where` is the commit that brought each operation."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.where: dict[OpPath, ObjectId] = {}
        self._numbers = 0
        root = self._commit([], {FORMAT_PATH: FORMAT_TEXT}, 1)
        self.tips = [root, root, root]

    def run(self, program: Program) -> None:
        """Write in a clone, or merge another one into it."""
        for clone, other, merges in program:
            if merges:
                self._merge(clone, other)
            else:
                self._write(clone)

    def ancestors(self, tip: ObjectId) -> set[ObjectId]:
        """Return what a tip reaches, itself too."""
        found, pending = {tip}, [tip]
        while pending:
            fresh = set(self.database.commit(pending.pop()).parents) - found
            found |= fresh
            pending += fresh
        return found

    def _write(self, clone: int) -> None:
        parent = Snapshot(self.database, self.tips[clone])
        self._numbers += 1
        op, data = encode_op(asserted(parent.seq + 1, self._numbers))
        self.tips[clone] = self._commit([parent.commit_id], {path_of(op): data}, op.seq)
        path = parse_op_path(path_of(op))
        assert path is not None
        self.where[path] = self.tips[clone]

    def _merge(self, clone: int, other: int) -> None:
        ours, theirs = (Snapshot(self.database, self.tips[one]) for one in (clone, other))
        if ours.commit_id in self.ancestors(theirs.commit_id):
            self.tips[clone] = theirs.commit_id
        elif theirs.commit_id not in self.ancestors(ours.commit_id):
            files = {path: theirs.read_file(oid) for path, oid in theirs.files()}
            self.tips[clone] = self._commit([ours.commit_id, theirs.commit_id], files, max(ours.seq, theirs.seq))

    def _commit(self, parents: list[ObjectId], files: dict[str, bytes], seq: int) -> ObjectId:
        blobs = {path: self.database.make("blob", data) for path, data in files.items()}
        base = self.database.commit(parents[0]).tree if parents else None
        tree, trees = add_files(self.database, base, {path: blob.oid for path, blob in blobs.items()})
        data = encode_commit(tree, parents, AUTHOR, AUTHOR, f"test {self._numbers}\n\nMemgit-Seq: {seq}\n")
        commit = self.database.make("commit", data)
        self.database.write([*blobs.values(), *trees, commit])
        return commit.oid


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Objects that every example adds to."""
    return open_database(tmp_path_factory.mktemp("objects") / "store.git")


@law
@given(PROGRAMS)
def test_every_operation_has_the_commit_that_brought_it(database: Database, program: Program) -> None:
    """Through any merges, of each tip: the commit that wrote it, and that commit brought just that."""
    history = History(database)
    history.run(program)
    for tip in history.tips:
        reached = history.ancestors(tip)
        wanted = {path: oid for path, oid in history.where.items() if oid in reached}
        assert origins(Graph(database), [tip], wanted) == {path.digest: oid for path, oid in wanted.items()}
        listed = [path for oid in reached for path in brought(Snapshot(database, oid))]
        assert sorted(path.digest for path in listed) == sorted(path.digest for path in wanted)


@law
@given(PROGRAMS, st.integers(1, 15))
def test_the_newest_commits_of_a_kind_reach_all_of_it(database: Database, program: Program, most: int) -> None:
    """What was there at a seq is the union of what these commits reach; merge bases reach all that both have."""
    history = History(database)
    history.run(program)
    for tip in history.tips:
        order = [seen.oid for seen in commits(Graph(database), [tip])]
        assert set(order) == history.ancestors(tip) and len(order) == len(set(order))
        found = frontier(Graph(database), [tip], lambda seen: seen.seq <= most)
        assert set().union(*map(history.ancestors, found)) == {
            seen.oid for seen in commits(Graph(database), [tip]) if seen.seq <= most
        }
    one, two = history.tips[:2]
    bases = merge_bases(commits(Graph(database), [one]), Graph(database), [two])
    assert set().union(*map(history.ancestors, bases)) == history.ancestors(one) & history.ancestors(two)


def test_a_history_that_was_fetched_in_part_ends_where_it_ends(tmp_path: Path) -> None:
    """A missing parent is no error: what is here is walked."""
    database = open_database(tmp_path / "store.git")
    history = History(database)
    missing = ObjectId("0" * 39 + "1")
    tip = history._commit([history.tips[0]], {}, 2)
    tree = database.commit(tip).tree
    lone = database.make("commit", encode_commit(tree, [missing], AUTHOR, AUTHOR, "x\n\nMemgit-Seq: 3\n"))
    database.write([lone])
    assert [seen.oid for seen in commits(Graph(database), [lone.oid])] == [lone.oid]
