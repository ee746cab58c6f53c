"""`git memory doctor`: does what surrounds the memory work?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front
from memgit.cli.grammar import verb
from memgit.cli.terminal import one_line

if TYPE_CHECKING:
    from memgit.operations.doctor import Diagnosis

_STYLES = {"good": "good", "bad": "bad", "note": "dim"}


@verb("doctor")
@click.pass_obj
def command(front: Front, /) -> Diagnosis | None:
    """Check what surrounds the memory, and say what to do where it does not work.

    Our part of each hook is fired in every working tree, never anybody else's, and its line must arrive.
    Exits with 1 where something is wrong.

    \b
    Example:
      git memory doctor
    """
    from memgit.operations.doctor import Diagnosis

    return front.perform("doctor", {}, Diagnosis, lambda result: show(front, result))


def show(front: Front, result: Diagnosis) -> None:
    """Print the findings; exit with 1 where one is bad."""
    for check in result.checks:
        front.out.line(
            (_STYLES[check.state], f"{check.state:<4}"), f"  {check.name}: {one_line(check.about)}: {check.text}"
        )
        if check.hint:
            front.out.line(f"      {one_line(check.hint)}")
    if not result.ok:
        raise click.exceptions.Exit(1)
