"""`git memory instructions`: what a model should know to use the memory well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front
from memgit.cli.grammar import verb

if TYPE_CHECKING:
    from memgit.protocol.describe import InstructionText


@verb("instructions")
@click.pass_obj
def command(front: Front, /) -> InstructionText | None:
    """Print the text that a coding agent should read before it uses the memory.

    Markdown, to append to CLAUDE.md, AGENTS.md or a system prompt. Needs no repository.

    \b
    Examples:
      git memory instructions >> AGENTS.md
      git memory instructions --json
    """
    from memgit.protocol.describe import InstructionText

    def show(result: InstructionText) -> None:
        front.out.block(result.markdown.rstrip("\n"), indent="")

    return front.perform("instructions", {}, InstructionText, show)
