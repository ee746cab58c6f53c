"""What lies in a working tree and Git's listings pass over: pipes, sockets, devices, a `.git` that is none.

A snapshot cannot hold it; whoever restores one must hear of it. Only directories that Git looks into are looked into.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator

from memgit.checkpoints.files import NESTED, RESERVED, SPECIAL, UNREADABLE

_GIT = b".git"

Ignored = Callable[[Collection[bytes]], Collection[bytes]]
"""Given paths, returns those that Git ignores."""


def unlisted(root: bytes, listed: Iterable[bytes], others: Iterable[bytes], ignored: Ignored) -> dict[bytes, str]:
    """Return the paths that no listing names and no rule ignores, with the reason why a snapshot lacks each.

    `listed` are files that Git named, `others` repositories below `root`, which are not entered.
    """
    known = _directories(listed)
    closed = {path.rstrip(b"/") for path in others}
    found: dict[bytes, str] = {}
    special: dict[bytes, str] = {}
    waiting = [b""]
    while waiting:
        unknown: list[bytes] = []  # empty, or ignored, or with nothing that Git lists: asked for all at once
        while waiting:
            for path, reason in _look(root, waiting.pop()):
                if reason == "":
                    if path not in closed:
                        (waiting if path in known else unknown).append(path)
                elif reason in (NESTED, RESERVED):
                    found[path] = reason
                else:
                    special[path] = reason
        skipped = ignored(unknown) if unknown else ()
        waiting = [path for path in unknown if path not in skipped]
    skipped = ignored(special) if special else ()
    return found | {path: reason for path, reason in special.items() if path not in skipped}


def _directories(listed: Iterable[bytes]) -> set[bytes]:
    known: set[bytes] = set()
    for path in listed:
        directory = path.rpartition(b"/")[0]
        while directory and directory not in known:
            known.add(directory)
            directory = directory.rpartition(b"/")[0]
    return known


def _look(root: bytes, directory: bytes) -> Iterator[tuple[bytes, str]]:
    """Yield the directories in a directory, without a reason, and what no snapshot holds, each with its own."""
    try:
        with os.scandir(os.path.join(root, directory)) as entries:  # noqa: PTH118 - bytes
            for entry in entries:
                path = directory + b"/" + entry.name if directory else entry.name
                if entry.name == _GIT:
                    if directory:
                        yield _repository(entry, path)
                elif entry.is_dir(follow_symlinks=False):
                    yield path, ""
                elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                    yield path, SPECIAL
    except PermissionError:
        yield directory + b"/", UNREADABLE
    except OSError:
        return  # it went meanwhile


def _repository(entry: os.DirEntry[bytes], path: bytes) -> tuple[bytes, str]:
    """Return what a `.git` is that stands beside files of ours."""
    if not entry.is_dir(follow_symlinks=False):
        return path, RESERVED
    return path + b"/", NESTED if os.path.exists(os.path.join(entry.path, b"HEAD")) else RESERVED  # noqa: PTH110, PTH118
