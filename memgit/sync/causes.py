"""Why an exchange with a remote failed where the network is not to blame: Git's words, and a way out."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple


class Cause(NamedTuple):
    """What failed, what to do about it, and the line in which Git says so."""

    what: str
    hint: str
    line: str = ""


_CAUSES = (
    (
        re.compile(r"no space left on device|disk quota exceeded", re.IGNORECASE),
        Cause("there is no room on a disk", "Make room here, or on the remote where it says so, then try again."),
    ),
    (
        re.compile(r"mismatched algorithms|object format", re.IGNORECASE),
        Cause("the two repositories have different object formats", "Use a clone that was made from this remote."),
    ),
    (
        re.compile(r"is not a git command|cannot run|unable to find remote helper", re.IGNORECASE),
        Cause("a program that Git needs is missing", "Install it, then try again."),
    ),
    (
        re.compile(
            r"did not send all necessary objects|unable to read [0-9a-f]{40}|bad tree object|bad object|missing blob"
            r"|missing tree|could not read [0-9a-f]{40}|possible repository corruption|not our ref",
            re.IGNORECASE,
        ),
        Cause(
            "objects are missing on the remote",
            "Run `git fsck` there; a clone that has the objects can push them again. Nothing changed here.",
        ),
    ),
)


def failed_otherwise(said: Iterable[str]) -> Cause | None:
    """Return the cause that Git's words name, None where it may well be the network."""
    for line in said:
        for pattern, cause in _CAUSES:
            if pattern.search(line):
                return cause._replace(line=line.removeprefix("remote: ").removeprefix("fatal: ").strip())
    return None
