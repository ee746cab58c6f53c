"""The doctor's look at the hooks: our block of each is fired in each working tree, never anybody else's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from memgit.environment import printable
from memgit.operations.doctor_check import Check
from memgit.operations.invocation import Invocation
from memgit.operations.push_sync import NO_REMOTE

if TYPE_CHECKING:
    from memgit.hosts.git_hooks.status import HookStatus, TreeStatus
    from memgit.store.repository import Repository

_NAME = "hooks"
_REACHING = ("installed", "outdated")
_INSTALL = "Run `git memory hooks install`."
_INSTALLS = "`git memory hooks install` makes Git tell what it does"
_LEFT = "Look whether it is still wanted, and put it in its place or remove it."


def examine_hooks(invocation: Invocation) -> Iterator[Check]:
    """Yield one finding a working tree where all is well, and one a hook where it is not."""
    from memgit.hosts.git_hooks.hook_file import leftovers
    from memgit.hosts.git_hooks.record import read_record
    from memgit.hosts.git_hooks.refusals import refusal
    from memgit.hosts.git_hooks.status import status

    repository = invocation.repository
    record = read_record(repository)
    found = status(repository, record)
    why = refusal(repository, [one.tree for one in found])
    if record is None and not any(hook.state in _REACHING for one in found for hook in one.hooks):
        text = "no hooks are installed: " + (f"{why.message}. {why.hint}" if why is not None else _INSTALLS)
        yield Check(name=_NAME, state="note", about=printable(repository.root), text=printable(text))
        return
    for one in found:
        yield from _tree(repository, one, _INSTALL if why is None else printable(why.hint))
    for text in sorted({text for one in found for text in leftovers(one.tree.hooks)}):
        yield Check(name=_NAME, state="bad", about=printable(repository.root), text=printable(text), hint=_LEFT)
    yield from _push(invocation)


def _tree(repository: Repository, one: TreeStatus, installs: str) -> Iterator[Check]:
    """Yield the findings of a working tree. `installs` says how what is not in its place gets there."""
    about = printable(one.tree.top)
    wrong: dict[tuple[str, str], list[str]] = {}
    for hook in one.hooks:
        if (fault := _wrong(repository, one, hook, installs)) is not None:
            wrong.setdefault(fault, []).append(hook.hook)
    where = "" if one.obstacle is None else f"{printable(one.obstacle)}. "
    for (why, hint), hooks in wrong.items():
        text = f"{', '.join(hooks)}: {why}"
        yield Check(name=_NAME, state="bad", about=about, text=text, hint=f"{where}{hint}")
    reached = [hook for hook in one.hooks if hook.state in _REACHING]
    if reached and not wrong:
        by = sorted({hook.by for hook in reached if hook.by is not None})
        beside = f", beside {' and '.join(by)}" if by else ""
        text = f"{len(reached)} of {len(one.hooks)} hooks were fired and arrived{beside}"
        yield Check(name=_NAME, state="good", about=about, text=text)
    elif not wrong:
        yield Check(name=_NAME, state="note", about=about, text=f"{where}no hooks are installed here")


def _wrong(repository: Repository, one: TreeStatus, hook: HookStatus, installs: str) -> tuple[str, str] | None:
    """Return what is wrong with a hook and what to do, or None where it is well or never was ours."""
    from memgit.hosts.git_hooks.firing import fire
    from memgit.hosts.git_hooks.hook_file import RETURNS

    if hook.state == "displaced":
        return f"no longer runs: {hook.by or 'no file'} is in its place", installs
    if hook.state == "disabled" and hook.by == RETURNS:
        return f"has {RETURNS}, so Git cannot run it", "Save the file with line feeds alone."
    if hook.state == "disabled":
        return "is not executable, so Git ignores it", installs
    why = fire(repository, one, hook) if hook.state in _REACHING else None
    if why is None:
        return None
    hint = installs
    if why.endswith("which is no file"):
        hint = "Move what is there away."
    elif " cannot be started: " in why:
        hint = "Its first line names that program: install it, or name another one there."
    return f"was fired, and {printable(why)}", hint


def _push(invocation: Invocation) -> Iterator[Check]:
    """Yield what keeps a push from taking the memory along."""
    from memgit.hosts.git_hooks.record import push_file

    path = push_file(invocation.repository)
    if not path.is_file():
        return
    try:
        program = os.fsdecode(path.read_bytes().split(b"\n", 1)[0])
    except OSError as error:
        program = f"{path} ({error.strerror})"
    about = printable(invocation.repository.root)
    if not os.access(program, os.X_OK):
        text = f"a push cannot start {printable(program)}, so it does not sync the memory"
        yield Check(name=_NAME, state="bad", about=about, text=text, hint="Run `git memory hooks install --push`.")
    if invocation.config.optional_text("remote") is None:
        yield Check(name=_NAME, state="note", about=about, text=f"a push takes no memory along: {NO_REMOTE}")
