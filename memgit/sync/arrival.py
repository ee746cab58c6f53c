"""Fetching a remote's memory into its tracking ref, and judging it before anything counts.

A fetch never writes the authority. What the remote no longer reaches, because somebody forced or deleted its ref, is
noticed against what was accepted before, and kept.
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from dataclasses import dataclass

from memgit import clock
from memgit.errors import FormatTooNew, IncomingRefused, MemgitError
from memgit.store.ancestry import descends
from memgit.store.backend import ObjectMissing, RefDamaged, RefLocked, RefMoved
from memgit.store.objects import ObjectId
from memgit.store.packing import new_packs, pack_names
from memgit.store.store import Store, prepare_state
from memgit.store.validate import Incomplete, is_whole, validate
from memgit.sync import shallow
from memgit.sync.notes import RemoteNote, SyncNotes
from memgit.sync.own_history import is_good
from memgit.sync.transport import Transport, unavailable

BRANCH = "refs/heads/memgit"
"""Where memory goes on a server that takes only branches, and where a clone looks for it."""

_ATTEMPTS = 4  # against another fetch of this clone, which locks the tracking ref for a moment


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a fetch found: the remote's tip (None: it has no memory), the ref there, and what deserves a word.

    `lost` is a tip that the remote had, no longer reaches, and that this clone has not united. `dropped` are ancestors
    of the tip that hold files which a later commit left out.
    """

    ref: str
    tip: ObjectId | None
    lost: ObjectId | None = None
    notes: tuple[str, ...] = ()
    dropped: tuple[ObjectId, ...] = ()


def tracking_ref(remote: str) -> str:
    """Return the ref that holds what was last fetched from a remote."""
    return f"refs/memgit/remotes/{remote}/store"


def lost_ref(remote: str) -> str:
    """Return the ref that keeps what a remote no longer reaches, until it is united."""
    return f"refs/memgit/remotes/{remote}/lost"


