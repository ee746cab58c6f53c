"""`git memory probe`: where might the answer stand?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.options import as_of_option, horizon_options, layer_options

if TYPE_CHECKING:
    from memgit.retrieval.probe import ProbeResult


@verb("probe")
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@click.option("--original-query", metavar="TEXT", help="The question, where QUERY says it in other words.")
@click.option("--depth", type=int, metavar="N", help="At most so many leads; default 8.")
@as_of_option
@horizon_options
@layer_options
@click.pass_obj
def command(front: Front, /, words: tuple[str, ...], **wanted: Any) -> ProbeResult | None:
    """Look once for leads: documents and exact places that may hold an answer.

    A lead proves that its source exists, nothing else. `git memory cat CITATION` reads it; then ask again with its own
    words.

    \b
    Example:
      git memory probe "which shift closes the ledger"
    """
    from memgit.retrieval.probe import ProbeResult

    fields = {"query": " ".join(words), **given(**wanted)}

    def shown(result: ProbeResult) -> None:
        from memgit.cli.answers import say_when

        show(front, result)
        say_when(front.out, wanted.get("as_of"), result.evaluated_at)

    return front.perform("memory.probe", fields, ProbeResult, shown)


def show(front: Front, result: ProbeResult) -> None:
    """Print the leads."""
    from memgit.cli.answers import show_leads

    show_leads(front.out, result.leads)
    if not result.leads:
        front.out.note("no leads; try other words, or `git memory search`")
