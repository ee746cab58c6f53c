"""`git memory trust`: whose word may be put into a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import noun
from memgit.cli.terminal import counted

if TYPE_CHECKING:
    from memgit.operations.trust import TrustChanged, TrustView

for_user = click.option("--global", "for_user", is_flag=True, help="In your own Git config, for all repositories.")


@noun("trust")
def command() -> None:
    """Say whose word may be put into a prompt.

    Everybody's memories arrive and can be recalled, labelled. Only what you and the authors that you name here wrote
    may be given to a model unasked. Names can be forged by whoever can push; an entry with a key cannot.
    """


@command.command("list")
@click.pass_obj
def list_(front: Front, /) -> TrustView | None:
    """List whom you trust, and the authors that this memory names.

    First each entry with who says it (`own`: your own address; else the scope of Git config) and where. Then each
    author: whether he is trusted, what he wrote, and how many of his commits are signed.

    \b
    Example:
      git memory trust list
    """
    from memgit.operations.trust import TrustView

    return front.perform("trust.list", {}, TrustView, lambda result: _show(front, result))


@command.command("add")
@click.argument("address")
@click.option("--key", metavar="FINGERPRINT", help="The key that must have signed: SHA256:... or a GPG fingerprint.")
@click.option("--everybody", is_flag=True, help="Needed with *, which trusts whoever can push.")
@for_user
@click.pass_obj
def add(front: Front, /, address: str, key: str | None, everybody: bool, for_user: bool) -> TrustChanged | None:
    """Trust an author, in this clone or with --global in all of yours.

    ADDRESS is an e-mail address, or *@example.org for all of a domain.

    \b
    Examples:
      git memory trust add ada@example.org
      git memory trust add '*@example.org' --global
      git memory trust add ada@example.org --key SHA256:Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmFyYmF6Zm9vYmE
    """
    fields = {"entry": _entry(address, key), **given(everybody=everybody, for_user=for_user)}
    return _change(front, "trust.add", fields)


@command.command("remove")
@click.argument("address")
@click.option("--key", metavar="FINGERPRINT", help="Only the entry with this key; default: all of the address.")
@for_user
@click.pass_obj
def remove(front: Front, /, address: str, key: str | None, for_user: bool) -> TrustChanged | None:
    """Trust an author no longer.

    \b
    Example:
      git memory trust remove ada@example.org
    """
    return _change(front, "trust.remove", {"entry": _entry(address, key), **given(for_user=for_user)})


def _entry(address: str, key: str | None) -> str:
    return address if key is None else f"{address} key:{key.removeprefix('key:')}"


def _change(front: Front, name: str, fields: dict[str, object]) -> TrustChanged | None:
    from memgit.operations.trust import TrustChanged

    def show(result: TrustChanged) -> None:
        done = "removed" if name == "trust.remove" else "added" if result.changed else "there already"
        for entry in result.entries:
            front.out.note(f"{entry}: {done} ({result.scope})")

    return front.perform(name, fields, TrustChanged, show)


def _show(front: Front, result: TrustView) -> None:
    rows = [(item.entry, item.scope, item.origin) for item in result.entries]
    front.out.table(rows, ("trusted", "said by", "where"))
    for item in result.entries:
        if item.problem:
            front.out.note(f"warning: {item.problem}")
    if not result.authors:
        return
    front.out.line()
    authors = [
        (
            f"{one.name} <{one.email}>",
            one.trust,
            counted(one.revisions, "revision"),
            f"{one.signed_commits} of {counted(one.commits, 'commit')} signed",
        )
        for one in result.authors
    ]
    front.out.table(authors, ("author", "trust", "wrote", "signatures"))
