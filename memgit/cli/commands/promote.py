"""`git memory promote`: share what only this clone had."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.ids import whole_id

if TYPE_CHECKING:
    from memgit.operations.promote import Planned, Promoted


@verb("promote")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do it; without it only what would become visible is shown.")
@click.option("--allow-flagged", is_flag=True, help="Share what looks like a secret, once you looked at it.")
@click.pass_obj
def command(front: Front, /, ids: tuple[str, ...], yes: bool, allow_flagged: bool) -> Promoted | None:
    """Share claims and artifacts that were kept in this clone alone.

    Shows all that will become visible: the claims, and the documents that only this clone has and that they rest on.
    With --yes they are written to the shared memory under new ids, and the local ones are superseded by them. Nothing
    in the shared memory says what they were called here.

    \b
    Examples:
      git memory promote clm_01jb3h
      git memory promote clm_01jb3h --yes
    """
    from memgit.operations.promote import Promoted

    whole = [whole_id(front, typed) for typed in ids]
    fields = {"ids": whole, **given(yes=yes, allow_flagged=allow_flagged)}
    return front.perform("promote", fields, Promoted, lambda result: show(front, result))


def show(front: Front, result: Promoted) -> None:
    """Print what becomes, or has become, visible."""
    for planned in result.items:
        _show_item(front, planned)
        front.out.line()
    if not result.applied:
        front.out.note("nothing was shared; --yes shares what is shown here")


def _show_item(front: Front, planned: Planned) -> None:
    import msgspec

    from memgit.cli.views import show_artifact, show_claim
    from memgit.operations.views import ArtifactView, ClaimView

    if planned.becomes is not None:
        front.out.line("shared as ", ("id", planned.becomes))
    if planned.kind == "claim":
        show_claim(front.out, msgspec.convert(planned.item, ClaimView))
        return
    show_artifact(front.out, msgspec.convert(planned.item, ArtifactView))
    if planned.excerpt is not None:
        front.out.block(planned.excerpt, indent="    | ")
