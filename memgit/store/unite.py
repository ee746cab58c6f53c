"""Uniting this clone's memory with a tip that arrived: under the writer's lock, log first, nothing lost on either side.

The tip must have been validated (`memgit.store.validate`). What needs a person's decision is refused: stores that were
begun apart, and purges that one side does not know.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from memgit.errors import IncomingRefused, StoreBusy
from memgit.records.codec import StoreRecord, encode_record
from memgit.records.paths import store_directory
from memgit.store import join
from memgit.store.ancestry import descends
from memgit.store.backend import RefMoved
from memgit.store.database import Database
from memgit.store.founder import Founders
from memgit.store.git_command import run_git
from memgit.store.lock import WriterLock
from memgit.store.objects import ObjectId, RawObject, Signature
from memgit.store.packing import PackList, pack_log
from memgit.store.publication import Publisher
from memgit.store.purged_history import holder
from memgit.store.refs import AuthorityRef
from memgit.store.repository import Repository
from memgit.store.snapshot import Snapshot
from memgit.store.terms import SHOWN_ENTITIES, Terms, check_terms, listed
from memgit.store.tree_edit import add_files
from memgit.store.writer import reported

How = Literal["nothing", "adopted", "forward", "joined", "replayed", "gave way"]

_ATTEMPTS = 8
_PACKED_AT_ONCE = 500  # objects: a union of two long histories makes thousands of trees, too many to leave loose


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
        self._founders = Founders(repository, database, ref.name)

    def unite(self, theirs: ObjectId, author: Signature, terms: Terms) -> United:
        """Bring a validated tip in. Raises StoreUnrelated, PurgePending, StoreBusy, StoreReadOnly, StoreCorrupt."""
        with reported(self._repository), self._lock.held():
            for _ in range(_ATTEMPTS):
                try:
                    return self._attempt(self._ref.settle(author), theirs, author, terms)
                except RefMoved:
                    self._database.forget()
        raise StoreBusy(f"{self._ref.name} was moved by another program {_ATTEMPTS} times in a row")

    def settle(self, author: Signature) -> ObjectId | None:
        """Return the tip as a writer finds it; see `AuthorityRef.settle`."""
        with reported(self._repository), self._lock.held():
            for _ in range(_ATTEMPTS):
                with suppress(RefMoved):
                    return self._ref.settle(author)
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
            self._founders.keep(self._founders.at(Snapshot(self._database, theirs)))
            return self._publish(tip, theirs, [], "adopted")
        if descends(self._database, tip, theirs):
            return United(tip, tip, "nothing")
        ours, other = Snapshot(self._database, tip), Snapshot(self._database, theirs)
        related = join.are_related(ours, other)
        if terms.give_way and not terms.join and not related and holds_nothing(ours):
            self._database.log.begin_again(tip, theirs, [])
            self._publisher.move(tip, theirs, [])
            self._founders.keep(self._founders.at(other))
            return United(tip, theirs, "gave way")
        if terms.past and related and ours.purged() > other.purged():
            return self._take(ours, other, author, terms)
        accepts_purge = check_terms(ours, other, terms, self._purgers)
        if ours.directory("stores") != other.directory("stores"):
            # Whatever comes, this stays who we are, unless somebody here joins it to another one.
            self._founders.keep(self._founders.at(ours if related else other))
        if accepts_purge:
            return self._replay(ours, other, author, terms, related=related)
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
        paths = [f"purges/{name}" for name in theirs.directory("purges") if name not in known][:SHOWN_ENTITIES]
        answer = run_git(
            self._repository, ["log", "--format=%an <%ae>", "--diff-filter=A", theirs.commit_id, "--", *paths]
        )
        names = dict.fromkeys(answer.stdout.decode("utf-8", "replace").splitlines())
        return ", ".join(list(names)[:3])

    def _replay(self, ours: Snapshot, theirs: Snapshot, author: Signature, terms: Terms, *, related: bool) -> United:
        """Put our new operations on top of theirs as one commit, so that no commit that stays leads to what is purged.

        The log begins anew with that commit alone: the old one holds the purged bytes. Raises IncomingRefused where
        their own history still leads to them.
        """
        self._check_purge(ours, theirs, terms)
        root, trees = join.union(self._database, ours, theirs)
        alias: list[RawObject] = []
        if not related:
            self._database.write(trees.made.values())  # so that the record can be added to them
            root, alias = self._with_alias(root, ours, theirs)
            trees = join.Trees(self._database, [*trees.made.values(), *alias])
        if root == theirs.commit.tree:
            objects: list[RawObject] = []
            new = theirs.commit_id
        else:
            made = {item.oid for item in alias}
            blobs = [oid for oid in dict.fromkeys(trees.files_beside(root, theirs.commit.tree)) if oid not in made]
            objects = [*alias, *(self._database.make("blob", trees.blob(oid)) for oid in blobs)]
            subject = f"store sync: purge of {terms.source} accepted, {len(blobs)} files replayed"
            seq = max(ours.seq, theirs.seq)
            commit = join.join_commit(self._database, root, [theirs.commit_id], author, subject, seq)
            objects += [*trees.made.values(), commit]
            new = commit.oid
        self._database.log.begin_again(ours.commit_id, new, objects)
        self._database.write(objects)
        self._publisher.move(ours.commit_id, new, objects)
        return United(ours.commit_id, new, "replayed")

    def _check_purge(self, ours: Snapshot, theirs: Snapshot, terms: Terms) -> None:
        """Raise IncomingRefused where a purge that arrives is none: its own history leads to what it names."""
        fresh = sorted(theirs.purged() - ours.purged())
        found = holder(self._repository, theirs.commit_id, fresh)
        if found is not None:
            raise IncomingRefused(
                f"{terms.source} names what is purged, and commit {found[:12]} in its own history still holds it: "
                f"{listed(fresh)}",
                hint="Nothing changed here. Whoever purged must rewrite the history of the remote's ref, so that no "
                "commit of it leads to what is purged.",
                details={"commit": found, "entities": list(fresh)},
            )

    def _take(self, ours: Snapshot, past: Snapshot, author: Signature, terms: Terms) -> United:
        """Put the operations of a past state on ours as one commit: its history leads to what is purged here."""
        root, trees = join.union(self._database, ours, past)
        if root == ours.commit.tree:
            return United(ours.commit_id, ours.commit_id, "nothing")
        blobs = dict.fromkeys(trees.files_beside(root, ours.commit.tree))
        objects = [self._database.make("blob", trees.blob(oid)) for oid in blobs]
        subject = f"store sync: {terms.source}, {len(blobs)} files of a state that it no longer has"
        seq = max(ours.seq, past.seq)
        commit = join.join_commit(self._database, root, [ours.commit_id], author, subject, seq)
        return self._publish(ours.commit_id, commit.oid, [*objects, *trees.made.values(), commit], "joined")

    def _with_alias(self, root: ObjectId, ours: Snapshot, theirs: Snapshot) -> tuple[ObjectId, list[RawObject]]:
        """Return the root with a record that joins the two stores, and the objects that it needs.

        The record depends on the two stores alone, so that whoever joins them writes the same one.
        """
        begun = self._founders.at(ours), self._founders.at(theirs)
        least, other = sorted(filter(None, begun), key=lambda record: record.store)
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


def holds_nothing(snapshot: Snapshot) -> bool:
    """Tell whether a store was begun and nothing more: no operation, no bytes, no purge, no join."""
    tops = snapshot.database.tree(snapshot.commit.tree)
    return tops.keys() <= {"format", "stores", "receipts"} and len(snapshot.stores()) == 1
