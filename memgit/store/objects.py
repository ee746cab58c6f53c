"""Raw Git objects as values: built in memory, named by their hash, persisted last.

Both back ends share these bytes, so that a tree has the same id whichever of them wrote it, and so that the
write-ahead log can hold what a commit needs before the ref moves.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, NewType

from memgit.errors import StoreCorrupt

ObjectId = NewType("ObjectId", str)
"""An object's id in lower-case hexadecimal: 40 characters for SHA-1, 64 for SHA-256."""

ObjectFormat = Literal["sha1", "sha256"]
ObjectType = Literal["blob", "tree", "commit", "tag"]

FILE_MODE = b"100644"
TREE_MODE = b"40000"

_HASHES = {"sha1": hashlib.sha1, "sha256": hashlib.sha256}
_ENTRIES: dict[ObjectFormat, re.Pattern[bytes]] = {
    "sha1": re.compile(rb"([0-7]{5,6}) ([^\0]+)\0(.{20})", re.DOTALL),
    "sha256": re.compile(rb"([0-7]{5,6}) ([^\0]+)\0(.{32})", re.DOTALL),
}


class TreeItem(NamedTuple):
    """One entry of a tree. `mode` is Git's octal text."""

    oid: ObjectId
    is_tree: bool
    mode: bytes = FILE_MODE


Tree = Mapping[str, TreeItem]


def subtree(oid: ObjectId) -> TreeItem:
    """Return the entry of a directory, equal to the one that `decode_tree` returns."""
    return TreeItem(oid, True, TREE_MODE)


@dataclass(frozen=True, slots=True)
class RawObject:
    """An object's type and content, with its id. `path` is where it lies in the store's tree: a hint for packing."""

    oid: ObjectId
    type: ObjectType
    data: bytes
    path: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Signature:
    """A person and an instant (whole seconds since 1970, offset in minutes)."""

    name: str
    email: str
    seconds: int
    offset: int = 0

    def line(self) -> str:
        """The form that a commit holds."""
        sign = "-" if self.offset < 0 else "+"
        hours, minutes = divmod(abs(self.offset), 60)
        return f"{_clean(self.name)} <{_clean(self.email)}> {self.seconds} {sign}{hours:02}{minutes:02}"


@dataclass(frozen=True, slots=True)
class Commit:
    """The parts of a commit that memgit reads."""

    tree: ObjectId
    parents: tuple[ObjectId, ...]
    message: str
    author: str
    seconds: int


def hash_object(kind: ObjectType, data: bytes, object_format: ObjectFormat, path: str = "") -> RawObject:
    """Return the object with the id that Git gives it."""
    digest = _HASHES[object_format](b"%s %d\0" % (kind.encode(), len(data)), usedforsecurity=False)
    digest.update(data)
    return RawObject(ObjectId(digest.hexdigest()), kind, data, path)


def encode_tree(entries: Mapping[str, TreeItem]) -> bytes:
    """Return a tree's bytes, its entries in Git's order (a directory sorts as if its name ended in a slash)."""
    return b"".join([encode_entry(name, item) for name, item in sorted(entries.items(), key=_tree_order)])


def encode_entry(name: str, item: TreeItem) -> bytes:
    """Return the bytes of one entry of a tree."""
    mode = TREE_MODE if item.is_tree else item.mode
    return b"%s %s\0%s" % (mode, name.encode("utf-8", "surrogateescape"), bytes.fromhex(item.oid))


def decode_tree(data: bytes, object_format: ObjectFormat) -> dict[str, TreeItem]:
    """Return a tree's entries by name. Names that are not UTF-8 keep their bytes as surrogates.

    Raises StoreCorrupt for bytes that are not a tree or name an entry twice.
    """
    found: list[tuple[bytes, bytes, bytes]] = _ENTRIES[object_format].findall(data)
    if sum(len(mode) + len(name) + len(oid) + 2 for mode, name, oid in found) != len(data):
        raise StoreCorrupt("a tree object is cut off or malformed")
    entries = {
        name.decode("utf-8", "surrogateescape"): TreeItem(ObjectId(oid.hex()), mode == TREE_MODE, mode)
        for mode, name, oid in found
    }
    if len(entries) != len(found):
        raise StoreCorrupt("a tree object names an entry twice")
    return entries


def encode_commit(
    tree: ObjectId, parents: Iterable[ObjectId], author: Signature, committer: Signature, message: str
) -> bytes:
    """Return a commit's bytes. `message` is text without NUL; it is stored as UTF-8."""
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    lines += [f"author {author.line()}", f"committer {committer.line()}", "", message.replace("\0", "")]
    return "\n".join(lines).encode("utf-8", "replace")


def decode_commit(data: bytes) -> Commit:
    """Return the parts of a commit. Raises StoreCorrupt where it has no tree or its header is malformed."""
    head, _, message = data.decode("utf-8", "replace").partition("\n\n")
    tree: str | None = None
    parents: list[ObjectId] = []
    author, seconds = "", 0
    for line in head.split("\n"):
        key, _, value = line.partition(" ")
        if key == "tree" and tree is None:
            tree = value
        elif key == "parent":
            parents.append(ObjectId(value))
        elif key == "author":
            author = value.rpartition("> ")[0] + ">"
        elif key == "committer":
            match = re.search(r"> (-?\d{1,15}) [+-]\d{4}$", value)
            seconds = int(match[1]) if match else 0
    if tree is None or not re.fullmatch(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", tree):
        raise StoreCorrupt("a commit object has no tree")
    return Commit(ObjectId(tree), tuple(parents), message, author, seconds)


def _tree_order(entry: tuple[str, TreeItem]) -> bytes:
    name, item = entry
    return name.encode("utf-8", "surrogateescape") + (b"/" if item.is_tree else b"")


def _clean(text: str) -> str:
    """Remove what would end a header line early, as Git does."""
    return re.sub(r"[<>\n\0]", "", text).strip() or "unknown"
