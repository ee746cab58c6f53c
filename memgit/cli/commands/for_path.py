"""`git memory for`: the few lines worth knowing when a file is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.options import layer_options
from memgit.errors import NoAmbientContext, StoreNotInitialized

if TYPE_CHECKING:
    from memgit.operations.for_path import Notes


@verb("for")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
@click.option("-n", "--max-lines", type=int, metavar="N", help="At most so many things; default 8.")
@click.option("--max-bytes", type=int, metavar="N", help="At most so many bytes; default 2048.")
@click.option("--include-untrusted", is_flag=True, help="Also what authors wrote whom you do not trust, labelled.")
@click.option("--at", metavar="REV", help="As this revision has the code; default: the working tree.")
@layer_options
@click.pass_obj
def command(front: Front, /, paths: tuple[str, ...], **wanted: Any) -> Notes | None:
    """Print the few lines worth knowing about files that somebody opens.

    What is tied to a file or to its neighbours in the same directory: constraints and decisions first, with what has
    drifted and what is disputed said so. Where nothing is known, and where there is no memory, it prints nothing.

    \b
    Examples:
      git memory for src/money.py
      git memory for src/ docs/policy.md -n 3 --json
    """
    from memgit.operations.for_path import Notes

    fields = {"paths": list(paths), **given(**wanted)}
    try:
        return front.perform("for", fields, Notes, lambda result: show(front, result))
    except (StoreNotInitialized, NoAmbientContext):
        return None


def show(front: Front, result: Notes) -> None:
    """Print the lines, and beside them what is left out."""
    for line in result.text.splitlines():
        front.out.line(line)
    if result.omitted:
        front.out.note(f"{result.omitted} more did not fit: --max-lines, --max-bytes")
    if result.untrusted:
        front.out.note(f"{result.untrusted} by authors whom you do not trust: --include-untrusted, `git memory trust`")
