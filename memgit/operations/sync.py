"""`sync.run`, `sync.fetch`, `sync.pull`, `sync.push`: exchange memory with the one elected remote.

A disagreement is no failure: it becomes an open case. Nothing here asks for anything unless a person is at the
terminal.
"""

from __future__ import annotations

from msgspec import Struct

from memgit.environment import printable
from memgit.errors import StoreNotInitialized
from memgit.operations.exchanging import Session, SyncReport, begin
from memgit.operations.invocation import Invocation
from memgit.scope.marker import nearest_marker
from memgit.store.terms import Terms
from memgit.sync.remotes import choose, configured_remotes, elect


class SyncRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Fetch memory from the elected remote, unite it with what is here, and push the result.

    `remote` elects where none is; `elect` changes the election. `accept_purge`: remove here what was purged there.
    `join`: make two stores one that were begun apart. `allow_flagged`: push what looks like a secret, after a look.
    """

    remote: str | None = None
    elect: bool = False
    accept_purge: bool = False
    join: bool = False
    allow_flagged: bool = False


class SyncPull(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Fetch memory from the elected remote and unite it with what is here; push nothing."""

    remote: str | None = None
    elect: bool = False
    accept_purge: bool = False
    join: bool = False


class SyncPush(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Push memory to the elected remote, where nothing is there that is not here."""

    remote: str | None = None
    elect: bool = False
    allow_flagged: bool = False


class SyncFetch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Fetch a remote's memory into its tracking ref and check it; what is here does not change."""

    remote: str | None = None


def run(invocation: Invocation, request: SyncRun) -> SyncReport:
    """Exchange in both directions."""
    session = _elected(invocation, request.remote, change=request.elect, allow_flagged=request.allow_flagged)
    session.exchange.sync(_terms(session, request))
    _require_memory(session)
    return session.report()


def pull(invocation: Invocation, request: SyncPull) -> SyncReport:
    """Bring in what the remote has."""
    session = _elected(invocation, request.remote, change=request.elect)
    session.exchange.pull(_terms(session, request))
    _require_memory(session)
    return session.report()


def push(invocation: Invocation, request: SyncPush) -> SyncReport:
    """Send what is here."""
    if invocation.store.tip() is None:
        raise StoreNotInitialized(f"{invocation.repository.root} has no memory to push")
    session = _elected(invocation, request.remote, change=request.elect, allow_flagged=request.allow_flagged)
    session.exchange.push()
    return session.report()


def fetch(invocation: Invocation, request: SyncFetch) -> SyncReport:
    """Look at what a remote has."""
    remotes = configured_remotes(invocation.repository)
    election = choose(remotes, request.remote, invocation.config.optional_text("remote"))
    session = begin(invocation, election)
    session.exchange.fetch()
    return session.report(waiting=True)


def _elected(invocation: Invocation, asked: str | None, *, change: bool, allow_flagged: bool = False) -> Session:
    remotes = configured_remotes(invocation.repository)
    election = elect(remotes, asked, invocation.config.optional_text("remote"), change=change)
    return begin(invocation, election, allow_flagged=allow_flagged)


def _terms(session: Session, request: SyncRun | SyncPull) -> Terms:
    """Return what the user agrees to. What a private layer holds belongs to the store that was begun here."""
    is_alone = not session.invocation.layers.names()
    return Terms(session.election.name, request.accept_purge, request.join, give_way=is_alone)


def _require_memory(session: Session) -> None:
    if session.exchange.outcome.after is None:
        raise StoreNotInitialized(
            f"there is no memory here, and none in {session.election.name}",
            hint="`git memory init` begins one.",
        )
    if session.exchange.outcome.gave_way:
        _warn_of_marker(session.invocation)


def _warn_of_marker(invocation: Invocation) -> None:
    """Warn where a marker names the project of the memory that was begun here and is gone."""
    record = invocation.store.founder()
    found = nearest_marker(invocation.directory, invocation.environment.ceilings)
    if record is not None and found is not None and found.context.project_id != record.project:
        path = printable(found.path)
        invocation.warnings.append(
            f"{path} names the project {found.context.project_id}, of which this memory knows nothing; "
            f"remove that file, or write {record.workspace} and {record.project} into it"
        )
