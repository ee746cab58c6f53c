"""Whether the files of an index are those that its last writer made: a flipped bit must not become a false "none".

Beside the index lies a list of its files with their digests, of one generation: one commit of the index. Files are
written once, under names that nobody had before, but for the table of contents, which each commit replaces; so a list
of an earlier generation still holds for the files that it names. It is written after the commit. Where a writer died
in between, what is new is not in the list until the next writer puts it there.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

import msgspec
from blake3 import blake3

from memgit.index.index_directory import Files
from memgit.index.lexical import IndexDamaged

NAME = "digests"
MAGIC = b"MGIDIG\0\1"
"""The last byte is the version."""

READ_WHOLE = 64 * 1024 * 1024
"""Bytes of an index up to which each process reads all of it once, 0.3 to 0.8 ms a MiB; 100,000 claims make 25 MB with
tantivy, 52 MB with Whoosh. Of a larger one it reads what has not the size and the time that its writer noted; `verify`
reads it all."""

_DIGEST_BYTES = 32
_CHUNK = 1 << 20


class Noted(msgspec.Struct, array_like=True, frozen=True):
    """A file as its writer left it: size in bytes, modification time in nanoseconds, BLAKE3."""

    size: int
    written: int
    digest: bytes


class Listed(msgspec.Struct, array_like=True, frozen=True):
    """What makes up one generation. `contents` is the name of its table of contents."""

    generation: int
    contents: str
    files: dict[str, Noted]


class IndexDigests:
    """The digests of one directory, and which files this process has read already. Not for several threads at once."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._read: dict[str, tuple[tuple[int, int, int], bytes]] = {}

    def check(self, generation: int, files: Files) -> None:
        """Raise IndexDamaged where a file of a generation is not what was written.

        A file that is gone is no damage: another commit has replaced it, or opening the index fails.
        """
        listed = read_list(self._directory)
        if listed is None:
            return
        whole = sum(noted.size for noted in listed.files.values()) <= READ_WHOLE
        for name, noted in listed.files.items():
            found = files.get(name)
            if found is None or (name == listed.contents and listed.generation != generation):
                continue
            if not whole and found[1:] == (noted.size, noted.written):
                continue
            same = found[1] == noted.size and self._digest(name, found) in (None, noted.digest)
            if not same and found == _stamp(self._directory / name):  # else it was replaced since it was listed
                raise IndexDamaged(f"{name} is not as it was written")

    def note(self, generation: int, contents: str, names: Collection[str], files: Files) -> None:
        """List the files of a generation that was just committed, of which `files` tells. OSErrors pass through."""
        noted: dict[str, Noted] = {}
        for name in names:
            digest = self._digest(name, files[name])
            if digest is not None:
                noted[name] = Noted(files[name][1], files[name][2], digest)
        self._read = {name: read for name, read in self._read.items() if name in noted}
        write_list(self._directory, Listed(generation, contents, noted))

    def _digest(self, name: str, stamp: tuple[int, int, int]) -> bytes | None:
        """Return a file's digest, read once for each time that it was written; None where it is gone."""
        known = self._read.get(name)
        if known is None or known[0] != stamp:
            digest = digest_of_file(self._directory / name)
            if digest is None:
                return None
            known = self._read[name] = (stamp, digest)
        return known[1]


def read_list(directory: Path) -> Listed | None:
    """Return the list of a directory, None where there is none. Raises IndexDamaged where it is damaged."""
    try:
        data = (directory / NAME).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise IndexDamaged(f"the digests of the index cannot be read: {error.strerror}") from error
    body = unframed(data[len(MAGIC) :]) if data.startswith(MAGIC) else None
    if body is None:
        raise IndexDamaged("the digests of the index are damaged")
    return msgspec.msgpack.decode(body, type=Listed)


def write_list(directory: Path, listed: Listed) -> None:
    """Replace the list in one step. OSErrors pass through."""
    replace_file(directory / NAME, MAGIC + framed(msgspec.msgpack.encode(listed)))


def framed(body: bytes) -> bytes:
    """Return bytes behind their digest."""
    return blake3(body).digest() + body


def unframed(data: bytes) -> memoryview | None:
    """Return what stands behind a digest, None where that is another's."""
    body = memoryview(data)[_DIGEST_BYTES:]
    return body if blake3(body).digest() == data[:_DIGEST_BYTES] else None


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file in one step. OSErrors pass through."""
    made = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        made.write_bytes(data)
        made.replace(path)
    finally:
        made.unlink(missing_ok=True)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def digest_of_file(path: Path) -> bytes | None:
    """Return the BLAKE3 of a file, None where it is gone. Read, not mapped: it may be cut meanwhile."""
    digest, chunk = blake3(), bytearray(_CHUNK)
    view = memoryview(chunk)
    try:
        with path.open("rb", buffering=0) as file:
            while count := file.readinto(chunk):
                digest.update(view[:count])
    except FileNotFoundError:
        return None
    return digest.digest()
