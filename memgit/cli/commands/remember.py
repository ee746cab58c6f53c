"""`git memory remember`: one statement with its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memgit.cli.code_options import anchor_options, anchors_of
from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.options import claim_description, claim_type_option, write_options

if TYPE_CHECKING:
    from memgit.operations.remember import Remembered


@verb("remember")
@click.argument("text", metavar="TEXT")
@claim_type_option("fact")
@click.option("--evidence", metavar="FILE", help="The document that proves it; kept as an artifact.")
@click.option("--quote", metavar="TEXT", help="The passage of the document that proves it, exactly.")
@claim_description
@anchor_options
@write_options
@click.pass_obj
def command(front: Front, /, text: str, evidence: str | None, quote: str | None, **described: Any) -> Remembered | None:
    """Remember one statement, with the document or the note that proves it.

    TEXT is the statement, or - for standard input. Without --evidence the text itself is kept as a note. With it, the
    file becomes an artifact (the next revision, where its path is known), and the claim cites the quote's exact bytes,
    or those of the statement where the file says it once, else all of the file. MEMGIT_AGENT names the agent
    that writes.

    \b
    Examples:
      git memory remember "We pin every dependency." --type constraint
      git memory remember "Money is in cents" --type decision \\
          --evidence docs/money.md --quote "All amounts are integers."
      git memory remember "Amounts are rounded half to even." --anchor src/money.py:10-24
      pbpaste | git memory remember -
    """
    from memgit.cli.documents import read_text
    from memgit.operations.remember import Remembered

    if quote is not None and evidence is None:
        raise click.UsageError("--quote needs --evidence.")
    if text == "-" and evidence == "-":
        raise click.UsageError("Only one of TEXT and --evidence can be standard input.")
    fields = anchors_of(described) | given(text=read_text(text), **described)
    if evidence is not None:
        fields["document"] = _document(front, evidence, quote)
    return front.perform("remember", fields, Remembered, lambda result: show(front, result))


def show(front: Front, result: Remembered) -> None:
    """Print the new claim's id and citation, and that of its evidence."""
    from memgit.records.ids import ArtifactId, ClaimId, RevisionId
    from memgit.retrieval.citations import ArtifactCitation, ClaimCitation

    front.out.line(("id", result.claim_id))
    if front.out.quiet:
        return
    if result.start_byte is None:
        front.out.note("hint: --quote TEXT cites a passage instead of the whole document")
    evidence = ArtifactCitation(
        ArtifactId(result.artifact_id), RevisionId(result.artifact_revision_id), result.start_byte, result.end_byte
    )
    front.out.line("  claim     ", str(ClaimCitation(ClaimId(result.claim_id), RevisionId(result.revision_id))))
    front.out.line("  evidence  ", str(evidence), " (kept before)" if result.reused_artifact else "")


def _document(front: Front, evidence: str, quote: str | None) -> dict[str, object]:
    from memgit.cli.documents import read_document

    document = read_document(front, evidence)
    described = given(path=document.path, quote=quote)
    return {"title": document.title, "media_type": document.media_type, "content": document.content} | described
