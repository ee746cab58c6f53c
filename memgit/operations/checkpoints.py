"""`checkpoint.create`, `.list`, `.show`, `.drop`: where the work stood. None of it is memory."""

from __future__ import annotations

from msgspec import Struct

from memgit.checkpoints.record import Checkpoint
from memgit.checkpoints.recording import Asked, drop_checkpoints, make_checkpoint
from memgit.checkpoints.spool import is_waiting
from memgit.errors import InvalidRequest, StoreNotInitialized
from memgit.limits import DEFAULT
from memgit.operations.checkpoint_choice import (
    LeftOutPath,
    checked_name,
    find_checkpoint,
    left_out_paths,
    not_found,
    open_archive,
    record_of,
    retention,
    who,
)
from memgit.operations.checks import text as checked_text
from memgit.operations.invocation import Invocation
from memgit.operations.pending_put import NotePut, put_note
from memgit.store.quick_tip import quick_tip


class CheckpointCreate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keep the present state: HEAD, the index, the working tree with what is untracked and not ignored.

    `cause` is what a host calls its event. What looks like a secret is left out and named, unless `allow_flagged`.
    `note` becomes the session's continuity note, as `pending.put` keeps it.
    """

    text: str | None = None
    note: str | None = None
    cause: str = "manual"
    session: str | None = None
    allow_flagged: bool = False


class CheckpointMade(Struct, frozen=True, kw_only=True):
    """The new checkpoint, and what its snapshot left out: the first of `snapshot.left_out` paths.

    `note` says what was kept of the continuity note, if one was given.
    """

    checkpoint: Checkpoint
    left_out: tuple[LeftOutPath, ...] = ()
    note: NotePut | None = None


class CheckpointList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List checkpoints, the newest first. `snapshots`: only those that can be restored; `cursor` of the page before."""

    limit: int = 20
    cursor: str | None = None
    snapshots: bool = False


class CheckpointPage(Struct, frozen=True, kw_only=True):
    """A page. `total` counts all, `bytes` is what they take on the disk, `damaged` says what cannot be read.

    `waiting`: what Git's hooks noted is not recorded yet, as while another process has the checkpoints.
    """

    items: tuple[Checkpoint, ...]
    total: int
    bytes: int
    damaged: tuple[str, ...] = ()
    next_cursor: str | None = None
    waiting: bool = False


class CheckpointShow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Show a checkpoint: by its id, a unique beginning or end of it, or `@last`."""

    id: str


class CheckpointDrop(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Remove checkpoints for good: those named, or `all`."""

    ids: tuple[str, ...] = ()
    all: bool = False


class CheckpointDropped(Struct, frozen=True, kw_only=True):
    """What is gone. `freed` are bytes on the disk; `collected` tells whether the objects went at once."""

    ids: tuple[str, ...]
    freed: int
    collected: bool


def create(invocation: Invocation, request: CheckpointCreate) -> CheckpointMade:
    """Keep the present state as a checkpoint."""
    _require_store(invocation)
    asked = _asked(invocation, request)
    note = None
    if request.note is not None:
        note = put_note(invocation, request.note, session=request.session, allow_flagged=request.allow_flagged)
    archive = open_archive(invocation)
    with archive.held():
        made = make_checkpoint(
            archive, invocation.repository, asked, retention(invocation), allow_flagged=request.allow_flagged
        )
    if made.snapshot is None:
        invocation.warnings.append("a bare repository has no working tree: the checkpoint has no snapshot")
        return CheckpointMade(checkpoint=made.checkpoint, note=note)
    return CheckpointMade(checkpoint=made.checkpoint, left_out=left_out_paths(made.snapshot.left_out), note=note)


def list_checkpoints(invocation: Invocation, request: CheckpointList) -> CheckpointPage:
    """Return a page of checkpoints."""
    if not 0 < request.limit <= DEFAULT.history_page:
        raise InvalidRequest(f"`limit` is 1 to {DEFAULT.history_page}", details={"field": "limit"})
    archive = open_archive(invocation)
    found = [one for one in archive.kept() if one.has_snapshot or not request.snapshots]
    rest = [one for one in found if request.cursor is None or one.id < request.cursor]
    page = rest[: request.limit]
    records = archive.records(page)
    return CheckpointPage(
        items=tuple(one for one in records if isinstance(one, Checkpoint)),
        total=len(found),
        bytes=archive.bytes_on_disk(),
        damaged=tuple(one.message for one in records if not isinstance(one, Checkpoint)),
        next_cursor=page[-1].id if len(rest) > len(page) else None,
        waiting=is_waiting(invocation.repository),
    )


def show(invocation: Invocation, request: CheckpointShow) -> CheckpointMade:
    """Return a checkpoint, with what its snapshot left out."""
    archive = open_archive(invocation)
    kept = find_checkpoint(invocation, archive, request.id)
    checkpoint = record_of(archive, kept)
    if not kept.has_snapshot:
        return CheckpointMade(checkpoint=checkpoint)
    from memgit.checkpoints.snapshot import LEFT_OUT, parse_left_out

    item = archive.items(kept).get(LEFT_OUT)
    paths = parse_left_out(archive.read_file(item.oid)) if item is not None else {}
    return CheckpointMade(checkpoint=checkpoint, left_out=left_out_paths(paths))


def drop(invocation: Invocation, request: CheckpointDrop) -> CheckpointDropped:
    """Remove checkpoints and the objects that only they need."""
    if bool(request.ids) == request.all:
        raise InvalidRequest("name checkpoints, or say `all`", details={"field": "ids"})
    archive = open_archive(invocation)
    if not archive.exists():
        if request.all:
            return CheckpointDropped(ids=(), freed=0, collected=True)
        raise not_found(request.ids[0])
    with archive.held():
        chosen = archive.kept() if request.all else [find_checkpoint(invocation, archive, name) for name in request.ids]
        before = archive.bytes_on_disk()
        collected = drop_checkpoints(archive, chosen) if chosen else True
        freed = max(0, before - archive.bytes_on_disk())
    return CheckpointDropped(ids=tuple(dict.fromkeys(one.id for one in chosen)), freed=freed, collected=collected)


def _require_store(invocation: Invocation) -> None:
    """Raise StoreNotInitialized where there is no memory: then nothing of ours is put into the repository."""
    if quick_tip(invocation.repository, invocation.config.text("ref")) is None and invocation.store.tip() is None:
        raise StoreNotInitialized(f"{invocation.repository.root} has no memory yet")


def _asked(invocation: Invocation, request: CheckpointCreate) -> Asked:
    said = checked_text(request.text, "text", "checkpoint_text_bytes")
    if said is not None and not request.allow_flagged:
        from memgit.screening import refuse, screen_text

        refuse(screen_text(said, "text"))
    return Asked(checked_name(request.cause, "cause"), said, *who(invocation, request.session))
