"""Installing and uninstalling: all hooks in every directory where Git looks, or none where one must not be written.

Installing twice changes nothing. Uninstalling puts back the bytes that were there and removes what is empty and was
made for us.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memgit.errors import InvalidRequest, MemgitError, StoreReadOnly
from memgit.hosts.git_hooks import configured, hook_file
from memgit.hosts.git_hooks.layout import WorkingTree, obstacle, working_trees
from memgit.hosts.git_hooks.record import (
    Placed,
    Record,
    hooks_state,
    moved,
    push_file,
    read_record,
    remove_record,
    write_record,
)
from memgit.hosts.git_hooks.refusals import obstacles_of, planned, refused_by_hook, refused_by_place
from memgit.hosts.git_hooks.shipped import HOOKS, event_script
from memgit.hosts.git_hooks.status import deciding_marks, roots, status
from memgit.store.repository import Repository

Way = Literal["auto", "files", "config"]


@dataclass(frozen=True, slots=True)
class Installed:
    """What an installation did. `directories` hold the blocks; none where Git's configuration names the hooks."""

    changed: bool
    directories: tuple[Path, ...]
    configured: bool


@dataclass(frozen=True, slots=True)
class Removed:
    """What uninstalling did. `left` says, for people, what of ours could not be taken out."""

    changed: bool
    left: tuple[str, ...]


def install(repository: Repository, program: str | None, *, push: bool | None, way: Way = "auto") -> Installed:
    """Make all hooks tell the spool. `push` None leaves as it is whether a push syncs the memory.

    `program` is the absolute path of `git-memory`, which a push starts. Raises InvalidRequest where the hooks are
    others' to write, with what to paste; then no hook was touched, but the script that a pasted block runs is there.
    """
    changed = _prepare(repository)
    trees = working_trees(repository)
    if not trees:
        raise InvalidRequest(f"{repository.root} has no working tree that Git can look into", hint="Ask `git status`.")
    obstacles = obstacles_of(repository, trees)
    by_config = _is_by_config(way, obstacles)
    why = None if by_config or obstacles else refused_by_hook(trees)
    if why is not None:
        raise why
    changed |= _set_push(repository, program, push)
    if obstacles and not by_config:
        raise refused_by_place(obstacles)
    here = roots(repository, trees)
    before = moved(read_record(repository) or Record(), here)
    if by_config:
        changed |= configured.configure(repository.common_dir)
        changed |= _take_out_of(repository, trees, before)
        _keep(repository, Record(configured=True, roots=here), before)
    else:
        changed |= _install_files(repository, trees, before)
        changed |= configured.unconfigure(repository.common_dir)
    return Installed(changed, () if by_config else tuple(_directories(trees)), by_config)


def uninstall(repository: Repository) -> Removed:
    """Take everything out again; return whether anything was there, and what stays. Raises StoreReadOnly.

    What cannot be written is found out first: then no hook is touched.
    """
    trees = working_trees(repository)
    record = moved(read_record(repository) or Record(), roots(repository, trees))
    directories = _where_blocks_are(repository, trees, record)
    place = hooks_state(repository)
    changed = place.exists()
    for directory in [*directories, *([place] if changed else [])]:
        hook_file.require_writable(directory)
    changed |= configured.unconfigure(repository.common_dir)
    changed |= _take_out_of(repository, trees, record)
    for name in record.made:
        with suppress(OSError):
            Path(name).rmdir()
    _forget(repository)
    return Removed(changed, tuple(_left(trees, record)))


def _forget(repository: Repository) -> None:
    """Remove what the blocks need."""
    place = hooks_state(repository)
    for name in ("event.sh", "push", "push.json", "push.lock"):
        with suppress(OSError):
            (place / name).unlink()
    remove_record(repository)
    for name in ("count", "overflow"):
        with suppress(OSError):
            (repository.state_dir / "spool" / name).unlink()
    for directory in (place, repository.state_dir / "spool"):
        with suppress(OSError):  # what has not been taken yet is kept
            Path(directory).rmdir()


def _left(trees: Sequence[WorkingTree], record: Record) -> Iterator[str]:
    """Yield, for people, what of ours stays: where it is not ours to write, in parts, or in what is not there."""
    placed = sorted({Path(one.directory) for one in record.placed})
    directories = sorted({*placed, *_directories(trees)})
    for directory in directories:
        for hook in HOOKS:
            if hook_file.holds_block(directory, hook):
                yield f"{directory / hook} still has the lines of memgit, which do nothing any more"
        yield from hook_file.leftovers(directory)
    for directory in placed:
        if not directory.parent.is_dir():
            yield f"{directory} is not there, so nothing was taken out of its hooks"


