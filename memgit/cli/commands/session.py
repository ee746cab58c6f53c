"""`git memory session exec`: run a command inside a task."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

import click

from memgit.cli.front import Front
from memgit.cli.grammar import noun

CANNOT_RUN = 126
NOT_FOUND = 127  # both as a shell has them


@noun("session")
def command() -> None:
    """Work inside a task, so that its memories stay apart from others'."""


@command.command("exec", context_settings={"allow_interspersed_args": False})
@click.option("--task", required=True, metavar="NAME", help="What the task is called.")
@click.option("--task-id", metavar="ID", help="Continue a task by its id; default: a new one.")
@click.argument("words", metavar="-- COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_obj
def exec_(front: Front, /, task: str, task_id: str | None, words: tuple[str, ...]) -> None:
    """Run a command, and all that it starts, inside a task of this project.

    The task travels in MEMOREE_CONTEXT; nothing is written. The exit status is the command's own; 127 where there is no
    such command, 126 where it cannot be run.

    \b
    Examples:
      git memory session exec --task "Fix login" -- claude
      git memory session exec --task audit -- sh -c 'git memory remember "..."'
    """
    from memgit.scope.session import session_environment

    invocation = front.invocation()
    try:
        variables = session_environment(invocation.context, task, task_id)
    finally:
        invocation.close()
    environment = {**os.environ, **variables}
    sys.stdout.flush()
    os.chdir(front.directory)
    if sys.platform == "win32":  # there, exec would return to the shell before the command ends
        _wait(words, environment)
    _become(words, environment)


def _become(words: tuple[str, ...], environment: dict[str, str]) -> NoReturn:
    """Replace this process, so that signals reach the command itself."""
    for name in ("SIGPIPE", "SIGXFSZ"):
        # Python ignores these, and what is ignored stays ignored in the new program.
        number = getattr(signal, name, None)
        if number is not None:
            signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(words[0], words, environment)  # noqa: S606 - no shell on purpose
    except OSError as error:
        _refuse(words[0], error)
    except ValueError:  # a NUL in an argument
        raise click.UsageError("The command has a NUL character.") from None


def _wait(words: tuple[str, ...], environment: dict[str, str]) -> NoReturn:
    import subprocess

    try:
        raise click.exceptions.Exit(subprocess.run(words, env=environment).returncode)
    except OSError as error:
        _refuse(words[0], error)


def _refuse(name: str, error: OSError) -> NoReturn:
    from memgit.cli.terminal import complain

    complain(f"error: {name} cannot be run: {error.strerror or error}")
    missing = isinstance(error, FileNotFoundError)
    raise click.exceptions.Exit(NOT_FOUND if missing else CANNOT_RUN) from None
