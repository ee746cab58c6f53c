"""A snapshot: the index and the working tree of one moment as objects in the archive.

`staged` is the tree of the index, `conflicts` its unmerged sides, `index` the bytes of its file, `work` the working
tree with what is untracked and not ignored, `modes` who may read its files. A file of `work` has the very bytes that
lie on the disk, whatever Git would make of them on the way in. Nothing of the user's is written.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memgit.checkpoints import plumbing
from memgit.checkpoints.archive import Archive
from memgit.checkpoints.files import ABSENT
from memgit.checkpoints.listing import Listing, list_tree
from memgit.checkpoints.modes import encode_modes, read_modes
from memgit.checkpoints.reading import Reading, read_tree
from memgit.checkpoints.record import SnapshotSummary
from memgit.checkpoints.trees import GITLINK, Entry, TreeMaker
from memgit.store.objects import RawObject, TreeItem, hash_object, subtree
from memgit.store.repository import Repository

INDEX, STAGED, CONFLICTS, WORK, LEFT_OUT, MODES = "index", "staged", "conflicts", "work", "left-out", "modes"
INDEX_TIME = "index-time"
SHARED_INDEX = "sharedindex."
"""What the files and directories of a snapshot are called in the archive."""

_LISTED_PATHS = 20_000  # that are named where they were left out
_CUT = b"\0more"  # what a list that is not whole ends with
_OID = re.compile(r" (?:blob|tree) ([0-9a-f]+)\t")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot that was made. `items` are its parts by name, as the archive keeps them.

    `work` and `index` are for whoever compares; `left_out` gives the reason for each path that is not in it. `unnamed`
    are paths of the index whose name must not be kept: the snapshot's index is without them.
    """

    items: Mapping[str, TreeItem]
    work: Mapping[bytes, Entry]
    index: Mapping[bytes, Entry]
    left_out: Mapping[bytes, str]
    unnamed: frozenset[bytes]
    summary: SnapshotSummary


def take_snapshot(
    archive: Archive, repository: Repository, head: str | None, *, allow_flagged: bool = False
) -> Snapshot:
    """Return a snapshot of a working tree, all of whose objects are in the archive. Needs the archive's lock.

    `head` is HEAD's commit. Raises StoreBusy where the tree changes underneath, StoreReadOnly, StoreCorrupt.
    """
    archive.unite_packs()
    with _index_copy(archive, repository) as index:
        listing = list_tree(repository, index, head, archive.object_format)
        has = _objects_of_last(archive)
        reading = read_tree(archive, repository, listing, has, allow_flagged=allow_flagged)
        _own_objects(archive, listing, reading, has)
        _leave_names(repository, index, listing, reading)
        return _finished(archive, repository, index, listing, reading, has)


def parse_left_out(data: bytes) -> dict[bytes, str]:
    """Return the paths that a snapshot left out, with the reason of each."""
    pairs = (line.partition(b"\t") for line in data.removesuffix(_CUT).split(b"\0") if line)
    return {path: reason.decode("utf-8", "replace") for reason, _, path in pairs}


def is_cut(data: bytes) -> bool:
    """Tell whether more paths were left out than are named."""
    return data.endswith(_CUT)


@contextmanager
def _index_copy(archive: Archive, repository: Repository) -> Iterator[Path]:
    """Yield a copy of the index file with its times: Git tells by them which entries may lie."""
    source, target = repository.git_dir / "index", archive.scratch_dir / "index"
    shutil.rmtree(target.parent, ignore_errors=True)  # of a process that died
    target.parent.mkdir(mode=0o700)
    try:
        if source.exists():
            with source.open("rb") as file:
                status = os.fstat(file.fileno())
                target.write_bytes(file.read())
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
        yield target
    finally:
        shutil.rmtree(target.parent, ignore_errors=True)


