"""What a claim's markers say of the conversation that it was said in: which session, at which turn, by whom, when.

`session:ID`, `turn:17` (or `turn:17-24` of a claim that holds several turns, `turn:17.2` of the second part of a long
one), `speaker:NAME`, `role:NAME`, `time:INSTANT`. Anybody may write such markers, so reading them never fails: what
does not fit is no place in a session.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memgit.records.op import Scope

DIMENSIONS = frozenset({"session", "turn", "speaker", "role", "time"})
"""What a turn's own markers say; a marker that is given for all turns says something else."""

SESSION_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
MOST_TURNS = 1_000_000  # of a session; more is a log, not a conversation
MOST_PARTS = 99_999  # of one turn

_TURNS = re.compile(r"([1-9]\d{0,6})(?:-([1-9]\d{0,6})|\.([1-9]\d{0,4}))?")


@dataclass(frozen=True, slots=True, order=True)
class Turns:
    """The turns from `first` to `last` of a session, counted from 1. `part` counts the pieces of one long turn, else 0.

    They sort in the order in which they were said.
    """

    first: int
    last: int
    part: int = 0

    @property
    def marker(self) -> str:
        """The marker that says so."""
        if self.part:
            return f"turn:{self.first}.{self.part}"
        return f"turn:{self.first}" if self.first == self.last else f"turn:{self.first}-{self.last}"


@dataclass(frozen=True, slots=True)
class Saying:
    """Where in which session something was said, by whom and when. `turns` None: at an unknown place of it."""

    session: str
    turns: Turns | None
    speakers: tuple[str, ...]
    moments: tuple[str, ...]


def saying(markers: Iterable[str]) -> Saying | None:
    """Return what the markers say, or None for what belongs to no session, or to several."""
    values: dict[str, list[str]] = {}
    for marker in markers:
        dimension, _, value = marker.partition(":")
        values.setdefault(dimension, []).append(value)
    sessions = [value for value in values.get("session", ()) if SESSION_ID.fullmatch(value)]
    if len(sessions) != 1:
        return None
    turns = [found for value in values.get("turn", ()) if (found := parse_turns(value))]
    return Saying(
        sessions[0],
        turns[0] if len(turns) == 1 else None,
        tuple(values.get("speaker", ())),
        tuple(values.get("time", ())),
    )


def parse_turns(value: str) -> Turns | None:
    """Return the turns that the value of a `turn:` marker names, or None where it names none."""
    found = _TURNS.fullmatch(value)
    if found is None:
        return None
    first = int(found[1])
    last, part = int(found[2] or first), int(found[3] or 0)
    return Turns(first, last, part) if first <= last <= MOST_TURNS else None


def session_path(scope: Scope, session: str, turns: Turns) -> str:
    """Return a text that sorts in the order of a session's turns, and beside no other session's."""
    return f"{_session_prefix(scope, session)}{turns.first:07d}.{turns.part:05d}"


def session_range(scope: Scope, session: str, first: int, last: int) -> tuple[str, str]:
    """Return the bounds, the upper one excluded, of the paths of what begins at the turns from `first` to `last`."""
    prefix = _session_prefix(scope, session)
    return f"{prefix}{max(0, first):07d}", f"{prefix}{last + 1:07d}"


def _session_prefix(scope: Scope, session: str) -> str:
    return "\x1f".join(("session", scope.workspace, scope.project, scope.task or "", session, ""))
