"""`git memory log`: who wrote what, newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given, layer_label
from memgit.cli.grammar import verb
from memgit.cli.ids import whole_id
from memgit.cli.options import draft_option, limit_option
from memgit.cli.people import person
from memgit.cli.terminal import Part, moment, one_line

if TYPE_CHECKING:
    from memgit.operations.log import LogEntry, LogPage
    from memgit.review.said import Said


@verb("log")
@click.argument("id", metavar="[ID]", required=False)
@limit_option(20, "writes")
@click.option("--actor", metavar="WHO", help="Only by this person or agent: a part of the name or address.")
@click.option("--since", metavar="WHEN", help="Only from this date on; also yesterday, 2.weeks.ago.")
@click.option("--until", metavar="WHEN", help="Only before this date.")
@click.option("--verb", metavar="VERB", help="Only what did this: revise, claim.retract, undo, ...")
@click.option("-p", "--patch", is_flag=True, help="Show what was said: of a revision, what it changed.")
@click.option("--oneline", is_flag=True, help="One line a write; so it is without --patch.")
@click.option("--before", type=int, metavar="SEQ", help="Only writes below this sequence number.")
@click.option("--cursor", metavar="CURSOR", help="Where the page before ended.")
@click.option(
    "--layer",
    type=click.Choice(("shared", "local")),
    help="Only what everybody sees, or only what is kept in this clone alone.",
)
@draft_option
@click.pass_obj
def command(
    front: Front,
    /,
    id: str | None,
    limit: int,
    actor: str | None,
    since: str | None,
    until: str | None,
    verb: str | None,
    patch: bool,
    oneline: bool,
    before: int | None,
    cursor: str | None,
    layer: str | None,
) -> LogPage | None:
    """Show the write history; with ID, each operation on one entity.

    One line a write: sequence number, commit, time, author with the agent that acted (MEMGIT_AGENT names it), and what
    was done. What is not shared says so; `git log refs/memgit/store` shows the commits that are. With ID or --patch
    each operation has its digest, which `git memory undo` takes.

    \b
    Examples:
      git memory log -n 5
      git memory log clm_01jb3h --patch
      git memory log --layer local
      git memory log --actor ada --verb retract --since 2026-05-01
    """
    from memgit.operations.log import LogPage

    if layer == "shared":
        front.read_fields["layer"] = layer  # the look-up of an id leaves the rest out, too
    entity = None if id is None else whole_id(front, id)
    fields = {
        "limit": limit,
        **given(
            before_commit_seq=before,
            cursor=cursor,
            entity_id=entity,
            actor=actor,
            since=since,
            until=until,
            verb=verb,
            patch=patch and not oneline,
            layer=layer if layer == "local" else None,
        ),
    }
    return front.perform("log", fields, LogPage, lambda page: show(front, page))


def show(front: Front, page: LogPage) -> None:
    """Print a page of the history."""
    for entry in page.items:
        front.out.line(
            ("dim", f"{entry.seq:>5}"),
            " ",
            ("id", (entry.commit or "-")[:10]),
            f"  {moment(entry.at)}  {person(entry.actor, 24):<24}  ",
            one_line(entry.subject, 100),
            f"  by {', '.join(one_line(name, 80) for name in entry.authors)}" if entry.authors else "",
            ("dim", layer_label(entry.layer)),
            *_standing(entry),
        )
        for said in entry.said:
            if said.fields or said.content is not None or len(entry.said) > 1:
                _show_said(front, said)
        if entry.unsaid:
            front.out.line(f"      … and {entry.unsaid} more operations")
    if not page.items:
        front.out.note("no writes")
    if page.next_cursor is not None:
        front.out.note(f"more: --cursor {page.next_cursor}")


def _standing(entry: LogEntry) -> list[Part]:
    """Return the digest of a single operation, and whether it counts."""
    if len(entry.said) != 1:
        return []
    (said,) = entry.said
    state: list[Part] = [("bad", "  undone")] if said.void else []
    state += [("bad", f"  ignored: {said.ignored}")] if said.ignored else []
    return ["  ", ("dim", said.digest[:12]), *state]


def _show_said(front: Front, said: Said) -> None:
    """Print what an operation said: its digest and text where it is one of several, then what it changed."""
    from memgit.cli.changes import show_content, show_fields

    out = front.out
    out.line("      ", ("dim", said.digest[:12]), f"  {said.verb} ", ("id", said.entity), *_undone(said))
    if said.reason:
        out.line("      reason: ", said.reason)
    show_fields(out, said.fields)
    if said.content is not None:
        show_content(out, said.content)
    out.line()


def _undone(said: Said) -> list[Part]:
    return [("bad", "  undone")] if said.void else []
