"""`git memory feedback`: verdicts on answers, kept beside the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import noun

if TYPE_CHECKING:
    from memgit.operations.feedback import FeedbackKept, FeedbackPage

_VERDICTS = ("helpful", "unhelpful", "wrong", "outdated", "missing", "harmful")


@noun("feedback")
def command() -> None:
    """Say how answers were. Kept in this repository's private state; ranking never reads it."""


@command.command("record")
@click.argument("verdict", metavar="VERDICT", type=click.Choice(_VERDICTS))
@click.option("--query", metavar="TEXT", help="What was asked; kept as a fingerprint.")
@click.option("--keep-query", is_flag=True, help="Keep the words of the query, too.")
@click.option("--subject", metavar="ID", help="The claim, artifact or citation that is meant; default: the answer.")
@click.option("--note", metavar="TEXT", help="Anything more to say.")
@click.pass_obj
def record(
    front: Front, /, verdict: str, query: str | None, keep_query: bool, subject: str | None, note: str | None
) -> FeedbackKept | None:
    """Keep a verdict on an answer.

    VERDICT is helpful, unhelpful, wrong, outdated, missing or harmful.

    \b
    Examples:
      git memory feedback record helpful --query "how is money stored"
      git memory feedback record outdated --subject clm_01jb3h --note "We moved to cents."
    """
    from memgit.cli.ids import whole_id
    from memgit.operations.feedback import FeedbackKept

    whole = whole_id(front, subject) if subject is not None and "://" not in subject else subject
    fields = {"verdict": verdict, **given(query=query, keep_query=keep_query, subject=whole, note=note)}
    return front.perform("feedback.record", fields, FeedbackKept, lambda result: front.out.line("kept ", result.at))


@command.command("export")
@click.option("-n", "--limit", type=int, default=100, show_default=True, help="At most so many verdicts.")
@click.option("--after", metavar="WHEN", help="Where the page before ended.")
@click.pass_obj
def export(front: Front, /, limit: int, after: str | None) -> FeedbackPage | None:
    """List verdicts, oldest first, one JSON object a line.

    \b
    Example:
      git memory feedback export -n 1000
    """
    from memgit.operations.feedback import FeedbackPage

    fields = {"limit": limit, **given(after=after)}
    return front.perform("feedback.export", fields, FeedbackPage, lambda page: show(front, page))


def show(front: Front, page: FeedbackPage) -> None:
    """Print the verdicts as JSON lines."""
    import msgspec

    for item in page.items:
        front.out.line(msgspec.json.encode(item).decode())
    if page.next_after is not None:
        front.out.note(f"more: --after {page.next_after}")
