"""`git memory remote`: the remote that memory goes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import noun
from memgit.cli.sharing import counted
from memgit.cli.terminal import moment, one_line

if TYPE_CHECKING:
    from memgit.operations.sync_status import RemoteStatus


@noun("remote", invoke_without_command=True)
@click.pass_context
def command(context: click.Context, /) -> None:
    """See how this clone and the remote stand; without a verb, the status.

    Memory goes to one remote, which the first `git memory sync` chooses and Git config memgit.remote names.

    \b
    Example:
      git memory remote
    """
    if context.invoked_subcommand is None:
        _status(context.obj, {})


@command.command("status")
@click.argument("remote", metavar="[REMOTE]", required=False)
@click.option("--fetch", is_flag=True, help="Look at the remote first; without it nothing is asked of the network.")
@click.pass_obj
def status(front: Front, /, remote: str | None, fetch: bool) -> RemoteStatus | None:
    """Show how far this clone and the remote are apart.

    What only one side has is counted, as of the last look at the remote, and so are the conflicts that a sync would
    open. `git memory diff` shows what would come.

    \b
    Examples:
      git memory remote status
      git memory remote status --fetch
    """
    return _status(front, given(remote=remote, fetch=fetch))


def _status(front: Front, fields: dict[str, object]) -> RemoteStatus | None:
    from memgit.operations.sync_status import RemoteStatus

    return front.perform("sync.status", fields, RemoteStatus, lambda result: _show(front, result))


def _show(front: Front, result: RemoteStatus) -> None:
    chosen = "" if result.elected else "  (memory does not go there)"
    front.out.line(("id", one_line(result.remote, 60)), f"  {result.ref}{chosen}")
    front.out.line("  ahead      ", counted(result.ahead) if result.ahead else "nothing")
    front.out.line("  behind     ", _behind(result))
    if result.conflicts:
        front.out.line("  conflicts  ", ("bad", f"{len(result.conflicts)} would open"))
    if result.obstacle is not None:
        front.out.line("  obstacle   ", ("bad", one_line(result.obstacle, 300)))
    front.out.line("  last sync  ", moment(result.synced_at) if result.synced_at else "never")


def _behind(result: RemoteStatus) -> str:
    """Return what only the remote has, and as of when that is known: the status asks no network."""
    if result.fetched_at is None:
        return "not known: `git memory fetch` looks"
    known = counted(result.behind) if result.behind else "nothing"
    return f"{known}, as of {moment(result.fetched_at)} (`git memory fetch` looks again)"
