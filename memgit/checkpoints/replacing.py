"""The hands of a restore: files of the working tree replaced and removed, each whole or not at all.

A file is replaced only while it holds what the saved snapshot has of it: what somebody writes meanwhile is not lost.
Killed at any point, it leaves files of the one state and of the other, and a second run does the rest.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memgit.checkpoints import plumbing
from memgit.checkpoints.archive import Archive
from memgit.checkpoints.files import Files
from memgit.checkpoints.modes import Modes
from memgit.checkpoints.restoring import Plan, is_at_or_above
from memgit.checkpoints.trees import SYMLINK, Entry
from memgit.errors import StoreBusy, StoreCorrupt, StoreReadOnly
from memgit.limits import DEFAULT
from memgit.store.objects import hash_object
from memgit.store.repository import Repository

_AT_ONCE = 64 * 1024 * 1024  # bytes of files that are in memory; a larger file is, alone
_LARGEST = max(DEFAULT.checkpoint_file_bytes, 1 << 30)  # of a file that is compared


@dataclass(frozen=True, slots=True)
class Replacing:
    """A working tree that is changed. `now` is what its snapshot holds of it, `modes` who could read what comes back.

    `here` is the directory that the request was made in, which is not taken away from under whoever made it.
    """

    archive: Archive
    repository: Repository
    now: Mapping[bytes, Entry]
    scratch: Path
    modes: Modes
    here: bytes | None = None

    @property
    def root(self) -> bytes:
        """The top of the working tree."""
        assert self.repository.work_tree is not None
        return os.fsencode(self.repository.work_tree)

    def apply(self, plan: Plan) -> None:
        """Do what was planned. Raises StoreBusy where a file changed since the snapshot, StoreReadOnly."""
        shutil.rmtree(self.scratch, ignore_errors=True)  # of a process that died
        try:
            self.scratch.mkdir(mode=0o700)
            for path in plan.removed:
                self._check(path)
                self._remove(path)
            for files in self._portions(plan.written):
                self._write(files)
        except OSError as error:
            name = os.fsdecode(error.filename) if error.filename else str(self.repository.root)
            raise StoreReadOnly(
                f"{name} cannot be changed: {error.strerror or error}",
                hint="Some files are restored already. Make the working tree writable and run it again.",
            ) from None
        finally:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def _portions(self, files: Mapping[bytes, Entry]) -> Iterator[Mapping[bytes, Entry]]:
        """Yield the files in portions that fit into memory."""
        sizes = plumbing.sizes(self.archive.repository, {entry.oid for entry in files.values()}, {})
        portion: dict[bytes, Entry] = {}
        room = _AT_ONCE
        for path, entry in files.items():
            size = sizes.get(entry.oid, 0)
            if portion and size > room:
                yield portion
                portion, room = {}, _AT_ONCE
            portion[path] = entry
            room -= size
        if portion:
            yield portion

    def _write(self, files: Mapping[bytes, Entry]) -> None:
        oids = [entry.oid for entry in files.values()]
        contents = plumbing.read_objects(self.archive.repository, oids)
        for (path, entry), data in zip(files.items(), contents, strict=True):
            if data is None:
                raise StoreCorrupt(
                    f"{self.archive.repository.common_dir} lacks {entry.oid}", hint="Restore the others."
                )
            self._check(path)
            self._replace(path, entry.mode, data)

    def _check(self, path: bytes) -> None:
        """Raise StoreBusy unless a file is still what the snapshot of the present has."""
        entry = self.now.get(path)
        content = Files(self.root).read(path, _LARGEST)
        if isinstance(content, str) or (content is None) != (entry is None):
            raise _changed(path)
        if content is None or entry is None:
            return
        if hash_object("blob", content.data, self.archive.object_format).oid != entry.oid:
            raise _changed(path)

    def _replace(self, path: bytes, mode: bytes, data: bytes) -> None:
        place = os.path.join(self.root, path)  # noqa: PTH118 - bytes
        fresh = os.path.join(os.fsencode(self.scratch), b"file")  # noqa: PTH118
        permissions = self.modes.of_file(path, mode, _permissions(place))
        self._make_directory(os.path.dirname(path))  # noqa: PTH120
        if os.path.isdir(place) and not os.path.islink(place):  # noqa: PTH112, PTH114
            _remove_empty(place)
        for made in (fresh, place + b".memgit-%d" % os.getpid()):  # beside it where the Git directory is elsewhere
            _make(made, mode, data, *permissions)
            try:
                os.replace(made, place)  # noqa: PTH105
                return
            except OSError as error:
                with suppress(OSError):
                    os.unlink(made)  # noqa: PTH108
                if error.errno != errno.EXDEV or made != fresh:
                    raise

    def _make_directory(self, directory: bytes) -> None:
        if not directory:
            return
        self._make_directory(os.path.dirname(directory))  # noqa: PTH120
        place = os.path.join(self.root, directory)  # noqa: PTH118
        try:
            os.mkdir(place, self.modes.of_directory(directory))  # noqa: PTH102
        except FileExistsError:
            if not stat.S_ISDIR(os.lstat(place).st_mode):
                raise _changed(directory) from None

    def _remove(self, path: bytes) -> None:
        """Remove a file, and the directories that are empty then, but for the one that the request was made in."""
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(self.root, path))  # noqa: PTH108, PTH118
        directory = os.path.dirname(path)  # noqa: PTH120
        while directory and not is_at_or_above(directory, self.here):
            try:
                os.rmdir(os.path.join(self.root, directory))  # noqa: PTH106, PTH118
            except OSError:
                return
            directory = os.path.dirname(directory)  # noqa: PTH120


def _permissions(place: bytes) -> int | None:
    """Return the permissions of the file at a place, None where there is none."""
    try:
        status = os.lstat(place)
    except OSError:
        return None
    return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else None


def _make(place: bytes, mode: bytes, data: bytes, permissions: int, exact: bool) -> None:
    """Make a file that at no moment lets in more than it is meant to; `exact`: whatever the umask is."""
    with suppress(FileNotFoundError):
        os.unlink(place)  # noqa: PTH108
    if mode == SYMLINK:
        try:
            os.symlink(data, place)  # noqa: PTH211 - bytes
            return
        except (NotImplementedError, PermissionError):
            pass  # a system without links: Git writes a file, too
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(place, flags, permissions), "wb") as file:
        if exact:
            os.chmod(file.fileno() if os.chmod in os.supports_fd else place, permissions)  # noqa: PTH101
        file.write(data)


def _remove_empty(place: bytes) -> None:
    """Remove a directory that holds nothing but directories."""
    for directory, _, _ in os.walk(place, topdown=False):
        os.rmdir(directory)  # noqa: PTH106


def _changed(path: bytes) -> StoreBusy:
    shown = path.decode("utf-8", "backslashreplace")
    return StoreBusy(
        f"{shown} changed while the checkpoint was being restored",
        hint="Nothing is lost: run it again when nobody writes to the working tree.",
    )
