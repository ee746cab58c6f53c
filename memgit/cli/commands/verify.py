"""`git memory verify`: is everything there, and as it was written?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, layer_name
from memgit.cli.grammar import verb
from memgit.cli.terminal import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgit.operations.verify import VerifyReport


_NOUNS = {"format": "format file", "cached": "cached entity", "indexed": "index file"}


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
    out.line(f"checked {_checked(result.checked)}: ", ("good", "ok") if result.ok else ("bad", "not ok"))
    if not result.ok:
        raise click.exceptions.Exit(1)


def _checked(counts: Mapping[str, int]) -> str:
    """Return what was counted for people: the shared layer's first, then each private one's under its name."""
    by_layer: dict[str, list[str]] = {}
    for name, number in counts.items():
        layer, _, what = name.rpartition(" ")
        by_layer.setdefault(layer, []).append(counted(number, _NOUNS.get(what, what.removesuffix("s")), what))
    groups = [(f"{layer_name(layer)}: " if layer else "") + ", ".join(parts) for layer, parts in by_layer.items()]
    return "; ".join(groups)
