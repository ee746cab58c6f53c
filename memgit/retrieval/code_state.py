"""What an answer says of the code that an item is tied to. Retrieval only carries it: it is found out afterwards.

A state never qualifies and never ranks: code that changed does not make a statement false, nor unchanged code true.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

CodeWord = Literal["fresh", "drifted", "moved", "gone"]


CODE_WORDS: dict[CodeWord, str] = {
    "fresh": "unchanged, truth unchecked",
    "moved": "unchanged in another file, truth unchecked",
    "drifted": "its text has changed since",
    "gone": "it was not found",
}
"""What a state means, and no more than that."""


class CodePlace(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Lines of a file, both ends included; none mean the whole file. The path is written as in an anchor."""

    path: str
    path_encoded: bool = False
    start_line: int | None = None
    end_line: int | None = None

    @property
    def text(self) -> str:
        """The place as `PATH:LINE-LINE`."""
        if self.start_line is None:
            return self.path
        return f"{self.path}:{self.start_line}" + (f"-{self.end_line}" if self.end_line != self.start_line else "")


class AnchorState(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What became of one anchor. `was` is its place when it was made, None of an anchor to a commit alone.

    `now` is where it is, None where it is gone. `others` are places with the same text, none of which was chosen.
    `said` is the state in words; `difference` is there only where it was asked for and there is one.
    """

    state: CodeWord
    certainty: Literal["certain", "likely", "lost"]
    said: str
    was: CodePlace | None = None
    symbol: str | None = None
    commit: str | None = None
    now: CodePlace | None = None
    ended_by: str | None = None
    others: tuple[CodePlace, ...] = ()
    difference: str | None = None


class CodeState(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What is said of the code behind an item: the worst state of its anchors, and each of them.

    `state` is None without anchors. `against` is what was looked at: `the working tree`, or a commit. `branch` is where
    the item comes from, if that is not in the history that was looked at; `merged` then says `no`, or `unknown` where
    this clone does not have the commit.
    """

    state: CodeWord | None = None
    against: str | None = None
    anchors: tuple[AnchorState, ...] = ()
    branch: str | None = None
    merged: Literal["no", "unknown"] | None = None
