"""`git memory verify`: is everything there, and as it was written?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front
from memgit.cli.grammar import verb

if TYPE_CHECKING:
    from memgit.operations.verify import VerifyReport


@verb("verify")
@click.pass_obj
def command(front: Front, /) -> VerifyReport | None:
    """Check every record, every document and the derived state. Changes nothing.

    Exits with 1 where an error was found; notes do not count.

    \b
    Example:
      git memory verify
    """
    from memgit.operations.verify import VerifyReport

    return front.perform("verify", {}, VerifyReport, lambda result: show(front, result))


def show(front: Front, result: VerifyReport) -> None:
    """Print the report; exit with 1 where something is wrong."""
    out = front.out
    for finding in result.findings:
        style = "bad" if finding.severity == "error" else "dim"
        out.line((style, finding.severity), f": {finding.where}: {finding.what}")
        out.line(f"  {finding.do}")
    checked = ", ".join(f"{number} {name.replace('_', ' ')}" for name, number in result.checked.items())
    out.line(f"checked {checked}: ", ("good", "ok") if result.ok else ("bad", "not ok"))
    if not result.ok:
        raise click.exceptions.Exit(1)