def _prepare(repository: Repository) -> bool:
    """Make what the blocks need: the script, and the directory that they append in. Return whether it was not there."""
    place, spool, script = hooks_state(repository), repository.state_dir / "spool", event_script()
    try:
        place.mkdir(parents=True, exist_ok=True)
        was_there = spool.is_dir()
        spool.mkdir(exist_ok=True)
        path = place / "event.sh"
        if path.is_file() and path.read_bytes() == script:
            return not was_there
        fresh = place / f"event.sh.{os.getpid()}"
        fresh.write_bytes(script)
        fresh.replace(path)
    except OSError as error:
        raise StoreReadOnly(f"{place} cannot be written: {error.strerror or error}") from None
    return True


def _set_push(repository: Repository, program: str | None, push: bool | None) -> bool:
    path = push_file(repository)
    there = path.is_file()
    if push is None and not there:
        return False
    if push is False:
        _write_push(path, None)
        return there
    if program is None:
        raise InvalidRequest(
            "the program `git-memory` is not found, so a push could not start it",
            hint="Install git-memgit so that `git-memory` is on the PATH.",
        )
    text = os.fsencode(program) + b"\n"
    if there and path.read_bytes() == text:
        return False
    _write_push(path, text)
    return True


def _write_push(path: Path, text: bytes | None) -> None:
    try:
        path.unlink(missing_ok=True) if text is None else path.write_bytes(text)
    except OSError as error:
        raise StoreReadOnly(f"{path} cannot be written: {error.strerror or error}") from None


def _is_by_config(way: Way, obstacles: dict[str, WorkingTree]) -> bool:
    """Tell whether Git's configuration shall name the hooks: where it is asked for, or where files are not ours."""
    if way == "files" or (way == "auto" and not obstacles):
        return False
    if configured.has_configured_hooks():
        return True
    if way == "config":
        raise InvalidRequest(
            "this Git runs no hooks that its configuration names; Git 2.54 and later do",
            hint="Leave out `--config`: then the hooks are files.",
        )
    return False


def _directories(trees: Iterable[WorkingTree]) -> list[Path]:
    return list(dict.fromkeys(tree.hooks for tree in trees))


def _make_directories(trees: Sequence[WorkingTree]) -> list[Path]:
    """Make the directories of hooks that are not there, and return them."""
    missing = [directory for directory in _directories(trees) if not directory.is_dir()]
    for directory in missing:
        try:
            directory.mkdir(parents=True)
        except OSError as error:
            raise StoreReadOnly(f"{directory} cannot be made: {error.strerror or error}") from None
    return missing


def _install_files(repository: Repository, trees: Sequence[WorkingTree], before: Record) -> bool:
    """Put the blocks into all directories and keep that; where something fails, take out what was put in."""
    made: list[Path] = []
    put: list[tuple[Path, str]] = []
    changed = False
    try:
        made += _make_directories(trees)
        for directory, hook, called in planned(trees):
            if called:
                changed |= hook_file.take_out(directory, hook)
                continue
            is_new = not hook_file.holds_block(directory, hook)
            if hook_file.put_in(directory, hook):
                changed = True
                put += [(directory, hook)] if is_new else []
        placed = [Placed(os.fspath(directory), hook) for directory in _directories(trees) for hook in HOOKS]
        record = Record(
            placed=tuple(dict.fromkeys((*placed, *before.placed))),  # Git may look there again
            made=tuple(dict.fromkeys((*before.made, *map(os.fspath, made)))),
            roots=roots(repository, trees),
        )
        _keep(repository, record, before)
    except (MemgitError, OSError):
        with suppress(MemgitError, OSError):
            for directory, hook in put:
                hook_file.take_out(directory, hook)
            for directory in made:
                directory.rmdir()
        raise
    return changed


def _where_blocks_are(repository: Repository, trees: Iterable[WorkingTree], record: Record) -> list[Path]:
    """Return the directories with our blocks that are ours to write: where Git looks, and where it did."""
    directories = {*_directories(tree for tree in trees if obstacle(tree, repository.common_dir) is None)}
    directories |= {Path(one.directory) for one in record.placed} | {repository.common_dir / "hooks"}
    return [one for one in sorted(directories) if any(hook_file.holds_block(one, hook) for hook in HOOKS)]


def _take_out_of(repository: Repository, trees: Iterable[WorkingTree], record: Record) -> bool:
    """Take the blocks out of the directories where Git looks, and of those where it did."""
    directories = _where_blocks_are(repository, trees, record)
    taken = [hook_file.take_out(directory, hook) for directory in directories for hook in HOOKS]
    return any(taken)


def _keep(repository: Repository, record: Record, before: Record) -> None:
    """Keep the record with the marks of this moment, unless nothing differs."""
    found = status(repository, record)
    kept = Record(
        placed=record.placed,
        configured=record.configured,
        made=record.made,
        roots=record.roots,
        marks=deciding_marks(repository, found),
    )
    if kept != before:
        write_record(repository, kept)
