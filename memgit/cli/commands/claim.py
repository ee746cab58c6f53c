"""`git memory claim`: one statement at a time, with full control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memgit.cli.code_options import anchor_options, anchors_of, code_state_options, no_anchors_option
from memgit.cli.front import Front, given
from memgit.cli.grammar import noun
from memgit.cli.ids import base_revision, whole_id
from memgit.cli.options import claim_description, claim_type_option, limit_option, revision_options, write_options
from memgit.cli.views import show_claim, show_page

if TYPE_CHECKING:
    from memgit.operations.claims import ClaimRetracted, ClaimWritten
    from memgit.operations.views import ClaimView, HistoryPage

_REMOVABLE = ("confidence", "valid_from", "valid_until", "component", "subject", "trust", "sensitivity")

evidence_option = click.option(
    "--evidence", metavar="CITATION", multiple=True, help="What it rests on: memoree://artifact/...; repeatable."
)
value_option = click.option("--value", metavar="TYPE:DATA", help="A typed value: number:42, boolean:true, json:{...}.")


@noun("claim")
def command() -> None:
    """Assert, revise, retract and read claims.

    `git memory remember` is the short way to a claim with evidence; these verbs give control of every field.
    """


@command.command("assert")
@click.argument("statement", required=False)
@claim_type_option("fact")
@value_option
@evidence_option
@claim_description
@anchor_options
@write_options
@click.pass_obj
def assert_(
    front: Front, /, statement: str | None, value: str | None, evidence: tuple[str, ...], **described: Any
) -> ClaimWritten | None:
    """State one thing.

    STATEMENT is the text, or - for standard input. Evidence is given as citations of artifacts that are there already.

    \b
    Examples:
      git memory claim assert "The port is 8080." --type fact --subject port
      git memory claim assert --subject timeout --value number:30
      git memory claim assert "We ship on Fridays." --evidence memoree://artifact/ART@REV#0-42
    """
    from memgit.operations.claims import ClaimWritten

    fields = anchors_of(described) | given(**described) | _content(statement, value, evidence)
    return front.perform("claim.assert", fields, ClaimWritten, lambda result: show_written(front, result))


@command.command("revise")
@click.argument("claim_id", metavar="ID")
@click.argument("statement", required=False)
@claim_type_option(None)
@value_option
@evidence_option
@claim_description
@anchor_options
@no_anchors_option
@click.option("--unset", type=click.Choice(_REMOVABLE), multiple=True, help="Remove a field; repeatable.")
@revision_options
@write_options
@click.pass_obj
def revise(
    front: Front,
    /,
    claim_id: str,
    statement: str | None,
    value: str | None,
    evidence: tuple[str, ...],
    unset: tuple[str, ...],
    if_revision: str | None,
    all_heads: bool,
    **described: Any,
) -> ClaimWritten | None:
    """Change a claim by a new revision; what is not given stays.

    Builds on the current revision, or on the one that --if-revision names. Where two people revised it at once, it is
    refused until --all-heads says that the new text settles both.

    \b
    Examples:
      git memory claim revise clm_01jb3h "The port is 8443."
      git memory claim revise clm_01jb3h --valid-until 2026-12-31 --unset confidence
    """
    from memgit.operations.claims import ClaimWritten

    anchors = anchors_of(described)
    changes = given(**described) | anchors | _content(statement, value, evidence) | dict.fromkeys(unset)
    if not changes:
        raise click.UsageError("Nothing to change was given.")
    whole = whole_id(front, claim_id, "claim")
    fields = {"claim_id": whole, **base_revision(front, whole, "claim", if_revision, all_heads), **changes}
    return front.perform("claim.revise", fields, ClaimWritten, lambda result: show_written(front, result))


@command.command("retract")
@click.argument("claim_id", metavar="ID")
@click.option("--reason", required=True, metavar="WHY", help="Why it no longer holds, or never did.")
@revision_options
@write_options
@click.pass_obj
def retract(
    front: Front, /, claim_id: str, reason: str, if_revision: str | None, all_heads: bool
) -> ClaimRetracted | None:
    """End a claim that no longer holds, or never did.

    It leaves recall and stays in the history with the reason.

    \b
    Example:
      git memory claim retract clm_01jb3h --reason "The service was switched off."
    """
    from memgit.operations.claims import ClaimRetracted

    whole = whole_id(front, claim_id, "claim")
    fields = {"claim_id": whole, "reason": reason, **base_revision(front, whole, "claim", if_revision, all_heads)}

    def show(result: ClaimRetracted) -> None:
        front.out.line(*([] if front.out.quiet else ["retracted "]), ("id", result.claim_id))

    return front.perform("claim.retract", fields, ClaimRetracted, show)


@command.command("get")
@click.argument("claim_id", metavar="ID")
@click.option("--revision", "revision_id", metavar="REVISION", help="One of its revisions; default: the current one.")
@code_state_options
@click.pass_obj
def get(front: Front, /, claim_id: str, **wanted: Any) -> ClaimView | None:
    """Read a claim, from any project of this store.

    \b
    Example:
      git memory claim get clm_01jb3h
    """
    from memgit.operations.views import ClaimView

    fields = {"claim_id": whole_id(front, claim_id, "claim"), **given(**wanted)}
    return front.perform("claim.get", fields, ClaimView, lambda view: show_claim(front.out, view))


@command.command("history")
@click.argument("claim_id", metavar="ID")
@limit_option(50, "revisions")
@click.option("--before", type=int, metavar="NUMBER", help="Only revisions below this number.")
@click.pass_obj
def history(front: Front, /, claim_id: str, limit: int, before: int | None) -> HistoryPage | None:
    """List a claim's revisions, newest first.

    \b
    Example:
      git memory claim history clm_01jb3h -n 10
    """
    from memgit.operations.views import HistoryPage

    whole = whole_id(front, claim_id, "claim")
    fields = {"claim_id": whole, "limit": limit, **given(before_revision_number=before)}
    return front.perform("claim.history", fields, HistoryPage, lambda page: show_history(front, page))


def show_history(front: Front, page: HistoryPage) -> None:
    """Print a page of revisions and how to see the next."""
    show_page(front.out, page.items)
    if page.next_before_revision_number is not None:
        front.out.note(f"more: --before {page.next_before_revision_number}")


def show_written(front: Front, result: ClaimWritten) -> None:
    """Print the id of a claim that was written, and its citation."""
    from memgit.records.ids import ClaimId, RevisionId
    from memgit.retrieval.citations import ClaimCitation

    front.out.line(("id", result.claim_id))
    if not front.out.quiet:
        front.out.line("  claim  ", str(ClaimCitation(ClaimId(result.claim_id), RevisionId(result.revision_id))))


def _content(statement: str | None, value: str | None, evidence: tuple[str, ...]) -> dict[str, object]:
    """Return the fields of what a claim says and what it rests on, as far as they were given."""
    from memgit.cli.documents import read_text

    fields = given(statement=None if statement is None else read_text(statement))
    if value is not None:
        fields["value"] = _typed(value)
    if evidence:
        fields["evidence"] = [_locator(citation) for citation in evidence]
    return fields


def _typed(text: str) -> dict[str, object]:
    """Return a typed value from TYPE:DATA; numbers, booleans and JSON are written as JSON writes them."""
    import json

    kind, colon, data = text.partition(":")
    if not colon:
        raise click.UsageError("--value takes TYPE:DATA, such as number:42.")
    if kind not in ("number", "boolean", "json"):
        return {"type": kind, "data": data}
    try:
        return {"type": kind, "data": json.loads(data)}
    except (ValueError, RecursionError):
        raise click.UsageError(f"--value: the data of a {kind} is written as in JSON.") from None


def _locator(text: str) -> dict[str, object]:
    from memgit.retrieval.citations import ArtifactCitation, parse_citation

    citation = parse_citation(text)
    if not isinstance(citation, ArtifactCitation):
        raise click.UsageError("--evidence takes citations of artifacts; relate claims with `relation put`.")
    span = given(start_byte=citation.start, end_byte=citation.end)
    return {"artifact_id": citation.artifact, "revision_id": citation.revision, **span}
