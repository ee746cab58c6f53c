"""`git memory promote`: share what only this clone had."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.ids import whole_id
from memgit.cli.terminal import one_line

if TYPE_CHECKING:
    from memgit.operations.promote import Planned, Promoted


@verb("promote")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--yes", is_flag=True, help="Do it; without it only what would become visible is shown.")
@click.option("--allow-flagged", is_flag=True, help="Share what looks like a secret, once you looked at it.")
@click.pass_obj
def command(front: Front, /, ids: tuple[str, ...], yes: bool, allow_flagged: bool) -> Promoted | None:
    """Share claims and artifacts that were kept in this clone alone.

    Without ID it lists what could be shared: what is kept in the local layer. With ID it shows all that will become
    visible: the claims, and the documents that only this clone has and that they rest on. With --yes they are written
    to the shared memory under new ids, and the local ones are superseded by them. Nothing in the shared memory says
    what they were called here.

    \b
    Examples:
      git memory promote
      git memory promote clm_01jb3h
      git memory promote clm_01jb3h --yes
    """
    from memgit.operations.promote import Promoted

    if yes and not ids:
        raise click.UsageError("--yes needs the ids of what to share; without both it lists what could be shared.")
    whole = [whole_id(front, typed) for typed in ids]
    fields = {"ids": whole, **given(yes=yes, allow_flagged=allow_flagged)}
    return front.perform("promote", fields, Promoted, lambda result: show(front, result))


def show(front: Front, result: Promoted) -> None:
    """Print what becomes, or has become, visible."""
    if all(planned.reason == "possible" for planned in result.items):
        _show_possible(front, result)
        return
    for planned in result.items:
        _show_item(front, planned, applied=result.applied)
        front.out.line()
    if not result.applied and not all(planned.already for planned in result.items):
        front.out.note("nothing was shared; --yes shares what is shown here")


def _show_possible(front: Front, result: Promoted) -> None:
    """Print what could be shared, one line each, and how to go on."""
    for planned in result.items:
        name = str(planned.item[f"{planned.kind}_id"])
        kind = str(planned.item["claim_type" if planned.kind == "claim" else "artifact_kind"])
        text = str(planned.item["statement" if planned.kind == "claim" else "title"])
        front.out.line(("id", name), "  ", ("strong", kind), "  ", one_line(text, 90))
    if not result.items:
        front.out.note("nothing is kept in this clone alone that could be shared")
        return
    if result.left_out:
        front.out.note(f"… and {result.left_out} more")
    front.out.note("`git memory promote ID` shows what sharing one would make visible")


def _show_item(front: Front, planned: Planned, *, applied: bool) -> None:
    import msgspec

    from memgit.cli.views import show_artifact, show_claim
    from memgit.operations.views import ArtifactView, ClaimView

    if planned.becomes is not None:
        shared = "shared as " if applied else "becomes a revision of "
        front.out.line("already shared as " if planned.already else shared, ("id", planned.becomes))
    if planned.kind == "claim":
        show_claim(front.out, msgspec.convert(planned.item, ClaimView))
        return
    show_artifact(front.out, msgspec.convert(planned.item, ArtifactView))
    if planned.excerpt is not None:
        front.out.block(planned.excerpt, indent="    | ")
