"""`git memory pending`: continuity notes that wait for somebody to look at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import Verb, noun
from memgit.cli.note_text import note_text
from memgit.cli.options import write_options
from memgit.cli.terminal import Output, counted, moment, one_line

if TYPE_CHECKING:
    from memgit.operations.pending import NotesDropped, NoteShown, NoteView, PendingPage
    from memgit.operations.pending_apply import NoteApplied, NotePlan
    from memgit.operations.pending_put import NotePut

_LINE = 78  # characters of a first line in a list
_session = click.argument("session", metavar="[SESSION]", required=False)
_flagged = click.option("--allow-flagged", is_flag=True, help="Show text that looks like a secret.")
_only = click.option("--only", metavar="N,N", help="The claims to write, by their numbers in the preview.")
_scope = click.option(
    "--scope",
    type=click.Choice(("note", "here")),
    help="Where to write, if the note is of another project or task than this one.",
)


@noun("pending")
def command() -> None:
    """Keep notes for the next session apart from the memory until somebody has looked at them.

    Each session has one note: putting another replaces it. A note stays in this clone, is recalled by nothing, and
    waits 14 days for review; some two weeks later it is removed. `apply` makes memory of it, `drop` erases it.
    """


class _Put(Verb):
    """A verb whose text may begin with the dash of a list item."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, but take no word with a blank behind its dash for an option."""
        items = [word for word in args if word[:1] == "-" and word[1:2].isspace()]
        if items and "--" not in args:
            args = [*(word for word in args if word not in items), "--", *items]
        return super().parse_args(ctx, args)


@command.command("put", cls=_Put)
@click.argument("text", metavar="[TEXT]", default="-")
@click.option("--session", metavar="NAME", help="Whose note it is; default: MEMGIT_SESSION, the task, the worktree.")
@click.option("--allow-flagged", is_flag=True, help="Keep text that looks like a secret, once you looked at it.")
@click.pass_obj
def put(front: Front, /, text: str, session: str | None, allow_flagged: bool) -> NotePut | None:
    """Keep a note of where a session stands, in place of its last one.

    TEXT is the note, or - for standard input. 4 KiB are kept, with a mark where more was cut off; more than 64 KiB are
    refused. A list item each makes the note easy to apply; `Decision: ...` says what an item is.

    \b
    Examples:
      git memory pending put "Next: the retry test fails on a slow disk."
      some-agent --summary | git memory pending put - --session agent-42
    """
    from memgit.operations.pending_put import NotePut

    fields = given(text=note_text(text), session=session, allow_flagged=allow_flagged)
    return front.perform("pending.put", fields, NotePut, lambda done: _show_put(front, done))


@command.command("list")
@click.option("-n", "--limit", type=int, default=100, show_default=True, help="At most so many notes.")
@click.pass_obj
def list_(front: Front, /, limit: int) -> PendingPage | None:
    """List the notes that wait, the one that expires first at the front.

    \b
    Examples:
      git memory pending list
    """
    from memgit.operations.pending import PendingPage

    return front.perform("pending.list", {"limit": limit}, PendingPage, lambda page: _show_list(front, page))


@command.command("show")
@_session
@_flagged
@click.pass_obj
def show(front: Front, /, session: str | None, allow_flagged: bool) -> NoteShown | None:
    """Show a note: where the session stood, and the text.

    SESSION may be shortened, and left out where one note waits.

    \b
    Examples:
      git memory pending show agent-42
    """
    from memgit.operations.pending import NoteShown

    fields = given(session=session, allow_flagged=allow_flagged)
    return front.perform("pending.show", fields, NoteShown, lambda found: _show_note(front, found))


@command.command("preview")
@_session
@_only
@_scope
@_flagged
@click.pass_obj
def preview(
    front: Front, /, session: str | None, only: str | None, scope: str | None, allow_flagged: bool
) -> NotePlan | None:
    """Show what `apply` would write, and write nothing.

    The note becomes one document. Each list item becomes a claim that cites its bytes; without a list each paragraph
    does. Claims that say nearly the same are named.

    \b
    Examples:
      git memory pending preview agent-42
      git memory pending preview agent-42 --only 1,3
    """
    from memgit.operations.pending_apply import NotePlan

    fields = given(session=session, only=_numbers(only), scope=scope, allow_flagged=allow_flagged)
    return front.perform("pending.preview", fields, NotePlan, lambda plan: _show_plan(front, plan))


@command.command("apply")
@_session
@_only
@_scope
@click.option("--expired", is_flag=True, help="Also where the 14 days for review are over.")
@write_options
@click.pass_obj
def apply(
    front: Front, /, session: str | None, only: str | None, scope: str | None, expired: bool
) -> NoteApplied | None:
    """Make memory of a note, as the preview shows it; then the note is gone.

    \b
    Examples:
      git memory pending apply agent-42
      git memory pending apply agent-42 --only 1,3 --local
    """
    from memgit.operations.pending_apply import NoteApplied

    fields = given(session=session, only=_numbers(only), scope=scope, expired=expired)
    return front.perform("pending.apply", fields, NoteApplied, lambda done: _show_applied(front, done))


