"""`draft.share`, `draft.fetch`, `draft.remote`: a draft for others to look at, before it is merged.

A draft is the one thing of `state/` that may leave, when somebody sends it. It goes to `refs/memgit/drafts/NAME` of the
elected remote (where that keeps the memory in a branch, to a branch beside it), through the user's own repository, so
that credentials apply; no ref is made there.
"""

from __future__ import annotations

from contextlib import suppress

from msgspec import Struct

from memgit.config.git_config import set_value
from memgit.errors import FormatTooNew, InvalidRequest, RemoteRefused, StoreCorrupt
from memgit.operations.drafts import DraftView, draft_view, known_draft, unmerged
from memgit.operations.exchanging import network, remote_ref, screen_push
from memgit.operations.invocation import Invocation
from memgit.store import private
from memgit.store.allowed import AllowedList
from memgit.store.backend import RefLocked, RefMoved
from memgit.store.objects import ObjectId
from memgit.store.private import DRAFTS, draft_layer
from memgit.store.private_purge import purge_private
from memgit.sync.draft_remote import DraftRemote as Drafts
from memgit.sync.remotes import choose, configured_remotes, drafts_below, elect


class DraftShare(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Send a draft to the elected remote. `allow_flagged`: also what looks like a secret, after a look."""

    name: str
    remote: str | None = None
    allow_flagged: bool = False


class DraftShared(Struct, frozen=True, kw_only=True):
    """Where a draft went. `sent` is false where the remote had it already.

    `flagged` names what went although it looks like a secret, because somebody here let it in. `elected`: this made
    the remote the one that memory goes to.
    """

    name: str
    remote: str
    ref: str
    commit: str
    sent: bool
    flagged: tuple[str, ...] = ()
    elected: bool = False


class DraftFetch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bring somebody's draft here, into the private repository; one of that name that is here is united with it."""

    name: str
    remote: str | None = None


class DraftUnshare(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Take a draft away from a remote. Where it may hold what nobody else has, `yes` says that this is meant."""

    name: str
    remote: str | None = None
    yes: bool = False


class DraftUnshared(Struct, frozen=True, kw_only=True):
    """A draft that a remote has no longer. `commit` is what it was there, None where there was none."""

    name: str
    remote: str
    ref: str
    commit: str | None


class DraftRemote(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List the drafts that a remote has."""

    remote: str | None = None


class RemoteDraft(Struct, frozen=True, kw_only=True):
    """A draft of a remote. `here`: this clone has a draft of that name at that commit."""

    name: str
    commit: str
    here: bool


class RemoteDrafts(Struct, frozen=True, kw_only=True):
    """The drafts of one remote, by name."""

    remote: str
    items: tuple[RemoteDraft, ...]


def share(invocation: Invocation, request: DraftShare) -> DraftShared:
    """Push a draft. Raises NotFound, NoRemote, SecretDetected, RemoteRefused, RemoteUnavailable."""
    draft = known_draft(invocation, request.name)
    invocation.warnings += purge_private(invocation.layers)
    election = elect(
        configured_remotes(invocation.repository), request.remote, invocation.config.optional_text("remote")
    )
    remote = _remote(invocation, election.name)
    allowed = AllowedList(invocation.repository.state_dir)

    def screen(ours: ObjectId, theirs: ObjectId | None) -> tuple[str, ...]:
        return screen_push(
            draft.database, ours, theirs, allowed, allow_flagged=request.allow_flagged, draft=request.name
        )

    tip, was_there, flagged = remote.send(draft, request.name, screen)
    if election.fresh:
        set_value("remote", election.name, invocation.repository.common_dir)
    return DraftShared(
        name=request.name,
        remote=election.name,
        ref=remote.ref(request.name),
        commit=tip,
        sent=not was_there,
        flagged=flagged,
        elected=election.fresh,
    )


def fetch(invocation: Invocation, request: DraftFetch) -> DraftView:
    """Fetch, check and unite. Raises NotFound, IncomingRefused, StoreUnrelated, PurgePending, RemoteUnavailable."""
    layer = draft_layer(request.name)
    layers = invocation.layers
    shared = invocation.store.snapshot()
    remote = _remote(invocation, _looked_at(invocation, request.remote))
    private.make(layers.repository, invocation.store.backend.object_format)
    invocation.warnings += remote.fetch(layers.private(layer), request.name, shared)
    return draft_view(layers, layer)


def unshare(invocation: Invocation, request: DraftUnshare) -> DraftUnshared:
    """Remove a draft's ref from a remote, if it still is what was looked at. What this clone has of it stays.

    Raises NoRemote, InvalidRequest, RemoteRefused, RemoteUnavailable.
    """
    layer = draft_layer(request.name)
    remotes = configured_remotes(invocation.repository)
    remote = elect(remotes, request.remote, invocation.config.optional_text("remote")).name
    drafts = _remote(invocation, remote)
    ref, there = drafts.ref(request.name), drafts.look(request.name)
    if there is not None:
        if not request.yes and not _is_kept(invocation, layer, there):
            raise InvalidRequest(
                f"the draft {request.name} of {remote} holds what is neither in the shared memory nor in a draft here",
                hint=f"`git memory draft fetch {request.name}` brings it here; "
                f"`git memory draft drop {request.name} --remote --yes` removes it there all the same.",
                details={"field": "yes", "remote": remote, "ref": ref},
            )
        done = drafts.transport.remove(ref, there)
        if done.verdict != "done":
            raise RemoteRefused(
                f"{remote} does not let {ref} go: {done.reason}",
                hint="Look at it again; else ask whoever runs the remote what it accepts.",
                details={"remote": remote, "ref": ref, "reason": done.reason},
            )
    _forget_note(invocation, remote, request.name)
    return DraftUnshared(name=request.name, remote=remote, ref=ref, commit=there)


def list_remote(invocation: Invocation, request: DraftRemote) -> RemoteDrafts:
    """Return what a remote has. Raises NoRemote, RemoteUnavailable."""
    remote = _looked_at(invocation, request.remote)
    drafts = _remote(invocation, remote)
    below = drafts.ref("")
    found = drafts.transport.look_below(below)
    own = private.private_repository(invocation.repository)
    items = []
    for ref, commit in sorted(found.items()):
        name = ref.removeprefix(below)
        with suppress(InvalidRequest):
            here = private.quick_layer_tip(own, draft_layer(name))
            items.append(RemoteDraft(name=name, commit=commit, here=here == commit))
    return RemoteDrafts(remote=remote, items=tuple(items))


def _looked_at(invocation: Invocation, asked: str | None) -> str:
    return choose(configured_remotes(invocation.repository), asked, invocation.config.optional_text("remote")).name


def _remote(invocation: Invocation, remote: str) -> Drafts:
    """Return the drafts of a remote."""
    below = drafts_below(remote_ref(invocation, remote)[0], DRAFTS)
    return Drafts(private.private_repository(invocation.repository), remote, network(invocation), below)


def _is_kept(invocation: Invocation, layer: str, there: ObjectId) -> bool:
    """Tell whether all operations of a remote's draft are in the shared layer, or in the draft of that name here."""
    layers = invocation.layers
    if not private.exists(layers.repository):
        return False
    draft = layers.private(layer)
    try:
        left = unmerged(invocation.store.snapshot(), draft.snapshot(there))
    except (StoreCorrupt, FormatTooNew):  # it was never here, or is here no longer
        return False
    own = draft.snapshot() if left and layer in layers.names() else None
    return not left or (own is not None and all(own.find(path) is not None for path in left))


def _forget_note(invocation: Invocation, remote: str, name: str) -> None:
    """Forget what the remote was known to have."""
    layers = invocation.layers
    tip = private.shared_drafts(layers.repository, name).get(remote)
    if tip is not None:
        with suppress(RefMoved, RefLocked, OSError):
            ref = private.shared_draft_ref(remote, name)
            layers.private(draft_layer(name)).backend.delete_ref(ref, ObjectId(tip))
