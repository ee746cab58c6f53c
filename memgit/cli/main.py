"""The entry point of `git-memory`: the version at once, everything else through the group of verbs.

Owns the process: its streams, its exit status, a closed pipe. Importing this module imports nothing else, because
`git-memory --version` runs in shells' prompts and in hooks.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. Never raises, and never shows a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["--version"]:
        from memgit import __version__

        sys.stdout.write(f"git-memory {__version__}\n")
        return 0
    try:
        return _run(given)
    except KeyboardInterrupt:  # while importing; later ones are the group's
        return 130


def _run(given: list[str]) -> int:
    from memgit.cli.group import run

    for stream in (sys.stdout, sys.stderr):
        # Some texts cannot be shown in an ASCII or Latin-1 locale; they are shown escaped rather than not at all.
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    status = run(given)
    _close_output()
    return status


def _close_output() -> None:
    """Flush now: at exit, Python would report a reader that has gone, on standard error."""
    import os

    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
