"""What a restore would do, decided before anything is done: which files are written, which removed, what stands in the
way.

The present state is a snapshot too, so everything that is overwritten or removed can be had back. What no snapshot
holds (ignored files, what was left out, other repositories) is never touched: where such a file stands in the way,
nothing happens at all.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from memgit.checkpoints.files import FLAGGED_NAME, NESTED, SPECIAL, Files
from memgit.checkpoints.names import hidden
from memgit.checkpoints.trees import GITLINK, Entry

IGNORED = "ignored"
_CURRENT, _NOT_ASKED = "the current directory", "not among the paths that are restored"


@dataclass(frozen=True, slots=True)
class Plan:
    """Files to write and to remove, both sorted.

    `blocked` are paths where something stands that may not go, and why. `kept` are files that stay although the
    snapshot lacks them, because it left them out. `submodules` are at another commit than then.
    """

    written: Mapping[bytes, Entry]
    removed: tuple[bytes, ...]
    blocked: Mapping[bytes, str]
    kept: tuple[bytes, ...]
    submodules: tuple[bytes, ...]

    @property
    def is_empty(self) -> bool:
        """Whether the working tree is as it should be."""
        return not self.written and not self.removed


@dataclass(frozen=True, slots=True)
class Sides:
    """The working tree as it is and as it was, and what of it the snapshot of then left out.

    `listed`: all that was left out then is named. `tracked` is what the present index has, `left_out_now` what of the
    present no snapshot holds. `here` is the directory of the request, None where it is none below the top.
    """

    now: Mapping[bytes, Entry]
    then: Mapping[bytes, Entry]
    left_out: Mapping[bytes, str]
    listed: bool
    tracked: Collection[bytes]
    left_out_now: Mapping[bytes, str] = field(default_factory=dict)
    here: bytes | None = None


def plan_restore(sides: Sides, files: Files, wanted: Iterable[bytes] = ()) -> Plan:
    """Return what makes the working tree what it was; with `wanted`, only at these paths and below them."""
    chosen = _below(tuple(wanted))
    written = {path: one for path, one in sides.then.items() if sides.now.get(path) != one and chosen(path)}
    links = {path for path in written if written[path].mode == GITLINK or _is_gitlink(sides.now.get(path))}
    gone = [path for path in sides.now if path not in sides.then and chosen(path)]
    kept = [path for path in gone if _stays(sides, path)]
    removed = sorted(set(gone) - set(kept))
    files_to_write = {path: written[path] for path in sorted(written) if path not in links}
    blocked = dict(sorted(_blocked(sides, files, files_to_write, set(removed))))
    return Plan(files_to_write, tuple(removed), blocked, tuple(sorted(kept)), tuple(sorted(links)))


def nowhere(sides: Sides, wanted: Iterable[bytes]) -> list[bytes]:
    """Return those of the wanted paths at and below which neither side has anything."""
    known = (*sides.now, *sides.then, *sides.left_out, *sides.left_out_now)
    return [path for path in wanted if not any(map(_below((path,)), known))]


def is_at_or_above(directory: bytes, place: bytes | None) -> bool:
    """Tell whether a directory is a place, or one that leads to it."""
    return place is not None and (place + b"/").startswith(directory + b"/")


def _below(wanted: tuple[bytes, ...]) -> Callable[[bytes], bool]:
    paths = tuple(path.rstrip(b"/") for path in wanted)
    below = tuple(path + b"/" for path in paths)
    if not paths or b"" in paths or b"." in paths:
        return lambda path: True
    return lambda path: path in paths or path.startswith(below)


def _stays(sides: Sides, path: bytes) -> bool:
    """Tell whether a file that the snapshot lacks stays: it may have been there, and was left out."""
    if _is_gitlink(sides.now[path]) or path in sides.left_out:
        return True
    if FLAGGED_NAME in sides.left_out.values() and hidden(path) in sides.left_out:
        return True
    return not sides.listed and path not in sides.tracked


def _blocked(sides: Sides, files: Files, written: Iterable[bytes], removed: set[bytes]) -> Iterator[tuple[bytes, str]]:
    """Yield where something stands that would have to go and may not, and why."""
    covered = sides.now.keys()
    for path in written:
        above = list(_blocked_above(path, sides, files, removed))
        yield from above
        status = files.status(path)
        if above or status is None or path in covered:
            continue
        if not stat.S_ISDIR(status.st_mode):
            yield path, _why(path, status, sides)
        else:
            yield from _blocked_below(path, sides, files, removed)


def _blocked_above(path: bytes, sides: Sides, files: Files, removed: set[bytes]) -> Iterator[tuple[bytes, str]]:
    """Yield what stands where a directory of the path has to be."""
    directory = os.path.dirname(path)  # noqa: PTH120 - bytes
    while directory:
        status = files.status(directory)
        if status is not None and not stat.S_ISDIR(status.st_mode) and directory not in removed:
            yield directory, _why(directory, status, sides)
        elif status is not None and files.status(directory + b"/.git") is not None:
            yield _repository(directory, sides)
        directory = os.path.dirname(directory)  # noqa: PTH120


def _blocked_below(path: bytes, sides: Sides, files: Files, removed: set[bytes]) -> Iterator[tuple[bytes, str]]:
    """Yield what stays of a directory when the removed files are gone: then it cannot give way to a file."""
    if is_at_or_above(path, sides.here):
        yield path + b"/", _CURRENT
    for directory, below, names in os.walk(os.path.join(files.root, path)):  # noqa: PTH118
        place = os.path.relpath(directory, files.root)
        if b".git" in below or b".git" in names:
            yield _repository(place, sides)
            below.clear()  # named once, whatever is in it
            continue
        for name in (*names, *below):
            found = os.path.join(place, name)  # noqa: PTH118
            status = files.status(found)
            if status is not None and not stat.S_ISDIR(status.st_mode) and found not in removed:
                yield found, _why(found, status, sides)


def _repository(directory: bytes, sides: Sides) -> tuple[bytes, str]:
    """Return how a directory with a `.git` is named: as a repository, or as what Git does not take for one."""
    inner = directory + b"/.git"
    return (inner, sides.left_out_now[inner]) if inner in sides.left_out_now else (directory + b"/", NESTED)


def _why(path: bytes, status: os.stat_result, sides: Sides) -> str:
    """Return why no snapshot holds what stands at a path, or why it stays although one does."""
    if path in sides.left_out_now:
        return sides.left_out_now[path]
    if path in sides.now:
        return _NOT_ASKED
    if FLAGGED_NAME in sides.left_out_now.values() and hidden(path) in sides.left_out_now:
        return FLAGGED_NAME
    is_plain = stat.S_ISREG(status.st_mode) or stat.S_ISLNK(status.st_mode)
    return IGNORED if is_plain else f"{IGNORED}, {SPECIAL}"


def _is_gitlink(entry: Entry | None) -> bool:
    return entry is not None and entry.mode == GITLINK
