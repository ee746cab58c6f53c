"""`git memory schema`: the JSON Schema of requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.terminal import write_bytes

if TYPE_CHECKING:
    from memgit.protocol.describe import SchemaList


@verb("schema")
@click.argument("operation", required=False)
@click.pass_obj
def command(front: Front, /, operation: str | None) -> SchemaList | None:
    """Print the JSON Schema (2020-12) of an operation's input, or of all.

    Generated from the code that checks the requests. Needs no repository.

    \b
    Examples:
      git memory schema claim.assert
      git memory schema
    """
    from memgit.protocol.describe import SchemaList

    def show(result: SchemaList) -> None:
        import msgspec

        one = result.inputs if operation is None else result.inputs[operation]
        write_bytes(msgspec.json.format(msgspec.json.encode(one)) + b"\n")

    return front.perform("schema", given(operation=operation), SchemaList, show)
