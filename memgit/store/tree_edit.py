"""Adding files to a tree: values in, new objects out, nothing stored."""

from __future__ import annotations

from collections.abc import Mapping

from memgit.errors import StoreCorrupt
from memgit.store.database import Database
from memgit.store.objects import ObjectId, RawObject, Tree, TreeItem, encode_entry, encode_tree, subtree


def add_files(
    database: Database, root: ObjectId | None, files: Mapping[str, ObjectId]
) -> tuple[ObjectId, list[RawObject]]:
    """Return the root of a tree that holds `files` (path to blob) beside what `root` held, and the new tree objects.

    Children come before their parents. Raises StoreCorrupt where a path would be a file and a directory at once, or
    would replace a file: a path always holds the same bytes.
    """
    created: list[RawObject] = []
    nested = _nest(files)
    oid = _add(database, root, nested, created, "")
    return oid, created


_Nested = dict[str, "ObjectId | _Nested"]


def _nest(files: Mapping[str, ObjectId]) -> _Nested:
    root: _Nested = {}
    for path, oid in files.items():
        *directories, name = path.split("/")
        node = root
        for directory in directories:
            child = node.setdefault(directory, {})
            if not isinstance(child, dict):
                raise StoreCorrupt(f"{path}: {directory} is a file")
            node = child
        if name in node:
            raise StoreCorrupt(f"{path} is a directory")
        node[name] = oid
    return root


def _add(database: Database, oid: ObjectId | None, added: _Nested, created: list[RawObject], path: str) -> ObjectId:
    present: Tree = database.tree(oid) if oid is not None else {}
    fresh: dict[str, TreeItem] = {}
    for name, child in added.items():
        old = present.get(name)
        if isinstance(child, dict):
            if old is not None and not old.is_tree:
                raise StoreCorrupt(f"{path}{name} is a file where the store has a directory")
            item = subtree(_add(database, old.oid if old else None, child, created, f"{path}{name}/"))
        else:
            item = TreeItem(child, False)
            if old is not None and old.oid != child:
                raise StoreCorrupt(f"{path}{name} exists with other bytes")
        if item != old:
            fresh[name] = item
    if oid is not None and not fresh:
        return oid
    entries = {**present, **fresh}
    made = database.make_tree(_encode(database, oid, present, fresh, entries), entries, path)
    created.append(made)
    return made.oid


def _encode(database: Database, oid: ObjectId | None, present: Tree, fresh: Tree, entries: Tree) -> bytes:
    """Return a tree's bytes. Where only subtrees were replaced, they are replaced in the old bytes, which is faster."""
    if oid is None or not all(name in present for name in fresh):
        return encode_tree(entries)
    data = database.tree_data(oid)
    for name, item in fresh.items():
        data = data.replace(encode_entry(name, present[name]), encode_entry(name, item), 1)
    return data
