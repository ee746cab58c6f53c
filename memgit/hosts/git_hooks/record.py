"""What was installed where, kept in `state/hooks/`: so that a displaced hook is noticed, and uninstalling is complete.

A command must notice without asking Git: the record holds the marks (time, size) of the files that decide, and only
when one of them differs is it worth a look.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from memgit.errors import StoreReadOnly
from memgit.store.repository import Repository

VERSION = 1

Mark = tuple[int, int, int]  # time of change in ns, size, inode


class Placed(Struct, frozen=True):
    """One hook that was installed: in the directory that Git looked into then."""

    directory: str
    hook: str


class Record(Struct, frozen=True, kw_only=True):
    """Everything installed. `made` are directories that were made for it; `marks` are of the files that decide.

    `displaced` is what the last look found not to run any more, `advice` what to do about it, `told` when a person was
    last told of it (seconds since 1970). `roots` says where the working trees, by their names, and the common directory
    were: a repository may be moved, and its hooks with it.
    """

    version: int = VERSION
    placed: tuple[Placed, ...] = ()
    configured: bool = False  # by Git's configuration instead of files
    made: tuple[str, ...] = ()
    marks: dict[str, Mark | None] = {}
    displaced: tuple[str, ...] = ()
    advice: str = ""
    roots: dict[str, str] = {}
    told: float = 0.0


def hooks_state(repository: Repository) -> Path:
    """Return the directory that holds the script which the blocks run, and the record."""
    return repository.state_dir / "hooks"


def push_file(repository: Repository) -> Path:
    """Return the file whose presence makes a push sync the memory; its line is the program that does it."""
    return hooks_state(repository) / "push"


def read_record(repository: Repository) -> Record | None:
    """Return the record, or None where nothing is installed or a later version wrote it."""
    with suppress(OSError, msgspec.MsgspecError):
        if not _path(repository).is_file():
            return None
        record = msgspec.json.decode(_path(repository).read_bytes(), type=Record)
        return record if record.version == VERSION else None
    return None


def write_record(repository: Repository, record: Record) -> None:
    """Keep the record, whole or not at all. Raises StoreReadOnly."""
    path = _path(repository)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        fresh.write_bytes(msgspec.json.encode(record) + b"\n")
        fresh.replace(path)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise StoreReadOnly(f"{path} cannot be written: {error.strerror or error}") from None


def remove_record(repository: Repository) -> None:
    """Forget what was installed. Raises StoreReadOnly."""
    path = _path(repository)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreReadOnly(f"{path} cannot be removed: {error.strerror or error}") from None


def moved(record: Record, roots: dict[str, str]) -> Record:
    """Return the record with its directories where they are now, of a repository whose roots are these."""
    if not record.roots or all(roots.get(name, place) == place for name, place in record.roots.items()):
        return record
    now = {place: roots[name] for name, place in record.roots.items() if name in roots}
    return msgspec.structs.replace(
        record,
        placed=tuple(Placed(_moved(one.directory, now), one.hook) for one in record.placed),
        made=tuple(_moved(name, now) for name in record.made),
        roots=roots,
    )


def _moved(directory: str, now: dict[str, str]) -> str:
    """Return where a directory is now, by the innermost root that it was below."""
    for place in sorted(now, key=len, reverse=True):
        if Path(directory).is_relative_to(place):
            return os.fspath(Path(now[place]) / Path(directory).relative_to(place))
    return directory


def marks_of(paths: Iterable[Path]) -> dict[str, Mark | None]:
    """Return the marks of files by their paths; None for one that is not there."""
    return {os.fspath(path): _mark(path) for path in paths}


def has_changed(record: Record) -> bool:
    """Tell whether one of the files that decide is another than at the last look."""
    return any(_mark(Path(path)) != mark for path, mark in record.marks.items())


def _mark(path: Path) -> Mark | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino)


def _path(repository: Repository) -> Path:
    return hooks_state(repository) / "installed.json"
