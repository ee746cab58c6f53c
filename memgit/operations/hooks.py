"""`hooks.install`, `hooks.uninstall`, `hooks.status`, `hooks.snippet`: Git's hooks that tell what Git did."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memgit.environment import printable
from memgit.errors import InvalidRequest, StoreNotInitialized
from memgit.hosts.git_hooks import hook_file, shipped
from memgit.hosts.git_hooks import install as installing
from memgit.hosts.git_hooks.record import push_file, read_record
from memgit.hosts.git_hooks.status import TreeStatus
from memgit.hosts.git_hooks.status import status as status_of
from memgit.operations.invocation import Invocation
from memgit.operations.push_sync import NO_REMOTE


class HooksInstall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Make Git's hooks note what happens, beside what is there; doing it twice changes nothing.

    `push`: a push also syncs the memory in the background; without it that stays as it is. `way`: `files` are the
    hooks that every Git runs, `config` are entries of Git's configuration (Git 2.54), `auto` takes those only where
    the files are others' to write.
    """

    push: bool | None = None
    way: Literal["auto", "files", "config"] = "auto"


class HooksInstalled(Struct, frozen=True, kw_only=True):
    """What is installed now. `changed` is false where it was so already."""

    changed: bool
    directories: tuple[str, ...]
    configured: bool
    push: bool


class HooksUninstall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Take everything out again that an installation put into hooks and configuration. Takes no input."""


class HooksRemoved(Struct, frozen=True, kw_only=True):
    """Whether anything was there. `left` says, for people, what of ours could not be taken out."""

    changed: bool
    left: tuple[str, ...] = ()


class HooksStatus(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Say of each working tree which hooks reach the memory, and what is in the way. Takes no input."""


class HookView(Struct, frozen=True, kw_only=True):
    """One hook. `state`: installed, outdated, displaced, foreign, disabled or missing; `by`: what was found there."""

    hook: str
    state: str
    path: str
    by: str | None


class TreeView(Struct, frozen=True, kw_only=True):
    """One working tree. `obstacle` says why nothing may be installed in `directory`."""

    worktree: str
    name: str
    directory: str
    obstacle: str | None
    hooks: tuple[HookView, ...]


class HooksReport(Struct, frozen=True, kw_only=True):
    """All working trees, whether Git's configuration names the hooks, and whether a push syncs the memory."""

    worktrees: tuple[TreeView, ...]
    configured: bool
    push: bool


class HooksSnippet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Give the lines that belong into a hook which memgit must not write."""

    hook: str


class Snippet(Struct, frozen=True, kw_only=True):
    """Lines of sh, to be pasted after a hook's first line."""

    hook: str
    text: str


def install(invocation: Invocation, request: HooksInstall) -> HooksInstalled:
    """Install all hooks. Raises StoreNotInitialized, and InvalidRequest where the hooks are others' to write."""
    repository = invocation.repository
    if invocation.store.tip() is None:
        raise StoreNotInitialized(f"{repository.root} has no memory that hooks could tell of anything")
    done = installing.install(repository, _program(), push=request.push, way=request.way)
    push = push_file(repository).is_file()
    if push and invocation.config.optional_text("remote") is None:
        invocation.warnings.append(f"a push takes no memory along yet: {NO_REMOTE}")
    leftovers = sorted({text for directory in done.directories for text in hook_file.leftovers(directory)})
    invocation.warnings.extend(map(printable, leftovers))
    return HooksInstalled(
        changed=done.changed,
        directories=tuple(map(printable, done.directories)),
        configured=done.configured,
        push=push,
    )


def uninstall(invocation: Invocation, request: HooksUninstall) -> HooksRemoved:
    """Uninstall all hooks."""
    done = installing.uninstall(invocation.repository)
    return HooksRemoved(changed=done.changed, left=tuple(map(printable, done.left)))


def status(invocation: Invocation, request: HooksStatus) -> HooksReport:
    """Look at all hooks of all working trees."""
    repository = invocation.repository
    record = read_record(repository)
    return HooksReport(
        worktrees=tuple(_tree(one) for one in status_of(repository, record)),
        configured=record is not None and record.configured,
        push=push_file(repository).is_file(),
    )


def snippet(invocation: Invocation, request: HooksSnippet) -> Snippet:
    """Return the lines. Raises InvalidRequest for a hook that memgit has nothing for."""
    if request.hook not in shipped.HOOKS:
        raise InvalidRequest(
            f"memgit has nothing for a hook {request.hook[:60]!r}",
            hint=f"It is one of {', '.join(shipped.HOOKS)}.",
            details={"field": "hook"},
        )
    return Snippet(hook=request.hook, text=shipped.snippet(request.hook))


def _tree(one: TreeStatus) -> TreeView:
    return TreeView(
        worktree=printable(one.tree.top),
        name=one.tree.name,
        directory=printable(one.tree.hooks),
        obstacle=None if one.obstacle is None else printable(one.obstacle),
        hooks=tuple(HookView(hook=it.hook, state=it.state, path=printable(it.path), by=it.by) for it in one.hooks),
    )


def _program() -> str | None:
    """Return the absolute path of the program that this is, for a hook to start: a GUI's Git has no PATH of ours."""
    name = "git-memory.exe" if os.name == "nt" else "git-memory"
    beside = Path(sys.executable).parent / name
    return os.fspath(beside) if beside.is_file() else shutil.which(name)
