"""Options that tie what is written to code, and those that say against which code an answer is held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from memgit.cli.options import together

if TYPE_CHECKING:
    from memgit.anchors.wanted import Wanted

anchor_options = together(
    click.option(
        "--anchor",
        "anchor_places",
        metavar="PATH[:LINES]",
        multiple=True,
        help="The code that it is about: a file, or its lines 12 or 12-20; repeatable.",
    ),
    click.option(
        "--anchor-symbol",
        "anchor_symbols",
        metavar="NAME",
        multiple=True,
        help="A function or class, in the file of --anchor or wherever it is; repeatable.",
    ),
    click.option("--anchor-commit", metavar="REV", help="Look the code up there, or tie it to that commit alone."),
)
"""What ties a claim or an artifact to code."""

no_anchors_option = click.option("--no-anchors", is_flag=True, help="Let go of the code that it was tied to.")

_at = click.option("--at", metavar="REV", help="Say how its code stands in this revision; default: the working tree.")
_differences = click.option("--differences", is_flag=True, help="Show what has changed in the code, bounded.")

code_state_options = together(_at, _differences)
"""How the code of one thing stands."""

code_options = together(
    _at,
    _differences,
    click.option("--merged-only", is_flag=True, help="Leave out what comes from branches that are not merged here."),
)
"""How the code of an answer's items stands."""


def anchors_of(given: dict[str, Any]) -> dict[str, object]:
    """Take the anchors out of a verb's options, and return the request's field for them; none where none was given.

    A symbol belongs to the one file that is given without lines, or else is looked for. Raises click's UsageError.
    """
    places, symbols = given.pop("anchor_places", ()), given.pop("anchor_symbols", ())
    commit, without = given.pop("anchor_commit", None), given.pop("no_anchors", False)
    if without and (places or symbols or commit):
        raise click.UsageError("--no-anchors excludes the other options for anchors.")
    if without:
        return {"anchors": []}
    wanted = _places(places)
    files = [place.path for place in wanted if place.start_line is None]
    anchors: list[dict[str, object]] = []
    if symbols and len(wanted) == 1 and files:
        anchors = [{"path": files[0], "symbol": name} for name in symbols]
    else:
        anchors = [{"path": one.path} | lines_of(one) for one in wanted]
        anchors += [{"symbol": name} for name in symbols]
    if commit is not None:
        anchors = [{**anchor, "commit": commit} for anchor in anchors or [{}]]
    return {"anchors": anchors} if anchors else {}


def _places(texts: Sequence[str]) -> list[Wanted]:
    if not texts:
        return []
    from memgit.anchors.wanted import parse_place

    return [parse_place(text) for text in texts]


def lines_of(wanted: Wanted) -> dict[str, object]:
    """Return the request's field for lines; none where a whole file is meant."""
    start, end = wanted.start_line, wanted.end_line
    if start is None:
        return {}
    return {"lines": str(start) if end in (None, start) else f"{start}-{end}"}
