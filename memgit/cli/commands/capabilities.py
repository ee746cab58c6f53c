"""`git memory capabilities`: what this version can do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front
from memgit.cli.grammar import verb
from memgit.cli.views import fields

if TYPE_CHECKING:
    from memgit.protocol.describe import CapabilityList


@verb("capabilities")
@click.pass_obj
def command(front: Front, /) -> CapabilityList | None:
    """List the operations, error codes, limits and formats of this version.

    Needs no repository. Programs read it with --json.

    \b
    Examples:
      git memory capabilities
      git memory capabilities --json
    """
    from memgit.protocol.describe import CapabilityList

    return front.perform("capabilities", {}, CapabilityList, lambda result: show(front, result))


def show(front: Front, result: CapabilityList) -> None:
    """Print the lists."""
    out = front.out
    versions = ", ".join(str(version) for version in result.protocol_versions)
    out.line(f"{result.program} {result.version}, protocol {versions}, record format {result.record_format}")
    for title, pairs in (
        ("operations", [(str(row["name"]), str(row["summary"])) for row in result.operations]),
        ("error codes", [(str(row["code"]), str(row["meaning"])) for row in result.error_codes]),
        ("limits", [(name, str(value)) for name, value in result.limits.items()]),
    ):
        out.line()
        out.line(("strong", title))
        fields(out, pairs)
