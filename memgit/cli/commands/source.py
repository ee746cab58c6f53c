"""`git memory source`: documents from other systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import noun
from memgit.cli.ids import whole_source
from memgit.cli.options import write_options
from memgit.cli.views import fields as show_fields

if TYPE_CHECKING:
    from memgit.operations.sources import (
        SourceChecked,
        SourceIngested,
        SourceRegistered,
        Sources,
        SourceView,
        SourceWithdrawn,
    )


@noun("source")
def command() -> None:
    """Keep documents of other systems, item by item, as an adapter brings them."""


@command.command("register")
@click.argument("kind", metavar="KIND")
@click.argument("name", metavar="NAME")
@click.option("--uri", metavar="URI", help="Where it is, for people.")
@write_options
@click.pass_obj
def register(front: Front, /, kind: str, name: str, uri: str | None) -> SourceRegistered | None:
    """Name a system that documents come from.

    KIND says what it is in one word, NAME which one. The same again gives the same source.

    \b
    Example:
      git memory source register wiki "team pages" --uri https://wiki.example.org
    """
    from memgit.operations.sources import SourceRegistered

    fields = {"kind": kind, "name": name, **given(uri=uri)}

    def show(result: SourceRegistered) -> None:
        front.out.line(("id", result.source_id), "  (registered before)" if result.existed else "")

    return front.perform("source.register", fields, SourceRegistered, show)


@command.command("get")
@click.argument("source_id", metavar="ID")
@click.pass_obj
def get(front: Front, /, source_id: str) -> SourceView | None:
    """Show a source, how far it was read, and how many items came.

    \b
    Example:
      git memory source get src_01jb3h0000000000000000000a
    """
    from memgit.operations.sources import SourceView

    fields = {"source_id": whole_source(front, source_id)}
    return front.perform("source.get", fields, SourceView, lambda view: show(front, view))


@command.command("list")
@click.pass_obj
def list_(front: Front, /) -> Sources | None:
    """List the sources of this project.

    \b
    Example:
      git memory source list
    """
    from memgit.operations.sources import Sources

    def show_all(result: Sources) -> None:
        for view in result.items:
            front.out.line(("id", view.source_id), f"  {view.kind}  {view.name}  {view.health or 'never read'}")
        if not result.items:
            front.out.note("no sources")

    return front.perform("source.list", {}, Sources, show_all)


@command.command("ingest")
@click.argument("source_id", metavar="ID")
@click.argument("external_id", metavar="ITEM")
@click.argument("external_revision", metavar="REVISION")
@click.argument("file", metavar="FILE")
@click.option("--title", metavar="TEXT", help="Default: the file's path.")
@click.option("--kind", metavar="WORD", help="What it is, in one word; default: document.")
@click.option("--readmit", is_flag=True, help="Take in again what somebody forgot.")
@write_options
@click.pass_obj
def ingest(
    front: Front,
    /,
    source_id: str,
    external_id: str,
    external_revision: str,
    file: str,
    title: str | None,
    kind: str | None,
    readmit: bool,
) -> SourceIngested | None:
    """Bring one item at one revision.

    ITEM and REVISION are the source's own names; FILE is a path, or - for standard input. The same again changes
    nothing; other bytes under the same names are refused. What somebody forgot stays forgotten, unless --readmit.

    \b
    Example:
      git memory source ingest src_01jb3h0000000000000000000a page/7 12 page.md
    """
    from memgit.cli.documents import read_document
    from memgit.operations.sources import SourceIngested

    document = read_document(front, file)
    fields: dict[str, object] = {
        "source_id": whole_source(front, source_id),
        "external_id": external_id,
        "external_revision": external_revision,
        "title": title or document.title,
        "media_type": document.media_type,
        "content": document.content,
        **given(kind=kind, readmit=readmit),
    }

    def show(result: SourceIngested) -> None:
        if result.forgotten:
            front.out.note("It was forgotten, and stays so; --readmit takes it in again.")
        front.out.line(("id", result.artifact_id), "  (there before)" if result.replayed else "")

    return front.perform("source.ingest", fields, SourceIngested, show)


@command.command("checkpoint")
@click.argument("source_id", metavar="ID")
@click.option("--cursor", metavar="TEXT", help="How far it was read, in its own words.")
@click.option("--health", metavar="WORD", type=click.Choice(["ok", "degraded", "failing"]), help="Default: ok.")
@click.option("--message", metavar="TEXT", help="What is wrong, for people.")
@write_options
@click.pass_obj
def checkpoint(
    front: Front, /, source_id: str, cursor: str | None, health: str | None, message: str | None
) -> SourceChecked | None:
    """Say how far a source was read, and how it fares.

    \b
    Example:
      git memory source checkpoint src_01jb3h0000000000000000000a --cursor 2026-05-01 --health ok
    """
    from memgit.operations.sources import SourceChecked

    fields = {"source_id": whole_source(front, source_id), **given(cursor=cursor, health=health, message=message)}

    def show(result: SourceChecked) -> None:
        front.out.line("noted" if result.changed else "nothing new")

    return front.perform("source.checkpoint", fields, SourceChecked, show)


@command.command("withdraw")
@click.argument("source_id", metavar="ID")
@click.argument("external_id", metavar="ITEM")
@click.option("--reason", metavar="WHY", help="Why it is gone there.")
@write_options
@click.pass_obj
def withdraw(front: Front, /, source_id: str, external_id: str, reason: str | None) -> SourceWithdrawn | None:
    """Hide an item that the source no longer has.

    It leaves recall and search until it comes again; its bytes stay, and claims that cite it keep their evidence.

    \b
    Example:
      git memory source withdraw src_01jb3h0000000000000000000a page/7 --reason deleted
    """
    from memgit.operations.sources import SourceWithdrawn

    fields = {"source_id": whole_source(front, source_id), "external_id": external_id, **given(reason=reason)}

    def show(result: SourceWithdrawn) -> None:
        for name in result.artifact_ids:
            front.out.line("withdrawn ", ("id", name))
        if not result.changed:
            front.out.line("withdrawn before ", ("id", result.artifact_id))

    return front.perform("source.withdraw", fields, SourceWithdrawn, show)


def show(front: Front, view: SourceView) -> None:
    """Print a source."""
    counts = ", ".join(f"{count} {status}" for status, count in sorted(view.items.items())) or "none"
    described = [
        ("id", view.source_id),
        ("kind", view.kind),
        ("name", view.name),
        ("uri", view.uri or ""),
        ("items", counts),
        ("cursor", view.cursor or ""),
        ("health", f"{view.health}, {view.checked_at}" if view.health else "never read"),
        ("message", view.message or ""),
    ]
    show_fields(front.out, described)
