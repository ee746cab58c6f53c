"""From the places that a request names to the anchors that a revision holds.

A place is looked up before the store's lock is taken, and what is wrong with it is raised inside the write: a request
that is repeated under its key gets its first outcome, whatever became of the file since.
"""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import UNSET, Struct, UnsetType

from memgit.errors import InvalidRequest, MemgitError
from memgit.limits import DEFAULT
from memgit.operations import checks
from memgit.operations.code_paths import from_top, line_range
from memgit.operations.invocation import Invocation
from memgit.records.op import Anchor


class AnchorInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place in the code: a file or `lines` of it (`12`, `12-20`), a symbol (there, or wherever it is), or a commit.

    The path counts from the request's directory. With `commit` the place is looked up there, else in the working tree.
    """

    path: str | None = None
    lines: str | None = None
    commit: str | None = None
    symbol: str | None = None


@dataclass(frozen=True, slots=True)
class Anchored:
    """What became of the places that a request names: anchors with what should be said of them, or what is wrong."""

    found: tuple[Anchor, ...] = ()
    notes: tuple[str, ...] = ()
    error: MemgitError | None = None

    def anchors(self) -> tuple[Anchor, ...]:
        """Return the anchors. Raises what is wrong with a place."""
        if self.error is not None:
            raise self.error
        return self.found


def anchored(invocation: Invocation, places: tuple[AnchorInput, ...] | UnsetType) -> Anchored:
    """Return the anchors to places as they are now; nothing is opened where there are none."""
    if places is UNSET or not places:
        return Anchored()
    try:
        return _captured(invocation, places)
    except MemgitError as error:
        return Anchored(error=error)


def _captured(invocation: Invocation, places: tuple[AnchorInput, ...]) -> Anchored:
    from memgit.anchors.capture import Wanted, capture

    checks.within(len(places), "anchors_per_claim", DEFAULT.anchors_per_claim, "the list of anchors", unit="anchors")
    anchors: list[Anchor] = []
    notes: list[str] = []
    for place in places:
        start, end = line_range(place.lines)
        if start is not None and place.path is None:
            raise InvalidRequest("an anchor to lines needs a path", details={"field": "anchors"})
        path = from_top(invocation, place.path) if place.path is not None else None
        if path == "":
            raise InvalidRequest(f"{place.path} is a directory", hint="Anchor a file in it.")
        wanted = Wanted(path=path, start_line=start, end_line=end, symbol=place.symbol, commit=place.commit)
        captured = capture(invocation.repository, wanted)
        if captured.anchor not in anchors:
            anchors.append(captured.anchor)
            notes += captured.notes
    return Anchored(tuple(anchors), tuple(dict.fromkeys(notes)))
