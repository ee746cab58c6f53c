"""Making checkpoints: of what somebody asks to keep, and of what Git's hooks saw. Retention goes with it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memgit import clock
from memgit.checkpoints.archive import RECORD, Archive, Kept
from memgit.checkpoints.changes import Move, changes_of
from memgit.checkpoints.events import HookEvent
from memgit.checkpoints.record import (
    RANDOM_CHARACTERS,
    THROUGH_KEPT,
    Checkpoint,
    encode_checkpoint,
    event_checkpoint_id,
    new_checkpoint_id,
)
from memgit.checkpoints.retention import Retention, expired
from memgit.checkpoints.seen import read_seen, write_seen
from memgit.store.git_command import run_git
from memgit.store.objects import TreeItem, hash_object
from memgit.store.ref_file import REFTABLE_HEAD, read_head
from memgit.store.repository import Repository

if TYPE_CHECKING:
    from memgit.checkpoints.snapshot import Snapshot

_GARBAGE = "garbage"  # a file with a byte for each snapshot that is named no more, since the last collection
_COLLECT_AFTER = 10  # snapshots; the objects of a large tree take seconds to be packed anew


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody says of a checkpoint."""

    cause: str = "manual"
    text: str | None = None
    task: str | None = None
    session: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Head:
    """Where HEAD is: its commit and that commit's tree, None before the first one; the branch, None where detached."""

    commit: str | None
    tree: str | None
    branch: str | None


@dataclass(frozen=True, slots=True)
class Made:
    """A checkpoint that was made, and its snapshot; None in a bare repository."""

    checkpoint: Checkpoint
    snapshot: Snapshot | None


def make_checkpoint(
    archive: Archive, repository: Repository, asked: Asked, retention: Retention, *, allow_flagged: bool = False
) -> Made:
    """Keep the present state and return the checkpoint. Needs the archive's lock. Raises as `take_snapshot`."""
    archive.make()
    head = read_position(repository)
    snapshot = None
    if repository.work_tree is not None:
        from memgit.checkpoints.snapshot import take_snapshot

        snapshot = take_snapshot(archive, repository, head.commit, allow_flagged=allow_flagged)
    made = Made(keep_snapshot(archive, repository, asked, retention, head, snapshot), snapshot)
    collect_garbage(archive)
    return made


def keep_snapshot(
    archive: Archive,
    repository: Repository,
    asked: Asked,
    retention: Retention,
    head: Head,
    snapshot: Snapshot | None,
    spared: Collection[Kept] = (),
) -> Checkpoint:
    """Make a checkpoint of a snapshot that was taken, and return it. Needs the lock under which it was taken.

    Retention lets those that are `spared` alone.
    """
    checkpoint = Checkpoint(
        id=new_checkpoint_id(),
        at=clock.now(),
        cause=asked.cause,
        worktree=repository.worktree_name,
        text=asked.text,
        after=head.commit,
        branch=head.branch,
        tree=head.tree,
        task=asked.task,
        session=asked.session,
        agent=asked.agent,
        snapshot=snapshot.summary if snapshot is not None else None,
    )
    itself = Kept(checkpoint.id, snapshot is not None)  # also where the clock has gone back, and others look newer
    _add(archive, {checkpoint: snapshot.items if snapshot is not None else {}}, retention, (*spared, itself))
    return checkpoint


def record_events(archive: Archive, events: Sequence[HookEvent], retention: Retention) -> int:
    """Keep a checkpoint for each event, and return how many. Needs the archive's lock.

    An event that is given again replaces what was kept for it. Nothing is collected: any command may do this, and none
    should wait for more than its own work.
    """
    if not events:
        return 0
    archive.make()
    changes = changes_of(archive.owner, [Move(event.before, event.after) for event in events])
    added: dict[Checkpoint, Mapping[str, TreeItem]] = {}
    for event, found in zip(events, changes, strict=True):
        checkpoint = Checkpoint(
            id=event_checkpoint_id(event.at.timestamp(), event.key),
            at=clock.format_time(event.at.timestamp()),
            cause=event.kind,
            worktree=event.worktree,
            before=event.before,
            after=event.after,
            branch=event.branch,
            tree=found.tree,
            during=event.cause,
            remote=event.remote,
            runs=event.runs,
            through=event.through[-THROUGH_KEPT:],
            rewritten=len(event.rewritten),
            changed=found.paths,
            changed_more=found.more,
            task=event.task,
            session=event.session,
            agent=event.agent,
        )
        added[checkpoint] = {}
    _add(archive, added, retention)
    return len(added)


def drop_checkpoints(archive: Archive, dropped: Sequence[Kept]) -> bool:
    """Remove checkpoints and whatever only they need; tell whether that was freed, too. Needs the archive's lock."""
    archive.replace({}, dropped)
    done = archive.collect()
    if done:
        (archive.repository.common_dir / _GARBAGE).unlink(missing_ok=True)
    return done


def read_position(repository: Repository) -> Head:
    """Return where HEAD is now."""
    _, branch = read_head(repository.git_dir)
    if branch == REFTABLE_HEAD:
        said = run_git(repository, ["symbolic-ref", "--quiet", "HEAD"])
        branch = said.stdout.decode("utf-8", "replace").strip() or None
    done = run_git(repository, ["log", "-1", "--no-show-signature", "--format=%H %T", "HEAD", "--"])
    commit, _, tree = done.stdout.decode("ascii", "replace").strip().partition(" ")
    if done.returncode != 0 or not commit:
        return Head(None, None, branch)
    return Head(commit, tree, branch)


def _add(
    archive: Archive,
    added: Mapping[Checkpoint, Mapping[str, TreeItem]],
    retention: Retention,
    spared: Collection[Kept] = (),
) -> None:
    """Add checkpoints, and let those go that are too many or too old."""
    directories: dict[Kept, dict[str, TreeItem]] = {}
    for checkpoint, items in added.items():
        data = encode_checkpoint(checkpoint)
        blob = hash_object("blob", data, archive.object_format)
        archive.write([blob])
        directories[Kept(checkpoint.id, bool(items))] = {**items, RECORD: TreeItem(blob.oid, False)}
    before = archive.kept()
    fresh = {one.id[-RANDOM_CHARACTERS:] for one in directories}
    replaced = [one for one in before if one.id[-RANDOM_CHARACTERS:] in fresh and one not in directories]
    seen = read_seen(archive)
    old = expired([*before, *directories], retention, clock.timestamp(), seen)
    going = [one for one in old.gone if one not in spared]
    archive.replace(
        {one: items for one, items in directories.items() if one not in going},
        [*replaced, *(one for one in going if one in before)],
    )
    write_seen(
        archive, seen, {name: since for name, since in old.seen.items() if name not in {one.id for one in going}}
    )
    note_garbage(archive, sum(1 for one in going if one.has_snapshot))


def note_garbage(archive: Archive, count: int) -> None:
    """Count snapshots that nothing names any more, for `collect_garbage`. Needs the lock."""
    if count:
        with (archive.repository.common_dir / _GARBAGE).open("ab") as file:
            file.write(b"." * count)


def collect_garbage(archive: Archive) -> None:
    """Remove the objects of snapshots that nothing names, where they are several. Needs the lock; takes seconds.

    Where Git cannot do it, it is tried again after as many more.
    """
    path = archive.repository.common_dir / _GARBAGE
    if path.exists() and path.stat().st_size >= _COLLECT_AFTER:
        archive.collect()
        path.unlink(missing_ok=True)
