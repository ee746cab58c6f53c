"""`git memory retrieve`: recall, and where nothing qualifies one look further."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memgit.cli.code_options import code_options
from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.options import as_of_option, horizon_options, layer_options, recency_option

if TYPE_CHECKING:
    from memgit.operations.retrieve import Retrieved


@verb("retrieve")
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@click.option("--reformulation", metavar="TEXT", help="The same question in other words, to look for leads with.")
@click.option("-n", "--max-claims", type=int, metavar="N", help="At most so many claims; default 5.")
@click.option("--depth", type=int, metavar="N", help="At most so many leads; default 8.")
@click.option("--marker", "markers", metavar="MARKER", multiple=True, help="Only what carries it; repeatable.")
@recency_option
@as_of_option
@horizon_options
@layer_options
@code_options
@click.pass_obj
def command(front: Front, /, words: tuple[str, ...], **wanted: Any) -> Retrieved | None:
    """Recall; where nothing qualifies, show what might lead to an answer.

    Presence is that of `git memory recall`. Without any, the exact evidence of claims near the question is shown,
    labelled unqualified, with the places to look and what to do next. Nothing of it is an answer.

    \b
    Examples:
      git memory retrieve how is money stored
      git memory retrieve "who seals the book" --reformulation "which shift closes the ledger"
    """
    from memgit.operations.retrieve import Retrieved

    fields = {"query": " ".join(words), **given(**wanted)}

    def shown(result: Retrieved) -> None:
        from memgit.cli.answers import say_when

        show(front, result)
        say_when(front.out, wanted.get("as_of"), result.recall.evaluated_at)

    return front.perform("memory.retrieve", fields, Retrieved, shown)


def show(front: Front, result: Retrieved) -> None:
    """Print the answer, or what there is instead of one."""
    from memgit.cli.answers import show_leads
    from memgit.cli.commands.recall import show as show_recalled
    from memgit.cli.terminal import one_line

    show_recalled(front, result.recall)
    for item in result.unqualified_evidence:
        front.out.line()
        front.out.line("unqualified evidence  ", ("id", item.citation))
        if not item.trusted:
            front.out.line("  by  ", one_line(item.author.text, 100), ("bad", " (not trusted)"))
        for line in item.text.splitlines():
            front.out.line("  | ", one_line(line, 400))
    if result.probe is not None and result.probe.leads:
        front.out.line()
        show_leads(front.out, result.probe.leads)
    front.out.note(f"next: {result.next_action_text}")
