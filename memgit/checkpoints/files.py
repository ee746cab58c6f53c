"""Files of the working tree read as they are: no filter, no link followed, nothing that would block.

What cannot or must not be kept is named with its reason instead.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from typing import NamedTuple

from memgit.checkpoints.trees import EXECUTABLE, FILE, SYMLINK

LARGE, FLAGGED, FLAGGED_NAME, UNREADABLE, SPECIAL, NESTED, RESERVED, MANY, ABSENT = (
    "larger than a checkpoint keeps",
    "looks like a secret",
    "its name looks like a secret",
    "cannot be read",
    "neither a file nor a link",
    "a repository of its own",
    "a name that is Git's own",
    "beyond what one checkpoint keeps",
    "not in this clone",
)
"""Why a path was left out."""

_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Seen(NamedTuple):
    """What tells whether a file was written to since it was read."""

    inode: int
    size: int
    changed: int  # nanoseconds


class Content(NamedTuple):
    """A file's mode in Git, its bytes (of a link, where it leads), and what it looked like."""

    mode: bytes
    data: bytes
    seen: Seen


@dataclass(slots=True)
class Files:
    """The files below one directory. A path that leads through a link leads nowhere."""

    root: bytes
    _real: set[bytes] = field(default_factory=set)

    def status(self, path: bytes) -> os.stat_result | None:
        """Return what is at a path, without following links, or None where nothing is."""
        if not self._is_real(os.path.dirname(path)):  # noqa: PTH120 - bytes, which pathlib has not
            return None
        try:
            return os.lstat(os.path.join(self.root, path))  # noqa: PTH118
        except OSError:
            return None

    def read(self, path: bytes, most: int) -> Content | str | None:
        """Return a file's content, why there is none, or None where no file is. At most `most` bytes are read."""
        status = self.status(path)
        if status is None or stat.S_ISDIR(status.st_mode):
            return None
        place = os.path.join(self.root, path)  # noqa: PTH118
        try:
            if stat.S_ISLNK(status.st_mode):
                return Content(SYMLINK, os.readlink(place), seen(status))  # noqa: PTH115
            if not stat.S_ISREG(status.st_mode):
                return SPECIAL
            if status.st_size > most:
                return LARGE
            return self._read(place, most)
        except FileNotFoundError:
            return None
        except OSError:
            return UNREADABLE

    @staticmethod
    def _read(place: bytes, most: int) -> Content | str:
        with os.fdopen(os.open(place, _FLAGS), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return SPECIAL
            data = file.read(most + 1)
        if len(data) > most:
            return LARGE
        return Content(EXECUTABLE if status.st_mode & stat.S_IXUSR else FILE, data, seen(status))

    def _is_real(self, directory: bytes) -> bool:
        """Tell whether a directory and all above it, up to the root, are directories and no links."""
        if not directory or directory in self._real:
            return True
        if not self._is_real(os.path.dirname(directory)):  # noqa: PTH120
            return False
        try:
            found = stat.S_ISDIR(os.lstat(os.path.join(self.root, directory)).st_mode)  # noqa: PTH118
        except OSError:
            return False
        if found:
            self._real.add(directory)
        return found


def seen(status: os.stat_result) -> Seen:
    """Return what tells a file from a later state of it."""
    return Seen(status.st_ino, status.st_size, status.st_mtime_ns)
