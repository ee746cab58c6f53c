"""`git memory hooks`: let Git tell the memory what it does."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import noun
from memgit.cli.terminal import one_line

if TYPE_CHECKING:
    from memgit.operations.hooks import HooksInstalled, HooksRemoved, HooksReport, Snippet, TreeView


@noun("hooks")
def command() -> None:
    """Let Git's hooks note commits, checkouts, merges, rewrites and pushes.

    A hook appends one line to a file and ends: no Python starts, nothing waits, nothing is asked. The next command
    makes checkpoints of what was noted. Hooks of other tools stay as they are, and run as before.
    """


@command.command("install")
@click.option("--push/--no-push", default=None, help="Also sync the memory, in the background, when you push.")
@click.option("--config", "way", flag_value="config", default=None, help="By Git's configuration (Git 2.54).")
@click.option("--files", "way", flag_value="files", help="By files in any case.")
@click.pass_obj
def install(front: Front, /, push: bool | None, way: str | None) -> HooksInstalled | None:
    """Install the hooks where Git looks for them, beside what is there.

    Doing it twice changes nothing. A directory that is under version control, or that your configuration shares
    among repositories, is not written: the lines to paste are printed by `git memory hooks snippet HOOK`.

    \b
    Examples:
      git memory hooks install
      git memory hooks install --push
    """
    from memgit.operations.hooks import HooksInstalled

    fields = {**given(way=way), **({} if push is None else {"push": push})}
    return front.perform("hooks.install", fields, HooksInstalled, lambda result: _show_installed(front, result))


@command.command("uninstall")
@click.pass_obj
def uninstall(front: Front, /) -> HooksRemoved | None:
    """Take the hooks out again; what was there before is as it was, byte for byte.

    \b
    Example:
      git memory hooks uninstall
    """
    from memgit.operations.hooks import HooksRemoved

    def show(result: HooksRemoved) -> None:
        front.out.note("the hooks are gone" if result.changed else "there were no hooks of memgit")
        for text in result.left:
            front.out.note(one_line(text, 500))

    return front.perform("hooks.uninstall", {}, HooksRemoved, show)


@command.command("status")
@click.pass_obj
def status(front: Front, /) -> HooksReport | None:
    """Show which hooks reach the memory, and what is in the way.

    \b
    Examples:
      git memory hooks status
      git memory hooks status --json
    """
    from memgit.operations.hooks import HooksReport

    return front.perform("hooks.status", {}, HooksReport, lambda result: _show_status(front, result))


@command.command("snippet")
@click.argument("hook")
@click.pass_obj
def snippet(front: Front, /, hook: str) -> Snippet | None:
    """Print the lines for a hook that you write yourself.

    Paste them after its first line. They do nothing in a repository without a memory, so they may be shared.

    \b
    Example:
      git memory hooks snippet post-commit
    """
    from memgit.operations.hooks import Snippet

    return front.perform(
        "hooks.snippet", {"hook": hook}, Snippet, lambda result: front.out.block(result.text.rstrip("\n"), indent="")
    )


@command.command("after-push", hidden=True)
@click.argument("remote", required=False)
@click.pass_obj
def after_push(front: Front, /, remote: str | None) -> None:
    """Sync the memory after a push to the remote that it goes to.

    The hook `pre-push` starts it in the background. What fails is said by the next command.

    \b
    Example:
      git memory hooks after-push origin
    """
    _leave()
    from memgit.operations.push_sync import sync_after_push

    invocation = front.invocation()
    try:
        sync_after_push(invocation, remote)
    finally:
        invocation.close()


def _leave() -> None:
    """Leave the session and the descriptors of whoever started this, where a hook did: nobody shall wait for us."""
    with suppress(AttributeError, OSError, ValueError):
        if sys.stdin is not None and os.path.samestat(os.fstat(sys.stdin.fileno()), Path(os.devnull).stat()):
            os.setsid()
            os.closerange(3, 4096)


def _show_installed(front: Front, result: HooksInstalled) -> None:
    place = "Git config" if result.configured else " and ".join(one_line(path) for path in result.directories)
    front.out.note(f"the hooks are {'' if result.changed else 'already '}in {place}")
    if result.push:
        front.out.note("a push to the remote that the memory goes to also syncs the memory")


def _show_status(front: Front, result: HooksReport) -> None:
    for tree in result.worktrees:
        front.out.line(("strong", one_line(tree.worktree)), f"  {one_line(tree.directory)}")
        if tree.obstacle is not None:
            front.out.line("  ", ("bad", "obstacle"), f"  {one_line(tree.obstacle)}")
        _show_tree(front, tree)
    if result.push:
        front.out.line("a push also syncs the memory")


def _show_tree(front: Front, tree: TreeView) -> None:
    styles = {"installed": "good", "outdated": "good", "missing": "dim", "foreign": "dim"}
    for hook in tree.hooks:
        by = f"  {one_line(hook.by, 80)}" if hook.by else ""
        front.out.line(f"  {hook.hook:<14}", (styles.get(hook.state, "bad"), f"{hook.state}"), by)
