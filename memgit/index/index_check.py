"""Reading every file of the indexes and comparing it with the digest that its writer noted. It repairs nothing.

What another process replaces meanwhile is no fault, so what looks wrong is looked at twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from memgit.index.index_digests import digest_of_file, read_list, unframed
from memgit.index.index_directory import OTHER_NAME
from memgit.index.lexical import IndexDamaged


class FileFault(NamedTuple):
    """What is wrong with a file of the cache: its path from there, and the fault."""

    where: str
    what: str


class Checked(NamedTuple):
    """How many files were read, and what was found."""

    files: int
    faults: tuple[FileFault, ...]


def check_indexes(cache_dir: Path) -> Checked:
    """Return what is wrong with the files of the lexical indexes and the vectors, of all combinations of layers."""
    files, faults = 0, []
    for directory in _directories(cache_dir):
        look = _vectors if directory.name.startswith("vectors") else _lexical
        count, first = _looked(look(directory))
        again = _looked(look(directory))[1] if first else []
        files += count
        place = directory.relative_to(cache_dir.parent).as_posix()
        faults += [FileFault(f"{place}/{name}", what) for name, what in again if (name, what) in first]
    return Checked(files, tuple(faults))


def _directories(cache_dir: Path) -> Iterator[Path]:
    for pattern in ("lexical*", "vectors*"):
        for directory in sorted(cache_dir.glob(pattern)):
            if directory.is_dir():
                yield directory
            if pattern == "lexical*" and (directory / OTHER_NAME).is_dir():
                yield directory / OTHER_NAME


def _looked(found: Iterator[tuple[str, str | None]]) -> tuple[int, list[tuple[str, str]]]:
    looked = list(found)
    return len(looked), [(name, what) for name, what in looked if what is not None]


def _lexical(directory: Path) -> Iterator[tuple[str, str | None]]:
    """Yield the files that the list of digests names, each with what is wrong with it."""
    try:
        listed = read_list(directory)
    except IndexDamaged as error:
        yield "digests", str(error)
        return
    for name, noted in sorted(listed.files.items()) if listed is not None else ():
        yield name, _fault(directory / name, noted.digest)
    for path in sorted(directory.glob("*.msgpack")):  # of documents that belong to no commit yet
        yield path.name, _framed_fault(path)


def _vectors(directory: Path) -> Iterator[tuple[str, str | None]]:
    """Yield the manifest and the files that it names, each with what is wrong with it."""
    from memgit.index.vector_manifest import NAME, read_bytes, segments_in

    try:
        data = read_bytes(directory)
        entries = segments_in(data) if data is not None else ()
    except (IndexDamaged, OSError) as error:
        yield NAME, str(error)
        return
    for entry in entries:
        yield entry.name, _fault(directory / entry.name, entry.digest)


def _fault(path: Path, digest: bytes) -> str | None:
    try:
        found = digest_of_file(path)
    except OSError as error:
        return f"the file cannot be read: {error.strerror}"
    if found is None:
        return "the file is missing"
    return None if found == digest else "the file is not as it was written"


def _framed_fault(path: Path) -> str | None:
    try:
        return None if unframed(path.read_bytes()) is not None else "the file is not as it was written"
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"the file cannot be read: {error.strerror}"
