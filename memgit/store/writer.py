"""The writer protocol of the store: lock, tip, receipt, build, log, objects, ref, answer.

An acknowledged write is never lost: the answer is given after the ref has moved, and the ref moves after the commit's
objects are in the write-ahead log.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import msgspec

from memgit.errors import IdempotencyConflict, StoreBusy, StoreCorrupt, StoreReadOnly
from memgit.records.codec import Receipt, canonical_json
from memgit.records.op import Actor, CodeStamp
from memgit.store import packing
from memgit.store.backend import RefLocked, RefMoved
from memgit.store.bulk import FastImport
from memgit.store.database import Database
from memgit.store.lock import WriterLock
from memgit.store.objects import ObjectId, RawObject, Signature, encode_commit
from memgit.store.ref_move import move_ref
from memgit.store.refs import AuthorityRef
from memgit.store.repository import Repository
from memgit.store.snapshot import Snapshot
from memgit.store.transaction import Transaction
from memgit.store.tree_edit import add_files
from memgit.store.write_ahead_log import Entry

Result = dict[str, Any]
Build = Callable[[Transaction], Result]

_ATTEMPTS = 8  # another program moved the ref between our look and our move; memgit's own writers hold the lock


@dataclass(frozen=True, slots=True)
class RequestKey:
    """An idempotency key: digests of the key in its scope, and of the request that it stands for."""

    key_digest: str
    request_digest: str
    operation: str


@dataclass(frozen=True, slots=True)
class Written:
    """The outcome of a write. `replayed`: the key had been used for the same request, and nothing was written."""

    result: Result
    seq: int
    commit_id: ObjectId
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class Author:
    """Who a write is by: for Git, and for the operation."""

    signature: Signature
    actor: Actor
    code: CodeStamp | None


class Writer:
    """Writes one layer of a repository's store. `seq_floor` is the highest seq of the other layers."""

    def __init__(
        self,
        repository: Repository,
        database: Database,
        lock: WriterLock,
        ref: AuthorityRef,
        *,
        sync: bool = False,
        pack_every: int = 150,
    ) -> None:
        self._repository = repository
        self._database = database
        self._lock = lock
        self._ref = ref
        self._sync = sync
        self._pack_every = pack_every

    def write(self, build: Build, author: Author, key: RequestKey | None = None, *, seq_floor: int = 0) -> Written:
        """Run `build` on a transaction over the tip and publish what it staged as one commit.

        `build` may run again on a newer tip and must not act outside the transaction. What it raises passes through,
        and nothing is written. Raises StoreBusy, StoreReadOnly, IdempotencyConflict.
        """
        try:
            with self._lock.held():
                self._database.log.repair()
                for _ in range(_ATTEMPTS):
                    try:
                        return self._attempt(build, author, key, seq_floor)
                    except RefMoved:
                        self._database.forget()
                raise StoreBusy(f"{self._ref.name} was moved by another program {_ATTEMPTS} times in a row")
        except OSError as error:
            raise _unwritable(error, self._repository) from None

    def write_bulk(self, build: Build, author: Author, key: RequestKey | None = None, *, seq_floor: int = 0) -> Written:
        """Do as `write` for a large transaction: one pack, made without holding the lock.

        Where another writer was faster, the whole is made again, the last time under the lock.
        """
        try:
            for _ in range(2):
                tip = self._ref.tip()
                written = self._import(build, author, key, seq_floor, tip, locked=False)
                if written is not None:
                    return written
                time.sleep(random.random() * 0.05)  # noqa: S311
            with self._lock.held():
                self._database.forget()
                written = self._import(build, author, key, seq_floor, self._ref.tip(), locked=True)
        except OSError as error:
            raise _unwritable(error, self._repository) from None
        if written is None:
            raise StoreBusy(f"{self._ref.name} was moved by another program during the import")
        return written

    def replayed(self, snapshot: Snapshot | None, key: RequestKey | None) -> Written | None:
        """Return the first outcome of a request whose key is known. IdempotencyConflict for another request."""
        receipt = snapshot.receipt(key.key_digest) if snapshot is not None and key is not None else None
        if receipt is None or key is None or snapshot is None:
            return None
        if receipt.request != key.request_digest:
            raise IdempotencyConflict(
                f"the idempotency key was used at {receipt.at} for another {receipt.operation} request",
                details={"operation": receipt.operation, "commit_seq": receipt.seq},
            )
        return Written(msgspec.json.decode(receipt.result), receipt.seq, snapshot.commit_id, replayed=True)

    def _attempt(self, build: Build, author: Author, key: RequestKey | None, seq_floor: int) -> Written:
        tip = self._ref.tip()
        snapshot = Snapshot(self._database, tip) if tip is not None else None
        known = self.replayed(snapshot, key)
        if known is not None:
            return known
        files = _Files()
        transaction = Transaction(snapshot, files, _first_seq(snapshot, seq_floor), author.actor, author.code)
        result = _run(build, transaction, key)
        if transaction.is_empty and snapshot is not None:
            return Written(result, snapshot.seq, snapshot.commit_id)
        commit_id = self._publish(snapshot, files, transaction, author)
        self._pack_if_due(commit_id)
        return Written(result, transaction.last_seq, commit_id)

    def _publish(
        self, snapshot: Snapshot | None, files: _Files, transaction: Transaction, author: Author
    ) -> ObjectId:
        blobs = {path: self._database.make("blob", data) for path, data in files.content.items()}
        root = snapshot.commit.tree if snapshot is not None else None
        tree, trees = add_files(self._database, root, {path: item.oid for path, item in blobs.items()})
        old = snapshot.commit_id if snapshot is not None else None
        data = encode_commit(tree, [old] if old else [], author.signature, author.signature, transaction.message())
        commit = self._database.make("commit", data)
        objects = [*blobs.values(), *trees, commit]
        self._log(old, commit.oid, objects)
        self._database.write(objects)
        move_ref(self._database.backend, self._lock, self._ref.name, commit.oid, old)
        return commit.oid

    def _log(self, old: ObjectId | None, new: ObjectId, objects: Iterable[RawObject]) -> None:
        entry = Entry(self._ref.name, old, new, tuple((item.oid, item.type, item.data) for item in objects))
        self._database.log.append(entry, sync=self._sync)

    def _pack_if_due(self, tip: ObjectId) -> None:
        log = self._database.log
        if log.count() < self._pack_every and log.size() < packing.MAX_LOG_BYTES:
            return
        try:
            packing.pack_log(self._database, self._repository.state_dir, self._ref.name, tip)
        except (OSError, StoreBusy, StoreCorrupt):
            return  # the write itself is done; packing is tried again with the next one

    def _import(
        self,
        build: Build,
        author: Author,
        key: RequestKey | None,
        seq_floor: int,
        tip: ObjectId | None,
        *,
        locked: bool,
    ) -> Written | None:
        """Make a bulk commit on `tip` and publish it. None: the tip had moved meanwhile, and nothing was published."""
        snapshot = Snapshot(self._database, tip) if tip is not None else None
        known = self.replayed(snapshot, key)
        if known is not None:
            return known
        with FastImport(self._database.backend) as sink:
            transaction = Transaction(snapshot, sink, _first_seq(snapshot, seq_floor), author.actor, author.code)
            result = _run(build, transaction, key)
            if transaction.is_empty and snapshot is not None:
                return Written(result, snapshot.seq, snapshot.commit_id)
            before = packing.pack_names(self._repository)
            commit_id = sink.commit(tip, author.signature, transaction.message())
        try:
            if locked:
                self._publish_import(tip, commit_id, before)
            else:
                with self._lock.held():
                    self._database.log.repair()
                    if self._ref.tip() != tip:
                        return None
                    self._publish_import(tip, commit_id, before)
        except RefMoved:
            return None
        finally:
            with suppress(RefMoved, RefLocked, OSError):  # left for `packing.remove_scratch_refs`
                self._database.backend.delete_ref(sink.ref, commit_id)
        return Written(result, transaction.last_seq, commit_id)

    def _publish_import(self, old: ObjectId | None, commit_id: ObjectId, before: frozenset[str]) -> None:
        commit = self._database.make("commit", self._database.read(commit_id, "commit"))
        tree_id = self._database.commit(commit_id).tree
        tree = self._database.make("tree", self._database.read(tree_id, "tree"))
        self._log(old, commit_id, [tree, commit])
        move_ref(self._database.backend, self._lock, self._ref.name, commit_id, old)
        packs = packing.PackList(self._repository.state_dir / "packs.json", self._database.backend)
        packs.note(packing.pack_names(self._repository) - before)


class _Files:
    """The sink of a small transaction."""

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}

    def add(self, path: str, data: bytes) -> None:
        self.content[path] = data


def _run(build: Build, transaction: Transaction, key: RequestKey | None) -> Result:
    result = build(transaction)
    if key is not None and not transaction.is_empty:
        receipt = Receipt(
            digest="",
            operation=key.operation,
            request=key.request_digest,
            seq=transaction.last_seq,
            at=transaction.at,
            result=canonical_json(result),
        )
        transaction.put_receipt(key.key_digest, receipt)
    return result


def _first_seq(snapshot: Snapshot | None, seq_floor: int) -> int:
    return max(snapshot.seq if snapshot is not None else 0, seq_floor) + 1


def _unwritable(error: OSError, repository: Repository) -> StoreReadOnly:
    reason = error.strerror or str(error)
    return StoreReadOnly(
        f"the store of {repository.root} cannot be written: {reason}", details={"reason": reason, "errno": error.errno}
    )
