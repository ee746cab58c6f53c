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
from memgit.errors import MemgitError, NotARepository

PROGRAM = "git memory"


class Root(Noun):
    """The group of all verbs."""

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
                formatter.write_dl([(name, found.get_short_help_str(60)) for name, found in commands if found])

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:
        """Run a command line and exit with its status, as click's own `main` does."""
        sys.exit(run(sys.argv[1:] if args is None else args))


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit status. Every failure becomes a message here, none a traceback."""
    given = list(arguments)
    as_json = "--json" in given[: given.index("--")] if "--" in given else "--json" in given
    try:
        status = _attempt(given, as_json)
        terminal.flush()
        return status
    except terminal.ClosedPipe:
        return failures.READER_GONE
    except MemgitError as error:  # standard output itself
        return failures.report(error, as_json=False)
    except KeyboardInterrupt:
        return failures.INTERRUPTED


def _attempt(arguments: list[str], as_json: bool) -> int:
    try:
        with command.make_context(PROGRAM, arguments) as context:
            command.invoke(context)
        return 0
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as error:
        return failures.report_usage(error, as_json=as_json)
    except (MemgitError, terminal.ClosedPipe) as error:
        if isinstance(error, terminal.ClosedPipe | terminal.OutputRefused):
            raise
        return failures.report(error, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - a person gets a sentence, not a traceback
        return failures.report(failures.internal(error), as_json=as_json)


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
    directory = Path.cwd()
    for step in directories:
        directory /= step
    front = context.ensure_object(lambda: Front(directory))  # type: ignore[arg-type]
    _apply_modes(context, front)
    if not directory.is_dir():
        raise NotARepository(f"cannot change to {directory}: it is not a directory", hint="Give `-C` a directory.")
    if context.invoked_subcommand is None:
        from memgit.cli.commands.status import greet

        greet(front)


def _apply_modes(context: click.Context, front: Front) -> None:
    front.as_json = front.as_json or bool(context.meta.get("memgit.as_json"))
    front.out.quiet = front.out.quiet or bool(context.meta.get("memgit.quiet"))
