"""`git memory pull`: bring in what the remote has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.sharing import elect_option, incoming_options, show_report

if TYPE_CHECKING:
    from memgit.operations.exchanging import SyncReport


@verb("pull")
@click.argument("remote", metavar="[REMOTE]", required=False)
@elect_option
@incoming_options
@click.pass_obj
def command(front: Front, /, remote: str | None, elect: bool, accept_purge: bool, join: bool) -> SyncReport | None:
    """Fetch memory and unite it with what is here; push nothing.

    \b
    Example:
      git memory pull
    """
    from memgit.operations.exchanging import SyncReport

    fields = given(remote=remote, elect=elect, accept_purge=accept_purge, join=join)
    return front.perform("sync.pull", fields, SyncReport, lambda report: show_report(front, report, "pulled from"))
