"""`git memory context show`: which project this place belongs to, and who says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front
from memgit.cli.grammar import noun
from memgit.cli.views import fields

if TYPE_CHECKING:
    from memgit.operations.context import ResolvedContext


@noun("context")
def command() -> None:
    """Where this directory's memory belongs."""


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
