"""Joining two tips of one store that went apart: the union of their trees, as `memgit.records.merge` defines it.

For the writer that finds acknowledged commits missing from the ref, because another program set it back. It refuses
what needs a decision: unrelated histories, and two sides that do not agree on what is purged.
"""

from __future__ import annotations

from collections.abc import Mapping

from memgit.errors import StoreCorrupt
from memgit.records import merge
from memgit.records.merge import TreeEntry
from memgit.store.database import Database
from memgit.store.objects import (
    FILE_MODE,
    TREE_MODE,
    ObjectId,
    RawObject,
    Signature,
    TreeItem,
    encode_commit,
    encode_tree,
)
from memgit.store.snapshot import Snapshot


def join(database: Database, tip: ObjectId, lost: ObjectId, author: Signature) -> list[RawObject]:
    """Return the objects of a commit with both parents, the commit last. Raises StoreCorrupt where they do not join."""
    ours, theirs = Snapshot(database, tip), Snapshot(database, lost)
    if not {record.store for record in ours.stores()} & {record.store for record in theirs.stores()}:
        raise StoreCorrupt(f"commits {tip} and {lost} belong to two stores that were never joined")
    if ours.purged() != theirs.purged():
        raise StoreCorrupt(f"commits {tip} and {lost} do not agree on what is purged")
    trees = _Trees(database)
    root = ObjectId(merge.union(trees, ours.commit.tree, theirs.commit.tree))
    message = f"store join: {tip[:12]} and {lost[:12]}\n\nMemgit-Seq: {max(ours.seq, theirs.seq)}\n"
    commit = database.make("commit", encode_commit(root, [tip, lost], author, author, message))
    return [*trees.made.values(), commit]


class _Trees:
    """The trees of a database, and those that the union makes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.made: dict[str, RawObject] = {}

    def read(self, oid: str) -> Mapping[str, TreeEntry]:
        entries = self._database.tree(ObjectId(oid))
        for name, item in entries.items():
            if not item.is_tree and item.mode != FILE_MODE:
                raise StoreCorrupt(f"{name!r} in tree {oid} is neither a file nor a directory")
        return {name: TreeEntry(item.oid, item.is_tree) for name, item in entries.items()}

    def write(self, entries: Mapping[str, TreeEntry]) -> str:
        modes = {True: TREE_MODE, False: FILE_MODE}
        tree = {
            name: TreeItem(ObjectId(entry.oid), entry.is_tree, modes[entry.is_tree]) for name, entry in entries.items()
        }
        made = self._database.make_tree(encode_tree(tree), tree)
        self.made[made.oid] = made
        return made.oid

    def blob(self, oid: str) -> bytes:
        return self._database.read(ObjectId(oid), "blob")
