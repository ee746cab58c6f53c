"""Fetching a remote's memory into its tracking ref, and judging it before anything counts.

A fetch never writes the authority. What the remote no longer reaches, because somebody forced or deleted its ref, is
noticed against what was accepted before, and kept.
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memgit import clock
from memgit.errors import FormatTooNew, IncomingRefused, MemgitError
from memgit.store.ancestry import descends
from memgit.store.backend import RefDamaged, RefLocked, RefMoved
from memgit.store.git_command import run_git
from memgit.store.objects import ObjectId
from memgit.store.store import Store, prepare_state
from memgit.sync import shallow
from memgit.sync.notes import SyncNotes
from memgit.sync.transport import Transport, unavailable
from memgit.sync.validate import Incomplete, validate

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
        if elsewhere and ref != BRANCH and self._bring(BRANCH):
            with suppress(IncomingRefused):  # somebody's branch of that name, which is no memory
                return self._judge(BRANCH)
        return self._absent(ref)

    def _bring(self, ref: str, *, anew: bool = False) -> bool:
        """Fetch a ref, with `anew` as if nothing were here; return False where the remote has none of that name."""
        before = self._packs()
        for attempt in range(_ATTEMPTS):
            # Where objects of ours are lost, Git refuses a fetch that builds on them.
            anew = anew or attempt == _ATTEMPTS - 1
            answer = self._transport.fetch(ref, self._tracking, refetch=anew, complete=anew)
            self._store.database.forget()
            if answer.status == 0:
                self._adopt_packs(self._packs() - before)
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
            raise
        lost, said = self._rewound(tip)
        kept = tuple(dict.fromkeys([*note.dropped, *dropped]))
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
        accepted = self._notes.read(self._remote).accepted
        known = [] if anew else [one for one in (self._store.tip(), accepted) if one is not None]
        return validate(self._repository, self._store.database, tip, map(ObjectId, known))

    def _rewound(self, tip: ObjectId) -> tuple[ObjectId | None, tuple[str, ...]]:
        """Return what the remote no longer reaches and this clone has not united, and what to say of it."""
        note = self._notes.read(self._remote)
        before = ObjectId(note.accepted) if note.accepted else None
        if before is None or descends(self._store.database, tip, before):
            return ObjectId(note.lost) if note.lost else self._read(lost_ref(self._remote)), ()
        said = f"{self._remote} was set back or replaced: it no longer holds commit {before[:12]}, which it held before"
        return self._keep(before), (said,)

    def _absent(self, ref: str) -> Arrival:
        note = self._notes.read(self._remote)
        if note.accepted is None:
            return Arrival(ref, None)
        before = ObjectId(note.accepted)
        said = f"{self._remote} has no memory any more: somebody deleted {ref}, which held commit {before[:12]}"
        lost = self._keep(before)
        self._notes.change(self._remote, lost=lost, fetched_at=clock.now())
        return Arrival(ref, None, lost, (said,))

    def _keep(self, commit: ObjectId) -> ObjectId | None:
        """Keep a commit by a ref of its own unless this clone's memory contains it."""
        tip = self._store.tip()
        if tip is not None and descends(self._store.database, tip, commit):
            return None
        name = lost_ref(self._remote)
        with suppress(RefMoved, RefLocked, OSError, MemgitError):  # the tracking ref may still hold it
            self._store.backend.move_ref(name, commit, self._read(name))
        return commit

    def _read(self, name: str) -> ObjectId | None:
        try:
            return self._store.backend.read_ref(name)
        except RefDamaged:
            return None

    def _packs(self) -> set[str]:
        directory = Path(self._store.backend.objects_dir) / "pack"
        return {path.stem.removeprefix("pack-") for path in directory.glob("pack-*.idx")}

    def _adopt_packs(self, names: set[str]) -> None:
        """Note the packs that came with memory, so that packing unites them: a pack of the user's own fetch is not."""
        tip = self._read(self._tracking)
        ours = [name for name in names if tip is not None and self._holds(name, tip)]
        if ours:
            with suppress(MemgitError, OSError):  # a pack that is not noted is united by the next `git gc`
                self._store.note_packs(ours)

    def _holds(self, pack: str, commit: ObjectId) -> bool:
        index = Path(self._store.backend.objects_dir) / "pack" / f"pack-{pack}.idx"
        with suppress(OSError):
            return commit.encode() in run_git(self._repository, ["show-index"], stdin=index.read_bytes()).stdout
        return False
