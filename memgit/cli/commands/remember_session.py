"""`git memory remember-session`: the turns of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.options import write_options

if TYPE_CHECKING:
    from memgit.operations.remember_session import SessionIngested


_FORM = 'Give an array of turns, or one turn a line: {"speaker": "...", "text": "..."}.'


@verb("remember-session")
@click.argument("file", metavar="[FILE]", default="-")
@click.option("--session", metavar="ID", help="The name of the session; by default the file's, without its ending.")
@click.option("--turns", "turns_per_claim", type=int, metavar="N", help="At most so many turns a claim; default 8.")
@click.option("--max-bytes", type=int, metavar="N", help="At most so many bytes a claim; default 4096.")
@click.option("--marker", "markers", metavar="MARKER", multiple=True, help="Mark every claim with it; repeatable.")
@write_options
@click.pass_obj
def command(front: Front, /, file: str, session: str | None, **described: Any) -> SessionIngested | None:
    """Remember what was said in a session, turn by turn.

    FILE, or standard input, holds JSON: an array of turns, or one turn a line. A turn has a `text` and may have a
    `speaker`, a `role` and a `time`. The turns become observations in their order, in one commit. Doing it again adds
    only what the session has gained; a turn that seems to hold a secret is left out and named.

    \b
    Examples:
      git memory remember-session chats/standup-12.jsonl
      git memory remember-session --session standup-12 --turns 1 < turns.json
    """
    from memgit.operations.remember_session import SessionIngested

    fields = {"session": _name(file, session), "turns": _turns(front, file), **given(**described)}
    return front.perform("session.ingest", fields, SessionIngested, lambda result: show(front, result))


def show(front: Front, result: SessionIngested) -> None:
    """Print the new claims, then the counts."""
    out = front.out
    if not out.quiet:
        for name in result.claim_ids:
            out.line(("id", name))
        if result.claims > len(result.claim_ids):
            out.line(f"and {result.claims - len(result.claim_ids)} more")
    for item in result.left_out:
        out.note(f"left out: turn {item.turn}: {item.reason}")
    if result.left_out_turns > len(result.left_out):
        out.note(f"left out: {result.left_out_turns - len(result.left_out)} more turns")
    out.line(f"{result.turns} turns in {result.claims} claims, {result.known} known before")


def _name(file: str, session: str | None) -> str:
    if session is None and file == "-":
        raise click.UsageError("Standard input has no name: --session ID.")
    from pathlib import PurePath

    return session if session is not None else PurePath(file).stem


def _turns(front: Front, file: str) -> object:
    """Return the turns as JSON values. Raises InvalidRequest for what is no JSON, naming the line."""
    from memgit.cli.documents import read_file, read_input

    data = read_input() if file == "-" else read_file(front.path(file), file)
    if not data.strip():
        from memgit.errors import InvalidRequest

        raise InvalidRequest("there are no turns: the input is empty", hint=_FORM, details={"field": "turns"})
    if data.lstrip()[:1] == b"[":
        return _decoded(data, "the array")
    lines = enumerate(data.splitlines(), 1)
    return [_decoded(line, f"line {number}") for number, line in lines if line.strip()]


def _decoded(data: bytes, where: str) -> object:
    import msgspec

    from memgit.errors import InvalidRequest

    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidRequest(
            f"{where} of the session is not JSON: {error}",
            hint=_FORM,
        ) from None