class Fetcher:
    """Fetches from one remote into one store's repository."""

    def __init__(self, store: Store, transport: Transport) -> None:
        self._store = store
        self._repository = store.repository
        self._transport = transport
        self._remote = transport.remote
        self._tracking = tracking_ref(transport.remote)
        self._notes = SyncNotes(store.repository)

    def fetch(self, ref: str, *, elsewhere: bool) -> Arrival:
        """Fetch the remote's memory and check it. `elsewhere`: where `ref` is absent, look at the branch too.

        Raises RemoteUnavailable, IncomingRefused, FormatTooNew.
        """
        prepare_state(self._repository.state_dir)
        present = self._bring(ref)
        if present:
            return self._judge(ref)
        before = self._read(self._tracking)
        if elsewhere and ref != BRANCH and self._bring(BRANCH):
            try:
                return self._judge(BRANCH)
            except IncomingRefused:  # somebody's branch of that name, which is no memory
                self._set_back(before)
        return self._absent(ref)

    def _bring(self, ref: str, *, anew: bool = False) -> bool:
        """Fetch a ref, with `anew` as if nothing were here; return False where the remote has none of that name."""
        before = pack_names(self._store.backend)
        for attempt in range(_ATTEMPTS):
            # Where objects of ours are lost, Git refuses a fetch that builds on them.
            anew = anew or attempt == _ATTEMPTS - 1
            answer = self._transport.fetch(ref, self._tracking, refetch=anew, complete=anew)
            self._store.database.forget()
            if answer.status == 0:
                self._adopt_packs(before)
                return True
            if ref not in self._transport.look([ref]):
                return False
            time.sleep(random.random() * 0.1 * (attempt + 1))  # noqa: S311
        raise unavailable(self._remote, answer)

    def _judge(self, ref: str) -> Arrival:
        tip = self._read(self._tracking)
        if tip is None:
            return Arrival(ref, None)
        note = self._notes.read(self._remote)
        try:
            dropped = self._validate(ref, tip)
        except (IncomingRefused, FormatTooNew) as error:
            self._notes.change(self._remote, refused={**note.refused, tip: error.message}, fetched_at=clock.now())
            error.details |= {"remote": self._remote, "ref": ref, "tip": tip}
            if isinstance(error, IncomingRefused):
                error.hint = (
                    "Nothing changed here. Whoever pushed it must set the remote's ref back to a good commit: "
                    f"`git push --force-with-lease={ref}:{tip} {self._remote} {note.accepted or 'GOOD'}:{ref}`."
                )
            raise
        lost, said = self._rewound(tip)
        older = [one for one in map(ObjectId, note.dropped) if self._is_whole(one)]
        kept = tuple(dict.fromkeys([*older, *dropped]))
        self._notes.change(self._remote, accepted=tip, lost=lost, dropped=kept, fetched_at=clock.now())
        if dropped:
            said = (
                *said,
                f"a commit in the memory of {self._remote} dropped files that it was not to drop; they are kept",
            )
        return Arrival(ref, tip, lost, said, tuple(map(ObjectId, kept)))

    def _validate(self, ref: str, tip: ObjectId) -> list[ObjectId]:
        """Check the tip, as `validate` does; where it is not whole here, fetch it whole once."""
        try:
            return self._check(tip)
        except Incomplete:
            self._bring(ref, anew=True)
            shallow.lift(
                self._repository,
                self._store.database,
                shallow.memory_boundaries(self._repository, self._store.database),
            )
            try:
                return self._check(tip, anew=True)
            except Incomplete as error:
                raise IncomingRefused(
                    f"the remote's memory is not whole: {error}",
                    hint="Its own repository has lost objects; a clone that has them can push them again.",
                ) from None

    def _check(self, tip: ObjectId, *, anew: bool = False) -> list[ObjectId]:
        """Check the tip against what is known to be good; with `anew` against nothing, which is slow and sure."""
        if shallow.memory_boundaries(self._repository, self._store.database):
            raise Incomplete("the history is cut off")
        known = [] if anew else self._good()
        return validate(self._repository, self._store.database, tip, known)

    def _good(self) -> list[ObjectId]:
        """Return what is known to be memory: what was accepted of the remote, and our tip if it is."""
        accepted = self._notes.read(self._remote).accepted
        known = [ObjectId(accepted)] if accepted is not None else []
        tip = self._store.tip()
        if tip is not None and is_good(self._store, tip, known):
            return [tip, *known]
        checked = self._store.checked.tip()
        return [*known, *([checked] if checked is not None else [])]

    def _rewound(self, tip: ObjectId) -> tuple[ObjectId | None, tuple[str, ...]]:
        """Return what the remote no longer reaches and this clone has not united, and what to say of it."""
        note = self._notes.read(self._remote)
        before = ObjectId(note.accepted) if note.accepted else None
        if before is None or descends(self._store.database, tip, before):
            return self._still_lost(note), ()
        said = f"{self._remote} was set back or replaced: it no longer holds commit {before[:12]}, which it held before"
        return self._keep(before, note, said)

    def _absent(self, ref: str) -> Arrival:
        note = self._notes.read(self._remote)
        if note.accepted is None:
            self._notes.change(self._remote, fetched_at=clock.now())
            return Arrival(ref, None)
        before = ObjectId(note.accepted)
        held = f"somebody deleted it, or another ref held commit {before[:12]} before"
        said = f"{self._remote} has no memory in {ref}: {held}"
        lost, notes = self._keep(before, note, said)
        accepted = note.accepted if self._is_whole(before) else None
        self._notes.change(self._remote, accepted=accepted, lost=lost, fetched_at=clock.now())
        return Arrival(ref, None, lost, notes)

    def _keep(self, commit: ObjectId, note: RemoteNote, said: str) -> tuple[ObjectId | None, tuple[str, ...]]:
        """Keep a commit by a ref of its own unless this clone's memory contains it; return it, and what to say."""
        tip = self._store.tip()
        if tip is not None and descends(self._store.database, tip, commit):
            return self._still_lost(note), (said,)
        if not self._is_whole(commit):
            return self._still_lost(note), (
                said,
                f"commit {commit[:12]} is not here either, and what only it held is gone",
            )
        name = lost_ref(self._remote)
        with suppress(RefMoved, RefLocked, OSError, MemgitError, ObjectMissing):  # the tracking ref may still hold it
            self._store.backend.move_ref(name, commit, self._read(name))
        return commit, (said,)

    def _still_lost(self, note: RemoteNote) -> ObjectId | None:
        """Return what was lost before and waits to be united, as far as it is still here."""
        noted = ObjectId(note.lost) if note.lost else None
        for one in (noted, self._read(lost_ref(self._remote))):
            if one is not None and self._is_whole(one):
                return one
        return None

    def _is_whole(self, commit: ObjectId) -> bool:
        """Tell whether a commit can be united: it and all that our tip does not reach is here."""
        tip = self._store.tip()
        return is_whole(self._repository, self._store.database, commit, [tip] if tip is not None else [])

    def _set_back(self, before: ObjectId | None) -> None:
        """Make the tracking ref name again what it named before a fetch of something else."""
        now = self._read(self._tracking)
        with suppress(RefMoved, RefLocked, OSError, MemgitError, ObjectMissing):
            if now is not None and before is None:
                self._store.backend.delete_ref(self._tracking, now)
            elif before is not None and now != before:
                self._store.backend.move_ref(self._tracking, before, now)

    def _read(self, name: str) -> ObjectId | None:
        try:
            return self._store.backend.read_ref(name)
        except RefDamaged:
            return None

    def _adopt_packs(self, before: frozenset[str]) -> None:
        """Note the packs that came with memory, so that packing unites them: a pack of the user's own fetch is not."""
        tip = self._read(self._tracking)
        ours = new_packs(self._store.backend, before, tip) if tip is not None else []
        if ours:
            with suppress(MemgitError, OSError):  # a pack that is not noted is united by the next `git gc`
                self._store.note_packs(ours)
