"""The archive: where checkpoints and the objects of their snapshots are kept.

A bare repository of its own in `state/`, beside the private one of the layers, owner-only. One ref names one commit
without a parent, whose tree has a directory for each checkpoint; so what is dropped is reached by nothing. Whatever a
snapshot needs is here: the user's objects are lent to single commands and never relied upon.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

from memgit import clock
from memgit.checkpoints import lock, plumbing
from memgit.checkpoints.record import Checkpoint, decode_checkpoint, is_checkpoint_id
from memgit.errors import FormatTooNew, StoreBusy, StoreCorrupt, StoreReadOnly
from memgit.limits import DEFAULT
from memgit.store import private
from memgit.store.git_command import run_git
from memgit.store.loose import remove_loose, write_loose
from memgit.store.objects import (
    ObjectFormat,
    ObjectId,
    RawObject,
    Signature,
    TreeItem,
    decode_tree,
    encode_commit,
    encode_tree,
    hash_object,
    subtree,
)
from memgit.store.private import PrivateRepository
from memgit.store.quick_tip import quick_tip
from memgit.store.repository import Repository

CHECKPOINTS_REF = "refs/memgit/checkpoints"
RECORD = "record.yaml"

_NAME = "checkpoints.git"
_WITH_SNAPSHOT = ".snapshot"
_AUTHOR = ("memgit", "memgit@localhost")  # nobody's work: the record says who
_BATCH_BYTES = 32 * 1024 * 1024  # raw bytes in one pack, which is made in memory
_LOOSE_OBJECTS, _LOOSE_BYTES = 16, 1 << 20  # what is not worth a pack
_MOST_PACKS = 12  # before small ones are united
_LIST_FROM = 100  # objects to take over, from which on it pays to list what is there
_ATTEMPTS = 5  # of a read beside a process that drops
_COLLECT_SECONDS = 300.0

_T = TypeVar("_T")


class Kept(NamedTuple):
    """A checkpoint that is there, and whether it has a snapshot: so much its directory's name says."""

    id: str
    has_snapshot: bool

    @property
    def name(self) -> str:
        """What its directory is called."""
        return self.id + (_WITH_SNAPSHOT if self.has_snapshot else "")


