"""`git memory checkpoint`: keep where the work stands, look at it, put it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import Noun
from memgit.cli.note_text import note_text
from memgit.cli.options import limit_option
from memgit.cli.terminal import Part, counted, moment, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memgit.checkpoints.record import ChangedPath, Checkpoint
    from memgit.operations.checkpoint_choice import LeftOutPath
    from memgit.operations.checkpoint_states import CheckpointDifference, CheckpointRestored
    from memgit.operations.checkpoints import CheckpointDropped, CheckpointMade, CheckpointPage

_SHOWN = 10  # paths; `--json` has more
_TEXT = 80  # characters in a list
_HELP = {"-h", "--help"}
_FLAGS = {"--json", "-q", "--quiet", *_HELP}  # what may stand before a verb
_ID = click.argument("checkpoint_id", metavar="ID")


class TextOrVerb(Noun):
    """A noun whose first word is one of its verbs, or the text of a new checkpoint."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as a noun does; without a verb in front, everything belongs to `create`."""
        first = next((word for word in args if word not in _FLAGS), None)
        if first in self.commands or (first is None and _HELP & set(args)):
            return super().parse_args(ctx, args)
        return super().parse_args(ctx, ["create", *args])


@click.group("checkpoint", cls=TextOrVerb)
def command() -> None:
    """Keep where the work stands: HEAD, the index, the files.

    `git memory checkpoint [TEXT]` keeps the present state, untracked files included, in a place that no command of
    Git's reaches; nothing of yours is touched. What looks like a secret and what is ignored is left out. What Git's
    hooks saw is listed as well. A checkpoint is no memory: no recall and no search finds one.

    \b
    Examples:
      git memory checkpoint "before the rewrite of the parser"
      git memory checkpoint list
      git memory checkpoint restore @last
    """


@command.command("create")
@click.argument("words", metavar="[TEXT]", nargs=-1)
@click.option("--note", metavar="TEXT", help="Also keep this as the session's continuity note; - reads it from stdin.")
@click.option("--session", metavar="ID", help="The session that it belongs to; default: MEMGIT_SESSION.")
@click.option("--cause", metavar="NAME", help="What made it, in a host's words; default: manual.")
@click.option("--allow-flagged", is_flag=True, help="Keep what looks like a secret, too, once you looked at it.")
@click.pass_obj
def create(
    front: Front,
    /,
    words: tuple[str, ...],
    note: str | None,
    session: str | None,
    cause: str | None,
    allow_flagged: bool,
) -> CheckpointMade | None:
    """Keep the present state; the word `create` may be left out.

    TEXT labels the checkpoint. `--note` is for the next session: it replaces the session's last note (see `pending`).

    \b
    Examples:
      git memory checkpoint
      some-agent --summary | git memory checkpoint --session agent-42 --note -
      git memory checkpoint "tests are green" --session s-42
      git memory checkpoint create list
    """
    from memgit.operations.checkpoints import CheckpointMade

    fields = given(
        text=" ".join(words) or None,
        note=None if note is None else note_text(note),
        session=session,
        cause=cause,
        allow_flagged=allow_flagged,
    )
    return front.perform("checkpoint.create", fields, CheckpointMade, lambda made: _show_made(front, made))


@command.command("list")
@limit_option(20, "checkpoints")
@click.option("--cursor", metavar="CURSOR", help="Where the page before ended.")
@click.option("--snapshots", is_flag=True, help="Only those that can be restored.")
@click.pass_obj
def list_(front: Front, /, limit: int, cursor: str | None, snapshots: bool) -> CheckpointPage | None:
    """List checkpoints, the newest first, and what they take on the disk.

    \b
    Examples:
      git memory checkpoint list
      git memory checkpoint list --snapshots -n 5
    """
    from memgit.operations.checkpoints import CheckpointPage

    fields = given(limit=limit, cursor=cursor, snapshots=snapshots)
    return front.perform("checkpoint.list", fields, CheckpointPage, lambda page: _show_page(front, page))


@command.command("show")
@_ID
@click.pass_obj
def show(front: Front, /, checkpoint_id: str) -> CheckpointMade | None:
    """Show what a checkpoint knows. ID: whole, a unique beginning or end, or @last.

    \b
    Examples:
      git memory checkpoint show @last
      git memory checkpoint show chk_01jb3h
    """
    from memgit.operations.checkpoints import CheckpointMade

    fields = {"id": checkpoint_id}
    return front.perform("checkpoint.show", fields, CheckpointMade, lambda found: _show_whole(front, found))


