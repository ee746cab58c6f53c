"""`git memory push`: send what is here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.sharing import elect_option, flagged_option, show_report

if TYPE_CHECKING:
    from memgit.operations.exchanging import SyncReport


@verb("push")
@click.argument("remote", metavar="[REMOTE]", required=False)
@elect_option
@flagged_option
@click.pass_obj
def command(front: Front, /, remote: str | None, elect: bool, allow_flagged: bool) -> SyncReport | None:
    """Push memory to the remote that it goes to.

    It is refused where the remote has memory that is not here: `git memory sync` unites first. Your code, your branches
    and your tags stay where they are.

    \b
    Example:
      git memory push
    """
    from memgit.operations.exchanging import SyncReport

    fields = given(remote=remote, elect=elect, allow_flagged=allow_flagged)
    return front.perform("sync.push", fields, SyncReport, lambda report: show_report(front, report, "pushed to"))
