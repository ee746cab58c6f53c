"""How a failure leaves the program: as text or as an envelope, and always with a status.

0 done, 1 refused or a check found something, 2 wrong usage, 3 a fault of memgit, 130 interrupted, 141 when the reader
of the output has gone (what a shell reports for `git log | head` too).
"""

from __future__ import annotations

import click

from memgit.cli.terminal import complain, write_bytes
from memgit.errors import Internal, InvalidRequest, MemgitError
from memgit.records.visible import visible

INTERRUPTED = 130
WRONG_USAGE = 2

_FORKED = "Look at each with `git memory show`, then pass `--all-heads` to continue them as one."


def report(error: MemgitError, *, as_json: bool) -> int:
    """Tell a failure and return its exit status."""
    if as_json:
        write_bytes(_envelope(error))
    else:
        complain(*_lines(error))
    return error.exit_status


def report_usage(error: click.ClickException, *, as_json: bool) -> int:
    """Tell that the command line is wrong; the hint names the help that fits. Returns 2, or what click asks for."""
    message = error.format_message().strip()
    context = getattr(error, "ctx", None)
    verb = context.command_path if context is not None else "git memory"
    report(InvalidRequest(message, hint=f"`{verb} -h` shows the usage."), as_json=as_json)
    return WRONG_USAGE


def internal(error: Exception) -> Internal:
    """Return a fault as an error. The place is named, the data is not: it may be anybody's."""
    import traceback
    from pathlib import Path

    frames = traceback.extract_tb(error.__traceback__)
    place = f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    return Internal(f"{type(error).__name__}{place}")


def _envelope(error: MemgitError) -> bytes:
    from memgit.protocol.envelope import Answer, failure_envelope

    return Answer(failure_envelope(None, error, []), error.exit_status).encode()


def _lines(error: MemgitError) -> list[str]:
    lines = [f"error: {line}" if number == 0 else f"       {line}" for number, line in enumerate(_split(error.message))]
    heads = error.details.get("heads")
    if isinstance(heads, list):
        lines += [f"       current revision: {head}" for head in heads]
    lines += [f"       also: {place}" for place in _further_places(error)]
    hint = _FORKED if isinstance(heads, list) and len(heads) > 1 else error.hint
    return lines + [f"hint: {line}" for line in _split(hint)]


def _further_places(error: MemgitError) -> list[str]:
    """Return where else something was found that looks like a secret, after the first, which the message names."""
    findings = error.details.get("findings")
    places = [item for item in findings if isinstance(item, dict)] if isinstance(findings, list) else []
    return [f"`{item['where']}`: {item['rule']} at line {item['line']}, column {item['column']}" for item in places[1:]]


def _split(text: str) -> list[str]:
    return [line for line in visible(text).split("\n") if line.strip()]
