"""`git memory relation`: edges between claims and artifacts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import noun
from memgit.cli.ids import whole_id
from memgit.cli.options import RELATION_TYPES, horizon_options, layer_options, limit_option, write_options
from memgit.cli.views import show_relations

if TYPE_CHECKING:
    from memgit.operations.relations import RelationPage, RelationWritten


@noun("relation")
def command() -> None:
    """Relate claims and artifacts, and list what is related."""


@command.command("put")
@click.argument("source")
@click.argument("relation", metavar="RELATION", type=click.Choice(RELATION_TYPES))
@click.argument("target")
@click.option("--metadata", metavar="JSON", help="Anything more to say about it.")
@write_options
@click.pass_obj
def put(front: Front, /, source: str, relation: str, target: str, metadata: str | None) -> RelationWritten | None:
    """Relate two claims or artifacts: SOURCE RELATION TARGET, read as a sentence.

    RELATION is derived_from, supports, contradicts, supersedes, references or duplicates. For `supersedes` the source
    is the new one. `contradicts` opens a conflict case.

    \b
    Examples:
      git memory relation put clm_01jb4k supersedes clm_01jb3h
      git memory relation put clm_01jb4k contradicts clm_01jb5m
    """
    from memgit.operations.relations import RelationWritten

    fields = given(relation=relation, metadata=_metadata(metadata))
    fields |= {"source": whole_id(front, source), "target": whole_id(front, target)}
    return front.perform(
        "relation.put", fields, RelationWritten, lambda result: front.out.line(("id", result.relation_id))
    )


@command.command("list")
@click.argument("anchor", metavar="ID")
@click.option("--direction", type=click.Choice(["out", "in", "both"]), default="both", show_default=True)
@click.option("--relation", type=click.Choice(RELATION_TYPES), help="Only this kind.")
@limit_option(50, "relations")
@click.option("--cursor", metavar="CURSOR", help="Where the page before ended.")
@horizon_options
@layer_options
@click.pass_obj
def list_(
    front: Front,
    /,
    anchor: str,
    direction: str,
    relation: str | None,
    limit: int,
    cursor: str | None,
    horizon: str | None,
    reason: str | None,
) -> RelationPage | None:
    """List what a claim or an artifact is related to, one hop, newest first.

    \b
    Example:
      git memory relation list clm_01jb3h --direction in
    """
    from memgit.operations.relations import RelationPage

    whole = whole_id(front, anchor)
    fields = {
        "anchor": whole,
        "direction": direction,
        "limit": limit,
        **given(relation=relation, cursor=cursor, horizon=horizon, reason=reason),
    }
    return front.perform("relation.list", fields, RelationPage, lambda page: _show(front, page, whole))


def _show(front: Front, page: RelationPage, anchor: str) -> None:
    show_relations(front.out, page.items, anchor)
    if not page.items:
        front.out.note("nothing is related to it")
    if page.next_cursor is not None:
        front.out.note(f"more: --cursor {page.next_cursor}")


def _metadata(text: str | None) -> object:
    import json

    if text is None:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise click.UsageError("--metadata is not JSON.") from None
