"""What the operations that talk to a remote share: which remote, how, and what is told of it afterwards."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from msgspec import Struct

from memgit.config.git_config import replace_value, set_value
from memgit.errors import StoreCorrupt, StoreNotInitialized
from memgit.index.state_cache import StateCache
from memgit.operations.invocation import Invocation, Observed
from memgit.store.allowed import AllowedList
from memgit.store.database import Database
from memgit.store.identity import UNKNOWN_NOTE
from memgit.store.objects import ObjectId
from memgit.store.private_purge import purge_private
from memgit.store.repository import DEFAULT_REF
from memgit.store.terms import Terms
from memgit.sync import connection
from memgit.sync.arrival import BRANCH
from memgit.sync.connection import Network
from memgit.sync.difference import operations_beside
from memgit.sync.exchange import Exchange
from memgit.sync.outgoing import allowed_outgoing, refuse_outgoing, screen_outgoing
from memgit.sync.remotes import Election, chosen_ref, ref_key
from memgit.sync.sending import Screen

_NAMED_IGNORED = 5


class SyncReport(Struct, frozen=True, kw_only=True):
    """What an exchange with a remote did. Counts are operations by kind and verb.

    `came` is new here; after a fetch it waits in the tracking ref. `went` is new on the remote. `ignored` counts the
    operations that came and that the fold passes over, `ignored_first` names the first; `conflicts_opened` names
    cases. `flagged` names what went and looks like a secret, because somebody here let it in. `elected`: this request
    made the remote the one that memory goes to. `notes` is what deserves a look: a remote that was set back, for one.
    """

    remote: str
    ref: str
    elected: bool
    came: dict[str, int]
    went: dict[str, int]
    conflicts_opened: tuple[str, ...]
    ignored: int
    ignored_first: tuple[str, ...]
    flagged: tuple[str, ...]
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
        """Keep a first election, and where the remote keeps its memory, once it has answered."""
        if self.election.fresh and self.invocation.config.optional_text("remote") is None:
            self._keep_election()
        name, ref = self.election.name, self.exchange.outcome.ref
        if self.election.elected and ref != remote_ref(self.invocation, name)[0]:
            replace_value(ref_key(name), ref, self.invocation.repository.common_dir)
            self.exchange.outcome.notes.append(f"{name} keeps its memory in {ref}; Git config {ref_key(name)} says so")

    def _keep_election(self) -> None:
        set_value("remote", self.election.name, self.invocation.repository.common_dir)
        self.elected_now = True

    def report(self, *, waiting: bool = False) -> SyncReport:
        """Return what happened. `waiting`: nothing was united, and what came is what waits."""
        outcome, repository = self.exchange.outcome, self.invocation.repository
        if self.election.fresh and not self.elected_now:
            self._keep_election()  # another one was elected: that lasts until an exchange with this one went through
        after = standing(self.invocation)
        ignored = sorted(after.ignored - self.before.ignored)
        self.invocation.warnings += self.invocation.store.take_notes()
        if outcome.wrote and not self.invocation.store.has_identity():
            self.invocation.warnings.append(UNKNOWN_NOTE)
        if outcome.after is not None and not waiting:
            snapshot = self.invocation.store.snapshot(outcome.after)
            self.invocation.observed = Observed(snapshot.seq, snapshot.commit_id)
        return SyncReport(
            remote=self.election.name,
            ref=outcome.ref,
            elected=self.elected_now,
            came=operations_beside(repository, outcome.left, outcome.before) if waiting else dict(outcome.came),
            went=operations_beside(repository, outcome.left, outcome.over) if outcome.pushed else {},
            conflicts_opened=tuple(sorted(after.cases - self.before.cases)),
            ignored=len(ignored),
            ignored_first=tuple(ignored[:_NAMED_IGNORED]),
            flagged=outcome.flagged,
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
    ref, elsewhere = remote_ref(invocation, election.name)
    screen, use = _screen(invocation, allow_flagged), network(invocation, wait)
    exchange = connection.open_exchange(invocation.store, election.name, use, ref, elsewhere=elsewhere, screen=screen)
    session = Session(invocation, election, exchange, standing(invocation))
    exchange.on_answer = session.elect
    exchange.on_union = lambda: purge_private(invocation.layers)
    return session


def has_memory(invocation: Invocation, remote: str, wait: float) -> bool:
    """Tell whether a remote seems to have a memory, looking for at most `wait` seconds. Raises RemoteUnavailable."""
    ref, elsewhere = remote_ref(invocation, remote)
    wanted = [ref, BRANCH] if elsewhere else [ref]
    return connection.holds_any(invocation.repository, remote, network(invocation, wait), wanted)


def adopt(invocation: Invocation, election: Election) -> bool:
    """Bring a remote's memory into a clone that has none; return False where the remote has none either.

    Raises RemoteUnavailable, and what judging the memory raises.
    """
    session = begin(invocation, election)
    session.exchange.pull(Terms(election.name))
    invocation.warnings += session.exchange.outcome.notes
    invocation.warnings += invocation.store.take_notes()
    return session.exchange.outcome.after is not None


def remote_ref(invocation: Invocation, remote: str) -> tuple[str, bool]:
    """Return the ref on a remote, and whether another may be looked for because nobody has chosen one."""
    chosen = chosen_ref(invocation.repository, remote)
    own = invocation.config.text("ref")
    return chosen or own, chosen is None and own in (DEFAULT_REF, BRANCH)


def network(invocation: Invocation, wait: float | None = None) -> Network:
    """Return how the network may be used."""
    return connection.network(
        invocation.config.integer("networkIdle"),
        invocation.config.integer("networkTimeout"),
        wait=wait,
        attended=invocation.attended,
        progress=invocation.progress,
    )


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


def screen_push(
    database: Database,
    ours: ObjectId,
    theirs: ObjectId | None,
    allowed: AllowedList,
    *,
    allow_flagged: bool,
    draft: str | None = None,
) -> tuple[str, ...]:
    """Return what a push takes along although it looks like a secret. Raises SecretDetected for what nobody let in.

    `draft`: it is this draft, not the memory.
    """
    known = [theirs] if theirs is not None else []
    flagged = screen_outgoing(database, ours, known, allowed.digests())
    if allow_flagged:
        allowed.add(file.digest for file in flagged)
    else:
        refuse_outgoing(flagged, draft)
    return allowed_outgoing(database, ours, known, allowed.digests())


def _screen(invocation: Invocation, allow_flagged: bool) -> Screen:
    allowed = AllowedList(invocation.repository.state_dir)

    def screen(ours: ObjectId, theirs: ObjectId | None) -> tuple[str, ...]:
        return screen_push(invocation.store.database, ours, theirs, allowed, allow_flagged=allow_flagged)

    return screen
