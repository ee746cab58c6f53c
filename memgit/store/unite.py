"""Uniting this clone's memory with a tip that arrived: under the writer's lock, log first, nothing lost on either side.

The tip must have been validated (`memgit.sync.validate`). What needs a person's decision is refused: stores that were
begun apart, and purges that one side does not know.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from memgit.errors import PurgePending, StoreBusy, StoreUnrelated
from memgit.records import ids
from memgit.records.codec import StoreRecord, encode_record
from memgit.records.paths import store_directory
from memgit.store import join
from memgit.store.ancestry import descends
from memgit.store.backend import RefMoved
from memgit.store.database import Database
from memgit.store.git_command import run_git
from memgit.store.lock import WriterLock
from memgit.store.objects import ObjectId, RawObject, Signature
from memgit.store.packing import PackList, pack_log
from memgit.store.publication import Publisher
from memgit.store.refs import AuthorityRef
from memgit.store.repository import Repository
from memgit.store.snapshot import Snapshot
from memgit.store.tree_edit import add_files
from memgit.store.writer import reported

How = Literal["nothing", "adopted", "forward", "joined", "replayed"]

_ATTEMPTS = 8
_PACKED_AT_ONCE = 500  # objects: a union of two long histories makes thousands of trees, too many to leave loose
_SHOWN_ENTITIES = 20


@dataclass(frozen=True, slots=True)
class Terms:
    """What the user agrees to. `source` names the other side in messages and in the commit's subject."""

    source: str
    accept_purge: bool = False
    join: bool = False


@dataclass(frozen=True, slots=True)
class United:
    """What became of a union: the tip before and after it, and how the one became the other."""

    before: ObjectId | None
    after: ObjectId
    how: How


class Uniter:
    """Unites one layer with tips that arrived."""

    def __init__(
        self, repository: Repository, database: Database, lock: WriterLock, ref: AuthorityRef, publisher: Publisher
    ) -> None:
        self._repository = repository
        self._database = database
        self._lock = lock
        self._ref = ref
        self._publisher = publisher

    def unite(self, theirs: ObjectId, author: Signature, terms: Terms) -> United:
        """Bring a validated tip in. Raises StoreUnrelated, PurgePending, StoreBusy, StoreReadOnly, StoreCorrupt."""
        with reported(self._repository), self._lock.held():
            for _ in range(_ATTEMPTS):
                try:
                    return self._attempt(self._ref.settle(author), theirs, author, terms)
                except RefMoved:
                    self._database.forget()
        raise StoreBusy(f"{self._ref.name} was moved by another program {_ATTEMPTS} times in a row")

    def note_packs(self, names: list[str]) -> None:
        """Note packs that a fetch made, and unite small ones when there are many. Raises StoreBusy, StoreReadOnly."""
        with reported(self._repository), self._lock.held():
            packs = PackList(self._repository, self._database.backend)
            packs.note(names)
            packs.consolidate()

    def _attempt(self, tip: ObjectId | None, theirs: ObjectId, author: Signature, terms: Terms) -> United:
        if tip is None:
            return self._publish(tip, theirs, [], "adopted")
        if descends(self._database, tip, theirs):
            return United(tip, tip, "nothing")
        ours, other = Snapshot(self._database, tip), Snapshot(self._database, theirs)
        related = join.are_related(ours, other)
        if check_terms(ours, other, terms, self._purgers):
            return self._replay(ours, other, author, terms)
        root, trees = join.union(self._database, ours, other)
        if related and root == other.commit.tree and descends(self._database, theirs, tip):
            return self._publish(tip, theirs, [], "forward")
        subject = f"store sync: {terms.source}"
        objects = [*trees.made.values()]
        if not related:
            self._database.write(objects)  # so that the record can be added to them
            root, record = self._with_alias(root, ours, other)
            objects += record
            subject = f"store join: {terms.source}"
        seq = max(ours.seq, other.seq)
        commit = join.join_commit(self._database, root, [tip, theirs], author, subject, seq)
        return self._publish(tip, commit.oid, [*objects, commit], "joined")

    def _publish(self, old: ObjectId | None, new: ObjectId, objects: list[RawObject], how: How) -> United:
        self._publisher.publish(old, new, objects)
        if len(objects) > _PACKED_AT_ONCE:
            pack_log(self._database, self._repository, new)
        return United(old, new, how)

    def _purgers(self, ours: Snapshot, theirs: Snapshot) -> str:
        """Return who wrote the markers that arrive, as their commits say."""
        known = ours.directory("purges")
        paths = [f"purges/{name}" for name in theirs.directory("purges") if name not in known][:_SHOWN_ENTITIES]
        answer = run_git(
            self._repository, ["log", "--format=%an <%ae>", "--diff-filter=A", theirs.commit_id, "--", *paths]
        )
        names = dict.fromkeys(answer.stdout.decode("utf-8", "replace").splitlines())
        return ", ".join(list(names)[:3])

    def _replay(self, ours: Snapshot, theirs: Snapshot, author: Signature, terms: Terms) -> United:
        """Put our new operations on top of theirs as one commit, so that no commit that stays leads to what is purged.

        The log begins anew with that commit alone: the old one holds the purged bytes.
        """
        root, trees = join.union(self._database, ours, theirs)
        if root == theirs.commit.tree:
            objects: list[RawObject] = []
            new = theirs.commit_id
        else:
            blobs = dict.fromkeys(trees.files_beside(root, theirs.commit.tree))
            objects = [self._database.make("blob", trees.blob(oid)) for oid in blobs]
            subject = f"store sync: purge of {terms.source} accepted, {len(objects)} files replayed"
            seq = max(ours.seq, theirs.seq)
            commit = join.join_commit(self._database, root, [theirs.commit_id], author, subject, seq)
            objects += [*trees.made.values(), commit]
            new = commit.oid
        self._database.log.begin_again(ours.commit_id, new, objects)
        self._database.write(objects)
        self._publisher.move(ours.commit_id, new, objects)
        return United(ours.commit_id, new, "replayed")

    def _with_alias(self, root: ObjectId, ours: Snapshot, theirs: Snapshot) -> tuple[ObjectId, list[RawObject]]:
        """Return the root with a record that joins the two stores, and the objects that it needs.

        The record depends on the two stores alone, so that whoever joins them writes the same one.
        """
        least, other = sorted((ours.stores()[0], theirs.stores()[0]), key=lambda record: record.store)
        record = StoreRecord(
            digest="",
            store=other.store,
            workspace=other.workspace,
            project=other.project,
            at=other.at,
            alias_of=least.store,
        )
        digest, data = encode_record(record)
        path = f"{store_directory(other.store)}/{digest}.yaml"
        blob = self._database.make("blob", data, path)
        joined, made = add_files(self._database, root, {path: blob.oid})
        return joined, [blob, *made]