@command.command("diff")
@_ID
@click.argument("others", metavar="[ID2] [PATH]...", nargs=-1)
@click.option("--max-bytes", type=int, metavar="N", help="At most so many bytes of the difference.")
@click.pass_obj
def diff(
    front: Front, /, checkpoint_id: str, others: tuple[str, ...], max_bytes: int | None
) -> CheckpointDifference | None:
    """Show how the files of a checkpoint differ from the present ones.

    Or from those of a second checkpoint. Of one that a hook made: what the action changed. @last is the latest one with
    a snapshot of this working tree. A path that looks like an id is one after `./`.

    \b
    Examples:
      git memory checkpoint diff @last
      git memory checkpoint diff chk_01jb3h chk_01jb4k src
    """
    from memgit.operations.checkpoint_states import CheckpointDifference

    other = others[0] if others and (others[0] == "@last" or others[0].lower().startswith("chk_")) else None
    paths = others[1:] if other else others
    fields = given(id=checkpoint_id, other=other, paths=list(paths) or None, max_bytes=max_bytes)
    return front.perform("checkpoint.diff", fields, CheckpointDifference, lambda found: _show_diff(front, found))


@command.command("restore")
@_ID
@click.option("--paths", "--path", "paths", metavar="PATH", multiple=True, help="Only this file or directory.")
@click.option("--dry-run", is_flag=True, help="Say what would be done.")
@click.option("--no-index", is_flag=True, help="Leave the index as it is.")
@click.option("--under-way", is_flag=True, help="Also in the middle of a merge, a rebase or a cherry-pick.")
@click.option("--elsewhere", is_flag=True, help="Also where the checkpoint is of another working tree.")
@click.option("--allow-flagged", is_flag=True, help="Save what looks like a secret before it is overwritten.")
@click.pass_obj
def restore(
    front: Front, /, checkpoint_id: str, paths: tuple[str, ...], no_index: bool, **flags: bool
) -> CheckpointRestored | None:
    """Put files and index back to what a checkpoint holds.

    The present state is saved as a checkpoint first, so `restore @last` takes a restore back. Ignored files are never
    touched. HEAD and branches stay where they are. With --paths only those files are put back, and not the index.

    \b
    Examples:
      git memory checkpoint restore @last --dry-run
      git memory checkpoint restore chk_01jb3h
      git memory checkpoint restore chk_01jb3h --paths src/parser.py
    """
    from memgit.operations.checkpoint_states import CheckpointRestored

    fields = {**given(id=checkpoint_id, paths=list(paths) or None, **flags), **({"index": False} if no_index else {})}
    return front.perform("checkpoint.restore", fields, CheckpointRestored, lambda done: _show_restored(front, done))


@command.command("drop")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All of them.")
@click.pass_obj
def drop(front: Front, /, ids: tuple[str, ...], everything: bool) -> CheckpointDropped | None:
    """Remove checkpoints for good, and the files that only they hold.

    \b
    Examples:
      git memory checkpoint drop chk_01jb3h
      git memory checkpoint drop --all
    """
    from memgit.operations.checkpoints import CheckpointDropped

    if bool(ids) == everything:
        raise click.UsageError("Name checkpoints, or give --all.")
    fields = given(ids=list(ids) or None, all=everything)
    return front.perform("checkpoint.drop", fields, CheckpointDropped, lambda done: _show_dropped(front, done))


def _show_made(front: Front, made: CheckpointMade) -> None:
    front.out.line(("id", made.checkpoint.id), f"  {_about(made.checkpoint)}")
    if made.note is not None:
        cut = f", of which the first {made.note.kept_bytes} bytes" if made.note.truncated else ""
        front.out.note(f"the note of {one_line(made.note.session, 200)} waits{cut}: `git memory pending show`")
    _say_left_out(front, made)


def _say_left_out(front: Front, made: CheckpointMade) -> None:
    summary = made.checkpoint.snapshot
    _say_paths(front, made.left_out, summary.left_out if summary is not None else 0)


def _say_paths(front: Front, left_out: Sequence[LeftOutPath], count: int) -> None:
    for item in left_out[:_SHOWN]:
        front.out.note(f"left out: {one_line(item.path, 200)} ({item.reason})")
    if count > min(len(left_out), _SHOWN):
        front.out.note(f"left out: {count - min(len(left_out), _SHOWN)} more")


def _about(checkpoint: Checkpoint) -> str:
    """Say in a few words what a checkpoint is of."""
    summary = checkpoint.snapshot
    if summary is not None:
        parts = [counted(summary.files, "file")]
        numbers = (("staged", summary.staged), ("changed", summary.changed), ("untracked", summary.untracked))
        parts += [f"{number} {name}" for name, number in numbers if number]
        return ", ".join(parts)
    parts = [checkpoint.cause if checkpoint.during is None else f"{checkpoint.cause} ({checkpoint.during})"]
    if checkpoint.changed:
        parts.append(counted(len(checkpoint.changed) + checkpoint.changed_more, "path"))
    if checkpoint.rewritten:
        parts.append(f"{counted(checkpoint.rewritten, 'commit')} rewritten")
    return ", ".join(parts)


