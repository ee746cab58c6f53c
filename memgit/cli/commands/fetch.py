"""`git memory fetch`: look at what a remote has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.sharing import show_report

if TYPE_CHECKING:
    from memgit.operations.exchanging import SyncReport


@verb("fetch")
@click.argument("remote", metavar="[REMOTE]", required=False)
@click.pass_obj
def command(front: Front, /, remote: str | None) -> SyncReport | None:
    """Fetch a remote's memory and check it; the memory here does not change.

    Any remote may be looked at. `git memory diff` shows what a sync would bring, `git memory remote` counts it.

    \b
    Examples:
      git memory fetch
      git memory fetch upstream
    """
    from memgit.operations.exchanging import SyncReport

    return front.perform(
        "sync.fetch", given(remote=remote), SyncReport, lambda report: show_report(front, report, "fetched from")
    )
