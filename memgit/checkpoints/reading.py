"""What of the working tree goes into a snapshot: which files are read, screened, kept as they are, or left out.

A file that Git knows to be its blob's is not read. What is read is within bounds, and what looks like a secret is left
out, with its name, unless somebody has looked.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from memgit.checkpoints import plumbing
from memgit.checkpoints.archive import Archive
from memgit.checkpoints.files import FLAGGED, FLAGGED_NAME, LARGE, MANY, NESTED, Files
from memgit.checkpoints.listing import Listing
from memgit.checkpoints.names import flagged_names, hidden
from memgit.checkpoints.record import shown_path
from memgit.checkpoints.trees import GITLINK, Entry
from memgit.environment import git_child_environment
from memgit.limits import DEFAULT
from memgit.store.objects import ObjectFormat, RawObject, hash_object
from memgit.store.repository import Repository

_SUBMODULES = 200  # whose HEAD is asked for: each is a process
_SCREENED_AT_ONCE = 500  # staged blobs in memory


@dataclass(slots=True)
class Reading:
    """The files that were found so far. `made` are new blobs, `room` how many bytes of them are still allowed.

    `unnamed` are paths whose very name looks like a secret: `left_out` has them without it.
    """

    files: Files
    object_format: ObjectFormat
    has: frozenset[str]
    allow_flagged: bool
    staged: dict[bytes, Entry]
    work: dict[bytes, Entry] = field(default_factory=dict)
    made: dict[str, RawObject] = field(default_factory=dict)
    left_out: dict[bytes, str] = field(default_factory=dict)
    unnamed: frozenset[bytes] = frozenset()
    untracked: int = 0
    room: int = DEFAULT.checkpoint_new_bytes

    def keep(self, path: bytes, entry: Entry | None, *, screened: bool) -> None:
        """Keep a file's own bytes, or note why not; nothing where there is no file. `entry` is what the index has."""
        content = self.files.read(path, DEFAULT.checkpoint_file_bytes)
        if content is None:
            return
        if isinstance(content, str):
            self.left_out[path] = content
            return
        blob = hash_object("blob", content.data, self.object_format)
        is_known = blob.oid in self.has or blob.oid in self.made or (entry is not None and entry.oid == blob.oid)
        reason = None if is_known else self._reason(path, content.data, screened=screened)
        if reason is not None:
            self.left_out[path] = reason
            return
        self.left_out.pop(path, None)
        self.work[path] = Entry(content.mode, blob.oid)
        if not is_known:
            self.made[blob.oid] = blob
            self.room -= len(content.data)

    def is_flagged(self, path: bytes, data: bytes) -> bool:
        """Tell whether bytes look as if they held a secret, where that matters."""
        if self.allow_flagged:
            return False
        from memgit.screening import screen_bytes  # loads the rules

        return bool(screen_bytes(data, shown_path(path)))

    def _reason(self, path: bytes, data: bytes, *, screened: bool) -> str | None:
        if len(data) > self.room:
            return MANY
        return FLAGGED if screened and self.is_flagged(path, data) else None


def read_tree(
    archive: Archive, repository: Repository, listing: Listing, has: frozenset[str], *, allow_flagged: bool
) -> Reading:
    """Return what of a working tree goes into a snapshot. `has` are objects that the archive has for certain."""
    assert repository.work_tree is not None
    staged = {path: entry for path, entry in listing.entries.items() if path not in listing.intended}
    files = Files(os.fsencode(repository.work_tree))
    reading = Reading(files, archive.object_format, has, allow_flagged, staged)
    fresh = {*listing.untracked, *listing.nested, *listing.unlisted, *listing.added, *listing.intended}
    reading.unnamed = frozenset() if allow_flagged else flagged_names(fresh)
    _read_tracked(archive, reading, listing)
    for path in dict.fromkeys(side.path for side in listing.conflicts):
        reading.keep(path, None, screened=True)
    before = len(reading.work)
    for path in listing.untracked[: DEFAULT.checkpoint_untracked_files]:
        if path not in reading.unnamed:
            reading.keep(path, None, screened=True)
    reading.untracked = len(reading.work) - before
    reading.left_out |= dict.fromkeys(listing.untracked[DEFAULT.checkpoint_untracked_files :], MANY)
    reading.left_out |= dict.fromkeys(listing.nested, NESTED)
    reading.left_out |= listing.unlisted
    _leave_flagged(archive, reading, listing)
    _leave_unnamed(reading)
    return reading