class Archive:
    """The checkpoints of one repository. Opening it costs nothing; `make` begins it."""

    def __init__(self, owner: Repository, lock_wait_seconds: float = DEFAULT.lock_wait_ms / 1000) -> None:
        path = owner.state_dir / _NAME
        self.owner = owner
        self.repository = PrivateRepository(path, path, None, owner)
        self.wait_seconds = lock_wait_seconds
        self._seen: tuple[str, dict[str, TreeItem]] | None = None  # the last tip that was read, with its root

    @property
    def objects_dir(self) -> Path:
        """Where the archive's objects are."""
        return self.repository.common_dir / "objects"

    @property
    def scratch_dir(self) -> Path:
        """Where copies lie that one process needs for a moment; made under the lock, and emptied by the next."""
        return self.repository.common_dir / "scratch"

    @cached_property
    def object_format(self) -> ObjectFormat:
        """The hash of the user's repository, which is the archive's, too."""
        if self.exists():
            text = (self.repository.common_dir / "config").read_text("utf-8", "replace").lower()
            return "sha256" if "sha256" in text else "sha1"
        said = plumbing.ask(self.owner, ["rev-parse", "--show-object-format"]).strip()
        return "sha256" if said == b"sha256" else "sha1"

    def exists(self) -> bool:
        """Tell whether anything was ever kept."""
        return private.exists(self.repository)

    def make(self) -> None:
        """Make the archive where it is not. Raises StoreReadOnly."""
        if not self.exists():
            private.make(self.repository, self.object_format)

    def held(self, wait_seconds: float | None = None) -> AbstractContextManager[None]:
        """Hold the archive's lock. Raises StoreBusy, StoreReadOnly."""
        return lock.held(self.owner.state_dir, self.wait_seconds if wait_seconds is None else wait_seconds)

    def kept(self) -> list[Kept]:
        """Return all checkpoints, the newest first. Raises StoreCorrupt."""

        def read(tip: str) -> list[Kept]:
            pairs = (name.partition(_WITH_SNAPSHOT) for name in self._root(tip))
            found = [Kept(name, bool(mark)) for name, mark, _ in pairs if is_checkpoint_id(name)]
            return sorted(found, reverse=True)

        return self._reading(read) or []

    def records(self, wanted: Sequence[Kept]) -> list[Checkpoint | StoreCorrupt | FormatTooNew]:
        """Return the checkpoints that are still there; in place of a damaged one what is wrong with it."""

        def read(tip: str) -> list[Checkpoint | StoreCorrupt | FormatTooNew]:
            names = [f"{tip}:{one.name}/{RECORD}" for one in wanted]
            found = plumbing.read_objects(self.repository, [tip, *names])
            if found[0] is None:
                raise StoreCorrupt(f"{self.repository.common_dir}: the commit {tip} is gone")
            pairs = zip(wanted, found[1:], strict=True)
            return [_decoded(one.id, data) for one, data in pairs if data is not None]

        return self._reading(read) or []

    def items(self, wanted: Kept) -> dict[str, TreeItem]:
        """Return what is kept for a checkpoint, by name; nothing where it is gone. Raises StoreCorrupt."""

        def read(tip: str) -> dict[str, TreeItem]:
            item = self._root(tip).get(wanted.name)
            return decode_tree(self._object(item.oid), self.object_format) if item is not None else {}

        return self._reading(read) or {}

    def read_file(self, oid: str) -> bytes:
        """Return a blob's bytes. Raises StoreCorrupt where it is gone."""
        return self._object(oid)

    def replace(self, added: Mapping[Kept, Mapping[str, TreeItem]], dropped: Iterable[Kept] = ()) -> None:
        """Add checkpoints, given what is kept for each, and drop others, in one step. Needs the lock.

        The objects of what is added must be there. Those of a snapshot that is dropped stay until `collect`.
        """
        dropped = list(dropped)
        tip = quick_tip(self.repository, CHECKPOINTS_REF)
        old = self._root(tip) if tip is not None else {}
        trees = {one.name: self._tree(items) for one, items in added.items()}
        gone = {one.name for one in dropped}
        kept = {name: item for name, item in old.items() if name not in gone}
        root = self._tree({**kept, **{name: subtree(tree.oid) for name, tree in trees.items()}})
        author = Signature(*_AUTHOR, seconds=int(clock.timestamp()))
        commit = hash_object("commit", encode_commit(root.oid, [], author, author, "checkpoints"), self.object_format)
        self.write([*trees.values(), root, commit])
        plumbing.ask(self.repository, ["update-ref", CHECKPOINTS_REF, commit.oid, tip or "0" * len(commit.oid)])
        if tip is not None:
            self._forget(tip, old, commit.oid, root.oid)
            self._forget_records(old[one.name].oid for one in dropped if not one.has_snapshot and one.name in old)

    def write(self, objects: Iterable[RawObject]) -> None:
        """Store objects: a few as loose files, many as packs. Raises StoreReadOnly."""
        batch: list[RawObject] = []
        size = 0
        for item in objects:
            batch.append(item)
            size += len(item.data)
            if size > _BATCH_BYTES:
                self._write_batch(batch, size)
                batch, size = [], 0
        self._write_batch(batch, size)

    def own(self, oids: Collection[str]) -> set[str]:
        """Take objects over from the user's repository where they are not here; return those that nobody has.

        A loose object becomes a hard link where the file system has them: the bytes are immutable, and theirs may go.
        Needs the lock.
        """
        theirs, ours = str(self.owner.common_dir / "objects"), str(self.objects_dir)
        loose = _loose_objects(theirs) if len(oids) > _LIST_FROM else oids
        if len(oids) > _LIST_FROM:
            for number in range(256):
                (self.objects_dir / f"{number:02x}").mkdir(exist_ok=True)
        packed = [oid for oid in oids if oid not in loose or not _link(theirs, ours, oid)]
        if len(packed) > _LIST_FROM:  # Git looks for new packs for each object that it does not find
            packed = list(set(packed) - plumbing.all_objects(self.repository))
        else:
            packed = list(plumbing.missing(self.repository, packed))
        gone = plumbing.missing(self.repository, packed, plumbing.lending(self.owner))
        lines = "".join(f"{oid}\n" for oid in packed if oid not in gone).encode()
        if lines:
            target = str(self.objects_dir / "pack" / "pack")
            command = ["pack-objects", "-q", "--window=0", "--delta-base-offset", target]
            plumbing.ask(self.repository, command, stdin=lines, variables=plumbing.lending(self.owner))
        return gone

    def unite_packs(self) -> None:
        """Unite the small packs where there are many, with whatever is in them. Needs the lock."""
        if len(list((self.objects_dir / "pack").glob("pack-*.idx"))) <= _MOST_PACKS:
            return
        from memgit.store.packing import PackList, pack_names
        from memgit.store.plumbing_backend import PlumbingBackend

        backend = PlumbingBackend(self.repository)
        try:
            packs = PackList(self.repository, backend)
            packs.note(sorted(pack_names(backend)))
            packs.consolidate()
        finally:
            backend.close()

    def collect(self) -> bool:
        """Remove the objects that no checkpoint needs; tell whether that was done in time. Needs the lock."""
        try:
            done = run_git(self.repository, ["gc", "-q", "--prune=now"], timeout=_COLLECT_SECONDS)
        except StoreBusy:
            return False
        return done.returncode == 0

    def bytes_on_disk(self) -> int:
        """Return what the archive takes; what is a hard link to a file of the user's counts whole."""
        total = 0
        for directory, _, names in os.walk(self.repository.common_dir):
            for name in names:
                with suppress(OSError):
                    total += os.lstat(os.path.join(directory, name)).st_size  # noqa: PTH118
        return total

    def _reading(self, read: Callable[[str], _T]) -> _T | None:
        """Return what `read` finds at the tip, again where the tip was replaced meanwhile; None without a tip."""
        for attempt in range(_ATTEMPTS):
            tip = quick_tip(self.repository, CHECKPOINTS_REF)
            if tip is None:
                return None
            try:
                return read(tip)
            except StoreCorrupt:
                if attempt == _ATTEMPTS - 1 or quick_tip(self.repository, CHECKPOINTS_REF) == tip:
                    raise
        return None

    def _root(self, tip: str) -> dict[str, TreeItem]:
        if self._seen is None or self._seen[0] != tip:
            self._seen = tip, decode_tree(self._object(f"{tip}^{{tree}}"), self.object_format)
        return self._seen[1]

    def _object(self, name: str) -> bytes:
        data = plumbing.read_objects(self.repository, [name])[0]
        if data is None:
            raise StoreCorrupt(
                f"{self.repository.common_dir} lacks {name}", hint="Drop the checkpoint that needs it, or all of them."
            )
        return data

    def _tree(self, files: Mapping[str, TreeItem]) -> RawObject:
        return hash_object("tree", encode_tree(files), self.object_format)

    def _write_batch(self, batch: list[RawObject], size: int) -> None:
        try:
            if len(batch) <= _LOOSE_OBJECTS and size <= _LOOSE_BYTES:
                write_loose(str(self.objects_dir), batch)
                return
        except OSError as error:
            raise StoreReadOnly(f"{self.objects_dir} cannot be written: {error.strerror or error}") from None
        from memgit.store.plumbing_backend import encode_pack

        unique = list({item.oid: item for item in batch}.values())
        plumbing.ask(self.repository, ["index-pack", "--stdin"], stdin=encode_pack(unique, self.object_format))

    def _forget(self, tip: str, old: Mapping[str, TreeItem], commit: str, root: str) -> None:
        """Remove the loose files of the commit and the root that were replaced: nothing else names them."""
        old_root = self._tree(old).oid
        names = [ObjectId(name) for name, new in ((tip, commit), (old_root, root)) if name != new]
        remove_loose(str(self.objects_dir), names)

    def _forget_records(self, trees: Iterable[ObjectId]) -> None:
        """Remove the loose files of records that were dropped, which nothing else names either."""
        gone = list(trees)
        for oid, data in zip(gone, plumbing.read_objects(self.repository, gone), strict=True):
            records = [item.oid for item in decode_tree(data, self.object_format).values()] if data is not None else []
            remove_loose(str(self.objects_dir), [oid, *records])


