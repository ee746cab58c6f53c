"""`git memory recall`: does memory know this?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memgit.cli.code_options import code_options
from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.options import as_of_option, horizon_options, layer_options, recency_option, together

if TYPE_CHECKING:
    from memgit.operations.recall import Recalled

_sizes = together(
    click.option("-n", "--max-claims", type=int, metavar="N", help="At most so many claims; default 5."),
    click.option("--max-artifact-refs", type=int, metavar="N", help="At most so many documents; default 3."),
    click.option("--max-excerpt-bytes", type=int, metavar="N", help="At most so much of each document; default 320."),
    click.option("--max-candidate-claims", type=int, metavar="N", help="Show claims that come close, too."),
    click.option("--max-candidate-artifact-refs", type=int, metavar="N", help="Show documents that come close, too."),
)


@verb("recall")
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@_sizes
@click.option("--include-historical", is_flag=True, help="Also what was revised, superseded, retracted, expired.")
@click.option("--marker", "markers", metavar="MARKER", multiple=True, help="Only what carries it; repeatable.")
@recency_option
@as_of_option
@horizon_options
@layer_options
@code_options
@click.pass_obj
def command(front: Front, /, words: tuple[str, ...], **wanted: Any) -> Recalled | None:
    """Ask whether memory knows something.

    The answer is honest about absence: `presence` is claims, artifacts_only or none, and nothing is shown that does not
    qualify. Every statement comes with citations of its evidence, which `git memory cat` resolves; disputed claims come
    with both sides. `git memory search` finds what is closest instead.

    \b
    Examples:
      git memory recall how is money stored
      git memory recall "may I leave a version open?" --json
      git memory recall retries --horizon workspace --reason "other services"
    """
    from memgit.operations.recall import Recalled

    query = " ".join(words)
    fields = {"query": query, **given(**wanted)}

    def shown(result: Recalled) -> None:
        from memgit.cli.answers import say_when

        show(front, result)
        say_when(front.out, wanted.get("as_of"), result.evaluated_at)

    return front.perform("memory.recall", fields, Recalled, shown)


def show(front: Front, result: Recalled) -> None:
    """Print the answer, and what to do next where there is none."""
    from memgit.cli.answers import show_artifact_item, show_claim_item, show_conflicts

    out = front.out
    out.line("presence: ", ("good" if result.presence == "claims" else "strong", result.presence))
    for claim in result.claims:
        out.line()
        show_claim_item(out, claim, result.origins)
    show_conflicts(out, result.conflicts)
    for artifact in result.artifacts:
        out.line()
        show_artifact_item(out, artifact, result.origins)
    if result.claims_truncated:
        front.out.note("more claims qualify: --max-claims N")
    if result.artifacts_truncated and result.presence == "artifacts_only":
        front.out.note("more documents qualify: --max-artifact-refs N")
    if result.presence == "none":
        out.line("Nothing in this memory qualifies as an answer.")
    _show_candidates(front, result)
    _say_what_is_missing(front, result)


def _say_what_is_missing(front: Front, result: Recalled) -> None:
    if result.presence == "artifacts_only":
        front.out.note("no claim qualifies, documents do; `git memory remember` keeps what you conclude from them")
    if result.presence == "claims":
        return
    hint = result.candidates_hint
    shown = len(result.candidate_claims) + len(result.candidate_artifacts)
    if hint is not None and shown >= hint.claims + hint.artifacts:
        front.out.note("nothing else comes close; `git memory retrieve QUERY` shows what may lead to an answer")
    elif hint is not None and (hint.claims or hint.artifacts):
        parts = [_counted(hint.claims, "claim"), _counted(hint.artifacts, "more document")]
        close = " and ".join(part for part in parts if not part.startswith("0 "))
        comes, them = ("comes", "it") if hint.claims + hint.artifacts == 1 else ("come", "them")
        front.out.note(
            f"{close} {comes} close: `git memory retrieve QUERY` shows what may lead to an answer, `git memory search "
            f"QUERY` shows {them}; so may a recall in fewer words"
        )
    elif result.presence != "none":
        return
    else:
        front.out.note("try other words or `git memory search`; `git memory remember` keeps what you find out")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _show_candidates(front: Front, result: Recalled) -> None:
    from memgit.cli.answers import show_artifact_item, show_claim_item

    if result.candidate_claims or result.candidate_artifacts:
        front.out.line()
        front.out.line("close, but not qualified:")
    for claim in result.candidate_claims:
        show_claim_item(front.out, claim, result.origins)
    for artifact in result.candidate_artifacts:
        show_artifact_item(front.out, artifact, result.origins)
