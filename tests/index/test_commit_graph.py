"""The file of a history's shape: it saves reading commits, and nothing depends on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.index import commit_graph
from memgit.index.commit_graph import CommitGraph
from memgit.store.commits import Graph, commits
from memgit.store.database import Database
from memgit.store.objects import ObjectId, encode_commit
from tests.index.trees import AUTHOR, open_database, write_snapshot


@pytest.fixture
def database(tmp_path: Path) -> Database:
    """Objects of one repository."""
    return open_database(tmp_path / "store.git")


def chain(database: Database, length: int) -> ObjectId:
    """Return the tip of a history of so many commits."""
    tip = write_snapshot(database, {}, 1).commit_id
    tree = database.commit(tip).tree
    for seq in range(2, length + 1):
        commit = database.make("commit", encode_commit(tree, [tip], AUTHOR, AUTHOR, f"x\n\nMemgit-Seq: {seq}\n"))
        database.write([commit])
        tip = commit.oid
    return tip


def test_what_was_walked_is_not_read_again(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file answers for the whole history, and equals it; later commits are added."""
    monkeypatch.setattr(commit_graph, "_WORTH_KEEPING", 5)
    monkeypatch.setattr(commit_graph, "_READ_AFTER", 0)
    tip = chain(database, 12)
    expected = list(commits(Graph(database), [tip]))
    first = CommitGraph(tmp_path / "cache", database)
    assert list(commits(first, [tip])) == expected
    first.close()

    def no_reading(oid: ObjectId) -> None:
        raise AssertionError(f"{oid} was read")

    with monkeypatch.context() as patched:
        patched.setattr(database, "commit", no_reading)
        assert list(commits(CommitGraph(tmp_path / "cache", database), [tip])) == expected


@pytest.mark.parametrize("damage", [b"", b"short", None])
def test_a_damaged_file_is_begun_anew(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: bytes | None
) -> None:
    """Emptied, cut, or with a bit turned: the commits are read."""
    monkeypatch.setattr(commit_graph, "_WORTH_KEEPING", 5)
    monkeypatch.setattr(commit_graph, "_READ_AFTER", 0)
    tip = chain(database, 8)
    graph = CommitGraph(tmp_path / "cache", database)
    expected = list(commits(graph, [tip]))
    graph.close()
    (file,) = (tmp_path / "cache").iterdir()
    data = file.read_bytes()
    file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]) if damage is None else damage)
    assert list(commits(CommitGraph(tmp_path / "cache", database), [tip])) == expected


def test_a_directory_that_cannot_be_written_costs_time_alone(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file stands where the directory should be: no error."""
    monkeypatch.setattr(commit_graph, "_WORTH_KEEPING", 1)
    (tmp_path / "cache").write_text("in the way", "utf-8")
    graph = CommitGraph(tmp_path / "cache", database)
    assert len(list(commits(graph, [chain(database, 3)]))) == 3
    graph.close()
