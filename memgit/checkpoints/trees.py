"""Trees from flat lists of files: values in, Git objects out, nothing stored.

Paths are bytes, since names of files need not be UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from memgit.errors import StoreBusy
from memgit.store.objects import ObjectFormat, ObjectId, RawObject, hash_object

FILE, EXECUTABLE, SYMLINK, GITLINK, DIRECTORY = b"100644", b"100755", b"120000", b"160000", b"40000"

_LISTED = re.compile(rb"([0-7]{6}) (?:blob|commit|tree) ([0-9a-f]+)\t([^\0]*)\0", re.DOTALL)


class Entry(NamedTuple):
    """A file in a tree: Git's mode and the object."""

    mode: bytes
    oid: str


@dataclass(slots=True)
class _Directory:
    """A directory under construction. `oid` is known while nothing below it has changed since it was encoded."""

    below: dict[bytes, Entry | _Directory] = field(default_factory=dict)
    oid: ObjectId | None = None


class TreeMaker:
    """Makes trees of lists of files that differ little: what they have in common is encoded once."""

    def __init__(self, object_format: ObjectFormat) -> None:
        self.made: dict[str, RawObject] = {}  # the tree objects so far, children before their parents
        self._format = object_format
        self._files: dict[bytes, Entry] = {}
        self._root = _Directory()

    def make(self, files: Mapping[bytes, Entry]) -> ObjectId:
        """Return the id of the tree of these files.

        Raises StoreBusy where a path is a file and a directory at once: somebody changed the tree while it was read.
        """
        for path in self._files.keys() - files.keys():
            self._remove(path)
        for path, entry in files.items():
            if self._files.get(path) != entry:
                self._put(path, entry)
        self._files = dict(files)
        return self._encode(self._root)

    def _put(self, path: bytes, entry: Entry) -> None:
        node = self._root
        node.oid = None
        *directories, name = path.split(b"/")
        for directory in directories:
            child = node.below.get(directory)
            if child is None:
                child = node.below[directory] = _Directory()
            elif isinstance(child, Entry):
                raise _moving(path)
            node = child
            node.oid = None
        if isinstance(node.below.get(name), _Directory):
            raise _moving(path)
        node.below[name] = entry

    def _remove(self, path: bytes) -> None:
        """Remove a file that is there, and the directories that are empty then."""
        nodes = [self._root]
        *directories, name = path.split(b"/")
        for directory in directories:
            child = nodes[-1].below[directory]
            assert isinstance(child, _Directory)
            nodes.append(child)
        for node in nodes:
            node.oid = None
        del nodes[-1].below[name]
        for node, directory in zip(reversed(nodes[:-1]), reversed(directories), strict=True):
            child = node.below[directory]
            if isinstance(child, _Directory) and not child.below:
                del node.below[directory]

    def _encode(self, node: _Directory) -> ObjectId:
        if node.oid is not None:
            return node.oid
        items: list[tuple[bytes, bytes]] = []
        for name, child in node.below.items():
            if isinstance(child, Entry):
                items.append((name, b"%s %s\0%s" % (child.mode, name, bytes.fromhex(child.oid))))
            else:
                oid = self._encode(child)
                items.append((name + b"/", b"%s %s\0%s" % (DIRECTORY, name, bytes.fromhex(oid))))
        tree = hash_object("tree", b"".join(data for _, data in sorted(items)), self._format)
        self.made[tree.oid] = tree
        node.oid = tree.oid
        return tree.oid


def parse_tree(listing: bytes) -> dict[bytes, Entry]:
    """Return the files of a tree by path, from what `git ls-tree -r -z` prints."""
    return {path: Entry(mode, oid.decode()) for mode, oid, path in _LISTED.findall(listing)}


def _moving(path: bytes) -> StoreBusy:
    shown = path.decode("utf-8", "backslashreplace")
    return StoreBusy(f"{shown} changed while the working tree was read", hint="Try again when nothing writes to it.")
