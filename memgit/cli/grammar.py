"""The grammar of the command line: verbs, nouns with verbs of their own, and what all of them take.

Every verb has `-h`, `--help`, `--json` and `--quiet`; a word that is no verb gets the nearest one suggested.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from memgit.cli import terminal
from memgit.cli.front import Front
from memgit.errors import InvalidRequest

Callback = Callable[..., Any]


class Verb(click.Command):
    """One verb. Its help is the callback's docstring: a summary, a paragraph, at least one example."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"add_help_option": False})
        self.params += shared_options()

    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb. Where a failure has no better hint than the schema of the request, name the verb's help."""
        try:
            return super().invoke(ctx)
        except InvalidRequest as error:
            if error.hint == InvalidRequest.default_hint:
                error.hint = f"`{ctx.command_path} -h` shows what it takes."
            raise


class Noun(click.Group):
    """A noun: `git memory claim` takes verbs of its own."""

    command_class = Verb
    meant: Mapping[str, str] = {}  # words that people try first, and the verb that does it

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"add_help_option": False, "no_args_is_help": False})
        self.params += shared_options()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, but say which verbs there are where nothing is given."""
        if not args and not self.invoke_without_command and not ctx.resilient_parsing:
            raise click.UsageError(f"{ctx.command_path} needs a verb: {', '.join(self.list_commands(ctx))}.", ctx=ctx)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of their definition, which is the order of use."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names. Raises UsageError, which suggests the nearest verb."""
        name = args[0]
        command = self.get_command(ctx, name)
        if command is not None:
            return name, command, args[1:]
        if name.startswith("-"):
            raise click.NoSuchOption(name, ctx=ctx)
        meant = self.meant.get(name) or next(iter(difflib.get_close_matches(name, self.list_commands(ctx), n=1)), None)
        suggestion = f" Did you mean {meant!r}?" if meant else ""
        raise click.UsageError(f"There is no verb {name[:60]!r}.{suggestion}", ctx=ctx)


def verb(name: str, **settings: Any) -> Callable[[Callback], Verb]:
    """Return the decorator that makes a verb of a function."""
    return click.command(name, cls=Verb, **settings)


def noun(name: str, **settings: Any) -> Callable[[Callback], Noun]:
    """Return the decorator that makes a noun of a function."""
    return click.group(name, cls=Noun, **settings)


def shared_options() -> list[click.Parameter]:
    """Return the options that hold everywhere; they change the front, not the callback's arguments."""
    return [
        click.Option(
            ["--json", "as_json"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_set_json,
            help="Print the JSON envelope that `git memory call` prints.",
        ),
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_set_quiet,
            help="Print data and errors only; a write prints its new id alone.",
        ),
        click.Option(
            ["-h", "--help"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_print_help,  # click's own has another idea of encodings and of closed pipes than `terminal`
            help="Show this message and exit.",
        ),
    ]


def _set_json(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        _front(ctx, "as_json")


def _set_quiet(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        _front(ctx, "quiet")


def _print_help(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        terminal.write(sys.stdout, ctx.get_help() + "\n")
        ctx.exit()


def _front(ctx: click.Context, what: str) -> None:
    """Set a mode of the front; the root's own flags come before there is one, and wait in `meta`."""
    front = ctx.find_object(Front)
    if front is None:
        ctx.meta[f"memgit.{what}"] = True
    elif what == "as_json":
        front.as_json = True
    else:
        front.out.quiet = True
