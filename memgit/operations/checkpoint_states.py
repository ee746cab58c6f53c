"""`checkpoint.diff`, `checkpoint.restore`: a checkpoint's files compared with others, and put back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from memgit.checkpoints import plumbing
from memgit.checkpoints.archive import Archive, Kept
from memgit.checkpoints.record import ChangedPath, Checkpoint, shown_path
from memgit.checkpoints.recording import Asked, collect_garbage, note_garbage, read_position
from memgit.checkpoints.snapshot import WORK
from memgit.errors import InvalidRequest
from memgit.limits import DEFAULT
from memgit.operations.checkpoint_choice import (
    LAST,
    LISTED_PATHS,
    LeftOutPath,
    find_checkpoint,
    here_in,
    left_out_paths,
    open_archive,
    record_of,
    retention,
    shown_paths,
    tree_path,
    who,
)
from memgit.operations.invocation import Invocation
from memgit.store.objects import hash_object

_Side = tuple[str, str]  # what it is called, and its tree


class CheckpointDiff(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Show how a checkpoint's files differ from those of another, or from the present ones.

    Of one that a hook made and that has no snapshot: what the action changed. `paths` are as the directory sees them.
    """

    id: str
    other: str | None = None
    paths: tuple[str, ...] = ()
    max_bytes: int = 1024 * 1024


class CheckpointDifference(Struct, frozen=True, kw_only=True):
    """Git's own difference. `before` and `after` name the sides: ids, commits, or `now`. `cut`: there is more."""

    before: str
    after: str
    paths: tuple[ChangedPath, ...]
    patch: str
    cut: bool = False


