"""One exchange with a remote: fetch, unite, push, and again where somebody was faster.

The lock is taken only to unite. Whatever ends an exchange on the way leaves both sides valid: what was fetched is in
the tracking ref, what was united is written, and the remote has the old tip or the new one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

from memgit import clock
from memgit.errors import MemgitError, RemoteRefused, StoreUnrelated
from memgit.store.ancestry import descends
from memgit.store.backend import RefLocked, RefMoved
from memgit.store.objects import ObjectId
from memgit.store.store import Store
from memgit.store.terms import Terms
from memgit.sync.arrival import BRANCH, Arrival, Fetcher, lost_ref, tracking_ref
from memgit.sync.difference import operations_beside
from memgit.sync.newcomers import strangers
from memgit.sync.notes import SyncNotes
from memgit.sync.own_history import require_good
from memgit.sync.sending import Screen, Sender, rounds
from memgit.sync.transport import Transport


@dataclass(slots=True)
class Outcome:
    """What an exchange did, filled in on the way: tips before and after, and what deserves a word."""

    ref: str
    before: ObjectId | None  # ours
    after: ObjectId | None = None
    found: ObjectId | None = None  # the remote's, when it was first looked at
    left: ObjectId | None = None  # the remote's, as it is now
    came: Counter[str] = field(default_factory=Counter)  # operations that uniting brought, by kind and verb
    pushed: bool = False
    over: ObjectId | None = None  # what the remote had when it took the push
    flagged: tuple[str, ...] = ()  # what went although it looks like a secret, since somebody let it in
    rounds: int = 0
    wrote: bool = False  # a commit of ours united the two sides
    gave_way: bool = False  # a memory of ours that held nothing was replaced by the remote's
    notes: list[str] = field(default_factory=list)


class Exchange:
    """Exchanges memory with one remote."""

    def __init__(self, store: Store, transport: Transport, ref: str, *, elsewhere: bool, screen: Screen) -> None:
        self._store = store
        self._transport = transport
        self._remote = transport.remote
        self._ref = ref
        self._elsewhere = elsewhere
        self._sender = Sender(transport, screen)
        self._fetcher = Fetcher(store, transport)
        self.on_answer: Callable[[], None] = lambda: None  # once, when the remote has answered
        self.on_union: Callable[[], list[str]] = list  # after each; returns what deserves a word
        self.outcome = Outcome(ref, store.tip())

    def fetch(self) -> Arrival:
        """Look at the remote's memory; nothing here changes but the tracking ref."""
        arrival = self._fetcher.fetch(self._ref, elsewhere=self._elsewhere)
        outcome = self.outcome
        if outcome.rounds == 0:
            outcome.found = arrival.tip
        outcome.rounds += 1
        outcome.ref = self._ref = arrival.ref
        outcome.left = arrival.tip
        outcome.after = self._store.tip()
        outcome.notes += [text for text in arrival.notes if text not in outcome.notes]
        if outcome.rounds == 1:
            self.on_answer()
        return arrival

    def pull(self, terms: Terms) -> None:
        """Fetch and unite."""
        arrival = self.fetch()
        self._require_good(whole=False)
        self._unite(arrival, terms)

    def push(self) -> None:
        """Send what is here. Raises RemoteRefused where the remote has memory that is not here."""
        for _ in rounds(self._remote):
            tip = self._look()
            ours = self._store.tip()
            if ours is None or tip == ours:
                return
            if tip is not None and not descends(self._store.database, ours, tip):
                raise RemoteRefused(
                    f"{self._remote} has memory that is not here yet",
                    hint="`git memory sync` fetches and unites it, and pushes.",
                )
            if self._send(tip):
                return

    def sync(self, terms: Terms) -> None:
        """Fetch, unite and push until both sides have the same. Raises what either half raises."""
        for _ in rounds(self._remote):
            arrival = self.fetch()
            self._require_good(whole=False)
            self._unite(arrival, terms)
            ours = self._store.tip()
            if ours is None or ours == arrival.tip or self._send(arrival.tip):
                self._done()
                return

    def _look(self) -> ObjectId | None:
        present = self._transport.look([self._ref, BRANCH])
        outcome = self.outcome
        if self._ref not in present and self._elsewhere and BRANCH in present:
            return self.fetch().tip
        outcome.rounds += 1
        outcome.found = outcome.left = present.get(self._ref)
        outcome.after = self._store.tip()
        if outcome.rounds == 1:
            self.on_answer()
        return outcome.left

    def _unite(self, arrival: Arrival, terms: Terms) -> None:
        for commit in filter(None, (arrival.lost, *arrival.dropped)):
            try:
                self._unite_with(commit, replace(terms, past=True, give_way=False))
            except StoreUnrelated:
                self.outcome.notes.append(
                    f"what {self._remote} held for a while, commit {commit[:12]}, is another memory; it is left out"
                )
        if arrival.tip is not None:
            self._unite_with(arrival.tip, terms)
        if arrival.lost is not None or arrival.dropped:
            self._forget(arrival.lost)
        self.outcome.notes += [text for text in self.on_union() if text not in self.outcome.notes]
        self.outcome.after = self._store.tip()

    def _unite_with(self, commit: ObjectId, terms: Terms) -> None:
        united, outcome = self._store.unite(commit, terms), self.outcome
        if united.how == "replayed":
            outcome.notes.append("what was purged is unreachable here now; `git gc --prune=now` removes its last bytes")
        if united.how == "gave way":
            outcome.gave_way = True
            outcome.notes.append(f"the memory that was begun here held nothing; that of {self._remote} takes its place")
        came = strangers(self._store, united.before, united.after)
        if came and not terms.join and united.how != "gave way":
            outcome.notes.append(
                f"{self._remote} brought store records that were not here, of {came}: somebody joined another memory "
                "to this one, or says so; this one stays what it was"
            )
        outcome.wrote = outcome.wrote or united.how in ("joined", "replayed")
        # Counted over the union alone, which holds the lock: what this clone wrote meanwhile did not come.
        outcome.came.update(operations_beside(self._store.repository, united.after, united.before))

    def _require_good(self, *, whole: bool = True) -> None:
        """Raise what `require_good` raises. What was accepted from the remote is not judged again."""
        accepted = SyncNotes(self._store.repository).read(self._remote).accepted
        require_good(self._store, [ObjectId(accepted)] if accepted else [], whole=whole)

    def _send(self, expected: ObjectId | None) -> bool:
        """Send our tip; return whether that is done. False: look again, for somebody may have been faster."""
        self._require_good()
        ours, outcome = self._store.tip(), self.outcome
        if ours is None or (expected is not None and not descends(self._store.database, ours, expected)):
            return False
        if not self._sender.send(ours, self._ref, expected):
            return False
        outcome.pushed = True
        outcome.flagged = self._sender.allowed
        outcome.left, outcome.over = ours, expected
        self._note_pushed(ours)
        return True

    def _note_pushed(self, tip: ObjectId) -> None:
        """Remember what the remote has now, as a fetch would."""
        backend = self._store.backend
        name = tracking_ref(self._remote)
        with suppress(RefMoved, RefLocked, OSError, MemgitError):  # the next fetch does it
            backend.move_ref(name, tip, backend.read_ref(name))
        with suppress(OSError):
            SyncNotes(self._store.repository).change(self._remote, accepted=tip, fetched_at=clock.now())

    def _forget(self, lost: ObjectId | None) -> None:
        """Forget what had to be united beside the tip, once it is."""
        if lost is not None:
            with suppress(RefMoved, RefLocked, OSError, MemgitError):
                self._store.backend.delete_ref(lost_ref(self._remote), lost)
        with suppress(OSError):
            SyncNotes(self._store.repository).change(self._remote, lost=None, dropped=())

    def _done(self) -> None:
        with suppress(OSError):
            SyncNotes(self._store.repository).change(self._remote, synced_at=clock.now())