def _objects_of_last(archive: Archive) -> frozenset[str]:
    """Return the objects of the latest snapshot: most of the next one's, which so are not asked for one by one."""
    last = next((one for one in archive.kept() if one.has_snapshot), None)
    work = archive.items(last).get(WORK) if last is not None else None
    if work is None:
        return frozenset()
    listed = plumbing.ask(archive.repository, ["ls-tree", "-r", "-t", "-z", work.oid])  # the index has nearly the same
    return frozenset((work.oid, *_OID.findall(listed.decode("utf-8", "replace"))))


def _own_objects(archive: Archive, listing: Listing, reading: Reading, has: frozenset[str]) -> None:
    """Let the archive have all blobs. What nobody has, as in a partial clone, is taken from the disk or left out."""
    sides = [side.entry for side in listing.conflicts]
    entries = (*reading.staged.values(), *reading.work.values(), *sides)
    wanted = {entry.oid for entry in entries if entry.mode != GITLINK} - has - reading.made.keys()
    gone = archive.own(wanted)
    if not gone:
        return
    for path in [path for path, entry in reading.staged.items() if entry.oid in gone and entry.mode != GITLINK]:
        del reading.staged[path]
    for path in [path for path, entry in reading.work.items() if entry.oid in gone and entry.mode != GITLINK]:
        del reading.work[path]
        reading.left_out[path] = ABSENT
        reading.keep(path, None, screened=False)


def _leave_names(repository: Repository, index: Path, listing: Listing, reading: Reading) -> None:
    """Take from the copy of the index the entries that were added under a name that must not be kept."""
    paths = reading.unnamed & listing.entries.keys()
    if paths:
        command = ["-c", "core.splitIndex=false", "update-index", "--no-split-index", "--force-remove"]
        named = b"".join(path + b"\0" for path in paths)
        plumbing.in_tree(repository, [*command, "-z", "--stdin"], index, named)


def _finished(
    archive: Archive, repository: Repository, index: Path, listing: Listing, reading: Reading, has: frozenset[str]
) -> Snapshot:
    trees = TreeMaker(archive.object_format)
    items = {STAGED: subtree(trees.make(reading.staged)), WORK: subtree(trees.make(reading.work))}
    sides = {b"%d/%s" % (side.stage, side.path): side.entry for side in listing.conflicts}
    if sides:
        items[CONFLICTS] = subtree(trees.make(sides))
    made: dict[str, RawObject] = {**reading.made, **trees.made}
    modes = read_modes(reading.files.root, reading.work)
    files = (*_index_files(repository, index), (LEFT_OUT, _left_out(reading.left_out)), (MODES, encode_modes(modes)))
    for name, data in files:
        blob = hash_object("blob", data, archive.object_format)
        made[blob.oid] = blob
        items[name] = TreeItem(blob.oid, False)
    archive.write(item for oid, item in made.items() if oid not in has)
    summary = SnapshotSummary(
        files=len(reading.work),
        staged=len(listing.staged),
        changed=sum(1 for path, entry in listing.entries.items() if reading.work.get(path) != entry),
        untracked=reading.untracked,
        bytes=sum(len(item.data) for item in reading.made.values()),
        left_out=len(reading.left_out),
        listed=len(reading.left_out) <= _LISTED_PATHS,
    )
    unnamed = reading.unnamed & listing.entries.keys()
    return Snapshot(items, reading.work, listing.entries, reading.left_out, unnamed, summary)


def _index_files(repository: Repository, index: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of the index file, and of the file that a split index shares with earlier ones."""
    if not index.exists():
        return
    data = index.read_bytes()
    yield INDEX, data
    yield INDEX_TIME, b"%d" % index.stat().st_mtime_ns
    if b"link" in data:
        said = plumbing.in_tree(repository, ["rev-parse", "--shared-index-path"], index).strip()
        shared = Path(os.fsdecode(said)) if said else None
        if shared is not None and repository.work_tree is not None:
            shared = repository.work_tree / shared
            yield shared.name, shared.read_bytes()


def _left_out(paths: Mapping[bytes, str]) -> bytes:
    named = sorted(paths.items())[:_LISTED_PATHS]
    lines = b"".join(b"%s\t%s\0" % (reason.encode(), path) for path, reason in named)
    return lines + _CUT if len(paths) > len(named) else lines
