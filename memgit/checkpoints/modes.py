"""Who may read a file: permissions that are narrower than the usual ones are kept with a snapshot, and come back.

Git knows one bit of them. Owns the rule by which a restore never lets more people in than the file did.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field

from memgit.checkpoints.trees import EXECUTABLE, FILE, Entry

_ALL, _READ_WRITE = 0o777, 0o666
_OWN_DIRECTORY = 0o700  # what files are written into stays open for its owner


@dataclass(frozen=True, slots=True)
class Modes:
    """Permissions by path, a directory's with a slash behind it, of whatever lacked a bit of the usual ones.

    `umask` is of the process that looked: the bits that its new files have not.
    """

    umask: int = 0
    narrow: Mapping[bytes, int] = field(default_factory=dict)

    def of_file(self, path: bytes, mode: bytes, there: int | None) -> tuple[int, bool]:
        """Return the permissions of a file that is written, and whether they hold whatever the present umask is.

        `mode` is Git's. `there` are the permissions of the file that it replaces, None where none is there: they are
        kept, less what the file of the snapshot did not have.
        """
        said = self.narrow.get(path)
        usual = (_ALL if mode == EXECUTABLE else _READ_WRITE) & ~self.umask
        if there is None:
            return (usual, False) if said is None else (said, True)
        bits = there & _READ_WRITE & (_ALL if said is None else said)
        if mode == EXECUTABLE:
            readers = (bits & 0o444) >> 2
            bits |= (usual if said is None else said) & readers | stat.S_IXUSR
        return bits, True

    def of_directory(self, path: bytes) -> int:
        """Return the permissions of a directory that is made, in which its owner can write in any case."""
        return self.narrow.get(path + b"/", _ALL & ~self.umask) | _OWN_DIRECTORY


def read_modes(root: bytes, work: Mapping[bytes, Entry]) -> Modes:
    """Return the permissions of the files of a working tree, and of the directories that they are in."""
    umask = _umask()
    narrow: dict[bytes, int] = {}
    directories: set[bytes] = set()
    for path, entry in work.items():
        directory = path.rpartition(b"/")[0]
        while directory and directory not in directories:
            directories.add(directory)
            _note(narrow, root, directory + b"/", _ALL & ~umask)
            directory = directory.rpartition(b"/")[0]
        if entry.mode in (FILE, EXECUTABLE):
            _note(narrow, root, path, (_ALL if entry.mode == EXECUTABLE else _READ_WRITE) & ~umask)
    return Modes(umask, narrow)


def encode_modes(modes: Modes) -> bytes:
    """Return modes as the archive keeps them: the umask, then each path after its permissions, all with a NUL."""
    lines = (b"%03o %s\0" % (bits, path) for path, bits in sorted(modes.narrow.items()))
    return b"%03o\0" % modes.umask + b"".join(lines)


def parse_modes(data: bytes) -> Modes:
    """Return the modes that were encoded; of nothing, as a snapshot before them has, the usual ones."""
    umask, *lines = data.split(b"\0")[:-1] or [b"0"]
    pairs = (line.partition(b" ") for line in lines)
    return Modes(int(umask, 8), {path: int(bits, 8) for bits, _, path in pairs})


def _note(narrow: dict[bytes, int], root: bytes, path: bytes, usual: int) -> None:
    try:
        bits = os.lstat(root + b"/" + path.rstrip(b"/")).st_mode & _ALL
    except OSError:
        return  # it went meanwhile, or is outside of a sparse checkout
    if bits & usual != usual:
        narrow[path] = bits


def _umask() -> int:
    """Return the process's umask, which can only be read by setting it; for that moment it is the narrowest."""
    umask = os.umask(0o077)
    os.umask(umask)
    return umask
