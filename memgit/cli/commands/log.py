"""`git memory log`: who wrote what, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.ids import whole_id
from memgit.cli.options import limit_option
from memgit.cli.terminal import moment, one_line

if TYPE_CHECKING:
    from memgit.operations.log import LogPage


@verb("log")
@click.argument("id", metavar="[ID]", required=False)
@limit_option(20, "writes")
@click.option("--before", type=int, metavar="SEQ", help="Only writes below this sequence number.")
@click.option("--cursor", metavar="CURSOR", help="Where the page before ended.")
@click.pass_obj
def command(front: Front, /, id: str | None, limit: int, before: int | None, cursor: str | None) -> LogPage | None:
    """Show the write history; with ID, that of one claim, artifact or relation.

    One line a write: sequence number, commit, time, author, and what was done. `git log refs/memgit/store` shows the
    same commits.

    \b
    Examples:
      git memory log -n 5
      git memory log clm_01jb3h
    """
    from memgit.operations.log import LogPage

    entity = None if id is None else whole_id(front, id)
    fields = {"limit": limit, **given(before_commit_seq=before, cursor=cursor, entity_id=entity)}
    return front.perform("log", fields, LogPage, lambda page: show(front, page))


def show(front: Front, page: LogPage) -> None:
    """Print a page of the history."""
    for entry in page.items:
        front.out.line(
            ("dim", f"{entry.seq:>5}"),
            " ",
            ("id", entry.commit[:10]),
            f"  {moment(entry.at)}  {one_line(entry.actor, 24):<24}  ",
            one_line(entry.subject, 100),
        )
    if not page.items:
        front.out.note("no writes")
    if page.next_cursor is not None:
        front.out.note(f"more: --cursor {page.next_cursor}")
