"""Putting a working tree and its index back to what a checkpoint holds, after the present state was saved.

HEAD, branches and all other refs stay where they are. The order is: lock the index, take the present, plan, save,
change files, put the index. Killed anywhere, the saved checkpoint is there and a second run does the rest.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memgit.checkpoints import plumbing
from memgit.checkpoints.archive import Archive, Kept
from memgit.checkpoints.files import FLAGGED_NAME, Files
from memgit.checkpoints.index_lock import IndexLock, index_locked
from memgit.checkpoints.index_objects import lend_back
from memgit.checkpoints.listing import index_entries
from memgit.checkpoints.modes import parse_modes
from memgit.checkpoints.names import hidden
from memgit.checkpoints.record import Checkpoint, shown_path
from memgit.checkpoints.recording import Asked, collect_garbage, keep_snapshot, note_garbage, read_position
from memgit.checkpoints.replacing import Replacing
from memgit.checkpoints.restoring import Plan, Sides, nowhere, plan_restore
from memgit.checkpoints.retention import Retention
from memgit.checkpoints.snapshot import (
    INDEX,
    INDEX_TIME,
    LEFT_OUT,
    MODES,
    SHARED_INDEX,
    WORK,
    Snapshot,
    is_cut,
    parse_left_out,
    take_snapshot,
)
from memgit.checkpoints.trees import Entry, parse_tree
from memgit.errors import InvalidRequest, NotFound
from memgit.store.objects import TreeItem
from memgit.store.repository import Repository

_UNDER_WAY = {
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
}
_SHOWN_PATHS = 20
_EARLIEST = (
    1_000_000_000  # of an index, in ns since 1970: Git compares each file once. 0 would mean that it has no time
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to put back: everything, or the files at these paths and below. `index` False leaves the index alone.

    `here` is the directory of whoever asks, None where it is none below the top of the working tree.
    """

    paths: tuple[bytes, ...] = ()
    index: bool = True
    under_way: bool = False
    dry_run: bool = False
    allow_flagged: bool = False
    here: bytes | None = None

    @property
    def whole(self) -> bool:
        """Whether the index is put back, too."""
        return self.index and not self.paths


@dataclass(frozen=True, slots=True)
class Restored:
    """What was done, or would be. `saved` is the checkpoint of the state before, None where nothing was to be done."""

    plan: Plan
    index: bool
    saved: Checkpoint | None
    left_out: Mapping[bytes, str]  # of the saved state


def under_way(repository: Repository) -> str | None:
    """Return what Git is in the middle of, for people, or None."""
    return next((what for name, what in _UNDER_WAY.items() if (repository.git_dir / name).exists()), None)


def restore(
    archive: Archive, repository: Repository, kept: Kept, wanted: Wanted, asked: Asked, retention: Retention
) -> Restored:
    """Put back what a checkpoint holds. Needs the archive's lock.

    Raises InvalidRequest where something stands in the way, a path is nowhere or Git is in the middle of something,
    StoreBusy where the index is locked or a file changes underneath, NotFound where the checkpoint is gone.
    """
    busy = under_way(repository)
    if busy is not None and not wanted.under_way:
        raise InvalidRequest(
            f"{busy} is under way in {repository.root}",
            hint="End or abort it first, or pass `--under-way` (`under_way`) to restore in the middle of it.",
            details={"field": "under_way"},
        )
    items = archive.items(kept)
    if WORK not in items:
        raise NotFound(
            f"{kept.id} has no snapshot to restore", hint="`git memory checkpoint list` shows which have one."
        )
    with index_locked(repository) as lock:
        done = _restore(archive, repository, _Target(kept, items), wanted, asked, retention, lock)
    collect_garbage(archive)
    return done


@dataclass(frozen=True, slots=True)
class _Target:
    """The checkpoint that is put back, and what is kept for it."""

    kept: Kept
    items: Mapping[str, TreeItem]


def _restore(
    archive: Archive,
    repository: Repository,
    target: _Target,
    wanted: Wanted,
    asked: Asked,
    retention: Retention,
    lock: IndexLock,
) -> Restored:
    head, items = read_position(repository), target.items
    now = take_snapshot(archive, repository, head.commit, allow_flagged=wanted.allow_flagged)
    sides = _sides(archive, items, now, wanted)
    nothing_at = nowhere(sides, wanted.paths)
    if nothing_at:
        note_garbage(archive, 1)
        raise _nowhere(nothing_at, target.kept)
    plan = _plan(repository, sides, wanted)
    moves_index = wanted.whole and _index_oid(items) != _index_oid(now.items)
    if moves_index and now.unnamed:
        names = dict.fromkeys(map(hidden, sorted(now.unnamed)), FLAGGED_NAME)
        plan = replace(plan, blocked={**plan.blocked, **names})
    if wanted.dry_run or (plan.is_empty and not moves_index and not plan.blocked):
        note_garbage(archive, 1)
        return Restored(plan, moves_index, None, now.left_out)
    if plan.blocked:
        note_garbage(archive, 1)
        raise _blocked(plan.blocked)
    index = _index_file(archive, repository, items, now) if moves_index else None
    saved = keep_snapshot(archive, repository, asked, retention, head, now, spared=(target.kept,))
    modes = parse_modes(archive.read_file(items[MODES].oid) if MODES in items else b"")
    scratch = repository.git_dir / "memgit-restore"
    Replacing(archive, repository, now.work, scratch, modes, wanted.here).apply(plan)
    if moves_index:
        lock.write(index, _index_time(archive, items))
    return Restored(plan, moves_index, saved, now.left_out)


