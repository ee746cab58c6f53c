"""What is said of an anchor against a revision or the working tree: its state, how sure that is, where it is now."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

State = Literal["fresh", "drifted", "moved", "gone"]
"""`fresh`: the same text in the same file, on whatever lines. `moved`: the same text in another file (as fresh as
`fresh`: see `Located.unchanged`). `drifted`: found, but its text is another. `gone`: not found."""

Certainty = Literal["certain", "likely", "lost"]
"""`certain`: followed step by step, or the same bytes. `likely`: found by what it looks like. `lost`: nobody can tell
from what is here. Of a `gone` anchor: `certain` says that a known commit removed it, `lost` that its way was lost."""

UNCHANGED = "unchanged, truth unchecked"
"""What an anchor whose text is the same says of itself; never more."""


class Place(Struct, frozen=True, omit_defaults=True):
    """Lines of a file. The path is written as in an anchor; no lines mean the whole file."""

    path: str
    path_encoded: bool = False
    start_line: int | None = None
    end_line: int | None = None


class Located(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Where an anchor is now.

    `place` is None where it is gone. `blob` is the file's Git object there; None in a working tree whose file is not
    the committed one. `commit` is the one that was looked at; for an anchor to a commit alone, the one that stands for
    it now. `reachable` says whether the anchor's own commit is in that history. `last` and `ended_by` say of an anchor
    that is gone where it was last seen and which commit ended it. `others` are places with the same text among which
    nothing decides, so that none was chosen.
    """

    state: State
    certainty: Certainty
    why: str
    place: Place | None = None
    blob: str | None = None
    commit: str | None = None
    reachable: bool = True
    last: Place | None = None
    ended_by: str | None = None
    others: tuple[Place, ...] = ()

    @property
    def unchanged(self) -> bool:
        """Whether the anchored text is as it was, wherever it is."""
        return self.state in ("fresh", "moved")


_ORDER: dict[Certainty, int] = {"certain": 0, "likely": 1, "lost": 2}


def less_certain(one: Certainty, other: Certainty) -> Certainty:
    """Return the weaker of two: a way is as sure as its weakest step."""
    return one if _ORDER[one] >= _ORDER[other] else other
