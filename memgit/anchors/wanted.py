"""What somebody asks to be anchored, as text and as a value."""

from __future__ import annotations

import re

from msgspec import Struct

from memgit.environment import printable
from memgit.errors import InvalidRequest

_NAME_BYTES, _PATH_BYTES = 255, 4096  # of Linux and macOS; others have less
_LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


class Wanted(Struct, frozen=True, omit_defaults=True):
    """A place in the code: a file or lines of it, a symbol (in that file, or wherever it is), or a commit alone."""

    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    symbol: str | None = None
    commit: str | None = None


def parse_place(text: str) -> Wanted:
    """Return what `PATH`, `PATH:LINE` or `PATH:LINE-LINE` means. Raises InvalidRequest.

    A name that itself ends in a colon and a number is written with one more colon: `odd:12:` is the file `odd:12`.
    """
    path, _, lines = text.rpartition(":")
    if text.endswith(":"):
        return _checked(Wanted(path=path))
    found = read_lines(lines)
    if not path or found is None:
        return _checked(Wanted(path=text))
    return _checked(Wanted(path=path, start_line=found[0], end_line=found[1]))


def require_possible(path: str) -> None:
    """Raise InvalidRequest for a path that no file system could hold; asking one would fail instead of saying no."""
    names = [len(name.encode("utf-8", "surrogateescape")) for name in path.split("/")]
    if max(names) > _NAME_BYTES or sum(names) + len(names) > _PATH_BYTES:
        raise InvalidRequest(
            f"no file is called {printable(path[:80])}...: names have {_NAME_BYTES} bytes at most, paths {_PATH_BYTES}",
            hint="Name a file of the repository.",
            details={"field": "path"},
        )


def read_lines(text: str) -> tuple[int, int] | None:
    """Return the numbers of `12` or `12-20`, in that order, whatever they are; None for anything else."""
    match = _LINES.fullmatch(text)
    return (int(match[1]), int(match[2] or match[1])) if match is not None else None


def _checked(wanted: Wanted) -> Wanted:
    if not wanted.path or "\0" in wanted.path:
        raise InvalidRequest("an anchor needs a path", hint="Write `PATH`, `PATH:LINE` or `PATH:LINE-LINE`.")
    require_possible(wanted.path)
    if wanted.start_line is not None and wanted.end_line is not None and not 1 <= wanted.start_line <= wanted.end_line:
        raise InvalidRequest(
            f"{wanted.start_line}-{wanted.end_line} are not lines: they count from 1, the first one comes first",
            hint=f"If the name of the file ends so, write `{wanted.path}:{wanted.start_line}:`.",
        )
    return wanted
