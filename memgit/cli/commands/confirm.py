"""`git memory confirm`: it still holds for the code as it is now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.ids import whole_id
from memgit.cli.options import write_options

if TYPE_CHECKING:
    from memgit.operations.confirm import ConfirmAnswer


@verb("confirm")
@click.argument("names", metavar="ID...", nargs=-1, required=True)
@click.option("--drop-gone", is_flag=True, help="Let go of code that is gone; without it such a claim is refused.")
@click.option("--differences", is_flag=True, help="Show what had changed in the code, bounded.")
@write_options
@click.pass_obj
def command(front: Front, /, names: tuple[str, ...], drop_gone: bool, differences: bool) -> ConfirmAnswer | None:
    """Say that claims or documents still hold for the code as it is now.

    Each gets a revision that says the same, tied anew to its code, where that is now. All are confirmed or none. What
    nobody looked at should not be confirmed: `git memory stale --differences` shows what changed.

    \b
    Examples:
      git memory confirm clm_01jb3h
      git memory confirm clm_01jb3h clm_01jb4k --drop-gone
    """
    from memgit.operations.confirm import ConfirmAnswer

    whole = list(dict.fromkeys(whole_id(front, name) for name in names))
    fields = {"entity_ids": whole, **given(drop_gone=drop_gone, differences=differences)}
    return front.perform("confirm", fields, ConfirmAnswer, lambda result: show(front, result))


def show(front: Front, result: ConfirmAnswer) -> None:
    """Print what was confirmed, and how its code stood before."""
    from memgit.cli.code import show_anchor
    from memgit.cli.terminal import one_line

    for item in result.items:
        if front.out.quiet:
            front.out.line(("id", item.entity_id))
            continue
        front.out.line("confirmed ", ("id", item.entity_id), "  ", one_line(item.text, 90))
        for anchor in item.anchors:
            show_anchor(front.out, anchor.before, "  was       " if anchor.kept else "  let go    ")