def _decoded(name: str, data: bytes) -> Checkpoint | StoreCorrupt | FormatTooNew:
    try:
        return decode_checkpoint(data, name)
    except (StoreCorrupt, FormatTooNew) as error:
        return error


def _loose_objects(objects_dir: str) -> set[str]:
    found: set[str] = set()
    for directory in os.scandir(objects_dir):
        if len(directory.name) == 2:
            with suppress(FileNotFoundError):  # the user's own gc removes what is empty
                found.update(directory.name + name for name in os.listdir(directory.path))  # noqa: PTH208 - many
    return found


def _link(theirs: str, ours: str, oid: str) -> bool:
    """Tell whether a loose object of theirs is ours now."""
    place = f"/{oid[:2]}/{oid[2:]}"
    try:
        os.link(theirs + place, ours + place)
        return True
    except FileExistsError:
        return True
    except FileNotFoundError:
        if not os.path.exists(theirs + place):  # noqa: PTH110 - asked for each of thousands
            return False
    except OSError:
        pass  # another file system, or one without links
    return _copy(theirs + place, ours + place)


def _copy(source: str, target: str) -> bool:
    fresh = f"{target}.{os.getpid()}"
    try:
        Path(target).parent.mkdir(exist_ok=True)
        shutil.copyfile(source, fresh)
        os.replace(fresh, target)  # noqa: PTH105
        return True
    except FileNotFoundError:
        return False
    except OSError as error:
        with suppress(OSError):
            Path(fresh).unlink()
        raise StoreReadOnly(f"{target} cannot be written: {error.strerror or error}") from None
