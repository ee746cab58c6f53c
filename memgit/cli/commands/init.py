"""`git memory init`: begin a repository's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb

if TYPE_CHECKING:
    from memgit.operations.init import StoreCreated


@verb("init")
@click.option("--workspace", metavar="ID", help="The workspace's id; default: a marker's, else a fresh one.")
@click.option("--project", metavar="ID", help="The project's id; default: a marker's, else a fresh one.")
@click.option("--no-marker", is_flag=True, help="Leave no .memoree.toml; the store alone keeps the identity.")
@click.option("--offline", is_flag=True, help="Do not look whether the remote has a memory already.")
@click.pass_obj
def command(
    front: Front, /, workspace: str | None, project: str | None, no_marker: bool, offline: bool
) -> StoreCreated | None:
    """Begin this repository's memory, or bring the one that the remote has.

    Creates the ref refs/memgit/store and, unless told not to, the file .memoree.toml, which names the project and is
    meant to be committed. Nothing else of the repository changes. Running it again changes nothing.

    \b
    Examples:
      git memory init
      git memory init --no-marker
      git memory init --workspace acme --project billing
    """
    from memgit.operations.init import StoreCreated

    fields = given(workspace_id=workspace, project_id=project, offline=offline) | (
        {"marker": False} if no_marker else {}
    )
    return front.perform("store.init", fields, StoreCreated, lambda result: show(front, result))


def show(front: Front, result: StoreCreated) -> None:
    """Print what was begun."""
    if front.out.quiet:
        front.out.line(result.store_id)
        return
    if result.adopted_from is not None:
        front.out.line(f"Brought the memory of {result.adopted_from}: ", ("id", result.store_id))
    else:
        front.out.line(
            "Began the memory " if result.created else "There is a memory already: ", ("id", result.store_id)
        )
    front.out.line(f"  workspace {result.workspace_id}")
    front.out.line(f"  project   {result.project_id}")
    front.out.line(f"  ref       {result.ref}")
    if result.marker is not None:
        front.out.line(f"  marker    {result.marker}", " (new: commit it)" if result.marker_written else "")
