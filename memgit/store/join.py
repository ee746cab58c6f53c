"""Joining two tips of one store that went apart: the union of their trees, as `memgit.records.merge` defines it.

It makes objects and stores none. `join` refuses what needs a decision: unrelated histories, and two sides that do not
agree on what is purged; `joined` takes two snapshots for which that is settled (`memgit.store.terms`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

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
    """Return the objects of a commit with both parents, the commit last. Raises StoreCorrupt where they do not join.

    For the writer that finds acknowledged commits missing from the ref, because another program set it back.
    """
    ours, theirs = Snapshot(database, tip), Snapshot(database, lost)
    if not are_related(ours, theirs):
        raise StoreCorrupt(f"commits {tip} and {lost} belong to two stores that were never joined")
    if ours.purged() != theirs.purged():
        raise StoreCorrupt(f"commits {tip} and {lost} do not agree on what is purged")
    return joined(database, ours, theirs, author, f"store join: {tip[:12]} and {lost[:12]}")


def joined(
    database: Database, ours: Snapshot, theirs: Snapshot, author: Signature, subject: str, *, sign: bool = True
) -> list[RawObject]:
    """Return the objects of a commit that has both as parents and the union as its tree, the commit last."""
    root, trees = union(database, ours, theirs)
    seq = max(ours.seq, theirs.seq)
    parents = [ours.commit_id, theirs.commit_id]
    return [*trees.made.values(), join_commit(database, root, parents, author, subject, seq, sign=sign)]


def union(database: Database, ours: Snapshot, theirs: Snapshot) -> tuple[ObjectId, Trees]:
    """Return the root of the union of two snapshots, and the trees that were read and made for it."""
    trees = Trees(database)
    mine = ours.commit.tree
    root = ObjectId(merge.union(trees, mine, theirs.commit.tree, swept=(mine,)))
    return root, trees


def join_commit(
    database: Database,
    tree: ObjectId,
    parents: list[ObjectId],
    author: Signature,
    subject: str,
    seq: int,
    *,
    sign: bool = True,
) -> RawObject:
    """Return a commit without operations of its own; with `sign`, signed where the user signs."""
    message = f"{subject}\n\nMemgit-Seq: {seq}\n"
    data = encode_commit(tree, parents, author, author, message)
    return database.make_commit(data) if sign else database.make("commit", data)


def are_related(ours: Snapshot, theirs: Snapshot) -> bool:
    """Tell whether two snapshots belong to one store: they began together, or were joined."""
    return bool({record.store for record in ours.stores()} & {record.store for record in theirs.stores()})


class Trees:
    """The trees of a database, and those that a union makes."""

    def __init__(self, database: Database, made: Iterable[RawObject] = ()) -> None:
        self._database = database
        self._seen: dict[str, Mapping[str, TreeEntry]] = {}
        self.made: dict[str, RawObject] = {item.oid: item for item in made if item.type == "tree"}

    def read(self, oid: str) -> Mapping[str, TreeEntry]:
        """Return a directory's entries, also of one that was only made."""
        known = self._seen.get(oid)
        if known is not None:
            return known
        entries = self._database.tree(ObjectId(oid))
        for name, item in entries.items():
            if not item.is_tree and item.mode != FILE_MODE:
                raise StoreCorrupt(f"{name!r} in tree {oid} is neither a file nor a directory")
        found = {name: TreeEntry(item.oid, item.is_tree) for name, item in entries.items()}
        self._seen[oid] = found
        return found

    def write(self, entries: Mapping[str, TreeEntry]) -> str:
        """Make a directory, unless it has been read, and return its id."""
        modes = {True: TREE_MODE, False: FILE_MODE}
        tree = {
            name: TreeItem(ObjectId(entry.oid), entry.is_tree, modes[entry.is_tree]) for name, entry in entries.items()
        }
        made = self._database.make_tree(encode_tree(tree), tree)
        if made.oid not in self._seen:
            self._seen[made.oid] = dict(entries)
            self.made[made.oid] = made
        return made.oid

    def blob(self, oid: str) -> bytes:
        """Return a file's bytes."""
        return self._database.read(ObjectId(oid), "blob")

    def files_beside(self, root: str | None, other: str | None) -> Iterator[str]:
        """Yield the objects of the files below one root that the other does not hold at the same place."""
        if root is None or root == other:
            return
        known = self.read(other) if other is not None else {}
        for name, entry in self.read(root).items():
            there = known.get(name)
            if not entry.is_tree:
                if there != entry:
                    yield entry.oid
            else:
                yield from self.files_beside(entry.oid, there.oid if there is not None and there.is_tree else None)
