"""One exchange with a remote: fetch, unite, push, and again where somebody was faster.

The lock is taken only to unite. Whatever ends an exchange on the way leaves both sides valid: what was fetched is in
the tracking ref, what was united is written, and the remote has the old tip or the new one.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from memgit import clock
from memgit.errors import MemgitError, RemoteRefused, RemoteUnavailable
from memgit.store.ancestry import descends
from memgit.store.backend import RefLocked, RefMoved
from memgit.store.objects import ObjectId
from memgit.store.store import Store
from memgit.store.unite import Terms
from memgit.sync.arrival import BRANCH, Arrival, Fetcher, lost_ref
from memgit.sync.notes import SyncNotes
from memgit.sync.transport import Pushed, Transport

_ATTEMPTS = 12  # several clones that push at once: each round lets one of them through
_ROUND_SECONDS = 0.15
_LONGEST_PAUSE_SECONDS = 3.0
_REFUSALS = {"refused": 2, "raced": 4, "done": 0}  # how often, with its ref unmoved, a remote says no before it is no

Screen = Callable[[ObjectId, ObjectId | None], None]
"""Looks at what a push would add to the remote's tip; raises SecretDetected."""


@dataclass(slots=True)
class Outcome:
    """What an exchange did, filled in on the way: tips before and after, and what deserves a word."""

    ref: str
    before: ObjectId | None  # ours
    after: ObjectId | None = None
    found: ObjectId | None = None  # the remote's, when it was first looked at
    left: ObjectId | None = None  # the remote's, as it is now
    pushed: bool = False
    rounds: int = 0
    notes: list[str] = field(default_factory=list)


class Exchange:
    """Exchanges memory with one remote."""

    def __init__(self, store: Store, transport: Transport, ref: str, *, elsewhere: bool, screen: Screen) -> None:
        self._store = store
        self._transport = transport
        self._remote = transport.remote
        self._ref = ref
        self._elsewhere = elsewhere
        self._screen = screen
        self._fetcher = Fetcher(store, transport)
        self._refusals = 0
        self.on_answer: Callable[[], None] = lambda: None  # once, when the remote has answered
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
        self._unite(self.fetch(), terms)

    def push(self) -> None:
        """Send what is here. Raises RemoteRefused where the remote has memory that is not here."""
        while True:
            tip = self._look()
            ours = self._store.tip()
            if ours is None or tip == ours:
                return
            if tip is not None and not descends(self._store.database, ours, tip):
                raise RemoteRefused(
                    f"{self._remote} has memory that is not here yet",
                    hint="`git memory sync` fetches and unites it, and pushes.",
                )
            if self._send(ours, tip):
                return

    def sync(self, terms: Terms) -> None:
        """Fetch, unite and push until both sides have the same. Raises what either half raises."""
        for attempt in range(_ATTEMPTS):
            arrival = self.fetch()
            self._unite(arrival, terms)
            ours = self._store.tip()
            if ours is None or ours == arrival.tip or self._send(ours, arrival.tip):
                self._done()
                return
            time.sleep(min(_LONGEST_PAUSE_SECONDS, _ROUND_SECONDS * 2**attempt) * random.random())  # noqa: S311
        raise RemoteUnavailable(
            f"{self._remote} was changed by somebody else {_ATTEMPTS} times in a row",
            hint="Try again; what was fetched is united here.",
        )

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
        for commit in (arrival.lost, *arrival.dropped, arrival.tip):
            if commit is not None and self._store.unite(commit, terms).how == "replayed":
                self.outcome.notes.append(
                    "what was purged is unreachable here now; `git gc --prune=now` removes its last bytes"
                )
        if arrival.lost is not None or arrival.dropped:
            self._forget(arrival.lost)
        self.outcome.after = self._store.tip()

    def _send(self, ours: ObjectId, expected: ObjectId | None) -> bool:
        """Push; return whether it is done. False: look again, for somebody may have been faster.

        Raises RemoteRefused where the remote has its mind made up: it says no although its ref has not moved.
        """
        self._screen(ours, expected)
        pushed = self._transport.push(ours, self._ref, expected)
        if pushed.verdict == "done":
            self.outcome.pushed = True
            self.outcome.left = ours
            self._note_pushed(ours)
            return True
        if self._transport.look([self._ref]).get(self._ref) == expected:
            # Not the words decide, which every server has its own of. The lock of another push passes in a moment.
            self._refusals += 1
            if self._refusals >= _REFUSALS[pushed.verdict]:
                raise self._refusal(pushed)
        return False

    def _refusal(self, pushed: Pushed) -> RemoteRefused:
        hint = "Ask whoever runs the remote what it accepts. What is here stays here."
        if not self._ref.startswith("refs/heads/"):
            hint = (
                f"Some servers accept only branches: `git memory config set remoteRef {BRANCH}` sends memory there.\n"
                "Or keep it apart: `git remote add memory URL`, then `git memory sync memory --elect`."
            )
        return RemoteRefused(
            f"{self._remote} does not take {self._ref}: {pushed.reason}",
            hint=hint,
            details={"remote": self._remote, "ref": self._ref, "reason": pushed.reason},
        )

    def _note_pushed(self, tip: ObjectId) -> None:
        """Remember what the remote has now, as a fetch would."""
        backend = self._store.backend
        name = f"refs/memgit/remotes/{self._remote}/store"
        with suppress(RefMoved, RefLocked, OSError, MemgitError):  # the next fetch does it
            backend.move_ref(name, tip, backend.read_ref(name))
        with suppress(OSError):
            SyncNotes(self._store.repository).change(self._remote, accepted=tip)

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
