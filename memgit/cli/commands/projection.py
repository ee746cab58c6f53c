"""`git memory projection`: texts derived from documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import noun
from memgit.cli.ids import whole_id
from memgit.cli.options import write_options
from memgit.cli.terminal import one_line

if TYPE_CHECKING:
    from memgit.operations.projections import ProjectionDropped, Projections, ProjectionWritten

_KINDS = ("summary", "alias", "entity", "question", "retrieval_anchor")


@noun("projection")
def command() -> None:
    """Keep texts that were derived from a document: they may lead there, and prove nothing."""


@command.command("put")
@click.argument("kind", metavar="KIND", type=click.Choice(_KINDS))
@click.argument("citation", metavar="CITATION")
@click.argument("text", metavar="TEXT")
@write_options
@click.pass_obj
def put(front: Front, /, kind: str, citation: str, text: str) -> ProjectionWritten | None:
    """Keep a text that was derived from cited bytes.

    KIND is summary, alias, entity, question or retrieval_anchor. CITATION names the bytes, with their range. A search
    may find them by TEXT; what it shows are the bytes.

    \b
    Example:
      git memory projection put question memoree://artifact/ART@REV#0-42 "When do we deploy?"
    """
    from memgit.cli.documents import read_text
    from memgit.operations.projections import ProjectionWritten
    from memgit.retrieval.citations import ArtifactCitation, parse_citation

    named = parse_citation(citation)
    if not isinstance(named, ArtifactCitation) or named.start is None:
        raise click.UsageError(
            "CITATION names bytes of an artifact, with their range: memoree://artifact/ART@REV#0-42."
        )
    fields = {
        "artifact_id": named.artifact,
        "revision_id": named.revision,
        "kind": kind,
        "spans": [{"start_byte": named.start, "end_byte": named.end}],
        "text": read_text(text),
    }
    return front.perform(
        "projection.put", fields, ProjectionWritten, lambda result: front.out.line(("id", result.projection_id))
    )


@command.command("list")
@click.argument("artifact_id", metavar="ID")
@click.option("--include-dropped", is_flag=True, help="Also those that were dropped.")
@click.pass_obj
def list_(front: Front, /, artifact_id: str, include_dropped: bool) -> Projections | None:
    """List what was derived from a document.

    \b
    Example:
      git memory projection list art_01jb3h
    """
    from memgit.operations.projections import Projections

    fields = {"artifact_id": whole_id(front, artifact_id, "artifact"), **given(include_dropped=include_dropped)}

    def show(result: Projections) -> None:
        for item in result.items:
            dropped = "  (dropped)" if item.dropped else ""
            front.out.line(("id", item.projection_id), f"  {item.kind}{dropped}  ", one_line(item.text, 80))
        if not result.items:
            front.out.note("nothing was derived from it")

    return front.perform("projection.list", fields, Projections, show)


@command.command("drop")
@click.argument("projection_id", metavar="ID")
@click.option("--reason", metavar="WHY", help="Why it no longer serves.")
@write_options
@click.pass_obj
def drop(front: Front, /, projection_id: str, reason: str | None) -> ProjectionDropped | None:
    """End a derived text; its document stays.

    \b
    Example:
      git memory projection drop pjn_01jb3h0000000000000000000a
    """
    from memgit.operations.projections import ProjectionDropped

    fields = {"projection_id": projection_id, **given(reason=reason)}

    def show(result: ProjectionDropped) -> None:
        front.out.line("dropped" if result.changed else "dropped before")

    return front.perform("projection.drop", fields, ProjectionDropped, show)
