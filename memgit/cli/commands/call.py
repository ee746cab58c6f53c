"""`git memory call`: one JSON request in, one JSON envelope out."""

from __future__ import annotations

import sys

import click

from memgit.cli.front import Front
from memgit.cli.grammar import verb
from memgit.cli.terminal import write_bytes
from memgit.limits import DEFAULT


@verb("call")
@click.pass_obj
def command(front: Front, /) -> None:
    """Answer one JSON request with one JSON envelope.

    The request comes from standard input, the envelope goes to standard output, and nothing else does. Nothing prompts.
    `git memory schema` describes the requests, `git memory instructions` their use. Exits with 0 done, 1 refused, 3 a
    fault.

    \b
    Examples:
      echo '{"op": "status"}' | git memory call
      echo '{"op": "memory.recall", "input": {"query": "money"}}' | git memory call
    """
    from memgit.protocol.envelope import answer_bytes

    data = b"" if sys.stdin is None else sys.stdin.buffer.read(DEFAULT.request_bytes + 1)
    answered = answer_bytes(data, front.directory, front.environment)
    write_bytes(answered.encode())
    if answered.exit_status:
        raise click.exceptions.Exit(answered.exit_status)
