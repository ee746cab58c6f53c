"""Options that several verbs take, so that one thing has one name everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, get_args

import click

from memgit.records.op import ClaimType, RelationType
from memgit.scope.horizon import HORIZONS

CallableT = TypeVar("CallableT", bound=Callable[..., Any])

CLAIM_TYPES: tuple[str, ...] = get_args(ClaimType)
RELATION_TYPES: tuple[str, ...] = get_args(RelationType)


def together(*decorators: Callable[[Any], Any]) -> Callable[[CallableT], CallableT]:
    """Return one decorator that adds options in the order given."""

    def decorate(function: CallableT) -> CallableT:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def claim_type_option(default: str | None) -> Callable[[Any], Any]:
    """Return `--type`."""
    return click.option(
        "--type",
        "claim_type",
        type=click.Choice(CLAIM_TYPES),
        default=default,
        show_default=default is not None,
        help="What kind of statement it is.",
    )


claim_description = together(
    click.option("--subject", metavar="NAME", help="What the claim is about."),
    click.option("--component", metavar="NAME", help="The part of the project that it belongs to."),
    click.option("--confidence", type=float, metavar="0..1", help="How sure you are."),
    click.option("--valid-from", metavar="WHEN", help="A date, or a time with a zone: 2026-05-01T12:00:00Z."),
    click.option("--valid-until", metavar="WHEN", help="From when on it no longer holds."),
    click.option("--trust", metavar="LEVEL", help="Who says so, in your team's words."),
    click.option("--sensitivity", metavar="LEVEL", help="Who may read it, in your team's words."),
    click.option("--marker", "markers", metavar="MARKER", multiple=True, help="dimension:value or a word; repeatable."),
)
"""What a claim may say about itself beside its statement."""

revision_options = together(
    click.option("--if-revision", metavar="REVISION", help="Refuse unless this is the current revision."),
    click.option("--all-heads", is_flag=True, help="Where it has forked: continue all current revisions as one."),
)
"""Which revision a change builds on. Without either, the one that is current."""

horizon_options = together(
    click.option("--horizon", type=click.Choice(HORIZONS), help="How far to look; default: this project."),
    click.option("--reason", metavar="WHY", help="Why to look further; a broad horizon needs it."),
)


def _write_option(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """Return an option that goes to the request by the front, so that no verb need hand it on."""

    def keep(context: click.Context, parameter: click.Parameter, value: object) -> None:
        if value:
            context.obj.write_fields[parameter.name] = value

    return click.option(*names, expose_value=False, callback=keep, **settings)


def _layer_option(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """Return an option that says where to write, and so what the verb's own look-ups see."""

    def keep(context: click.Context, parameter: click.Parameter, value: str | bool | None) -> None:
        _refuse_nothing(parameter, value)
        if not value:
            return
        front, given = context.obj, {"draft": value} if parameter.name == "draft" else {"layer": parameter.name}
        if front.write_fields.keys() & {"layer", "draft"}:
            raise click.UsageError("Give one of --local, --shared and --draft.")
        front.write_fields.update(given)
        front.read_fields.update({} if parameter.name == "local" else given)

    return click.option(*names, expose_value=False, callback=keep, **settings)


def _read_option(*names: str, **settings: Any) -> Callable[[Any], Any]:
    """Return an option that goes to each reading request by the front."""

    def keep(context: click.Context, parameter: click.Parameter, value: object) -> None:
        _refuse_nothing(parameter, value)
        if value:
            context.obj.read_fields[parameter.name] = value

    return click.option(*names, expose_value=False, callback=keep, **settings)


def _refuse_nothing(parameter: click.Parameter, value: object) -> None:
    """Refuse an empty name, as an unset variable of a script gives it: it must not mean the shared memory."""
    if value == "":
        raise click.UsageError(f"--{parameter.name} needs a name.")


draft_option = _read_option("--draft", metavar="NAME", help="Also what this draft holds; default: MEMGIT_DRAFT.")

layer_options = together(
    _read_option("--layer", type=click.Choice(("shared",)), help="Leave out what is kept in this clone alone."),
    draft_option,
)
"""Which layers to read."""


write_options = together(
    _layer_option("--local", is_flag=True, help="Keep it in this clone alone."),
    _layer_option("--shared", is_flag=True, help="Write for everybody, whatever the defaults say."),
    _layer_option("--draft", metavar="NAME", help="Write to this draft; default: MEMGIT_DRAFT."),
    _write_option("--allow-flagged", is_flag=True, help="Keep text that looks like a secret, once you looked at it."),
)
"""How to write, for each verb that does."""


as_of_option = click.option(
    "--as-of", metavar="WHEN", help="What was known then: a date (also yesterday, 2.weeks.ago), a commit, or seq:N."
)


def _no_recency(context: click.Context, parameter: click.Parameter, value: bool) -> dict[str, bool] | None:
    """Return the request's field for the flag."""
    return {"enabled": False} if value else None


recency_option = click.option(
    "--no-recency", "recency", is_flag=True, callback=_no_recency, help="Order by relevance alone, not by age as well."
)


def limit_option(default: int, what: str) -> Callable[[Any], Any]:
    """Return `-n`, `--limit`."""
    return click.option("-n", "--limit", type=int, default=default, show_default=True, help=f"At most so many {what}.")
