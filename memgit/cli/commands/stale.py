"""`git memory stale`: what is tied to code that has changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.options import layer_options, limit_option
from memgit.cli.terminal import counted

if TYPE_CHECKING:
    from memgit.operations.stale import StalePage


@verb("stale")
@click.option("--state", type=click.Choice(("drifted", "gone")), help="Only what is in this state.")
@click.option("--at", metavar="REV", help="Against this revision; default: the working tree.")
@click.option("--differences", is_flag=True, help="Show what has changed in the code, bounded.")
@limit_option(20, "claims and documents")
@click.option("--cursor", metavar="CURSOR", help="Go on where a page ended.")
@layer_options
@click.pass_obj
def command(front: Front, /, **wanted: Any) -> StalePage | None:
    """List what is tied to code that has changed since, or is gone, the worst first.

    A changed text does not make a statement false: nobody has looked since. `git memory confirm ID` says that it still
    holds; revise or retract it where it does not.

    \b
    Examples:
      git memory stale
      git memory stale --state drifted --differences -n 5
    """
    from memgit.operations.stale import StalePage

    return front.perform("stale", given(**wanted), StalePage, lambda result: show(front, result))


def show(front: Front, result: StalePage) -> None:
    """Print a page, and how to go on."""
    from memgit.cli.code import show_anchor, show_known

    out = front.out
    for number, found in enumerate(result.items):
        if number:
            out.line()
        show_known(out, found.item)
        for anchor in found.anchors:
            show_anchor(out, anchor, "    code      ")
    out.note(said(result.fresh, result.drifted, result.gone, result.unmerged) + f", against {result.against}")
    if result.next_cursor is not None:
        out.note(f"more: --cursor {result.next_cursor}")


def said(fresh: int, drifted: int, gone: int, unmerged: int) -> str:
    """Return how what is tied to code stands, in one line."""
    parts = [f"{fresh} fresh", f"{drifted} drifted", f"{gone} gone"]
    parts += [f"{unmerged} from {counted(unmerged, 'branch', 'branches')} not merged here"] if unmerged else []
    return ", ".join(parts)
