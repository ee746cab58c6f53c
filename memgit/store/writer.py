"""The writer protocol of the store: lock, tip, receipt, build, log, objects, ref, answer.

An acknowledged write is never lost: the answer is given after the ref has moved, and the ref moves after the commit's
objects are in the write-ahead log.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from memgit.errors import IdempotencyConflict, MemgitError, StoreBusy, StoreNotInitialized, StoreReadOnly
from memgit.records.codec import Receipt, canonical_json
from memgit.records.op import Actor, CodeStamp
from memgit.store import packing
from memgit.store.allowed import AllowedList
from memgit.store.backend import RefMoved
from memgit.store.believing import outcome
from memgit.store.bulk import FastImport, ImportFailed
from memgit.store.database import Database
from memgit.store.history import walk
from memgit.store.lock import WriterLock
from memgit.store.objects import ObjectId, RawObject, Signature, encode_commit
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
    """An idempotency key: digests of the key in its scope, and of the request that it stands for.

    `also` are the same two under other names of that scope: there it may have been used, and is not written.
    """

    key_digest: str
    request_digest: str
    operation: str
    also: tuple[tuple[str, str], ...] = ()


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


@dataclass(frozen=True, slots=True)
class Beside:
    """The clone's other layers, as the write of one sees them. One lock and one sequence serve them all.

    `snapshots` returns the others at their tips; with a signature, which needs the lock, it first finishes there what a
    dead writer began. `view` returns what a write on a layer at a snapshot sees (None: it is being begun).
    """

    snapshots: Callable[[Signature | None], list[Snapshot]]
    view: Callable[[Snapshot | None, list[Snapshot]], Snapshot | None]


_REPLAY_DEPTH = 1000  # commits; a retry comes soon after its first try


class Writer:
    """Writes one layer of a repository's store; `beside` knows the others. `seq_floor` may ask for a higher seq yet."""

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
        self.beside: Beside | None = None
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
        allow_flagged: bool = False,
    ) -> Written:
        """Run `build` on a transaction over the tip and publish what it staged as one commit.

        `build` may run again on a newer tip and must not act outside the transaction. What it raises passes through,
        and nothing is written. Raises StoreNotInitialized unless `creating`, StoreBusy, StoreReadOnly,
        IdempotencyConflict, SecretDetected unless `allow_flagged`.
        """
        with reported(self._repository), self._lock.held():
            for _ in range(_ATTEMPTS):
                try:
                    tip = self._ref.settle(author.signature)
                    snapshot = Snapshot(self._database, self._required(tip)) if tip or not creating else None
                    return self._attempt(snapshot, build, author, key, seq_floor, allow_flagged=allow_flagged)
                except RefMoved:
                    self._database.forget()
        raise StoreBusy(f"{self._ref.name} was moved by another program {_ATTEMPTS} times in a row")

    def write_bulk(
        self,
        build: Build,
        author: Author,
        key: RequestKey | None = None,
        *,
        seq_floor: int = 0,
        allow_flagged: bool = False,
    ) -> Written:
        """Do as `write` for a large transaction: one pack, made without holding the lock.

        Where another writer was faster, the whole is made again, the last time under the lock.
        """
        with reported(self._repository):
            for locked in (False, False, True):
                try:
                    with self._lock.held() if locked else nullcontext():
                        tip = self._required(self._ref.settle(author.signature) if locked else self._ref.tip())
                        return self._import(
                            tip, build, author, key, seq_floor, locked=locked, allow_flagged=allow_flagged
                        )
                except RefMoved:
                    self._database.forget()
                except ImportFailed:
                    # A tree that the import starts from may be missing. Git reads no log, so replay it first.
                    if locked or not self._database.replay():
                        raise
                time.sleep(random.random() * 0.05)  # noqa: S311
        raise StoreBusy(f"{self._ref.name} was moved by another program during the import")

    def replayed(
        self, snapshot: Snapshot | None, key: RequestKey | None, beside: Iterable[Snapshot] = ()
    ) -> Written | None:
        """Return the first outcome of a request whose key is known. IdempotencyConflict for another request."""
        if key is None or snapshot is None:
            return None
        names = ((key.key_digest, key.request_digest), *key.also)
        found = [(snapshot.receipt(key_digest, beside), request) for key_digest, request in names]
        known = [(receipt, request) for receipt, request in found if receipt is not None]
        if not known:
            return None
        receipt, request = next((pair for pair in known if pair[0].request == pair[1]), known[0])
        if receipt.request != request:
            raise IdempotencyConflict(
                f"the idempotency key was used at {receipt.at} for another {receipt.operation} request",
                details={"operation": receipt.operation, "commit_seq": receipt.seq},
            )
        commit_id = self._commit_of(receipt.seq, snapshot)
        return Written(outcome(receipt) or {}, receipt.seq, commit_id, replayed=True)

    def _replayed_anywhere(
        self, snapshot: Snapshot | None, others: list[Snapshot], key: RequestKey | None
    ) -> Written | None:
        """Return the first outcome of a request from whichever layer knows its key."""
        layers = [*([snapshot] if snapshot is not None else []), *others]
        known = self.replayed(snapshot, key, layers)
        for other in others if key is not None else ():
            known = known or self.replayed(other, key, layers)
        return known

    def _others(self, author: Signature | None) -> list[Snapshot]:
        return self.beside.snapshots(author) if self.beside is not None else []

    def _view(self, snapshot: Snapshot | None, others: list[Snapshot]) -> Snapshot | None:
        return self.beside.view(snapshot, others) if self.beside is not None else snapshot

    def _commit_of(self, seq: int, snapshot: Snapshot) -> ObjectId:
        """Return the commit that a seq belongs to, or the tip, which contains it, where that is far back."""
        for seen in islice(walk(snapshot.database, snapshot.commit_id), _REPLAY_DEPTH):
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
        self,
        snapshot: Snapshot | None,
        build: Build,
        author: Author,
        key: RequestKey | None,
        seq_floor: int,
        *,
        allow_flagged: bool,
    ) -> Written:
        others = self._others(author.signature)
        known = self._replayed_anywhere(snapshot, others, key)
        if known is not None:
            return known
        files = _Files()
        transaction = Transaction(
            snapshot,
            files,
            _first_seq(snapshot, seq_floor, others),
            author.actor,
            author.code,
            sees=self._view(snapshot, others),
            allow_flagged=allow_flagged,
        )
        result = _run(build, transaction, key)
        seen = snapshot or transaction.snapshot
        if transaction.is_empty and seen is not None:
            return Written(result, seen.seq, seen.commit_id)
        commit_id = self._publish(snapshot, files, transaction, author)
        self._pack_if_due(commit_id)
        return Written(result, transaction.last_seq, commit_id)

    def _publish(self, snapshot: Snapshot | None, files: _Files, transaction: Transaction, author: Author) -> ObjectId:
        blobs = {path: self._database.make("blob", data, path) for path, data in files.content.items()}
        root = snapshot.commit.tree if snapshot is not None else None
        tree, trees = add_files(self._database, root, {path: item.oid for path, item in blobs.items()})
        old = snapshot.commit_id if snapshot is not None else None
        data = encode_commit(tree, [old] if old else [], author.signature, author.signature, transaction.message())
        commit = self._database.make_commit(data)
        self._note_allowed(transaction)
        self._publisher.publish(old, commit.oid, [*blobs.values(), *trees, commit])
        return commit.oid

    def _note_allowed(self, transaction: Transaction) -> None:
        """Note what was let in although it looks like a secret, before it is there: a note of nothing is harmless."""
        if transaction.allowed:
            AllowedList(self._repository.state_dir).add(transaction.allowed)

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
        allow_flagged: bool,
    ) -> Written:
        """Make a bulk commit on `tip` and publish it. Raises RefMoved where the tip had moved meanwhile."""
        snapshot = Snapshot(self._database, tip)
        others = self._others(author.signature if locked else None)
        known = self._replayed_anywhere(snapshot, others, key)
        if known is not None:
            return known
        first_seq = _first_seq(snapshot, seq_floor, others)
        with FastImport(self._database.backend, packing.imports_dir(self._repository)) as sink:
            transaction = Transaction(
                snapshot,
                sink,
                first_seq,
                author.actor,
                author.code,
                sees=self._view(snapshot, others),
                allow_flagged=allow_flagged,
            )
            result = _run(build, transaction, key)
            if transaction.is_empty:
                return Written(result, snapshot.seq, snapshot.commit_id)
            imported = sink.commit(tip, author.signature, transaction.message())
            commit = self._database.make_commit(imported.data)
            with nullcontext() if locked else self._lock.held():
                if not locked and self._ref.settle(author.signature) != tip:
                    raise RefMoved(self._ref.name)
                if not locked and _first_seq(snapshot, seq_floor, self._others(author.signature)) != first_seq:
                    raise RefMoved(self._ref.name)  # another layer took one of the seqs meanwhile
                self._note_allowed(transaction)
                self._publish_import(tip, imported.tree, commit, sink)
        return Written(result, transaction.last_seq, commit.oid)

    def _publish_import(self, old: ObjectId, root: ObjectId, commit: RawObject, sink: FastImport) -> None:
        """Publish an import. A signed commit is none of the pack; what Git made in its place is left to Git's `gc`."""
        database = self._database
        with sink.adopted() as packs:
            tree = database.make("tree", database.read(root, "tree"))
            self._publisher.publish(old, commit.oid, [tree, commit])
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


def _first_seq(snapshot: Snapshot | None, seq_floor: int, others: list[Snapshot]) -> int:
    return max([snapshot.seq if snapshot is not None else 0, seq_floor, *(other.seq for other in others)]) + 1


@contextmanager
def reported(repository: Repository) -> Iterator[None]:
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
