"""What somebody asks to be anchored, as text and as a value."""

from __future__ import annotations

import re

from msgspec import Struct

from memgit.errors import InvalidRequest

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
    match = _LINES.fullmatch(lines)
    if not path or match is None:
        return _checked(Wanted(path=text))
    start = int(match[1])
    return _checked(Wanted(path=path, start_line=start, end_line=int(match[2] or start)))


def _checked(wanted: Wanted) -> Wanted:
    if not wanted.path or "\0" in wanted.path:
        raise InvalidRequest("an anchor needs a path", hint="Write `PATH`, `PATH:LINE` or `PATH:LINE-LINE`.")
    if wanted.start_line is not None and wanted.end_line is not None and not 1 <= wanted.start_line <= wanted.end_line:
        raise InvalidRequest(
            f"{wanted.start_line}-{wanted.end_line} are not lines: they count from 1, the first one comes first",
            hint=f"If the name of the file ends so, write `{wanted.path}:{wanted.start_line}:`.",
        )
    return wanted