def _read_tracked(archive: Archive, reading: Reading, listing: Listing) -> None:
    """Find what is at each path of the index; only files that may differ from their blob are read."""
    screened = listing.dirty | listing.unseen
    read = screened | listing.converted | _of_other_size(archive, reading.files, listing)
    submodules = 0
    for path, entry in listing.entries.items():
        if entry.mode == GITLINK:
            submodules += 1
            found = _submodule(reading.files, path, entry, ask=submodules <= _SUBMODULES)
            if found is not None:
                reading.work[path] = found
        elif path in read:
            reading.keep(path, entry, screened=path in screened)
        elif path not in listing.gone:
            reading.work[path] = entry


def _of_other_size(archive: Archive, files: Files, listing: Listing) -> set[bytes]:
    """Return the files that Git converts and whose bytes are not their blob's: such a conversion changes the size."""
    paths = listing.resized - listing.dirty - listing.gone - listing.unseen
    oids = {path: listing.entries[path].oid for path in paths if path in listing.entries}
    lent = plumbing.lending(archive.owner)
    sizes = plumbing.sizes(archive.repository, dict.fromkeys(oids.values()), lent) if oids else {}
    found = set()
    for path, oid in oids.items():
        status = files.status(path)
        if status is not None and status.st_size != sizes.get(oid):
            found.add(path)
    return found


def _submodule(files: Files, path: bytes, entry: Entry, *, ask: bool) -> Entry | None:
    """Return a submodule at the commit that is checked out in it; None where its directory is gone."""
    if files.status(path) is None:
        return None
    if not ask or files.status(path + b"/.git") is None:
        return entry
    import subprocess

    done = subprocess.run(
        ["git", "rev-parse", "--verify", "--quiet", "HEAD"],
        cwd=os.path.join(files.root, path),  # noqa: PTH118 - bytes
        env=git_child_environment(),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=plumbing.SECONDS,
    )
    oid = done.stdout.decode("ascii", "replace").strip()
    return Entry(GITLINK, oid) if done.returncode == 0 and len(oid) == len(entry.oid) else entry


def _leave_flagged(archive: Archive, reading: Reading, listing: Listing) -> None:
    """Leave out what is staged, differs from HEAD, and looks like a secret, or is too large to be looked at."""
    if reading.allow_flagged:
        return
    paths = [path for path in listing.staged if path in reading.staged and reading.staged[path].mode != GITLINK]
    fresh = [path for path in paths if reading.staged[path].oid not in reading.has]
    for start in range(0, len(fresh), _SCREENED_AT_ONCE):
        _screen_staged(archive, reading, fresh[start : start + _SCREENED_AT_ONCE])


def _leave_unnamed(reading: Reading) -> None:
    """Leave out, whatever else is said of it, what has a name that must not be kept."""
    for path in sorted(reading.unnamed):
        reading.work.pop(path, None)
        reading.staged.pop(path, None)
        reading.left_out.pop(path, None)
        base = name = hidden(path)
        count = 1
        while name in reading.left_out:
            count += 1
            name = b"%s (%d)" % (base, count)
        reading.left_out[name] = FLAGGED_NAME


def _screen_staged(archive: Archive, reading: Reading, paths: Iterable[bytes]) -> None:
    lent = plumbing.lending(archive.owner)
    oids = {path: reading.staged[path].oid for path in paths}
    sizes = plumbing.sizes(archive.repository, dict.fromkeys(oids.values()), lent)
    wanted = [oid for oid, size in sizes.items() if size <= DEFAULT.checkpoint_file_bytes]
    found = dict(zip(wanted, plumbing.read_objects(archive.repository, wanted, lent), strict=True))
    for path, oid in oids.items():
        data = found.get(oid)
        if oid not in sizes or oid in reading.made:
            continue  # nobody has it, or it was looked at as a file
        if data is not None and not reading.is_flagged(path, data):
            continue
        del reading.staged[path]
        reading.left_out[path] = LARGE if data is None else FLAGGED
        if path in reading.work and reading.work[path].oid == oid:
            del reading.work[path]
