"""`draft.list`, `draft.diff`, `draft.merge`, `draft.drop`, `draft.restore`: writes that wait for review.

A draft is a layer of the private repository. Merging it is the union of its files into the shared layer, as one commit.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import suppress
from typing import Literal

from msgspec import Struct

from memgit import clock
from memgit.errors import InvalidRequest, NotFound, PurgePending
from memgit.operations.diff import DiffAnswer, DiffStates, diff
from memgit.operations.invocation import Invocation
from memgit.operations.layer_choice import MERGE_SUBJECT
from memgit.records.codec import referenced_blob
from memgit.records.paths import KIND_BY_DIRECTORY, parse_op_path
from memgit.review.markdown import COMMENT_BYTES
from memgit.store.history import walk
from memgit.store.layers import Layers, PrivateStore
from memgit.store.merging import merging
from memgit.store.objects import ObjectId
from memgit.store.private import DRAFT_PREFIX, combination, draft_layer, dropped_drafts, no_draft, shared_drafts
from memgit.store.snapshot import Snapshot
from memgit.store.terms import Terms
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

_BULK_FROM = 300  # files of a merge; below it, loose objects are cheaper than a pack
_ATTEMPTS = 8  # each means that somebody wrote to the draft while it was being merged


class DraftList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List this clone's drafts. Takes no input."""


class DraftView(Struct, frozen=True, kw_only=True):
    """A draft. `shared_with` names the remotes that have exactly this, `shared_before` those with an earlier state.

    `merged`: the shared layer has all of it already.
    """

    name: str
    operations: int
    entities: int
    began_at: str
    last_write_at: str
    commit_seq: int
    commit: str
    shared_with: tuple[str, ...]
    shared_before: tuple[str, ...]
    merged: bool = False


class DroppedView(Struct, frozen=True, kw_only=True):
    """A draft that was dropped or merged and can be had back until `kept_until`."""

    name: str
    commit: str
    kept_until: str


class DraftPage(Struct, frozen=True, kw_only=True):
    """All drafts by name, and what is left of those that are gone."""

    items: tuple[DraftView, ...]
    dropped: tuple[DroppedView, ...]


