"""A repository's memory: open it, read its tip, write to it.

The front of this room. It owns the files below the repository's private directory and hands out snapshots; what the
records mean, and who may write what, is decided above.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from memgit import clock
from memgit.errors import IndexNotReady, InvalidRequest, StoreCorrupt, StoreNotInitialized, StoreReadOnly
from memgit.limits import DEFAULT
from memgit.records import ids
from memgit.records.codec import StoreRecord
from memgit.records.op import Actor, CodeStamp
from memgit.store.ancestry import descends
from memgit.store.backend import Backend, BackendName, open_backend
from memgit.store.checked import Checked
from memgit.store.database import Database
from memgit.store.founder import Founders
from memgit.store.identity import identity
from memgit.store.lock import WriterLock
from memgit.store.objects import ObjectId
from memgit.store.publication import Publisher
from memgit.store.ref_file import is_ref_name
from memgit.store.refs import AuthorityRef
from memgit.store.repository import DEFAULT_REF, Repository
from memgit.store.sealing import Sealer
from memgit.store.signing import SigningChoice
from memgit.store.snapshot import Snapshot
from memgit.store.terms import Terms
from memgit.store.transaction import Transaction
from memgit.store.unite import United, Uniter
from memgit.store.write_ahead_log import WriteAheadLog
from memgit.store.writer import Author, Beside, Build, RequestKey, Result, Writer, Written

_STATE_README = """\
What memgit keeps here is not derived from anything: the write-ahead log, the lock, what waits for review.
Do not delete it. The directory `cache` beside this one may be deleted at any time.
"""
_STATE_README_NAME = "README"
_IDENTITY_SECONDS = 2.0  # Git's configuration is asked again after this: it costs a tenth of a write, or a process


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """What configuration decides. Times in milliseconds."""

    ref: str = DEFAULT_REF
    backend: BackendName = "auto"
    sync: bool = False  # durability `safe`: what is acknowledged is on the disk
    lock_wait_ms: int = DEFAULT.lock_wait_ms
    pack_every: int = 150  # writes
    agent: str | None = None
    sign: SigningChoice = "auto"


class Store:
    """One layer of one repository's memory."""

    def __init__(
        self, repository: Repository, options: StoreOptions | None = None, *, backend: Backend | None = None
    ) -> None:
        self.repository = repository
        self.options = options or StoreOptions()
        if not is_ref_name(self.options.ref):
            raise InvalidRequest(f"{self.options.ref!r} cannot be the store's ref", hint="Set `memgit.ref`.")
        self.beside: Beside | None = None  # the clone's other layers, for what is written to this one
        self.backend: Backend = backend or open_backend(repository, self.options.backend)
        if self.options.sync:
            self.backend.sync_writes()
        log = WriteAheadLog.of_ref(repository.state_dir, self.options.ref)
        self.database = Database(self.backend, log)
        self._lock = WriterLock(repository.state_dir, self.options.lock_wait_ms / 1000)
        self._publisher = Publisher(self.database, self._lock, self.options.ref, sync=self.options.sync)
        self.ref = AuthorityRef(self.options.ref, self.database, self._lock, self._publisher)
        self.founders = Founders(repository, self.database, self.options.ref)
        self.checked = Checked(repository.state_dir, self.options.ref)
        self._user: tuple[float, Mapping[str, str]] | None = None
        self._sealer = Sealer(repository.state_dir, self.options.sign, self.backend.object_format, self._user_config)
        self.database.seal = self._sealer.seal
        self._writer: Writer | None = None
        self._snapshot: Snapshot | None = None

    def tip(self) -> ObjectId | None:
        """Return the commit that the store is at, or None where the repository has no store."""
        return self.ref.tip()

    def snapshot(self, commit_id: ObjectId | None = None) -> Snapshot:
        """Return the store at a commit, or at its tip. Raises StoreNotInitialized, StoreCorrupt, FormatTooNew."""
        wanted = commit_id or self.tip()
        if wanted is None:
            raise StoreNotInitialized(f"{self.repository.root} has no memory: {self.options.ref} does not exist")
        if self._snapshot is None or self._snapshot.commit_id != wanted:
            self._snapshot = Snapshot(self.database, wanted)
        return self._snapshot

    def write(self, build: Build, key: RequestKey | None = None, *, allow_flagged: bool = False) -> Written:
        """Publish what `build` stages as one commit; see `Writer.write`."""
        return self._write_access().write(build, self.author(), key, allow_flagged=allow_flagged)

    def write_bulk(self, build: Build, key: RequestKey | None = None, *, allow_flagged: bool = False) -> Written:
        """Publish a large transaction as one commit and one pack; see `Writer.write_bulk`."""
        return self._write_access().write_bulk(build, self.author(), key, allow_flagged=allow_flagged)

    def initialize(self, workspace: str, project: str) -> StoreRecord:
        """Begin the store, or return the record of the one that exists."""

        def build(transaction: Transaction) -> Result:
            if transaction.snapshot is None or not transaction.snapshot.stores():
                record = StoreRecord(
                    digest="", store=ids.new_store_id(), workspace=workspace, project=project, at=clock.now()
                )
                transaction.put_store(record)
            return {}

        self._refuse_checked_out()
        self._write_access(creating=True).write(build, self.author(), creating=True)
        record = self.founder()
        if record is None:
            raise StoreCorrupt(f"no record in {self.options.ref} says whose store this is")
        return record

    def founder(self, records: Iterable[StoreRecord] | None = None) -> StoreRecord | None:
        """Return the record that says who this store is; `records` are the tip's, where they are known already."""
        snapshot = self.snapshot()
        return self.founders.of(snapshot.commit_id, snapshot.stores() if records is None else records)

    def unite(self, theirs: ObjectId, terms: Terms) -> United:
        """Bring a validated tip in, or adopt it where there is no store; see `Uniter.unite`."""
        self._refuse_checked_out()
        return self._uniter().unite(theirs, self.author().signature, terms)

    def settle(self) -> ObjectId | None:
        """Return the tip after putting right what other programs did to the ref, as each write does first.

        Raises StoreCorrupt where they put something there that is no memory, StoreBusy, StoreReadOnly.
        """
        return self._uniter().settle(self.author().signature)

    def note_packs(self, names: list[str]) -> None:
        """Note packs that a fetch of memory made; see `Uniter.note_packs`."""
        self._uniter().note_packs(names)

    def author(self) -> Author:
        """Return who a write of this process is by, and where the user's own repository stands."""
        signature = replace(identity(self._user_config())[0], seconds=int(clock.timestamp()))
        head, branch = self.backend.head()
        code = CodeStamp(head, branch) if head or branch else None
        return Author(signature, Actor(signature.name, signature.email, self.options.agent), code)

    def has_identity(self) -> bool:
        """Tell whether Git knows who the user is."""
        return identity(self._user_config())[1]

    def take_notes(self) -> list[str]:
        """Return what a person should hear of what was written, once."""
        return self._sealer.take_notes()

    def require(self, min_commit: str) -> None:
        """Raise IndexNotReady unless the tip is, or descends from, a commit."""
        if not re.fullmatch(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", min_commit):
            raise InvalidRequest(f"{min_commit!r} is not the whole id of a commit")
        tip = self.tip()
        if tip is None or not descends(self.database, tip, ObjectId(min_commit)):
            raise IndexNotReady(
                f"this clone's memory does not contain commit {min_commit}",
                hint="Run `git memory sync`, or ask for a commit that this clone has.",
                details={"requested": min_commit, "observed": tip},
            )

    def locked(self) -> AbstractContextManager[None]:
        """Hold the writer's lock. Raises StoreBusy."""
        prepare_state(self.repository.state_dir)
        return self._lock.held()

    def close(self) -> None:
        """Release file handles and child processes."""
        self.backend.close()

    def _refuse_checked_out(self) -> None:
        """Raise InvalidRequest where the store would begin in the branch that is checked out."""
        if self.tip() is None and self.backend.head()[1] == self.options.ref:
            raise InvalidRequest(
                f"{self.options.ref} is the branch that is checked out, so it cannot hold the memory",
                hint="`git config memgit.ref refs/memgit/store` names the usual ref.",
                details={"ref": self.options.ref},
            )

    def _uniter(self) -> Uniter:
        prepare_state(self.repository.state_dir)
        return Uniter(self.repository, self.database, self._lock, self.ref, self._publisher)

    def _user_config(self) -> Mapping[str, str]:
        """Return what Git's configuration says of the user now, or said a moment ago."""
        moment = time.monotonic()
        if self._user is None or moment - self._user[0] > _IDENTITY_SECONDS:
            self._user = (moment, self.backend.user_config())
        return self._user[1]

    def _write_access(self, *, creating: bool = False) -> Writer:
        if self._writer is None:
            if not creating and self.tip() is None:
                raise StoreNotInitialized(f"{self.repository.root} has no memory: {self.options.ref} does not exist")
            prepare_state(self.repository.state_dir)
            self._writer = Writer(
                self.repository,
                self.database,
                self._lock,
                self.ref,
                self._publisher,
                pack_every=self.options.pack_every,
            )
        self._writer.beside = self.beside
        return self._writer


def prepare_state(state_dir: Path) -> None:
    """Make the directory of what is not derived, owner-only, with a note that says so. Raises StoreReadOnly."""
    try:
        if (state_dir / _STATE_README_NAME).exists():
            return
        state_dir.mkdir(parents=True, exist_ok=True)
        if os.name != "nt":
            state_dir.parent.chmod(0o700)
        (state_dir / _STATE_README_NAME).write_text(_STATE_README, "utf-8")
    except OSError as error:
        raise StoreReadOnly(f"{state_dir} cannot be made: {error.strerror or error}") from None
