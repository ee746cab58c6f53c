"""`git memory`: the root of all verbs, its global options, and the one place where failures end.

It imports a verb's module when the verb is used. `-C DIR` is as Git's own: repeatable, each seen from the one before.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from memgit.cli import failures, terminal, verbs
from memgit.cli.front import Front
from memgit.cli.grammar import Noun
from memgit.cli.main import READER_GONE
from memgit.environment import Environment
from memgit.errors import MemgitError, NotARepository

PROGRAM = "git memory"


_MEANT = {
    "acknowledge": "conflict acknowledge",
    "add": "remember",
    "assert": "claim assert",
    "ask": "recall",
    "annotate": "blame",
    "changes": "diff",
    "clone": "init -h",
    "compare": "diff",
    "correct": "claim revise",
    "edit": "claim revise",
    "find": "search",
    "forget": "artifact forget",
    "help": "-h",
    "history": "claim history",
    "list": "status",
    "ls": "status",
    "put": "artifact put",
    "relate": "relation put",
    "replace": "relation put",
    "redo": "undo",
    "reset": "undo",
    "resolve": "conflict -h",
    "restore": "checkpoint restore",
    "retract": "claim retract",
    "revert": "undo",
    "review": "diff",
    "revise": "claim revise",
    "snapshot": "checkpoint",
    "stash": "checkpoint",
    "supersede": "relation put",
    "version": "--version",
}


class Root(Noun):
    """The group of all verbs."""

    meant = _MEANT

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all verbs in the order of the help."""
        return list(verbs.VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a verb."""
        return verbs.load(cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the verbs in their sections."""
        for title, names in verbs.SECTIONS.items():
            commands = [(name, self.get_command(ctx, name)) for name in names]
            with formatter.section(title):
                formatter.write_dl([(name, found.get_short_help_str(200)) for name, found in commands if found])

    def main(  # type: ignore[override]  # click's overloads tell apart modes that there are not here
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> Any:
        """Run a command line and exit with its status, as click's own `main` does."""
        sys.exit(run(sys.argv[1:] if args is None else args))


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status. Every failure becomes a message here, none a traceback."""
    try:
        status = _attempt(arguments)
        terminal.flush()
        return status
    except terminal.ClosedPipe:
        return READER_GONE
    except terminal.OutputRefused as error:
        return failures.report(error, as_json=False)
    except KeyboardInterrupt:
        return failures.INTERRUPTED


def _attempt(arguments: Sequence[str]) -> int:
    """Run a command line and tell its failure, except one of standard output, which is where telling goes."""
    context = None
    try:
        with command.make_context(PROGRAM, list(arguments)) as context:
            command.invoke(context)
        return 0
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except (terminal.ClosedPipe, terminal.OutputRefused):
        raise
    except click.ClickException as error:
        return failures.report_usage(error, as_json=_asked_for_json(arguments, context))
    except MemgitError as error:
        return failures.report(error, as_json=_asked_for_json(arguments, context))
    except Exception as error:  # noqa: BLE001 - a person gets a sentence, not a traceback
        if "MEMGIT_DEBUG" in Environment.read().overrides:
            import traceback

            terminal.complain(traceback.format_exc())
        return failures.report(failures.internal(error), as_json=_asked_for_json(arguments, context))


def _asked_for_json(arguments: Sequence[str], context: click.Context | None) -> bool:
    """Tell whether a failure goes out as an envelope, also where the command line was not understood."""
    if context is not None and isinstance(context.obj, Front) and context.obj.as_json:
        return True
    words = list(arguments)
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def _print_version(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        from memgit import __version__

        terminal.write(sys.stdout, f"git-memory {__version__}\n")
        context.exit()


@click.group(cls=Root, invoke_without_command=True)
@click.option("-C", "directories", metavar="DIR", multiple=True, help="Run as if started in DIR; may be repeated.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
@click.pass_context
def command(context: click.Context, directories: tuple[str, ...]) -> None:
    """A memory for this Git repository: claims and decisions with the documents that prove them.

    What is remembered lives in a ref of the repository, is recalled with citations of exact bytes, and leaves files
    and branches alone. Without a verb, `git memory` shows the status.

    \b
    Examples:
      git memory init
      git memory remember "Money is stored in cents." --type decision
      git memory recall how is money stored
    """
    if context.obj is None:
        context.obj = Front(_directory(directories))
    front: Front = context.obj
    front.as_json = front.as_json or bool(context.meta.get("memgit.as_json"))
    front.out.quiet = front.out.quiet or bool(context.meta.get("memgit.quiet"))
    if context.invoked_subcommand is None:
        from memgit.cli.commands.status import greet

        greet(front)


def _directory(steps: Sequence[str]) -> Path:
    """Return where the command runs. Raises NotARepository where there is no such directory."""
    try:
        directory = Path.cwd().joinpath(*steps)
        if directory.is_dir():
            return directory
    except FileNotFoundError:
        raise NotARepository("the current directory is gone", hint="Change into a directory that exists.") from None
    except ValueError:  # a NUL in a name
        pass
    raise NotARepository(f"cannot change to {'/'.join(steps)!r}: not a directory", hint="Give `-C` a directory.")