class DraftDiff(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Show what merging a draft would bring, and the conflicts that it would open. `full`: documents whole."""

    name: str
    format: Literal["data", "markdown"] = "data"
    max_bytes: int = COMMENT_BYTES
    full: bool = False


class DraftMerge(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bring what a draft holds into the shared layer, as one commit; then the draft is gone."""

    name: str


class DraftMerged(Struct, frozen=True, kw_only=True):
    """What came into the shared layer: no operation where all of it was there. `conflicts_opened` are ids of cases.

    `draft_commit` is what the draft was. `left_with` are the remotes that were last known to have it, and keep it.
    """

    name: str
    operations: int
    conflicts_opened: tuple[str, ...]
    draft_commit: str
    left_with: tuple[str, ...] = ()


class DraftDrop(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Take a draft away. Where nobody else has what it holds, `yes` says that this is meant."""

    name: str
    yes: bool = False


class DraftDropped(Struct, frozen=True, kw_only=True):
    """A draft that is gone here; until `kept_until` `draft.restore` brings it back. `left_with` as after a merge."""

    name: str
    operations: int
    commit: str
    kept_until: str
    left_with: tuple[str, ...] = ()


class DraftRestore(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bring a draft back that was dropped or merged: the last one of the name, or the one at `commit`."""

    name: str
    commit: str | None = None


def list_drafts(invocation: Invocation, request: DraftList) -> DraftPage:
    """Return this clone's drafts."""
    layers = invocation.layers
    layers.expire()
    names = [layer for layer in layers.names() if layer.startswith(DRAFT_PREFIX)]
    return DraftPage(
        items=tuple(draft_view(layers, layer) for layer in names),
        dropped=tuple(
            DroppedView(name=found.name, commit=found.commit, kept_until=clock.format_time(found.until))
            for found in dropped_drafts(layers.repository)
        ),
    )


def diff_draft(invocation: Invocation, request: DraftDiff) -> DiffAnswer:
    """Return the difference that merging would make. Raises NotFound."""
    known_draft(invocation, request.name)
    wanted = DiffStates(
        range=f"@..draft:{request.name}", format=request.format, max_bytes=request.max_bytes, full=request.full
    )
    return diff(invocation, wanted)


def merge(invocation: Invocation, request: DraftMerge) -> DraftMerged:
    """Write the union, then take the draft away, unless somebody wrote to it meanwhile: then again.

    A process that dies between the two leaves a draft that brings nothing new; merging it again takes it away. Of
    several merges at once one does it, the others raise NotFound.
    """
    known_draft(invocation, request.name)
    with merging(invocation.repository.state_dir, invocation.store.options.lock_wait_ms / 1000):
        return _merge(invocation, request)


def _merge(invocation: Invocation, request: DraftMerge) -> DraftMerged:
    draft = invocation.layers.private(draft_layer(request.name))
    before = _open_cases(invocation)
    left_with = tuple(shared_drafts(invocation.layers.repository, request.name))
    operations = 0
    for _ in range(_ATTEMPTS):
        snapshot = draft.snapshot()
        operations += _write_union(invocation, request, snapshot)
        if draft.retire(snapshot.commit_id):
            _forget_caches(invocation, draft.layer)
            opened = tuple(sorted(_open_cases(invocation) - before))
            return DraftMerged(
                name=request.name,
                operations=operations,
                conflicts_opened=opened,
                draft_commit=snapshot.commit_id,
                left_with=left_with,
            )
    raise InvalidRequest(f"the draft {request.name} is being written to", hint="Merge it when its writer is done.")


def drop(invocation: Invocation, request: DraftDrop) -> DraftDropped:
    """Take a draft away, and say how to have it back."""
    draft = known_draft(invocation, request.name)
    snapshot = draft.snapshot()
    names = [name for name, _ in _op_files(snapshot)]
    nowhere_else = unmerged(invocation.store.snapshot(), snapshot)
    shared = shared_drafts(invocation.layers.repository, request.name)
    if nowhere_else and snapshot.commit_id not in shared.values() and not request.yes:
        raise InvalidRequest(
            f"nobody else has {_counted(len(nowhere_else), 'operation')} of the draft {request.name}",
            hint=f"`git memory draft drop {request.name} --yes` drops it all the same; it is kept for 30 days.",
            details={"field": "yes", "operations": len(nowhere_else)},
        )
    if not draft.retire(snapshot.commit_id):
        raise InvalidRequest(f"the draft {request.name} was written to just now", hint="Look at it again first.")
    _forget_caches(invocation, draft.layer)
    until = next(kept.until for kept in dropped_drafts(invocation.layers.repository) if kept.name == request.name)
    return DraftDropped(
        name=request.name,
        operations=len(names),
        commit=snapshot.commit_id,
        kept_until=clock.format_time(until),
        left_with=tuple(shared),
    )


def restore(invocation: Invocation, request: DraftRestore) -> DraftView:
    """Bring a draft back under its name, which must be free."""
    layers = invocation.layers
    layer = draft_layer(request.name)
    if layer in layers.names():
        raise InvalidRequest(f"there is a draft {request.name}", hint="Merge or drop that one first.")
    kept = [found for found in dropped_drafts(layers.repository) if found.name == request.name]
    wanted = [found for found in kept if request.commit is None or found.commit.startswith(request.commit)]
    if not wanted:
        raise NotFound(
            f"no draft {request.name} is kept" + (f" at {request.commit[:40]}" if request.commit else ""),
            hint="`git memory draft list` shows what can be had back.",
            details={"draft": request.name},
        )
    layers.private(layer).unite(ObjectId(wanted[0].commit), Terms(f"draft {request.name}"))
    return draft_view(layers, layer)


def known_draft(invocation: Invocation, name: str) -> PrivateStore:
    """Return a draft's store. Raises NotFound, InvalidRequest for what cannot name one."""
    layer = draft_layer(name)
    if layer in invocation.layers.names():
        return invocation.layers.private(layer)
    kept = [found for found in dropped_drafts(invocation.layers.repository) if found.name == name]
    error = no_draft(name)
    if kept:
        error.hint = f"It was merged or dropped; `git memory draft restore {name}` brings back what it held."
    raise error


def _write_union(invocation: Invocation, request: DraftMerge, draft: Snapshot) -> int:
    """Add to the shared layer what it lacks of the draft; return how many operations that were."""
    count = 0

    def build(transaction: Transaction) -> Result:
        nonlocal count
        assert transaction.base is not None
        transaction.adopt(_missing(transaction.base, draft), MERGE_SUBJECT + request.name)
        count = len(transaction.ops)
        return {}

    many = sum(1 for _ in draft.files()) > _BULK_FROM
    invocation.publish("shared", build, bulk=many)
    return count


def _missing(shared: Snapshot, draft: Snapshot) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the union that the shared layer lacks. Raises PurgePending."""
    purged = shared.purged()
    fresh = sorted(draft.purged() - purged)
    if fresh:
        raise PurgePending(f"the draft purges {len(fresh)} entities", details={"entities": list(fresh)})
    blobs: set[str] = set()
    for path, oid in _op_files(draft):
        name = parse_op_path(path)
        if name is None or name.entity in purged or shared.find(path) is not None:
            continue
        data = draft.read_file(oid)
        blob = referenced_blob(data) if path.startswith("artifacts/") else None
        if blob is not None:
            blobs.add(blob)
        yield path, data
    for top in ("blobs", "receipts"):
        for path, oid in draft.files(top):
            is_wanted = top == "receipts" or path.rpartition("/")[2] in blobs
            if is_wanted and shared.find(path) is None:
                yield path, draft.read_file(oid)


def unmerged(shared: Snapshot, draft: Snapshot) -> list[str]:
    """Return the paths of a draft's operations that the shared layer does not have."""
    return [path for path, _ in _op_files(draft) if shared.find(path) is None]


def _op_files(snapshot: Snapshot) -> Iterator[tuple[str, ObjectId]]:
    for top in KIND_BY_DIRECTORY:
        yield from snapshot.files(top)


def draft_view(layers: Layers, layer: str) -> DraftView:
    """Return a draft as answers show it."""
    store = layers.private(layer)
    snapshot = store.snapshot()
    name = layer.removeprefix(DRAFT_PREFIX)
    paths = [path for path, _ in _op_files(snapshot)]
    entities = {found.entity for path in paths if (found := parse_op_path(path)) is not None}
    *_, first = walk(store.database, snapshot.commit_id)
    shared = shared_drafts(layers.repository, name)
    return DraftView(
        name=name,
        operations=len(paths),
        entities=len(entities),
        began_at=clock.format_time(first.commit.seconds),
        last_write_at=clock.format_time(snapshot.commit.seconds),
        commit_seq=snapshot.seq,
        commit=snapshot.commit_id,
        shared_with=tuple(remote for remote, tip in shared.items() if tip == snapshot.commit_id),
        shared_before=tuple(remote for remote, tip in shared.items() if tip != snapshot.commit_id),
        merged=not unmerged(layers.shared.snapshot(), snapshot),
    )


def _open_cases(invocation: Invocation) -> set[str]:
    state = invocation.state_of(invocation.store.snapshot())
    return {case.id for case in state.cases(open_only=True)}


def _forget_caches(invocation: Invocation, layer: str) -> None:
    """Remove what was derived of a draft that is gone."""
    part = combination([layer]).removeprefix(".")
    with suppress(OSError):
        for path in invocation.repository.cache_dir.iterdir():
            if part in path.name.removesuffix(".sqlite").partition(".")[2].split("+"):
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
