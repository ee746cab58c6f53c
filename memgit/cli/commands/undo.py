"""`git memory undo`: take operations back, by operations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.ids import whole_id
from memgit.cli.options import write_options

if TYPE_CHECKING:
    from memgit.operations.undo_effects import Undone

_TOLD = 5  # effects that are shown with what the entity says
_AS_IS = re.compile(r"@last|memoree://.*|case_.*|[ca]rev_.*|[0-9a-f]{4,64}", re.DOTALL)


@verb("undo")
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@click.option("--reason", metavar="WHY", help="Why it is taken back.")
@click.option("--if-revision", metavar="REVISION", help="Refuse unless this is the current revision.")
@click.option("--force", is_flag=True, help="Also a document's revision that claims cite as their evidence.")
@write_options
@click.pass_obj
def command(
    front: Front, /, targets: tuple[str, ...], reason: str | None, if_revision: str | None, force: bool
) -> Undone | None:
    """Take operations back.

    Nothing is rewritten: an undo is an operation too, and undoing it is a redo. TARGET is an id (its last operation
    that is in force), a revision, the beginning of an operation's digest or of a commit (all of its operations), or
    @last: your last commit, be it shared, local or in a draft. The undo goes to the layer that holds what it cancels.
    A claim that `git memory remember` made takes its own note along. Bytes are not erased.

    \b
    Examples:
      git memory undo @last
      git memory undo clm_01jb3h --reason "Retracted by mistake."
      git memory undo 4f09c2a1
    """
    from memgit.operations.undo_effects import Undone

    fields = {
        "targets": [_whole(front, typed) for typed in targets],
        **given(reason=reason, if_revision=if_revision, force=force),
    }
    return front.perform("undo", fields, Undone, lambda result: _show(front, result))


def _show_text(front: Front, entity: str, layer: str) -> None:
    """Print what a claim or an artifact says where it was undone, on one line."""
    from memgit.cli.terminal import one_line
    from memgit.operations.show import Shown

    draft = layer.removeprefix("draft:") if layer.startswith("draft:") else None
    item = front.ask("show", {"id": entity, **given(draft=draft)}, Shown).item
    front.out.line("      ", one_line(str(item.get("statement") or item.get("title") or ""), 100))


def _whole(front: Front, typed: str) -> str:
    wanted = typed.strip()
    return wanted if _AS_IS.fullmatch(wanted) else whole_id(front, wanted)


def _show(front: Front, result: Undone) -> None:
    for item in result.cancelled:
        if front.out.quiet:
            front.out.line(("id", item.undo))
        else:
            front.out.line("undid ", ("strong", item.verb), " ", ("id", item.digest[:12]), f" of {item.entity}")
    if front.out.quiet:
        return
    for number, effect in enumerate(result.effects):
        front.out.line("  ", effect.sentence)
        if number < _TOLD and effect.status is not None:
            _show_text(front, effect.entity, result.layer)
    for case in result.conflicts:
        front.out.line("  conflict ", ("id", case.case_id), f" ({case.kind}) ", ("bad", case.change))
    if result.left_out:
        front.out.note(f"… and {result.left_out} more")
    if result.cancelled:
        front.out.note(f"to take that back: git memory undo {result.cancelled[0].undo[:12]}")
