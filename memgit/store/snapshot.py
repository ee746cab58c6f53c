"""A store as it is at one commit: immutable, read lazily, checked where it is read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from memgit.errors import FormatTooNew, StoreCorrupt
from memgit.records import codec, paths
from memgit.records.codec import PurgeMarker, Receipt, StoreRecord
from memgit.records.ids import BlobDigest, EntityId, is_entity_id
from memgit.records.op import FORMAT, Op
from memgit.records.paths import OpPath
from memgit.records.state import Problem
from memgit.store.believing import unbelievable
from memgit.store.database import Database
from memgit.store.objects import FILE_MODE, Commit, ObjectId, Tree, TreeItem, subtree

SEQ_TRAILER = re.compile(r"^Memgit-Seq: ([0-9]{1,16})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Change:
    """A path that differs between two snapshots: None where a side does not hold it."""

    path: str
    old: ObjectId | None
    new: ObjectId | None


class LostOp(Problem, frozen=True):
    """An operation whose object neither Git nor the log holds."""


class LaterOp(Problem, frozen=True):
    """An operation that a later version wrote. What it says is not known here, so nobody may write past it."""


class Snapshot:
    """Read access to one commit of a store. Raises StoreCorrupt where what it reads was not written by memgit."""

    def __init__(self, database: Database, commit_id: ObjectId) -> None:
        self.commit_id = commit_id
        self._database = database
        self._check_format()

    @property
    def database(self) -> Database:
        """Where the objects of this commit are."""
        return self._database

    @cached_property
    def commit(self) -> Commit:
        """The commit's parts."""
        return self._database.commit(self.commit_id)

    @cached_property
    def seq(self) -> int:
        """The highest seq of the commit's operations, as its trailer says."""
        match = SEQ_TRAILER.findall(self.commit.message)
        if not match:
            raise StoreCorrupt(f"commit {self.commit_id} has no Memgit-Seq trailer")
        return int(match[-1])

    def ops(self, entity: EntityId) -> tuple[list[Op], list[Problem]]:
        """Return an entity's operations in the fold's order, and those that cannot be used."""
        ops: list[Op] = []
        problems: list[Problem] = []
        for path, oid in self.op_files(entity):
            op = self.decode(path, oid)
            if isinstance(op, Problem):
                problems.append(op)
            else:
                ops.append(op)
        ops.sort(key=lambda op: op.order)
        return ops, problems

    def op_files(self, entity: EntityId) -> list[tuple[OpPath, ObjectId]]:
        """Return the names and blobs of an entity's operations, undecoded."""
        shard = self.directory(paths.shard_of(entity))
        prefix = f"{entity}."
        found = []
        for name, item in shard.items():
            if name.startswith(prefix):
                parsed = paths.parse_op_name(name)
                if parsed is not None and not item.is_tree:
                    found.append((parsed, item.oid))
        return found

    def decode(self, path: OpPath, oid: ObjectId) -> Op | Problem:
        """Return the operation in a blob, or why it cannot be used: LostOp where the blob itself is gone."""
        try:
            data = self._database.read(oid, "blob")
        except StoreCorrupt as error:
            return LostOp(path=path.path, reason=error.message)
        try:
            return codec.decode_op(data, path)
        except FormatTooNew as error:
            return LaterOp(path=path.path, reason=error.message)
        except StoreCorrupt as error:
            return Problem(path=path.path, reason=error.message)

    def blob(self, digest: BlobDigest) -> bytes | None:
        """Return an artifact's stored bytes, or None. Raises StoreCorrupt where they are not what the digest names."""
        item = self.find(paths.blob_path(digest))
        if item is None or item.is_tree:
            return None
        data = self._database.read(item.oid, "blob")
        if codec.digest_of(data) != digest:
            raise StoreCorrupt(f"blobs/…/{digest}: the bytes are not those that the digest names")
        return data

    def receipt(self, key_digest: str, beside: Iterable[Snapshot] = ()) -> Receipt | None:
        """Return the receipt of an idempotency key: the least of those that merges brought together and that count.

        `beside` are the other layers, which may hold part of what its result names; see `unbelievable`.
        Raises what is wrong with the last one where there are some and none can be read: the request was done before,
        and doing it again would do it twice.
        """
        directory = self.directory(paths.receipt_directory(key_digest))
        fault: StoreCorrupt | FormatTooNew | None = None
        for name in sorted(name for name, item in directory.items() if item.mode == FILE_MODE):
            data = self._database.read(directory[name].oid, "blob")
            try:
                receipt = codec.decode_record(data, name.removesuffix(".yaml"), Receipt)
                if unbelievable(receipt, self, beside) is None:
                    return receipt
            except (StoreCorrupt, FormatTooNew) as error:
                fault = error
        if fault is not None:
            raise fault
        return None

    def stores(self) -> list[StoreRecord]:
        """Return who began this store: several records after a join, those that say who began it first, by id.

        A record that cannot be used, or that speaks of another store than its path, is left out; `verify` names it.
        """
        records = []
        for path, oid in self.files("stores"):
            digest = path.rpartition("/")[2].removesuffix(".yaml")
            with suppress(StoreCorrupt, FormatTooNew):
                record = codec.decode_record(self._database.read(oid, "blob"), digest, StoreRecord)
                if path.startswith(f"{paths.store_directory(record.store)}/"):
                    records.append(record)
        return sorted(records, key=lambda record: (record.alias_of is not None, record.store, record.digest))

    def purged(self) -> frozenset[EntityId]:
        """Return the entities that may never come back. StoreCorrupt where a marker is lost: it might name any.

        What a marker names and is no id names nothing, as in a merge.
        """
        return frozenset(name for marker in self.purge_markers() for name in marker.entities if is_entity_id(name))

    def purge_markers(self) -> list[PurgeMarker]:
        """Return the purge markers that can be read. StoreCorrupt where one is lost."""
        found: list[PurgeMarker] = []
        markers = self.directory("purges").items()
        for name, item in ((name, item) for name, item in markers if item.mode == FILE_MODE):
            data = self._database.read(item.oid, "blob")
            with suppress(StoreCorrupt, FormatTooNew):
                found.append(codec.decode_record(data, name.removesuffix(".yaml"), PurgeMarker))
        return found

    def files(self, top: str = "") -> Iterator[tuple[str, ObjectId]]:
        """Yield (path, blob) of every ordinary file below a directory; files of one directory come together."""
        for path, item in self.entries(top):
            if item.mode == FILE_MODE:
                yield path, item.oid

    def entries(self, top: str = "") -> Iterator[tuple[str, TreeItem]]:
        """Yield (path, entry) of whatever is not a directory below a directory, links and submodules too."""
        start = self.find(top)
        if start is None or not start.is_tree:
            return
        stack = [(f"{top}/" if top else "", start.oid)]
        while stack:
            prefix, oid = stack.pop()
            below = []
            for name, item in self._database.tree(oid).items():
                if item.is_tree:
                    below.append((f"{prefix}{name}/", item.oid))
                else:
                    yield f"{prefix}{name}", item
            stack.extend(reversed(below))

    def at(self, commit_id: str) -> Snapshot | None:
        """Return the same store at another commit, or None where this clone cannot read that commit as a store."""
        try:
            return Snapshot(self._database, ObjectId(commit_id))
        except StoreCorrupt:
            return None

    def changes_since(self, older: Snapshot | None, top: str = "") -> Iterator[Change]:
        """Yield the files below `top` that differ from an older snapshot (all for None). Equal subtrees are skipped."""
        before = older.find(top) if older is not None else None
        stack: list[tuple[str, TreeItem | None, TreeItem | None]] = [(top, before, self.find(top))]
        while stack:
            path, old, new = stack.pop()
            if old == new:
                continue
            old_file = old.oid if old is not None and not old.is_tree else None
            new_file = new.oid if new is not None and not new.is_tree else None
            if old_file or new_file:
                yield Change(path, old_file, new_file)
            old_tree = self._database.tree(old.oid) if old is not None and old.is_tree else {}
            new_tree = self._database.tree(new.oid) if new is not None and new.is_tree else {}
            for name in old_tree.keys() | new_tree.keys():
                stack.append((f"{path}/{name}" if path else name, old_tree.get(name), new_tree.get(name)))

    def find(self, path: str) -> TreeItem | None:
        """Return the entry at a path, the root's for an empty one, or None."""
        item = subtree(self.commit.tree)
        for part in path.split("/") if path else ():
            if not item.is_tree:
                return None
            found = self._database.tree(item.oid).get(part)
            if found is None:
                return None
            item = found
        return item

    def directory(self, path: str) -> Tree:
        """Return a directory's entries; an absent one is empty."""
        item = self.find(path)
        return self._database.tree(item.oid) if item is not None and item.is_tree else {}

    def read_file(self, oid: ObjectId) -> bytes:
        """Return the content of a blob of this snapshot."""
        return self._database.read(oid, "blob")

    def _check_format(self) -> None:
        versions = [int(name) for name in self.directory("format") if re.fullmatch(r"[1-9][0-9]{0,8}", name)]
        if not versions:
            raise StoreCorrupt(
                f"commit {self.commit_id} is not a memgit store: its tree has no format/ directory",
                hint="If `memgit.ref` names a ref of yours, choose another; otherwise restore the ref from a backup.",
            )
        if max(versions) > FORMAT:
            raise FormatTooNew(f"the store has format {max(versions)}; this program reads {FORMAT}")
