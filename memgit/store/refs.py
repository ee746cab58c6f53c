"""The authority ref: where the tip is, and what to believe when another program or a power loss changed it.

The log's last entry is the tip, or an ancestor of it, or the move that a writer died over (`write_ahead_log`). So a ref
that is gone or damaged is put back, a move is finished, and a ref that another program set back, as
`git fetch +refs/*:refs/*` does, is brought to hold what was acknowledged before. A fetch never writes the authority:
only the writer and a merge do, and both append to the log first.

Where another program moved the ref on, what it put there is judged before anything is written on top of it: what is no
memory stops the writer, and what a commit left out is united again.
"""

from __future__ import annotations

from memgit.errors import IncomingRefused, StoreCorrupt
from memgit.store import ref_file
from memgit.store.ancestry import descends
from memgit.store.backend import RefDamaged, RefMoved
from memgit.store.database import Database
from memgit.store.join import join, union
from memgit.store.lock import WriterLock
from memgit.store.objects import ObjectId, Signature
from memgit.store.publication import Publisher
from memgit.store.snapshot import Snapshot


class AuthorityRef:
    """One layer's ref."""

    def __init__(self, name: str, database: Database, lock: WriterLock, publisher: Publisher) -> None:
        self.name = name
        self._database = database
        self._log = database.log
        self._lock = lock
        self._publisher = publisher

    def tip(self) -> ObjectId | None:
        """Return the commit that the ref names, or None where there is no store. Needs no lock.

        A ref that is damaged or gone is read from the write-ahead log, and put back if nobody is writing. Raises
        StoreCorrupt where the log knows nothing either.
        """
        tip, damaged = self._read()
        if tip is not None:
            return tip
        last = self._log.last_tip()
        if last is None:
            self._refuse_damaged(damaged)
            return None
        with self._lock.held_if_free() as held:
            if held and not self._is_locked():
                try:
                    self._log.repair()
                    return self._restore()
                except (OSError, RefMoved):
                    pass  # a read-only repository, or a program that was faster
        return last

    def settle(self, author: Signature) -> ObjectId | None:
        """Return the tip after finishing what a dead writer began and taking back what another program undid.

        Needs the lock. Raises RefMoved where another program moves the ref meanwhile, StoreBusy, StoreCorrupt where
        the ref and the log cannot be united or the ref names what is no memory, FormatTooNew, OSError.
        """
        self._log.repair()
        self._database.look_after()
        tip = self._restore()
        last = self._log.last()
        if last is None or tip is None or tip == last.new:
            return tip
        if tip == last.old or descends(self._database, last.new, tip):
            self._finish(tip, last.new)
            return last.new
        lost = self._judged(tip, last.new)
        if not descends(self._database, tip, last.new) or self._lacks(tip, last.new):
            lost.append(last.new)
        for one in lost:
            tip = self._join(tip, one, last.new, author)
        return tip

    def _read(self) -> tuple[ObjectId | None, bool]:
        """Return what the ref names, and whether it is damaged."""
        try:
            return self._database.backend.read_ref(self.name), False
        except RefDamaged:
            return None, True

    def _restore(self) -> ObjectId | None:
        """Return the tip, from the log where the ref is gone or damaged; then the ref is put back."""
        tip, damaged = self._read()
        if tip is not None:
            return tip
        last = self._log.last()
        if last is None:
            self._refuse_damaged(damaged)
            return None
        self._database.replay()
        self._check_readable(last.new)
        if not damaged:
            self._publisher.move(None, last.new, ())
            return last.new
        try:
            ref_file.replace(self._database.backend.repository.common_dir, self.name, last.new)
        except FileExistsError:
            raise RefMoved(self.name) from None
        return last.new

    def _finish(self, tip: ObjectId, new: ObjectId) -> None:
        self._database.replay()
        self._publisher.move(tip, new, ())

    def _judged(self, tip: ObjectId, written: ObjectId) -> list[ObjectId]:
        """Judge what another program moved the ref to; return those of its ancestors whose files it may lack."""
        from memgit.store.validate import Incomplete, validate  # most writers never need it

        repository = self._database.backend.repository
        try:
            return validate(repository, self._database, tip, [written], f"what {self.name} names now")
        except Incomplete:
            return []  # as far as it is here it will do; a sync makes it whole and looks again
        except IncomingRefused as error:
            raise self._unusable(tip, written, f"which is no memory: {error.message}") from None

    def _lacks(self, tip: ObjectId, written: ObjectId) -> bool:
        """Tell whether a tip left out files of what it descends from."""
        there = Snapshot(self._database, tip)
        return union(self._database, there, Snapshot(self._database, written))[0] != there.commit.tree

    def _join(self, tip: ObjectId, lost: ObjectId, written: ObjectId, author: Signature) -> ObjectId:
        self._database.replay()  # a `gc` may have taken what the ref no longer reached
        try:
            objects = join(self._database, tip, lost, author)
        except StoreCorrupt as error:
            what = f"which lacks what commit {lost} holds; the two cannot be joined: {error.message}"
            raise self._unusable(tip, written, what) from None
        joined = objects[-1].oid
        self._publisher.publish(tip, joined, objects)
        return joined

    def _unusable(self, tip: ObjectId, written: ObjectId, what: str) -> StoreCorrupt:
        """Return the error of a tip that cannot be gone on from; its hint goes back to what memgit wrote."""
        return StoreCorrupt(
            f"another program moved {self.name} to {tip}, {what}",
            hint=f"`git update-ref {self.name} {written}` goes back to what memgit wrote.",
            details={"ref": self.name, "tip": tip, "written": written},
        )

    def _check_readable(self, tip: ObjectId) -> None:
        try:
            self._database.commit(tip)
        except StoreCorrupt as error:
            raise StoreCorrupt(
                f"the ref {self.name} is gone or damaged, and what it last named cannot be read: {error.message}",
                hint=f"Restore a backup, or remove {self._log.path} to begin a new store.",
            ) from None

    def _is_locked(self) -> bool:
        """Tell whether a Git process holds the ref's lock: a read does not wait for it."""
        return (self._database.backend.repository.common_dir / f"{self.name}.lock").exists()

    def _refuse_damaged(self, damaged: bool) -> None:
        if damaged:
            raise StoreCorrupt(f"the ref {self.name} does not hold an object id, and no log says what it held")
