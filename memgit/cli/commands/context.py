"""`git memory context`: which project this place belongs to, and what memory holds for a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memgit.cli.code_options import code_options
from memgit.cli.front import Front, given
from memgit.cli.grammar import noun
from memgit.cli.options import as_of_option, horizon_options, layer_options, recency_option
from memgit.cli.views import fields

if TYPE_CHECKING:
    from memgit.operations.context import ResolvedContext
    from memgit.retrieval.bundle import ContextBundle


@noun("context")
def command() -> None:
    """Where this directory's memory belongs, and what it holds for a prompt."""


@command.command("show")
@click.pass_obj
def show_context(front: Front, /) -> ResolvedContext | None:
    """Show the ambient context and its source.

    The strongest source counts as a whole: a request, a session (MEMOREE_CONTEXT), the nearest .memoree.toml, the
    store itself, the personal fallback of Git config.

    \b
    Examples:
      git memory context show
      git memory -C services/billing context show
    """
    from memgit.operations.context import ResolvedContext

    return front.perform("context.resolve", {}, ResolvedContext, lambda result: show(front, result))


def show(front: Front, result: ResolvedContext) -> None:
    """Print the context."""
    task = result.task_id or ""
    described = [
        ("workspace", result.workspace_id),
        ("project", result.project_id),
        ("task", f"{task} ({result.task})" if result.task and result.task != task else task),
        ("component", result.component or ""),
        ("pins", ", ".join(result.pins)),
        ("from", f"{result.resolved_from}: {result.where}" if result.where else result.resolved_from),
    ]
    fields(front.out, described)


@command.command("build")
@click.argument("words", metavar="QUERY...", nargs=-1, required=True)
@click.option("--max-bytes", type=int, metavar="N", help="The Markdown has at most so many bytes; default 8192.")
@click.option("-n", "--limit", type=int, metavar="N", help="At most so many hits; default 10.")
@click.option("--marker", "markers", metavar="MARKER", multiple=True, help="Only what carries it; repeatable.")
@click.option("--include-unqualified", is_flag=True, help="Also what comes close without qualifying, said so.")
@click.option("--include-untrusted", is_flag=True, help="Also what authors wrote whom you do not trust, labelled.")
@click.option("--include-historical", is_flag=True, help="Also what was revised, superseded, retracted, expired.")
@recency_option
@as_of_option
@horizon_options
@layer_options
@code_options
@click.pass_obj
def build(front: Front, /, words: tuple[str, ...], **wanted: Any) -> ContextBundle | None:
    """Print what memory holds for a prompt, as Markdown within a budget.

    Every stored line is quoted and cited, conflicts are told, and the whole is labelled as data that may be wrong. What
    authors wrote whom you do not trust (`git memory trust`) is left out and counted.

    \b
    Examples:
      git memory context build how is money stored
      git memory context build release process --max-bytes 2048 --json
    """
    from memgit.retrieval.bundle import ContextBundle

    fields = {"query": " ".join(words), **given(**wanted)}

    def shown(result: ContextBundle) -> None:
        from memgit.cli.answers import say_when

        show_bundle(front, result)
        say_when(front.out, wanted.get("as_of"), result.evaluated_at)

    return front.perform("context.build", fields, ContextBundle, shown)


def show_bundle(front: Front, result: ContextBundle) -> None:
    """Print the Markdown, and beside it what a reader should know of it."""
    for line in result.markdown.splitlines():
        front.out.line(line)
    if result.omitted_count:
        front.out.note(f"{result.omitted_count} more did not fit: --max-bytes")
    if result.untrusted_count:
        left = "1 was" if result.untrusted_count == 1 else f"{result.untrusted_count} were"
        front.out.note(f"{left} left out, by authors whom you do not trust: `git memory trust`, --include-untrusted")
    if result.retrieval_truncated:
        front.out.note("more was found: --limit")
    for signal in result.risk_signals:
        front.out.note(f"{signal.signal.replace('_', ' ')}: {', '.join(signal.citations[:3])}")
