"""Which hooks of which working tree reach us, and who is in the way where they do not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memgit.hosts.git_hooks import configured, hook_file, managers
from memgit.hosts.git_hooks.layout import WorkingTree, obstacle, working_trees
from memgit.hosts.git_hooks.record import Record, hooks_state, marks_of, moved
from memgit.hosts.git_hooks.shipped import HOOKS
from memgit.store.repository import Repository

State = Literal["installed", "outdated", "displaced", "foreign", "disabled", "missing"]


@dataclass(frozen=True, slots=True)
class HookStatus:
    """One hook of one working tree.

    `installed`: it reaches us. `outdated`: it does, by an older block. `displaced`: it did, and something took its
    place. `foreign`: somebody else's hook runs there, and we never were. `disabled`: the file is not executable, or
    Git cannot run it because of its first line.
    `by` names the tool or the setting that was found, `path` the file that holds or would hold the block.
    """

    hook: str
    state: State
    path: Path
    by: str | None


@dataclass(frozen=True, slots=True)
class TreeStatus:
    """The hooks of one working tree. `obstacle` says why nothing may be installed there."""

    tree: WorkingTree
    hooks: tuple[HookStatus, ...]
    obstacle: str | None


def status(repository: Repository, record: Record | None) -> list[TreeStatus]:
    """Return the hooks of all working trees."""
    trees = working_trees(repository)
    here = None if record is None else moved(record, roots(repository, trees))
    return [
        TreeStatus(
            tree,
            tuple(_hook(repository, tree, hook, here) for hook in HOOKS),
            obstacle(tree, repository.common_dir),
        )
        for tree in trees
    ]


def roots(repository: Repository, trees: Iterable[WorkingTree]) -> dict[str, str]:
    """Return where the working trees and the common directory are, as the record has it."""
    tops = {
        tree.name: os.fspath(tree.top) for tree in trees if tree.top != tree.git_dir
    }  # Git may not know the main one
    return {**tops, "common": os.fspath(repository.common_dir)}


def displaced(found: list[TreeStatus]) -> tuple[str, ...]:
    """Return what no longer runs, in words: one text for each directory and cause."""
    causes: dict[str, list[str]] = {}
    for one in found:
        for hook in one.hooks:
            if hook.state == "displaced":
                hooks = causes.setdefault(f"{hook.by or 'nothing'} in {one.tree.hooks}", [])
                hooks += [] if hook.hook in hooks else [hook.hook]
    return tuple(f"{', '.join(hooks)} ({cause})" for cause, hooks in causes.items())


def deciding_marks(repository: Repository, found: list[TreeStatus]) -> dict[str, tuple[int, int, int] | None]:
    """Return the marks of the files whose change may displace a hook."""
    paths = {
        hooks_state(repository) / "event.sh",
        repository.common_dir / "config",
        repository.common_dir / "worktrees",
        *_user_configurations(),
    }
    for one in found:
        paths.add(one.tree.git_dir / "config.worktree")
        for hook in one.hooks:
            paths |= {one.tree.hooks / hook.hook, hook.path}
    return marks_of(sorted(paths))


def _hook(repository: Repository, tree: WorkingTree, hook: str, record: Record | None) -> HookStatus:
    seen = hook_file.look(tree.hooks, hook)
    if record is not None and record.configured and configured.runs(tree.top, hook):
        return HookStatus(hook, "installed", repository.common_dir / "config", "Git config")
    if managers.runs_legacy(seen.by) and managers.calls_us(tree.top, hook):
        return HookStatus(hook, "installed", tree.top / managers.FRAMEWORK, seen.by)
    if seen.state in ("installed", "outdated") and not (hooks_state(repository) / "event.sh").is_file():
        return HookStatus(hook, "missing" if record is None else "displaced", seen.path, "a block without its script")
    if seen.by == hook_file.RETURNS:
        return HookStatus(hook, "disabled", seen.path, seen.by)
    was_here = record is not None and (record.configured or _was_placed(record, tree, hook))
    if was_here and seen.state not in ("installed", "outdated"):
        return HookStatus(hook, "displaced", seen.path, _who(tree, seen))
    return HookStatus(hook, seen.state, seen.path, seen.by)


def _was_placed(record: Record, tree: WorkingTree, hook: str) -> bool:
    """Tell whether a hook of a working tree reached us once: in its directory, or where Git looked before."""
    here = os.fspath(tree.hooks)
    is_elsewhere = all(one.directory != here for one in record.placed)
    return any(one.hook == hook and (is_elsewhere or one.directory == here) for one in record.placed)


def _who(tree: WorkingTree, seen: hook_file.HookFile) -> str | None:
    """Return what is in the way."""
    if seen.by is not None:
        return seen.by
    if tree.scope is not None:
        return f"core.hooksPath of the {tree.scope} configuration"
    return None


def _user_configurations() -> Iterator[Path]:
    """Yield the files that may set `core.hooksPath` for all repositories of the user."""
    said = os.environ.get("GIT_CONFIG_GLOBAL")
    if said is not None:
        yield Path(said)
        return
    home = os.environ.get("HOME")
    if home:
        yield Path(home) / ".gitconfig"
    base = os.environ.get("XDG_CONFIG_HOME") or (f"{home}/.config" if home else None)
    if base:
        yield Path(base) / "git" / "config"
