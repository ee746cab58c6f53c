"""`git memory search`: what is closest?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memgit.cli.code_options import code_options
from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.options import CLAIM_TYPES, as_of_option, horizon_options, layer_options, limit_option, recency_option

if TYPE_CHECKING:
    from memgit.operations.search import Found


@verb("search")
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@limit_option(10, "hits")
@click.option("--kind", "kinds", type=click.Choice(["claim", "artifact"]), multiple=True, help="Only this; repeatable.")
@click.option("--type", "types", type=click.Choice(CLAIM_TYPES), multiple=True, help="Only such claims; repeatable.")
@click.option("--component", metavar="NAME", help="Only this part of the project.")
@click.option("--marker", "markers", metavar="MARKER", multiple=True, help="Only what carries it; repeatable.")
@click.option("--include-historical", is_flag=True, help="Also what was revised, superseded, retracted, expired.")
@click.option("--max-excerpt-bytes", type=int, metavar="N", help="At most so much of each document; default 320.")
@recency_option
@as_of_option
@horizon_options
@layer_options
@code_options
@click.pass_obj
def command(front: Front, /, words: tuple[str, ...], **wanted: Any) -> Found | None:
    """Find the claims and documents that are closest to a query.

    A hit is a lead, not an answer: `git memory recall` says whether memory knows something.

    \b
    Examples:
      git memory search rounding of money
      git memory search "retry policy" --kind claim --type decision -n 5
    """
    from memgit.operations.search import Found

    fields = {"query": " ".join(words), **given(**wanted)}

    def shown(result: Found) -> None:
        from memgit.cli.answers import say_when

        show(front, result)
        say_when(front.out, wanted.get("as_of"), result.evaluated_at)

    return front.perform("search", fields, Found, shown)


def show(front: Front, result: Found) -> None:
    """Print the hits, best first."""
    from memgit.cli.answers import show_artifact_item, show_claim_item

    for hit in result.hits:
        rank = f"{hit.ranking.position:>2}  "
        if hit.claim is not None:
            show_claim_item(front.out, hit.claim, result.origins, rank)
        elif hit.artifact is not None:
            show_artifact_item(front.out, hit.artifact, result.origins, rank)
        front.out.line("    score     ", ("dim", f"{hit.ranking.score:.2f}"))
    if not result.hits:
        front.out.note("nothing is close to it; try other words")
    if result.truncated:
        front.out.note("there is more: --limit N")
