"""`git memory why`: what is known about lines of code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.options import layer_options, limit_option

if TYPE_CHECKING:
    from memgit.operations.why import WhyAnswer


@verb("why")
@click.argument("place", metavar="PATH[:LINE[-LINE]]")
@click.option("--at", metavar="REV", help="The lines as this revision has them; default: the working tree.")
@limit_option(20, "claims and documents")
@layer_options
@click.pass_obj
def command(front: Front, /, place: str, at: str | None, limit: int) -> WhyAnswer | None:
    """Say what is known about a file, or about lines of it.

    The closest comes first, each with the reason: an anchor that is on these lines now; a commit that changed them
    last, at which something was written; the file itself, where it was kept as evidence. A name that itself ends in a
    colon and a number takes one more colon.

    \b
    Examples:
      git memory why src/money.py:120
      git memory why src/money.py:100-140 --json
      git memory why docs/policy.md --at v2.0
    """
    from memgit.anchors.wanted import parse_place
    from memgit.cli.code_options import lines_of
    from memgit.operations.why import WhyAnswer

    wanted = parse_place(place)
    fields = {"path": wanted.path, "limit": limit, **lines_of(wanted), **given(at=at)}
    return front.perform("why", fields, WhyAnswer, lambda result: show(front, result))


def show(front: Front, result: WhyAnswer) -> None:
    """Print what is known, each with its reasons."""
    from memgit.cli.code import show_anchor, show_branch, show_known
    from memgit.cli.terminal import one_line

    out = front.out
    for number, found in enumerate(result.items):
        if number:
            out.line()
        show_known(out, found.item)
        show_branch(out, found.branch, found.merged)
        for reason in found.reasons:
            out.line("    why       ", one_line(reason.said, 300))
            if reason.anchor is not None:
                show_anchor(out, reason.anchor, "    code      ")
    for note in result.notes:
        out.note(note)
    if result.more:
        out.note(f"{result.more} more: -n N")
    if not result.items:
        out.note("nothing is known about this place; `git memory remember TEXT --anchor PATH:LINES` ties what you find")
