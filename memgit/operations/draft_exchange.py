"""`draft.share`, `draft.fetch`, `draft.remote`: a draft for others to look at, before it is merged.

A draft is the one thing of `state/` that may leave, when somebody sends it. It goes to `refs/memgit/drafts/NAME` of the
elected remote, through the user's own repository, so that credentials apply; no ref is made there.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from memgit.errors import InvalidRequest, NotFound, RemoteRefused, StoreUnrelated
from memgit.operations.drafts import DraftView, draft_view, known_draft
from memgit.operations.exchanging import network
from memgit.operations.invocation import Invocation
from memgit.store import private
from memgit.store.allowed import AllowedList
from memgit.store.ancestry import descends
from memgit.store.backend import RefLocked, RefMoved
from memgit.store.join import are_related
from memgit.store.layers import PrivateStore
from memgit.store.objects import ObjectId
from memgit.store.private import DRAFTS, draft_layer
from memgit.store.unite import Terms
from memgit.sync.outgoing import refuse_outgoing, screen_outgoing
from memgit.sync.remotes import choose, configured_remotes, elect
from memgit.sync.transport import Transport, unavailable
from memgit.sync.validate import Incomplete, validate


class DraftShare(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Send a draft to the elected remote. `allow_flagged`: also what looks like a secret, after a look."""

    name: str
    remote: str | None = None
    allow_flagged: bool = False


class DraftShared(Struct, frozen=True, kw_only=True):
    """Where a draft went. `sent` is false where the remote had it already."""

    name: str
    remote: str
    ref: str
    commit: str
    sent: bool


class DraftFetch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bring somebody's draft here, into the private repository; one of that name that is here is united with it."""

    name: str
    remote: str | None = None


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
    remotes = configured_remotes(invocation.repository)
    remote = elect(remotes, request.remote, invocation.config.optional_text("remote")).name
    tip, ref = draft.snapshot().commit_id, DRAFTS + request.name
    transport = _transport(invocation, remote)
    there = transport.look([ref]).get(ref)
    if there is not None and not descends(draft.database, tip, there):
        raise RemoteRefused(
            f"{remote} has a draft {request.name} that holds what is not here",
            hint=f"`git memory draft fetch {request.name}` unites the two; or give yours another name.",
            details={"remote": remote, "ref": ref},
        )
    if there != tip:
        _screen(invocation, draft, tip, there, allow_flagged=request.allow_flagged)
        pushed = transport.push(tip, ref, there)
        if pushed.verdict != "done":
            raise RemoteRefused(
                f"{remote} does not take {ref}: {pushed.reason}",
                hint="Ask whoever runs the remote what it accepts. The draft stays here.",
                details={"remote": remote, "ref": ref, "reason": pushed.reason},
            )
    _note(draft, remote, request.name, tip)
    return DraftShared(name=request.name, remote=remote, ref=ref, commit=tip, sent=there != tip)


def fetch(invocation: Invocation, request: DraftFetch) -> DraftView:
    """Fetch, check and unite. Raises NotFound, IncomingRefused, StoreUnrelated, RemoteUnavailable."""
    layer = draft_layer(request.name)
    layers = invocation.layers
    remote = _looked_at(invocation, request.remote)
    ref = DRAFTS + request.name
    there = _transport(invocation, remote).look([ref]).get(ref)
    if there is None:
        raise NotFound(
            f"{remote} has no draft {request.name}",
            hint="`git memory draft list --remote` shows what it has.",
            details={"draft": request.name, "remote": remote},
        )
    private.make(layers.repository, invocation.store.backend.object_format)
    draft = layers.private(layer)
    before = _packs(draft)
    answer = _transport(invocation, remote, into_private=True).fetch_objects(ref)
    draft.database.forget()
    draft.note_packs(sorted(_packs(draft) - before))  # many fetches must not leave many packs
    if answer.status != 0:
        raise unavailable(remote, answer)
    _check(invocation, draft, there, remote)
    draft.unite(there, Terms(f"draft {request.name} of {remote}"))
    _note(draft, remote, request.name, there)
    return draft_view(layers, layer)


def list_remote(invocation: Invocation, request: DraftRemote) -> RemoteDrafts:
    """Return what a remote has. Raises NoRemote, RemoteUnavailable."""
    remote = _looked_at(invocation, request.remote)
    found = _transport(invocation, remote).look_below(DRAFTS)
    own = private.private_repository(invocation.repository)
    items = []
    for ref, commit in sorted(found.items()):
        name = ref.removeprefix(DRAFTS)
        with suppress(InvalidRequest):
            here = private.quick_layer_tip(own, draft_layer(name))
            items.append(RemoteDraft(name=name, commit=commit, here=here == commit))
    return RemoteDrafts(remote=remote, items=tuple(items))


def _looked_at(invocation: Invocation, asked: str | None) -> str:
    return choose(configured_remotes(invocation.repository), asked, invocation.config.optional_text("remote")).name


def _transport(invocation: Invocation, remote: str, *, into_private: bool = False) -> Transport:
    """Return the way to a remote through the user's repository, with the private objects lent to it.

    `into_private`: what arrives is stored in the private repository, and the user's objects are lent instead.
    """
    own = private.private_repository(invocation.repository).common_dir / "objects"
    users = invocation.repository.common_dir / "objects"
    objects = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(users if into_private else own)}
    if into_private:
        objects["GIT_OBJECT_DIRECTORY"] = str(own)
    return Transport(invocation.repository, remote, network(invocation), objects)


def _quoted(path: os.PathLike[str]) -> str:
    """Return a path for Git's list of alternates, where a separator or a quote in it would end it."""
    text = os.fspath(path)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' if os.pathsep in text or '"' in text else text


def _screen(
    invocation: Invocation, draft: PrivateStore, tip: ObjectId, there: ObjectId | None, *, allow_flagged: bool
) -> None:
    allowed = AllowedList(invocation.repository.state_dir)
    known = [there] if there is not None else []
    flagged = screen_outgoing(draft.database, tip, known, allowed.digests())
    if allow_flagged:
        allowed.add(file.digest for file in flagged)
    else:
        refuse_outgoing(flagged)


def _check(invocation: Invocation, draft: PrivateStore, tip: ObjectId, remote: str) -> None:
    """Judge what arrived as memory that arrives is judged; it must be a draft of this very store."""
    known = [found for found in (draft.tip(),) if found is not None]
    try:
        validate(draft.repository, draft.database, tip, known)
    except Incomplete as error:
        raise RemoteRefused(
            f"the draft of {remote} is not whole: {error}", hint="A clone that has it can share it again."
        ) from None
    if not are_related(invocation.store.snapshot(), draft.snapshot(tip)):
        raise StoreUnrelated(f"the draft of {remote} belongs to another store", details={"remote": remote})


def _packs(draft: PrivateStore) -> set[str]:
    directory = Path(draft.backend.objects_dir) / "pack"
    return {path.stem.removeprefix("pack-") for path in directory.glob("pack-*.idx")}


def _note(draft: PrivateStore, remote: str, name: str, tip: ObjectId) -> None:
    """Note what the remote has now; what cannot be noted is looked up again."""
    ref = private.shared_draft_ref(remote, name)
    with suppress(RefMoved, RefLocked, OSError):
        draft.backend.move_ref(ref, tip, draft.backend.read_ref(ref))