@command.command("drop")
@click.argument("sessions", metavar="[SESSION]...", nargs=-1)
@click.option("--all", "every", is_flag=True, help="Every note.")
@click.pass_obj
def drop(front: Front, /, sessions: tuple[str, ...], every: bool) -> NotesDropped | None:
    """Erase notes. Nothing brings them back.

    \b
    Examples:
      git memory pending drop agent-42
      git memory pending drop --all
    """
    from memgit.operations.pending import NotesDropped

    if every == bool(sessions):
        raise click.UsageError("Give the sessions whose notes go, or --all.")
    fields = given(sessions=list(sessions) or None, all=every)
    return front.perform("pending.drop", fields, NotesDropped, lambda done: _show_dropped(front, done))


def _numbers(typed: str | None) -> list[int] | None:
    """Return the numbers of a list like `1,3`."""
    if typed is None:
        return None
    parts = [part.strip() for part in typed.split(",")]
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise click.UsageError("--only takes numbers, as in 1,3.")
    return [int(part) for part in parts]


def _show_put(front: Front, done: NotePut) -> None:
    front.out.line(("id", done.session), f"  until {moment(done.expires_at)}")
    if done.truncated:
        front.out.note(f"only the first part of {done.given_bytes} bytes is kept, with a mark: {done.kept_bytes} bytes")


def _show_list(front: Front, page: PendingPage) -> None:
    for note in page.items:
        _heading(front.out, note)
        front.out.line(("dim", f"  {_place(note)}"))
        front.out.line("  ", _first_line(note))
    for item in page.damaged:
        front.out.note(f"damaged: {item.file}: {item.reason}; `git memory pending drop {item.file}` removes it")
    if not page.items:
        front.out.note("no note waits; `git memory pending put TEXT` keeps one")
    if page.total > len(page.items):
        front.out.note(f"{page.total - len(page.items)} more: -n {page.total}")


def _heading(out: Output, note: NoteView) -> None:
    said = f"{'until' if note.state == 'waiting' else 'expired'} {moment(note.expires_at)}"
    said += f", kept until {moment(note.removed_at)}" if note.removed_at is not None else ""
    cut = f", cut from {note.given_bytes}" if note.truncated else ""
    style = "dim" if note.state == "waiting" else "bad"
    out.line(("id", note.session), "  ", (style, said), f"  {note.kept_bytes} bytes{cut}")


def _place(note: NoteView) -> str:
    """Say where a session stood when it put its note."""
    head = note.head[:12] if note.head else ""
    where = " ".join(part for part in (head, one_line((note.branch or "").removeprefix("refs/heads/"))) if part)
    scope = "" if note.here else f"of project {note.project_id}" + (f", task {note.task_id}" if note.task_id else "")
    worktree = "" if note.worktree == "." else one_line(note.worktree)
    agent = f"by {one_line(note.agent)}" if note.agent else ""
    return "  ".join(part for part in (moment(note.at), where, worktree, agent, scope) if part)


def _first_line(note: NoteView) -> str:
    if note.first_line is None:
        return "(it looks as if it held a secret; show it with --allow-flagged)"
    return one_line(note.first_line, _LINE)


def _show_note(front: Front, found: NoteShown) -> None:
    _heading(front.out, found.note)
    front.out.line(("dim", f"  {_place(found.note)}"))
    front.out.line()
    if found.text is None:
        front.out.line("    ", _first_line(found.note))
    else:
        front.out.block(found.text.rstrip("\n"))


def _show_plan(front: Front, plan: NotePlan) -> None:
    out = front.out
    task = f", task {plan.task_id}" if plan.task_id else ""
    out.line(("id", plan.session), f"  would be written to project {plan.project_id}{task}")
    out.line(f"  document  {plan.artifact.kind}, {plan.artifact.size} bytes: ", one_line(plan.artifact.title, _LINE))
    for claim in plan.claims:
        span = f"bytes {claim.start_byte}-{claim.end_byte}"
        out.line(f"  claim {claim.number}  ", ("strong", claim.claim_type), ("dim", f"  {span}"))
        out.block(claim.statement, indent="      ")
        for known in claim.repeats:
            how = "the same as" if known.same else "like"
            out.line(f"      {how} ", ("id", known.claim_id), f"  {one_line(known.statement, 60)}")
    for item in plan.left_out:
        out.line(("dim", f"  bytes {item.start_byte}-{item.end_byte} become no claim: {item.reason}"))
    for reason in plan.refused:
        front.out.note(f"not applied as it is: {reason}")


def _show_applied(front: Front, done: NoteApplied) -> None:
    for claim in done.claims:
        front.out.line(("id", claim.claim_id), f"  claim {claim.number}")
    front.out.line(("id", done.artifact_id), "  the note itself")
    if done.replayed:
        front.out.note("it had been applied before: nothing was written now")


def _show_dropped(front: Front, done: NotesDropped) -> None:
    for session in done.sessions:
        front.out.line(("id", session), "  erased")
    if not done.sessions:
        front.out.line(f"{counted(done.count, 'note')} erased")