def check_terms(
    ours: Snapshot, theirs: Snapshot, terms: Terms, purgers: Callable[[Snapshot, Snapshot], str] = lambda *_: ""
) -> bool:
    """Tell whether a purge arrives that the user accepts. Raises StoreUnrelated, PurgePending."""
    if not terms.join and not join.are_related(ours, theirs):
        raise _unrelated(ours, theirs, terms.source)
    mine, incoming = ours.purged(), theirs.purged()
    missing = sorted(mine - incoming)
    if missing:
        raise PurgePending(
            f"this clone has purged {_counted(missing)} that {terms.source} still has: {_listed(missing)}",
            hint=f"Purge them in the memory of {terms.source} too; until then nothing is exchanged with it.",
            details={"entities": list(missing), "side": "ours"},
        )
    fresh = sorted(incoming - mine)
    if fresh and not terms.accept_purge:
        by = purgers(ours, theirs)
        raise PurgePending(
            f"{terms.source} has purged {_counted(fresh)}{f' (by {by})' if by else ''}: {_listed(fresh)}",
            details={"entities": list(fresh), "side": "theirs", "by": by},
        )
    return bool(fresh)


def _unrelated(ours: Snapshot, theirs: Snapshot, source: str) -> StoreUnrelated:
    """Return the error of two stores that were begun apart."""
    names = [next((record.store for record in side.stores()), "no store") for side in (ours, theirs)]
    return StoreUnrelated(
        f"the memory of {source} ({names[1]}) and the one here ({names[0]}) were begun apart from each other",
        details={"ours": names[0], "theirs": names[1]},
    )


def _counted(entities: list[str]) -> str:
    return "1 entity" if len(entities) == 1 else f"{len(entities)} entities"


def _listed(entities: list[ids.EntityId]) -> str:
    shown = ", ".join(entities[:_SHOWN_ENTITIES])
    return shown if len(entities) <= _SHOWN_ENTITIES else f"{shown}, …"
