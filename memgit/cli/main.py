"""The entry point of `git-memory`: the version at once, everything else through the group of verbs.

Owns the process: its streams and its last flush. Importing this module imports nothing else, because
`git-memory --version` runs in shells' prompts and in hooks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

READER_GONE = 141  # what a shell reports for `git log | head` too


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status. Never raises, and never shows a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    status = READER_GONE
    try:
        status = _version() if given == ["--version"] else _run(given)
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:  # while importing; later ones are the group's
        return 130
    except (
        OSError
    ):  # nobody reads; what is still buffered must not be tried again at exit, where Python would report it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status


def _version() -> int:
    from memgit import __version__

    if sys.stdout is not None:
        sys.stdout.write(f"git-memory {__version__}\n")
    return 0


def _run(given: list[str]) -> int:
    from memgit.cli.group import run

    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the caller closed it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - as long as the process
        # Some texts cannot be shown in an ASCII or Latin-1 locale; they are shown escaped rather than not at all.
        getattr(sys, name).reconfigure(errors="backslashreplace")
    return run(given)