class CheckpointRestore(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Put the working tree and the index back, after the present state was saved as a checkpoint.

    `paths`: only these files, and not the index. `under_way`: also in the middle of a merge or a rebase. `elsewhere`:
    also where the checkpoint is of another working tree. `dry_run` says what would be done.
    """

    id: str
    paths: tuple[str, ...] = ()
    index: bool = True
    dry_run: bool = False
    under_way: bool = False
    elsewhere: bool = False
    allow_flagged: bool = False


class CheckpointRestored(Struct, frozen=True, kw_only=True):
    """What was done: counts and the first paths. `saved` is the checkpoint of the state before, None for a dry run.

    HEAD is not moved: `head` is where it is, `head_then` where it was. `kept` stayed: the snapshot had left them out.
    `blocked`, in a dry run, stand in the way. `submodules` are at another commit than then and were not touched.
    """

    id: str
    saved: str | None
    written: int
    removed: int
    index: bool
    paths: tuple[ChangedPath, ...]
    kept: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    submodules: tuple[str, ...] = ()
    head: str | None = None
    head_then: str | None = None
    branch: str | None = None
    branch_then: str | None = None
    left_out: tuple[LeftOutPath, ...] = ()


def diff(invocation: Invocation, request: CheckpointDiff) -> CheckpointDifference:
    """Return the difference of two checkpoints, or of one and the present."""
    from memgit.checkpoints.difference import difference

    if not 0 < request.max_bytes <= DEFAULT.diff_bytes:
        raise InvalidRequest(f"`max_bytes` is 1 to {DEFAULT.diff_bytes}", details={"field": "max_bytes"})
    archive = open_archive(invocation)
    first = find_checkpoint(invocation, archive, request.id, with_snapshot=request.id == LAST)
    paths = [tree_path(invocation, path) for path in request.paths]
    whole = not all(paths)  # the top itself is named
    with _sides(invocation, archive, first, request.other) as ((before, old), (after, new)):
        found = difference(archive, old, new, [] if whole else paths, request.max_bytes)
        if paths and not found.paths:
            _require_paths(archive, (old, new), paths, request.paths)
    return CheckpointDifference(before=before, after=after, paths=found.paths, patch=found.patch, cut=found.cut)


def restore(invocation: Invocation, request: CheckpointRestore) -> CheckpointRestored:
    """Put back what a checkpoint holds, and say what was done."""
    from memgit.checkpoints.restore import Wanted, shown_blocked
    from memgit.checkpoints.restore import restore as put_back

    if invocation.repository.work_tree is None:
        raise InvalidRequest(
            f"{invocation.repository.root} is bare: there is no working tree to restore",
            hint="Run it in a working tree of the repository.",
        )
    archive = open_archive(invocation)
    kept = find_checkpoint(invocation, archive, request.id, with_snapshot=True)
    then = record_of(archive, kept)
    _require_place(invocation, then, request)
    wanted = Wanted(
        paths=tuple(tree_path(invocation, path) for path in request.paths),
        index=request.index,
        under_way=request.under_way,
        dry_run=request.dry_run,
        allow_flagged=request.allow_flagged,
        here=here_in(invocation),
    )
    asked = Asked("restore", f"before {kept.id} was restored", *who(invocation, None))
    with archive.held():
        done = put_back(archive, invocation.repository, kept, wanted, asked, retention(invocation))
    head = read_position(invocation.repository)
    plan = done.plan
    letters = [*((b"M", path) for path in plan.written), *((b"D", path) for path in plan.removed)]
    return CheckpointRestored(
        id=kept.id,
        saved=done.saved.id if done.saved is not None else None,
        written=len(plan.written),
        removed=len(plan.removed),
        index=done.index,
        paths=tuple(ChangedPath(letter.decode(), shown_path(path)) for letter, path in letters[:LISTED_PATHS]),
        kept=shown_paths(plan.kept),
        blocked=tuple(shown_blocked(*each) for each in list(plan.blocked.items())[:LISTED_PATHS]),
        submodules=shown_paths(plan.submodules),
        head=head.commit,
        head_then=then.after,
        branch=head.branch,
        branch_then=then.branch,
        left_out=left_out_paths(done.left_out),
    )


def _require_place(invocation: Invocation, then: Checkpoint, request: CheckpointRestore) -> None:
    here = invocation.repository.worktree_name
    if then.worktree != here and not request.elsewhere:
        raise InvalidRequest(
            f"{then.id} is of another working tree ({then.worktree}) than this one ({here})",
            hint="Change into that one, or pass `--elsewhere` to put its files here.",
            details={"field": "elsewhere"},
        )


def _require_paths(archive: Archive, trees: Sequence[str], paths: Sequence[bytes], typed: Sequence[str]) -> None:
    """Raise InvalidRequest where neither tree has anything at one of the paths, so that nothing could differ."""
    lent = plumbing.lending(archive.owner)
    for path, shown in zip(paths, typed, strict=True):
        listings = (
            plumbing.ask(
                archive.repository,
                ["--literal-pathspecs", "ls-tree", "--name-only", tree, "--", os.fsdecode(path)],
                variables=lent,
            )
            for tree in trees
        )
        if path and not any(listings):
            raise InvalidRequest(
                f"there is nothing at {shown[:200]!r} in what is compared",
                hint="Paths are as the current directory sees them.",
                details={"field": "paths"},
            )


@contextmanager
def _sides(invocation: Invocation, archive: Archive, first: Kept, other: str | None) -> Iterator[tuple[_Side, _Side]]:
    """Yield what is compared; the present is there until the block ends."""
    if other is not None:
        second = find_checkpoint(invocation, archive, other, with_snapshot=other == LAST)
        yield (first.id, _tree(archive, first)), (second.id, _tree(archive, second))
        return
    if not first.has_snapshot:
        yield _action(archive, first)
        return
    from memgit.checkpoints.snapshot import take_snapshot

    if invocation.repository.work_tree is None:
        raise InvalidRequest("a bare repository has no working tree to compare with", hint="Name two checkpoints.")
    with archive.held():
        head = read_position(invocation.repository)
        now = take_snapshot(archive, invocation.repository, head.commit)
        yield (first.id, _tree(archive, first)), ("now", now.items[WORK].oid)
        note_garbage(archive, 1)
        collect_garbage(archive)


def _action(archive: Archive, kept: Kept) -> tuple[_Side, _Side]:
    """Return the commits that an action went from and to."""
    record = record_of(archive, kept)
    if record.after is None:
        raise _no_tree(kept)
    after = record.after, f"{record.after}^{{tree}}"
    if record.before is None:
        return ("nothing", hash_object("tree", b"", archive.object_format).oid), after
    return (record.before, f"{record.before}^{{tree}}"), after


def _tree(archive: Archive, kept: Kept) -> str:
    """Return the tree of a checkpoint's files: its snapshot's, else its commit's."""
    item = archive.items(kept).get(WORK)
    if item is not None:
        return item.oid
    tree = record_of(archive, kept).tree
    if tree is None:
        raise _no_tree(kept)
    return tree


def _no_tree(kept: Kept) -> InvalidRequest:
    return InvalidRequest(
        f"{kept.id} has no files to compare",
        hint="`git memory checkpoint show` says what it knows.",
        details={"field": "id"},
    )
