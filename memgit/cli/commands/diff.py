"""`git memory diff`: what a sync, a branch, a draft or a span of the history brings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb

if TYPE_CHECKING:
    from memgit.operations.diff import DiffAnswer


@verb("diff")
@click.argument("range_", metavar="[A..B]", required=False)
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "markdown", "json"]),
    default="text",
    show_default=True,
    help="Markdown is fit for the comment of a pull request.",
)
@click.option("--full", is_flag=True, help="Show all lines of a document, not only its first.")
@click.option("--max-bytes", type=int, metavar="BYTES", help="How much to show at most; default: 60000.")
@click.pass_obj
def command(front: Front, /, range_: str | None, format_: str, full: bool, max_bytes: int | None) -> DiffAnswer | None:
    """Show what one state of the memory has and another has not.

    Without a range: what a sync would bring, as far as it was fetched. B alone means @..B; A...B means what B has since
    the two went apart. A state is @ (our tip), the name of a remote, seq:N, a date (also yesterday, 2.weeks.ago), the
    beginning of a commit, or draft:NAME. Memory is merged by union, so nothing that only A has is shown; conflicts are
    those that would open.

    \b
    Examples:
      git memory diff
      git memory diff seq:120..@
      git memory diff 2026-05-01..@ --format markdown
    """
    from memgit.operations.diff import DiffAnswer

    fields = given(range=range_, full=full, max_bytes=max_bytes)
    if format_ == "markdown":
        fields["format"] = "markdown"
    front.as_json = front.as_json or format_ == "json"
    return front.perform("diff", fields, DiffAnswer, lambda answer: _show(front, answer))


def _show(front: Front, answer: DiffAnswer) -> None:
    from memgit.cli.changes import show_diff

    if answer.markdown is not None:
        for line in answer.markdown.rstrip("\n").split("\n"):
            front.out.line(line)
        return
    if answer.is_empty:
        front.out.note(f"{answer.before}..{answer.after}: nothing differs")
        return
    assert answer.diff is not None
    show_diff(front.out, answer.diff, answer.before, answer.after)