def _show_page(front: Front, page: CheckpointPage) -> None:
    for item in page.items:
        label = "" if item.snapshot is None or item.cause == "manual" else f"  {item.cause}"
        place = (item.branch or item.after or "").removeprefix("refs/heads/")
        parts: list[Part] = [("id", item.id), f"  {moment(item.at)}{label}  {_about(item)}"]
        front.out.line(*parts, ("dim", f"  {one_line(place, 40)}" if place else ""))
        if item.text is not None:
            front.out.line(f"    {one_line(item.text, _TEXT)}")
    for text in page.damaged:
        front.out.note(f"cannot be read: {text}")
    if page.waiting:
        front.out.note(
            "what Git's hooks noted is not recorded yet: the next command does it, once nobody holds the lock"
        )
    if not page.total:
        if not page.waiting:
            front.out.note("there is no checkpoint; `git memory checkpoint TEXT` makes one")
        return
    front.out.note(f"{counted(page.total, 'checkpoint')}, {_size(page.bytes)} on the disk")
    if page.next_cursor is not None:
        front.out.note(f"more: `git memory checkpoint list --cursor {page.next_cursor}`")


def _show_whole(front: Front, found: CheckpointMade) -> None:
    item = found.checkpoint
    front.out.line(("id", item.id), f"  {item.cause}", ("dim", f"  {moment(item.at)}"))
    if item.text is not None:
        front.out.block(item.text)
    fields = (
        ("branch", item.branch),
        ("before", item.before),
        ("after", item.after),
        ("worktree", None if item.worktree == "." else item.worktree),
        ("during", item.during),
        ("remote", item.remote),
        ("runs", str(item.runs) if item.runs > 1 else None),
        ("rewritten", str(item.rewritten) if item.rewritten else None),
        ("task", item.task),
        ("session", item.session),
        ("agent", item.agent),
        ("snapshot", _about(item) if item.snapshot is not None else None),
    )
    for name, value in fields:
        if value is not None:
            front.out.line(f"  {name:<10}", one_line(value, 200))
    _list_paths(front, item.changed, len(item.changed) + item.changed_more)
    _say_left_out(front, found)


def _list_paths(front: Front, paths: Sequence[ChangedPath], count: int) -> None:
    for changed in paths[:_SHOWN]:
        front.out.line(f"  {changed.status}  ", one_line(changed.path, 200))
    if count > min(len(paths), _SHOWN):
        front.out.line(f"  and {count - min(len(paths), _SHOWN)} more")


def _show_diff(front: Front, found: CheckpointDifference) -> None:
    if not found.paths:
        front.out.note(f"{found.before}..{found.after}: nothing differs")
        return
    front.out.block(found.patch.rstrip("\n"), indent="")
    if found.cut:
        front.out.note(f"cut after {len(found.patch)} characters; name paths, or pass `--max-bytes`")


def _show_restored(front: Front, done: CheckpointRestored) -> None:
    would = "would be " if done.saved is None else ""
    count = done.written + done.removed
    if not count and not done.index and not done.blocked:
        front.out.line(("id", done.id), "  is what is there already")
    else:
        index = ", and the index" if done.index else ""
        about = f"{counted(done.written, 'file')} {would}put back, {done.removed} {would}removed{index}"
        front.out.line(("id", done.id), f"  {about}")
        _list_paths(front, done.paths, count)
    if done.saved is not None:
        front.out.note(f"what was there is saved: `git memory checkpoint restore {done.saved}`")
    for path in done.blocked[:_SHOWN]:
        front.out.note(f"in the way, so nothing would be done: {one_line(path, 200)}")
    for path in done.kept[:_SHOWN]:
        front.out.note(f"stays, because the checkpoint had left it out: {one_line(path, 200)}")
    for path in done.submodules[:_SHOWN]:
        front.out.note(f"the submodule {one_line(path, 200)} was at another commit; it is left alone")
    if (done.head, done.branch) != (done.head_then, done.branch_then):
        front.out.note(f"HEAD is not moved: it is at {_place(done.head, done.branch)}")
        front.out.note(f"it was at {_place(done.head_then, done.branch_then)}")
    _say_paths(front, done.left_out, len(done.left_out))


def _place(commit: str | None, branch: str | None) -> str:
    short = branch.removeprefix("refs/heads/") if branch is not None else "no branch"
    return f"{commit[:12] if commit is not None else 'no commit'} ({short})"


def _show_dropped(front: Front, done: CheckpointDropped) -> None:
    for name in done.ids:
        front.out.line(("id", name), "  dropped")
    front.out.note(f"{_size(done.freed)} freed" if done.ids else "there was nothing to drop")
    if not done.collected:
        front.out.note("their objects are still there: `git gc` failed, and the next drop tries again")


def _size(number: int) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if number < 1024:
            return f"{number:.0f} {unit}"
        number //= 1024
    return f"{number} GiB"
