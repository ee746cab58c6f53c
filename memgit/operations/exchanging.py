"""What the operations that talk to a remote share: which remote, how, and what is told of it afterwards."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import Struct

from memgit.config.git_config import set_value
from memgit.errors import StoreCorrupt, StoreNotInitialized
from memgit.index.state_cache import StateCache
from memgit.operations.invocation import Invocation, Observed
from memgit.store.allowed import AllowedList
from memgit.store.objects import ObjectId
from memgit.store.repository import DEFAULT_REF
from memgit.store.unite import Terms
from memgit.sync.arrival import BRANCH
from memgit.sync.difference import operations_beside
from memgit.sync.exchange import Exchange, Screen
from memgit.sync.foreground import can_lend
from memgit.sync.outgoing import refuse_outgoing, screen_outgoing
from memgit.sync.process import Bounds
from memgit.sync.remotes import Election
from memgit.sync.transport import Network, Transport


class SyncReport(Struct, frozen=True, kw_only=True):
    """What an exchange with a remote did. Counts are operations by kind and verb.

    `came` is new here; after a fetch it waits in the tracking ref. `went` is new on the remote. `ignored` counts the
    operations that came and that the fold passes over; `conflicts_opened` names cases. `elected`: this request made the
    remote the one that memory goes to. `notes` is what deserves a look: a remote that was set back, for one.
    """

    remote: str
    ref: str
    elected: bool
    came: dict[str, int]
    went: dict[str, int]
    conflicts_opened: tuple[str, ...]
    ignored: int
    notes: tuple[str, ...]
    pushed: bool
    began: bool
    commit: str | None
    remote_commit: str | None
    rounds: int


class Standing(NamedTuple):
    """The open cases and the ignored operations of a store at one moment."""

    cases: frozenset[str] = frozenset()
    ignored: frozenset[str] = frozenset()


@dataclass(slots=True)
class Session:
    """One request's exchange: `exchange` does it, `report` tells of it."""

    invocation: Invocation
    election: Election
    exchange: Exchange
    before: Standing
    elected_now: bool = False

    def elect(self) -> None:
        """Keep the election, and where the remote keeps its memory, once it has answered."""
        if self.election.fresh:
            set_value("remote", self.election.name, self.invocation.repository.common_dir)
            self.elected_now = True
        if self.election.elected and self.exchange.outcome.ref != remote_ref(self.invocation)[0]:
            set_value("remoteRef", self.exchange.outcome.ref, self.invocation.repository.common_dir)
            self.exchange.outcome.notes.append(
                f"{self.election.name} keeps its memory in {self.exchange.outcome.ref}; memgit.remoteRef says so now"
            )
            self.invocation.fresh_config()

    def report(self, *, waiting: bool = False) -> SyncReport:
        """Return what happened. `waiting`: nothing was united, and what came is what waits."""
        outcome, repository = self.exchange.outcome, self.invocation.repository
        after = standing(self.invocation)
        if outcome.after is not None and not waiting:
            snapshot = self.invocation.store.snapshot(outcome.after)
            self.invocation.observed = Observed(snapshot.seq, snapshot.commit_id)
        return SyncReport(
            remote=self.election.name,
            ref=outcome.ref,
            elected=self.elected_now,
            came=operations_beside(repository, outcome.left if waiting else outcome.after, outcome.before),
            went=operations_beside(repository, outcome.left, outcome.found) if outcome.pushed else {},
            conflicts_opened=tuple(sorted(after.cases - self.before.cases)),
            ignored=len(after.ignored - self.before.ignored),
            notes=tuple(outcome.notes),
            pushed=outcome.pushed,
            began=outcome.before is None and outcome.after is not None,
            commit=outcome.after,
            remote_commit=outcome.left,
            rounds=outcome.rounds,
        )


def begin(
    invocation: Invocation, election: Election, *, allow_flagged: bool = False, wait: float | None = None
) -> Session:
    """Return the exchange of a request with a remote. `wait` bounds it, in seconds, below what the settings say."""
    ref, elsewhere = remote_ref(invocation)
    transport = Transport(invocation.repository, election.name, network(invocation, wait))
    screen = _screen(invocation, allow_flagged)
    exchange = Exchange(invocation.store, transport, ref, elsewhere=elsewhere, screen=screen)
    session = Session(invocation, election, exchange, standing(invocation))
    exchange.on_answer = session.elect
    return session


def adopt(invocation: Invocation, election: Election, wait: float) -> bool:
    """Bring a remote's memory into a clone that has none; return False where the remote has none either.

    `wait` bounds the look in seconds, not the fetch. Raises RemoteUnavailable, and what judging the memory raises.
    """
    ref, elsewhere = remote_ref(invocation)
    wanted = [ref, BRANCH] if elsewhere else [ref]
    if not Transport(invocation.repository, election.name, network(invocation, wait)).look(wanted):
        return False
    session = begin(invocation, election)
    session.exchange.pull(Terms(election.name))
    invocation.warnings += session.exchange.outcome.notes
    invocation.warnings += invocation.store.take_notes()
    return session.exchange.outcome.after is not None


def remote_ref(invocation: Invocation) -> tuple[str, bool]:
    """Return the ref on the remote, and whether another may be looked for because nobody has chosen one."""
    chosen = invocation.config.optional_text("remoteRef")
    own = invocation.config.text("ref")
    return chosen or own, chosen is None and own in (DEFAULT_REF, BRANCH)


def network(invocation: Invocation, wait: float | None = None) -> Network:
    """Return how the network may be used."""
    idle = max(1, invocation.config.integer("networkIdle"))
    total = max(1, invocation.config.integer("networkTimeout"))
    bounds = Bounds(idle, total) if wait is None else Bounds(min(wait, idle), min(wait, total))
    attended = invocation.attended and wait is None and can_lend()
    return Network(bounds, attended, invocation.progress)


def standing(invocation: Invocation) -> Standing:
    """Return the open cases and ignored operations of the shared layer as it is now.

    Where objects of it are lost there is nothing to say yet: the remote may bring them back.
    """
    store = invocation.store
    with suppress(StoreNotInitialized, StoreCorrupt):
        snapshot = store.snapshot()
        state = StateCache(invocation.repository.cache_dir, store.snapshot)
        try:
            state.refresh(snapshot, lambda commit: store.tip() == commit)
            cases = frozenset(case.id for case in state.cases(open_only=True))
            return Standing(cases, frozenset(problem.path for problem in state.problems()))
        finally:
            invocation.warnings.extend(state.take_notes())
            state.close()
    return Standing()


def _screen(invocation: Invocation, allow_flagged: bool) -> Screen:
    allowed = AllowedList(invocation.repository.state_dir)

    def screen(ours: ObjectId, theirs: ObjectId | None) -> None:
        known = [theirs] if theirs is not None else []
        flagged = screen_outgoing(invocation.store.database, ours, known, allowed.digests())
        if allow_flagged:
            allowed.add(file.digest for file in flagged)
        else:
            refuse_outgoing(flagged)

    return screen
