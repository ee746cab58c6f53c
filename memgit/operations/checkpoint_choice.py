"""Which checkpoint a request means, and what every request on checkpoints shares."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from memgit.checkpoints.archive import Archive, Kept
from memgit.checkpoints.record import Checkpoint, shown_path
from memgit.checkpoints.retention import Retention
from memgit.checkpoints.spool import is_waiting
from memgit.errors import InvalidRequest, MemgitError, NotFound
from memgit.operations.invocation import Invocation
from memgit.records.ids import is_scope_id

LAST = "@last"
LISTED_PATHS = 100  # of an answer, in each list of paths


class LeftOutPath(Struct, frozen=True):
    """A path that a snapshot does not hold, and why."""

    path: str
    reason: str


def retention(invocation: Invocation) -> Retention:
    """Return how many checkpoints the settings keep, and for how long."""
    return Retention(invocation.config.integer("checkpointKeep"), invocation.config.integer("checkpointDays"))


def open_archive(invocation: Invocation) -> Archive:
    """Return the archive of the repository; it need not exist."""
    return Archive(invocation.repository, invocation.config.integer("lockWait") / 1000)


def who(invocation: Invocation, session: str | None) -> tuple[str | None, str | None, str | None]:
    """Return the task, the session and the agent of the request. A context that cannot be read stops no checkpoint."""
    task = None
    if invocation.environment.session_document is not None:
        try:
            task = invocation.context.task_id
        except MemgitError as error:
            invocation.warnings.append(f"the checkpoint names no task: {error.message}")
    named = session or invocation.environment.overrides.get("MEMGIT_SESSION")
    return task, checked_name(named, "session") if named else None, invocation.environment.agent


def checked_name(text: str, field: str) -> str:
    """Return a name as hosts and sessions have. Raises InvalidRequest."""
    if not is_scope_id(text):
        raise InvalidRequest(
            f"`{field}` {text[:80]!r} is not a name",
            hint="A name is 1 to 128 letters, digits, `.`, `_` or `-`, and begins with a letter or a digit.",
            details={"field": field},
        )
    return text


def find_checkpoint(invocation: Invocation, archive: Archive, typed: str, *, with_snapshot: bool = False) -> Kept:
    """Return the one checkpoint that is meant. Raises NotFound, InvalidRequest where several are."""
    everything = archive.kept()
    if typed == LAST:
        found = _last(invocation, archive, everything, with_snapshot=with_snapshot)
        if found is None:
            raise _none_yet(invocation, with_snapshot)
        return found
    wanted = typed.strip().lower().removeprefix("chk_")
    named = [one for one in everything if wanted and _is_meant(one.id.removeprefix("chk_"), wanted)]
    if len(named) > 1:
        raise InvalidRequest(
            f"{typed[:80]} is part of {len(named)} ids of checkpoints",
            hint="Give more of the id.",
            details={"field": "id", "ids": [one.id for one in named[:20]]},
        )
    if not named:
        raise not_found(typed)
    return named[0]


def _is_meant(whole: str, typed: str) -> bool:
    return whole.startswith(typed) or whole.endswith(typed)


def _last(invocation: Invocation, archive: Archive, everything: Sequence[Kept], *, with_snapshot: bool) -> Kept | None:
    if not with_snapshot:
        return everything[0] if everything else None
    here = invocation.repository.worktree_name
    for one in everything:
        if one.has_snapshot:
            found = archive.records([one])
            if found and isinstance(found[0], Checkpoint) and found[0].worktree == here:
                return one
    return None


def _none_yet(invocation: Invocation, with_snapshot: bool) -> NotFound:
    if not with_snapshot and is_waiting(invocation.repository):
        return NotFound(
            "there is no checkpoint: what Git's hooks noted is not recorded yet",
            hint="The next command records it, once no other process holds the checkpoints' lock.",
        )
    which = " with a snapshot of this working tree" if with_snapshot else ""
    return NotFound(f"there is no checkpoint{which} yet", hint="`git memory checkpoint` makes one.")


def not_found(typed: str) -> NotFound:
    """Return the error for a checkpoint that is not there."""
    return NotFound(
        f"there is no checkpoint {typed[:80]}",
        hint="`git memory checkpoint list` shows them.",
        details={"id": typed[:80]},
    )


def record_of(archive: Archive, kept: Kept) -> Checkpoint:
    """Return the record of a checkpoint. Raises NotFound, StoreCorrupt, FormatTooNew."""
    found = archive.records([kept])
    if not found:
        raise not_found(kept.id)
    if not isinstance(found[0], Checkpoint):
        raise found[0]
    return found[0]


def tree_path(invocation: Invocation, typed: str) -> bytes:
    """Return a path below the top of the working tree, given as the request's directory sees it."""
    top = invocation.repository.work_tree
    start = invocation.directory.resolve() if top is not None else Path("/")
    base = os.fsencode(top.resolve()) if top is not None else b"/"
    whole = os.path.normpath(os.path.join(os.fsencode(start), os.fsencode(typed)))  # noqa: PTH118 - bytes
    if whole == base:
        return b""
    if not whole.startswith(base.rstrip(b"/") + b"/"):
        raise InvalidRequest(f"{typed[:200]!r} is outside of the working tree", details={"field": "paths"})
    return whole[len(base.rstrip(b"/")) + 1 :]


def here_in(invocation: Invocation) -> bytes | None:
    """Return the directory of the request as a path below the top of the working tree; None at the top or outside."""
    try:
        return tree_path(invocation, ".") or None
    except InvalidRequest:
        return None


def left_out_paths(paths: Mapping[bytes, str]) -> tuple[LeftOutPath, ...]:
    """Return the first paths that a snapshot left out, with the reasons."""
    return tuple(LeftOutPath(shown_path(path), reason) for path, reason in sorted(paths.items())[:LISTED_PATHS])


def shown_paths(paths: Sequence[bytes]) -> tuple[str, ...]:
    """Return the first paths as text."""
    return tuple(shown_path(path) for path in paths[:LISTED_PATHS])