def _sides(archive: Archive, items: Mapping[str, TreeItem], now: Snapshot, wanted: Wanted) -> Sides:
    listed = plumbing.ask(archive.repository, ["ls-tree", "-r", "-z", items[WORK].oid])
    left_out = archive.read_file(items[LEFT_OUT].oid) if LEFT_OUT in items else b""
    return Sides(
        now=now.work,
        then=parse_tree(listed),
        left_out=parse_left_out(left_out),
        listed=not is_cut(left_out),
        tracked=now.index.keys(),
        left_out_now=now.left_out,
        here=wanted.here,
    )


def _plan(repository: Repository, sides: Sides, wanted: Wanted) -> Plan:
    assert repository.work_tree is not None
    return plan_restore(sides, Files(os.fsencode(repository.work_tree)), wanted.paths)


def _index_oid(items: Mapping[str, TreeItem]) -> str | None:
    return items[INDEX].oid if INDEX in items else None


def _index_time(archive: Archive, items: Mapping[str, TreeItem]) -> int:
    """Return the time of the index file that is put back, in ns; of one that was kept without, the earliest.

    An entry is believed if its file looks as it did and is older than the index. With a later time of the index, Git
    would believe one that was written to in the same moment as the index, and miss the change.
    """
    return int(archive.read_file(items[INDEX_TIME].oid)) if INDEX_TIME in items else _EARLIEST


def _index_file(archive: Archive, repository: Repository, items: Mapping[str, TreeItem], now: Snapshot) -> bytes | None:
    """Return the bytes of the index, whose objects the user's repository has then; None for no index at all."""
    if INDEX not in items:
        return None
    data = archive.read_file(items[INDEX].oid)
    for name, item in items.items():
        if name.startswith(SHARED_INDEX) and not (repository.git_dir / name).exists():
            _write_shared(repository.git_dir / name, archive.read_file(item.oid))
    extra = _entries_of(archive, repository, data) if archive.read_file(items[LEFT_OUT].oid) else ()
    lend_back(archive, items, extra, {entry.oid for entry in now.index.values()})
    return data


def _entries_of(archive: Archive, repository: Repository, index: bytes) -> list[tuple[bytes, Entry]]:
    """Return the entries of an index file, which may name what the snapshot's trees had to leave out."""
    copy = archive.scratch_dir / "restored-index"
    archive.scratch_dir.mkdir(mode=0o700, exist_ok=True)
    copy.write_bytes(index)
    try:
        entries, conflicts = index_entries(repository, copy)
    finally:
        copy.unlink(missing_ok=True)
    return [*entries.items(), *((side.path, side.entry) for side in conflicts)]


def _write_shared(path: Path, data: bytes) -> None:
    fresh = path.with_name(f"{path.name}.memgit")
    fresh.write_bytes(data)
    fresh.replace(path)


def _blocked(found: Mapping[bytes, str]) -> InvalidRequest:
    """Return the error for what stands in the way, with why it may not go."""
    paths = {shown_blocked(path, reason): reason for path, reason in found.items()}
    named = [f"{path} ({reason})" for path, reason in list(paths.items())[:_SHOWN_PATHS]]
    more = f", and {len(paths) - len(named)} more" if len(paths) > len(named) else ""
    return InvalidRequest(
        f"what no checkpoint holds stands in the way, so nothing was changed: {', '.join(named)}{more}",
        hint="Move it away, restore others with `--paths`, or pass `--allow-flagged` where it looks like a secret.",
        details={"field": "paths", "blocked": [*paths]},
    )


def shown_blocked(path: bytes, reason: str) -> str:
    """Return how what stands in the way is named: without what looks like a secret in its name."""
    return shown_path(hidden(path) if reason == FLAGGED_NAME else path)


def _nowhere(paths: Sequence[bytes], kept: Kept) -> InvalidRequest:
    """Return the error for paths that there is nothing at, then and now."""
    named = [shown_path(path) for path in paths]
    said = ", ".join(named[:_SHOWN_PATHS]) + (", …" if len(named) > _SHOWN_PATHS else "")
    return InvalidRequest(
        f"neither {kept.id} nor the working tree has anything to restore at: {said}; nothing was changed",
        hint="Paths are as the current directory sees them; `git memory checkpoint diff ID` shows what differs.",
        details={"field": "paths", "paths": [*named]},
    )
