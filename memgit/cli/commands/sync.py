"""`git memory sync`: exchange memory with the remote that it goes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.sharing import elect_option, flagged_option, incoming_options, show_report

if TYPE_CHECKING:
    from memgit.operations.exchanging import SyncReport


@verb("sync")
@click.argument("remote", metavar="[REMOTE]", required=False)
@elect_option
@incoming_options
@flagged_option
@click.pass_obj
def command(
    front: Front, /, remote: str | None, elect: bool, accept_purge: bool, join: bool, allow_flagged: bool
) -> SyncReport | None:
    """Fetch memory, unite it with what is here, and push the result.

    Memory goes to one remote. The first sync with REMOTE, or with the only one that there is, chooses it; pushing code
    elsewhere takes no memory along. Two edits of one thing are both kept, as a conflict case that waits: a sync never
    asks and never fails because of one. In a clone without memory it brings the memory. After `git memory fetch`,
    `git memory diff` shows what a sync would bring.

    \b
    Examples:
      git memory sync
      git memory sync origin
      git memory sync memory --elect
    """
    from memgit.operations.exchanging import SyncReport

    fields = given(remote=remote, elect=elect, accept_purge=accept_purge, join=join, allow_flagged=allow_flagged)
    return front.perform("sync.run", fields, SyncReport, lambda report: show_report(front, report, "synced with"))
