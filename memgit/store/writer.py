"""The writer protocol of the store: lock, tip, receipt, build, log, objects, ref, answer.

An acknowledged write is never lost: the answer is given after the ref has moved, and the ref moves after the commit's
objects are in the write-ahead log.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import msgspec

from memgit.errors import IdempotencyConflict, MemgitError, StoreBusy, StoreNotInitialized, StoreReadOnly
from memgit.records.codec import Receipt, canonical_json
from memgit.records.op import Actor, CodeStamp
from memgit.store import packing
from memgit.store.backend import RefMoved
from memgit.store.bulk import FastImport, ImportFailed
from memgit.store.database import Database
from memgit.store.history import walk
from memgit.store.lock import WriterLock
from memgit.store.objects import ObjectId, Signature, encode_commit
from memgit.store.publication import Publisher
from memgit.store.refs import AuthorityRef
from memgit.store.repository import Repository
from memgit.store.snapshot import Snapshot
from memgit.store.transaction import Transaction
from memgit.store.tree_edit import add_files

Result = dict[str, Any]
Build = Callable[[Transaction], Result]

_ATTEMPTS = 8  # another program moved the ref between our look and our move; memgit's own writers hold the lock
_PACK_AGAIN_AFTER = 50  # writes, where Git could not pack: a failed attempt costs as much as fifty of them


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


_REPLAY_DEPTH = 1000  # commits; a retry comes soon after its first try


class Writer:
    """Writes one layer of a repository's store. `seq_floor` is the highest seq of the other layers."""

    def __init__(
        self,
        repository: Repository,
        database: Database,
        lock: WriterLock,
        ref: AuthorityRef,
        publisher: Publisher,
        *,
        pack_every: int = 150,
    ) -> None:
        self._repository = repository
        self._database = database
        self._lock = lock
        self._ref = ref
        self._publisher = publisher
        self._pack_every = pack_every
        self._pack_at = pack_every
        self._pack_at_bytes = packing.MAX_LOG_BYTES

    def write(
        self,
        build: Build,
        author: Author,
        key: RequestKey | None = None,
        *,
        seq_floor: int = 0,
        creating: bool = False,
    ) -> Written:
        """Run `build` on a transaction over the tip and publish what it staged as one commit.

        `build` may run again on a newer tip and must not act outside the transaction. What it raises passes through,
        and nothing is written. Raises StoreNotInitialized unless `creating`, StoreBusy, StoreReadOnly,
        IdempotencyConflict.
        """
        with _reported(self._repository), self._lock.held():
            for _ in range(_ATTEMPTS):
                try:
                    tip = self._ref.settle(author.signature)
                    snapshot = Snapshot(self._database, self._required(tip)) if tip or not creating else None
                    return self._attempt(snapshot, build, author, key, seq_floor)
                except RefMoved:
                    self._database.forget()
        raise StoreBusy(f"{self._ref.name} was moved by another program {_ATTEMPTS} times in a row")

    def write_bulk(self, build: Build, author: Author, key: RequestKey | None = None, *, seq_floor: int = 0) -> Written:
        """Do as `write` for a large transaction: one pack, made without holding the lock.

        Where another writer was faster, the whole is made again, the last time under the lock.
        """
        with _reported(self._repository):
            for locked in (False, False, True):
                try:
                    with self._lock.held() if locked else nullcontext():
                        tip = self._required(self._ref.settle(author.signature) if locked else self._ref.tip())
                        return self._import(tip, build, author, key, seq_floor, locked=locked)
                except RefMoved:
                    self._database.forget()
                except ImportFailed:
                    # A tree that the import starts from may be missing. Git reads no log, so replay it first.
                    if locked or not self._database.replay():
                        raise
                time.sleep(random.random() * 0.05)  # noqa: S311
        raise StoreBusy(f"{self._ref.name} was moved by another program during the import")

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
        commit_id = self._commit_of(receipt.seq, snapshot)
        return Written(msgspec.json.decode(receipt.result), receipt.seq, commit_id, replayed=True)

    def _commit_of(self, seq: int, snapshot: Snapshot) -> ObjectId:
        """Return the commit that a seq belongs to, or the tip, which contains it, where that is far back."""
        for seen in islice(walk(self._database, snapshot.commit_id), _REPLAY_DEPTH):
            if seen.seq == seq:
                return seen.commit_id
            if seen.seq < seq:
                break
        return snapshot.commit_id

    def _required(self, tip: ObjectId | None) -> ObjectId:
        if tip is None:
            raise StoreNotInitialized(f"{self._repository.root} has no memory: {self._ref.name} does not exist")
        return tip

    def _attempt(
        self, snapshot: Snapshot | None, build: Build, author: Author, key: RequestKey | None, seq_floor: int
    ) -> Written:
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

    def _publish(self, snapshot: Snapshot | None, files: _Files, transaction: Transaction, author: Author) -> ObjectId:
        blobs = {path: self._database.make("blob", data, path) for path, data in files.content.items()}
        root = snapshot.commit.tree if snapshot is not None else None
        tree, trees = add_files(self._database, root, {path: item.oid for path, item in blobs.items()})
        old = snapshot.commit_id if snapshot is not None else None
        data = encode_commit(tree, [old] if old else [], author.signature, author.signature, transaction.message())
        commit = self._database.make("commit", data)
        self._publisher.publish(old, commit.oid, [*blobs.values(), *trees, commit])
        return commit.oid

    def _pack_if_due(self, tip: ObjectId) -> None:
        """Pack when it is time. The write is done by then, so nothing that goes wrong here may be told of it."""
        log = self._database.log
        with suppress(OSError, MemgitError):
            size = log.size()
            # 0: whoever configured it leaves packing to Git; but each process reads the log, so it must not grow on.
            due = bool(self._pack_every) and log.count() >= self._pack_at
            if not due and size < self._pack_at_bytes:
                return
            self._pack_at = log.count() + _PACK_AGAIN_AFTER
            self._pack_at_bytes = size + packing.MAX_LOG_BYTES
            if packing.pack_log(self._database, self._repository, tip):
                self._pack_at, self._pack_at_bytes = self._pack_every, packing.MAX_LOG_BYTES

    def _import(
        self,
        tip: ObjectId,
        build: Build,
        author: Author,
        key: RequestKey | None,
        seq_floor: int,
        *,
        locked: bool,
    ) -> Written:
        """Make a bulk commit on `tip` and publish it. Raises RefMoved where the tip had moved meanwhile."""
        snapshot = Snapshot(self._database, tip)
        known = self.replayed(snapshot, key)
        if known is not None:
            return known
        with FastImport(self._database.backend, packing.imports_dir(self._repository)) as sink:
            transaction = Transaction(snapshot, sink, _first_seq(snapshot, seq_floor), author.actor, author.code)
            result = _run(build, transaction, key)
            if transaction.is_empty:
                return Written(result, snapshot.seq, snapshot.commit_id)
            commit_id = sink.commit(tip, author.signature, transaction.message())
            with nullcontext() if locked else self._lock.held():
                if not locked and self._ref.settle(author.signature) != tip:
                    raise RefMoved(self._ref.name)
                self._publish_import(tip, commit_id, sink)
        return Written(result, transaction.last_seq, commit_id)

    def _publish_import(self, old: ObjectId, commit_id: ObjectId, sink: FastImport) -> None:
        database = self._database
        with sink.adopted() as packs:
            commit = database.make("commit", database.read(commit_id, "commit"))
            tree = database.make("tree", database.read(database.commit(commit_id).tree, "tree"))
            self._publisher.publish(old, commit_id, [tree, commit])
            with suppress(OSError):  # the write is done; `git gc` unites a pack that is not noted
                packing.PackList(self._repository, database.backend).note(packs)


class _Files:
    """The sink of a small transaction."""

    def __init__(self) -> None:
        self.content: dict[str, bytes] = {}

    def add(self, path: str, data: bytes) -> None:
        self.content[path] = data


class _BuildFailed(Exception):
    """An OSError of `build`: the caller's own, not the store's."""

    def __init__(self, error: OSError) -> None:
        self.error = error


def _run(build: Build, transaction: Transaction, key: RequestKey | None) -> Result:
    try:
        result = build(transaction)
    except ImportFailed:
        raise
    except OSError as error:
        raise _BuildFailed(error) from error
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


@contextmanager
def _reported(repository: Repository) -> Iterator[None]:
    """Report what the file system refuses as StoreReadOnly."""
    try:
        yield
    except _BuildFailed as failure:
        raise failure.error from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise StoreReadOnly(
            f"the store of {repository.root} cannot be written: {reason}",
            details={"reason": reason, "errno": error.errno},
        ) from None
