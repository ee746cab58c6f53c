"""`git memory conflict`: disagreements that were not settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import noun
from memgit.cli.ids import whole_case
from memgit.cli.options import horizon_options, layer_options, limit_option, write_options
from memgit.cli.views import list_case, show_case

if TYPE_CHECKING:
    from memgit.operations.acknowledge import Acknowledged
    from memgit.operations.conflicts import ConflictPage
    from memgit.operations.views import CaseView


@noun("conflict")
def command() -> None:
    """List, read and acknowledge conflict cases.

    A case opens by itself: over claims that contradict each other, over revisions that two people wrote at once, and
    over an edit that met a retraction. It closes when one side ends or is revised.
    """


@command.command("list")
@click.option("--include-stale", is_flag=True, help="Also those that were open before.")
@limit_option(50, "cases")
@click.option("--cursor", metavar="CURSOR", help="Where the page before ended.")
@horizon_options
@layer_options
@click.pass_obj
def list_(
    front: Front, /, include_stale: bool, limit: int, cursor: str | None, horizon: str | None, reason: str | None
) -> ConflictPage | None:
    """List open conflict cases, newest first.

    \b
    Example:
      git memory conflict list
    """
    from memgit.operations.conflicts import ConflictPage

    fields = {
        "limit": limit,
        **given(include_stale=include_stale, cursor=cursor, horizon=horizon, reason=reason),
    }
    return front.perform("conflict.list", fields, ConflictPage, lambda page: _show(front, page))


@command.command("show")
@click.argument("case_id", metavar="CASE")
@click.pass_obj
def show_(front: Front, /, case_id: str) -> CaseView | None:
    """Show a case: both sides, by whom, and what resolves it.

    \b
    Example:
      git memory conflict show case_0f3a91...
    """
    from memgit.operations.views import CaseView

    fields = {"case_id": whole_case(front, case_id)}
    return front.perform("conflict.get", fields, CaseView, lambda case: show_case(front.out, case))


@command.command("acknowledge")
@click.argument("case_id", metavar="CASE")
@click.option("--reason", metavar="WHY", help="Why what was ended stays ended.")
@write_options
@click.pass_obj
def acknowledge(front: Front, /, case_id: str, reason: str | None) -> Acknowledged | None:
    """Let a retraction stand over the edits that it did not see.

    For a tombstone case alone. A contradiction is resolved by revising or retracting a side, by letting one supersede
    the other, or by undoing the relation; a fork by a revision with --all-heads.

    \b
    Example:
      git memory conflict acknowledge case_0f3a91... --reason "The edit was about the old service."
    """
    from memgit.operations.acknowledge import Acknowledged

    fields = {"case_id": whole_case(front, case_id), **given(reason=reason)}

    def show(result: Acknowledged) -> None:
        front.out.line(*([] if front.out.quiet else ["acknowledged "]), ("id", result.case_id))

    return front.perform("conflict.acknowledge", fields, Acknowledged, show)


def _show(front: Front, page: ConflictPage) -> None:
    for number, case in enumerate(page.items):
        if number:
            front.out.line()
        list_case(front.out, case)
    if not page.items:
        front.out.note("no conflicts")
    elif any(case.resolved_by for case in page.items):
        front.out.note("`git memory conflict show CASE` says what resolves one")
    if page.next_cursor is not None:
        front.out.note(f"more: --cursor {page.next_cursor}")
