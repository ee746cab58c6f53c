"""`git memory config`: settings, with the source of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import noun

if TYPE_CHECKING:
    from memgit.operations.settings import SettingList, SettingView

for_user = click.option("--global", "for_user", is_flag=True, help="In your own Git config, for all repositories.")


@noun("config")
def command() -> None:
    """Read and change settings.

    Settings live in Git config as memgit.NAME; MEMGIT_NAME in the environment wins over it.
    """


@command.command("get")
@click.argument("name")
@click.pass_obj
def get(front: Front, /, name: str) -> SettingView | None:
    """Print a setting's value.

    \b
    Example:
      git memory config get durability
    """
    from memgit.operations.settings import SettingView

    return front.perform("config.get", {"name": name}, SettingView, lambda result: front.out.line(_text(result)))


@command.command("set")
@click.argument("name")
@click.argument("value")
@for_user
@click.pass_obj
def set_(front: Front, /, name: str, value: str, for_user: bool) -> SettingView | None:
    """Change a setting of this repository, or with --global of yours.

    \b
    Examples:
      git memory config set durability safe
      git memory config set --global personalProject notes
    """
    fields = {"name": name, "value": value, **given(for_user=for_user)}
    return _change(front, fields)


@command.command("unset")
@click.argument("name")
@for_user
@click.pass_obj
def unset(front: Front, /, name: str, for_user: bool) -> SettingView | None:
    """Remove a setting, so that the next source or the default holds.

    \b
    Example:
      git memory config unset durability
    """
    return _change(front, {"name": name, "value": None, **given(for_user=for_user)})


@command.command("list")
@click.pass_obj
def list_(front: Front, /) -> SettingList | None:
    """List all settings with their values and where each comes from.

    \b
    Example:
      git memory config list
    """
    from memgit.operations.settings import SettingList

    return front.perform("config.list", {}, SettingList, lambda result: _show(front, result))


def _change(front: Front, fields: dict[str, object]) -> SettingView | None:
    from memgit.operations.settings import SettingView

    def show(result: SettingView) -> None:
        front.out.note(f"{result.name} is {_text(result) or 'not set'} ({result.where})")

    return front.perform("config.set", fields, SettingView, show)


def _show(front: Front, result: SettingList) -> None:
    rows = [(item.name, _text(item), item.where) for item in result.settings]
    front.out.table(rows, ("setting", "value", "from"))
    for item in result.settings:
        if item.problem:
            front.out.note(f"warning: {item.problem}")
    for key in result.unknown:
        front.out.note(f"warning: Git config has {key}, which means nothing to this version")


def _text(setting: SettingView) -> str:
    return "" if setting.value is None else str(setting.value)
