"""`sync.status`: how far this clone and the remote are apart, from what was fetched last, without the network.

Conflicts that a merge would open are computed from the union of the two trees, which is made in memory and not stored.
"""

from __future__ import annotations

from msgspec import Struct

from memgit.errors import FormatTooNew, IncomingRefused, MemgitError, StoreCorrupt, StoreNotInitialized
from memgit.index.refold import refold
from memgit.index.state_cache import StateCache
from memgit.operations.exchanging import begin, remote_ref
from memgit.operations.invocation import Invocation
from memgit.store.ancestry import descends
from memgit.store.backend import RefDamaged
from memgit.store.join import are_related
from memgit.store.objects import ObjectId
from memgit.store.preview import previewed
from memgit.store.unite import holds_nothing
from memgit.sync.arrival import tracking_ref
from memgit.sync.difference import operations_beside
from memgit.sync.notes import SyncNotes
from memgit.sync.remotes import choose, configured_remotes


class SyncStatus(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Compare this clone's memory with what was last fetched. `fetch` looks at the remote first."""

    remote: str | None = None
    fetch: bool = False


class RemoteStatus(Struct, frozen=True, kw_only=True):
    """How far apart both sides are: operations by kind and verb that only this clone has, and that only the remote has.

    `conflicts` are the cases that uniting them would open. `obstacle` says what stops a sync, if something does.
    """

    remote: str
    ref: str
    elected: bool
    ahead: dict[str, int]
    behind: dict[str, int]
    conflicts: tuple[str, ...]
    obstacle: str | None
    fetched_at: str | None
    synced_at: str | None
    commit: str | None
    remote_commit: str | None


def status(invocation: Invocation, request: SyncStatus) -> RemoteStatus:
    """Return how the two sides stand."""
    election = choose(
        configured_remotes(invocation.repository), request.remote, invocation.config.optional_text("remote")
    )
    obstacle: str | None = None
    if request.fetch:
        try:
            begin(invocation, election).exchange.fetch()
        except (IncomingRefused, FormatTooNew) as error:
            obstacle = error.message
    note = SyncNotes(invocation.repository).read(election.name)
    ours, theirs = invocation.store.tip(), _fetched(invocation, election.name)
    if theirs is not None and theirs in note.refused and theirs != note.accepted:
        obstacle, theirs = note.refused[theirs], None
    conflicts: tuple[str, ...] = ()
    if ours is not None and theirs is not None and obstacle is None:
        conflicts, obstacle = _foreseen(invocation, ours, theirs)
    repository = invocation.repository
    return RemoteStatus(
        remote=election.name,
        ref=remote_ref(invocation, election.name)[0],
        elected=election.elected,
        ahead=operations_beside(repository, ours, theirs),
        behind=operations_beside(repository, theirs, ours),
        conflicts=conflicts,
        obstacle=obstacle,
        fetched_at=note.fetched_at,
        synced_at=note.synced_at,
        commit=ours,
        remote_commit=theirs,
    )


def _fetched(invocation: Invocation, remote: str) -> ObjectId | None:
    try:
        return invocation.store.backend.read_ref(tracking_ref(remote))
    except RefDamaged:
        return None


def _foreseen(invocation: Invocation, ours: ObjectId, theirs: ObjectId) -> tuple[tuple[str, ...], str | None]:
    """Return the cases that uniting the two would open, and what would stop it."""
    store = invocation.store
    if descends(store.database, ours, theirs):
        return (), None
    try:
        here = store.snapshot(ours)
        other = store.snapshot(theirs)
        if not are_related(here, other) and holds_nothing(here) and not invocation.layers.names():
            return (), None
        united = previewed(store.database, here, other)
    except (StoreCorrupt, StoreNotInitialized) as error:
        return (), error.message
    except MemgitError as error:
        return (), f"{error.message.rstrip('. ')}. {error.hint}"
    state = StateCache(invocation.repository.cache_dir, store.snapshot)
    try:
        state.refresh(here)
        state.hold()
        open_now = {case.id for case in state.cases(open_only=True)}
        found = refold(united, here, state).cases
        return tuple(sorted(case.id for case in found if case.status == "open" and case.id not in open_now)), None
    finally:
        state.close()
