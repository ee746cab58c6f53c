"""`git memory draft`: writes that wait for review."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import noun
from memgit.cli.sharing import flagged
from memgit.cli.terminal import counted, moment

if TYPE_CHECKING:
    from memgit.operations.diff import DiffAnswer
    from memgit.operations.draft_exchange import DraftShared, DraftUnshared, RemoteDrafts
    from memgit.operations.drafts import DraftDropped, DraftMerged, DraftPage, DraftView

_remote = click.option("--remote", metavar="REMOTE", help="Another remote than the one that memory goes to.")
_elected = click.option("--remote", metavar="REMOTE", help="The remote, where none was chosen yet: memory goes there.")


@noun("draft")
def command() -> None:
    """Keep writes apart until somebody has looked at them.

    `--draft NAME` on a writing verb, or MEMGIT_DRAFT in the environment, writes to a draft; the first write begins it.
    A draft is seen by who asks for it, stays in this clone until it is shared, and is merged or dropped in the end.
    """


@command.command("list")
@click.option("--remote", "of_remote", is_flag=True, help="The drafts of the remote instead of those here.")
@click.pass_obj
def list_(front: Front, /, of_remote: bool) -> DraftPage | RemoteDrafts | None:
    """List the drafts of this clone, or those of the remote.

    \b
    Examples:
      git memory draft list
      git memory draft list --remote
    """
    from memgit.operations.draft_exchange import RemoteDrafts
    from memgit.operations.drafts import DraftPage

    if of_remote:
        return front.perform("draft.remote", {}, RemoteDrafts, lambda found: _show_remote(front, found))
    return front.perform("draft.list", {}, DraftPage, lambda page: _show_list(front, page))


@command.command("diff")
@click.argument("name")
@click.option(
    "--format",
    "form",
    type=click.Choice(("text", "markdown", "json")),
    default="text",
    show_default=True,
    help="Markdown is fit for the comment of a pull request.",
)
@click.option("--full", is_flag=True, help="Show all lines of a document, not only its first.")
@click.pass_obj
def diff(front: Front, /, name: str, form: str, full: bool) -> DiffAnswer | None:
    """Show what merging a draft would bring.

    What it adds, revises, retracts and relates, and which conflicts it would open.

    \b
    Examples:
      git memory draft diff cache-rules
      git memory draft diff cache-rules --format json
    """
    from memgit.operations.diff import DiffAnswer

    front.as_json = front.as_json or form == "json"
    fields = {"name": name, "format": "markdown" if form == "markdown" else "data", **given(full=full)}
    return front.perform("draft.diff", fields, DiffAnswer, lambda found: _show_diff(front, found))


@command.command("share")
@click.argument("name")
@_elected
@click.option("--allow-flagged", is_flag=True, help="Send what looks like a secret, once you looked at it.")
@click.pass_obj
def share(front: Front, /, name: str, remote: str | None, allow_flagged: bool) -> DraftShared | None:
    """Send a draft to the remote that memory goes to, for others to fetch.

    It goes to refs/memgit/drafts/NAME there, or beside the branch that the remote keeps the memory in; nothing else of
    this clone's private memory goes with it.

    \b
    Examples:
      git memory draft share cache-rules
    """
    from memgit.operations.draft_exchange import DraftShared

    fields = given(name=name, remote=remote, allow_flagged=allow_flagged)
    return front.perform("draft.share", fields, DraftShared, lambda done: _show_shared(front, done))


@command.command("fetch")
@click.argument("name")
@_remote
@click.pass_obj
def fetch(front: Front, /, name: str, remote: str | None) -> DraftView | None:
    """Bring somebody's draft here.

    To read it with `--draft NAME`, to write to it, or to merge it. One of that name that is here is united with it.

    \b
    Examples:
      git memory draft fetch cache-rules
    """
    from memgit.operations.drafts import DraftView

    return front.perform("draft.fetch", given(name=name, remote=remote), DraftView, lambda view: _show(front, view))


@command.command("merge")
@click.argument("name")
@click.pass_obj
def merge(front: Front, /, name: str) -> DraftMerged | None:
    """Bring what a draft holds into the shared memory.

    It becomes one commit, and then the draft is gone. Two edits of one thing are both kept, as a conflict case.

    \b
    Examples:
      git memory draft merge cache-rules
    """
    from memgit.operations.drafts import DraftMerged

    return front.perform("draft.merge", {"name": name}, DraftMerged, lambda done: _show_merged(front, done))


@command.command("drop")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Also where nobody else has what it holds.")
@click.option("--remote", "of_remote", is_flag=True, help="Take it away from the remote instead of from here.")
@click.pass_obj
def drop(front: Front, /, name: str, yes: bool, of_remote: bool) -> DraftDropped | DraftUnshared | None:
    """Take a draft away. For 30 days `git memory draft restore` brings it back.

    A draft that was shared stays on the remote, also after it was merged, until --remote takes it away there.

    \b
    Examples:
      git memory draft drop cache-rules --yes
      git memory draft drop cache-rules --remote
    """
    from memgit.operations.draft_exchange import DraftUnshared
    from memgit.operations.drafts import DraftDropped

    if of_remote:
        fields = given(name=name, yes=yes)
        return front.perform("draft.unshare", fields, DraftUnshared, lambda done: _show_unshared(front, done))
    return front.perform("draft.drop", given(name=name, yes=yes), DraftDropped, lambda done: _show_dropped(front, done))


@command.command("restore")
@click.argument("name")
@click.option("--commit", metavar="COMMIT", help="Which, where several of the name are kept.")
@click.pass_obj
def restore(front: Front, /, name: str, commit: str | None) -> DraftView | None:
    """Bring back a draft that was dropped or merged.

    \b
    Examples:
      git memory draft restore cache-rules
    """
    from memgit.operations.drafts import DraftView

    return front.perform("draft.restore", given(name=name, commit=commit), DraftView, lambda view: _show(front, view))


def _show(front: Front, view: DraftView) -> None:
    told = ", ".join([*view.shared_with, *(f"{remote} (an earlier state)" for remote in view.shared_before)])
    about = f"{counted(view.operations, 'operation')} on {counted(view.entities, 'entity', 'entities')}"
    merged = ", merged already" if view.merged else ""
    front.out.line(("id", view.name), f"  {about}, shared with {told or 'nobody'}{merged}")
    front.out.line(("dim", f"  began {moment(view.began_at)}, last write {moment(view.last_write_at)}"))


def _show_list(front: Front, page: DraftPage) -> None:
    for view in page.items:
        _show(front, view)
    if not page.items:
        front.out.note("there is no draft; `git memory remember TEXT --draft NAME` begins one")
    for gone in page.dropped:
        front.out.note(f"{gone.name} is gone ({gone.commit[:12]}); kept until {moment(gone.kept_until)}")


def _show_remote(front: Front, found: RemoteDrafts) -> None:
    for item in found.items:
        front.out.line(("id", item.name), f"  {item.commit[:12]}", ("dim", "  here" if item.here else ""))
    if not found.items:
        front.out.note(f"{found.remote} has no draft")


def _show_diff(front: Front, found: DiffAnswer) -> None:
    from memgit.cli.changes import show_diff

    if found.markdown is not None:
        front.out.block(found.markdown.rstrip(), indent="")
    elif found.is_empty or found.diff is None:
        front.out.note("merging it would bring nothing")
    else:
        show_diff(front.out, found.diff, found.before, found.after)


def _show_shared(front: Front, done: DraftShared) -> None:
    if done.elected:
        front.out.note(f"memory goes to {done.remote} from now on (Git config memgit.remote)")
    front.out.line(("id", done.name), f"  {done.commit[:12]} in {done.ref} of {done.remote}")
    if not done.sent:
        front.out.note("it was there already")
    if done.flagged:
        front.out.note(f"with {flagged(done.flagged)}")


def _show_merged(front: Front, done: DraftMerged) -> None:
    brought = f"merged: {counted(done.operations, 'operation')}" if done.operations else "was merged already"
    front.out.line(("id", done.name), f"  {brought}")
    for case in done.conflicts_opened:
        front.out.line("  conflict  ", ("bad", case))
    _say_left(front, done.name, done.left_with)


def _show_dropped(front: Front, done: DraftDropped) -> None:
    front.out.line(("id", done.name), f"  dropped; it was {done.commit}")
    front.out.note(f"until {moment(done.kept_until)}: `git memory draft restore {done.name}`")
    _say_left(front, done.name, done.left_with)


def _show_unshared(front: Front, done: DraftUnshared) -> None:
    if done.commit is None:
        front.out.note(f"{done.remote} has no draft {done.name}")
        return
    front.out.line(("id", done.name), f"  removed from {done.remote}; it was {done.commit}")


def _say_left(front: Front, name: str, remotes: tuple[str, ...]) -> None:
    """Say which remotes keep a draft that is gone here."""
    if remotes:
        there = " and ".join(remotes)
        front.out.note(f"it is still on {there}: `git memory draft drop {name} --remote` takes it away there")
