"""`git memory artifact`: documents with immutable revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memgit.cli.code_options import anchor_options, anchors_of, no_anchors_option
from memgit.cli.commands.claim import show_history
from memgit.cli.front import Front, given
from memgit.cli.grammar import noun
from memgit.cli.ids import base_revision, whole_id
from memgit.cli.options import limit_option, revision_options, write_options
from memgit.errors import InvalidRequest

if TYPE_CHECKING:
    from memgit.operations.artifacts import ArtifactContent, ArtifactWritten, Forgotten
    from memgit.operations.views import HistoryPage


@noun("artifact")
def command() -> None:
    """Keep, revise, read and forget documents.

    An artifact is a document that claims can cite: a decision record, a log, an image. Its bytes never change; a
    change is a new revision.
    """


@command.command("put")
@click.argument("file", metavar="FILE")
@click.option("--kind", default="document", show_default=True, help="What it is, in one word.")
@click.option("--title", metavar="TEXT", help="Default: the file's path.")
@click.option("--media-type", metavar="TYPE", help="Default: from the file's ending and bytes.")
@click.option("--component", metavar="NAME", help="The part of the project that it belongs to.")
@click.option("--marker", "markers", metavar="MARKER", multiple=True, help="dimension:value or a word; repeatable.")
@anchor_options
@write_options
@click.pass_obj
def put(
    front: Front,
    /,
    file: str,
    kind: str,
    title: str | None,
    media_type: str | None,
    component: str | None,
    markers: tuple[str, ...],
    **anchored: Any,
) -> ArtifactWritten | None:
    """Keep a document.

    FILE is a path, or - for standard input. Its path from the working tree's top is kept with it.

    \b
    Examples:
      git memory artifact put docs/adr/0007.md
      make test 2>&1 | git memory artifact put - --kind log --title "Test run"
    """
    from memgit.cli.documents import read_document
    from memgit.operations.artifacts import ArtifactWritten

    document = read_document(front, file)
    fields = {
        "kind": kind,
        "title": title or document.title,
        "media_type": media_type or document.media_type,
        "content": document.content,
        **given(component=component, markers=markers, provenance={"path": document.path} if document.path else None),
        **anchors_of(anchored),
    }
    return front.perform("artifact.put", fields, ArtifactWritten, lambda result: show_written(front, result))


@command.command("revise")
@click.argument("artifact_id", metavar="ID")
@click.argument("file", metavar="FILE")
@click.option("--title", metavar="TEXT", help="A new title.")
@click.option("--media-type", metavar="TYPE", help="A new media type.")
@anchor_options
@no_anchors_option
@revision_options
@write_options
@click.pass_obj
def revise(
    front: Front,
    /,
    artifact_id: str,
    file: str,
    title: str | None,
    media_type: str | None,
    if_revision: str | None,
    all_heads: bool,
    **anchored: Any,
) -> ArtifactWritten | None:
    """Give a document new bytes, as a new revision.

    FILE is a path, or - for standard input. What cites the old revision still finds its bytes.

    \b
    Example:
      git memory artifact revise art_01jb3h docs/adr/0007.md
    """
    from memgit.cli.documents import read_document
    from memgit.operations.artifacts import ArtifactWritten

    document = read_document(front, file)
    whole = whole_id(front, artifact_id, "artifact")
    fields = {
        "artifact_id": whole,
        "content": document.content,
        **base_revision(front, whole, "artifact", if_revision, all_heads),
        **given(title=title, media_type=media_type),
        **anchors_of(anchored),
    }
    return front.perform("artifact.revise", fields, ArtifactWritten, lambda result: show_written(front, result))


@command.command("get")
@click.argument("artifact_id", metavar="ID")
@click.option("--revision", "revision_id", metavar="REVISION", help="One of its revisions; default: the current one.")
@click.option("-o", "--output", metavar="FILE", help="Write the bytes there instead.")
@click.pass_obj
def get(front: Front, /, artifact_id: str, revision_id: str | None, output: str | None) -> ArtifactContent | None:
    """Write a document's exact bytes to standard output.

    `git memory show ID` describes it. A terminal gets control characters escaped; a pipe and a file get every byte.

    \b
    Examples:
      git memory artifact get art_01jb3h
      git memory artifact get art_01jb3h --output logo.png
    """
    from memgit.operations.artifacts import ArtifactContent

    if output is not None and front.as_json:
        raise click.UsageError("--output and --json exclude each other.")
    fields = {"artifact_id": whole_id(front, artifact_id, "artifact"), **given(revision_id=revision_id)}
    return front.perform("artifact.get", fields, ArtifactContent, lambda result: _deliver(front, result, output))


@command.command("history")
@click.argument("artifact_id", metavar="ID")
@limit_option(50, "revisions")
@click.option("--before", type=int, metavar="NUMBER", help="Only revisions below this number.")
@click.pass_obj
def history(front: Front, /, artifact_id: str, limit: int, before: int | None) -> HistoryPage | None:
    """List a document's revisions, newest first.

    \b
    Example:
      git memory artifact history art_01jb3h
    """
    from memgit.operations.views import HistoryPage

    whole = whole_id(front, artifact_id, "artifact")
    fields = {"artifact_id": whole, "limit": limit, **given(before_revision_number=before)}
    return front.perform("artifact.history", fields, HistoryPage, lambda page: show_history(front, page))


@command.command("forget")
@click.argument("artifact_id", metavar="ID")
@click.option("--reason", required=True, metavar="WHY", help="Why it should no longer be found.")
@write_options
@click.pass_obj
def forget(front: Front, /, artifact_id: str, reason: str) -> Forgotten | None:
    """End a document: it is no longer found, and its bytes stay in the history.

    \b
    Example:
      git memory artifact forget art_01jb3h --reason "Replaced by the handbook."
    """
    from memgit.operations.artifacts import Forgotten

    def show(result: Forgotten) -> None:
        front.out.line(*([] if front.out.quiet else ["forgotten "]), ("id", result.artifact_id))
        front.out.note("the bytes are still in the history of the store")

    fields = {"artifact_id": whole_id(front, artifact_id, "artifact"), "reason": reason}
    return front.perform("artifact.forget", fields, Forgotten, show)


def show_written(front: Front, result: ArtifactWritten) -> None:
    """Print the id of an artifact that was written, and its citation."""
    from memgit.records.ids import ArtifactId, RevisionId
    from memgit.retrieval.citations import ArtifactCitation

    front.out.line(("id", result.artifact_id))
    if not front.out.quiet:
        citation = ArtifactCitation(ArtifactId(result.artifact_id), RevisionId(result.revision_id))
        front.out.line("  artifact  ", str(citation))


def content_bytes(result: ArtifactContent) -> bytes:
    """Return the bytes that an answer carries."""
    import base64

    content = result.content
    return content.data.encode() if content.type == "text" else base64.b64decode(content.data)


def _deliver(front: Front, result: ArtifactContent, output: str | None) -> None:
    data = content_bytes(result)
    if output is None:
        front.out.data(data)
        return
    try:
        front.path(output).write_bytes(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InvalidRequest(f"{output} cannot be written: {reason}", hint="Choose another place.") from None
    front.out.note(f"wrote {len(data)} bytes to {output}")
