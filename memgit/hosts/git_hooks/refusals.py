"""Why an installation would be refused, found out before any hook is touched, so that it is whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from memgit.errors import InvalidRequest
from memgit.hosts.git_hooks import configured, hook_file, managers
from memgit.hosts.git_hooks.layout import WorkingTree, obstacle
from memgit.hosts.git_hooks.shipped import HOOKS
from memgit.store.repository import Repository


def obstacles_of(repository: Repository, trees: Iterable[WorkingTree]) -> dict[str, WorkingTree]:
    """Return why the hooks of working trees are not ours to write; empty where they are."""
    return {why: tree for tree in trees if (why := obstacle(tree, repository.common_dir)) is not None}


def refused_by_place(obstacles: dict[str, WorkingTree]) -> InvalidRequest:
    """Return the error for directories that must not be written, with what to do instead."""
    hint = "Make that directory, or set `core.hooksPath` right (`git config --show-origin core.hooksPath` says where)."
    if any(tree.hooks.is_dir() for tree in obstacles.values()):
        hint = (
            "Paste what `git memory hooks snippet HOOK` prints after the first line of each hook there "
            f"({', '.join(HOOKS)}), or let Git look elsewhere."
        )
    return InvalidRequest(
        "; ".join(obstacles),
        hint=f"{hint} No hook was changed.",
        details={"directories": [str(tree.hooks) for tree in obstacles.values()], "hooks": list(HOOKS)},
    )


def refused_by_hook(trees: Sequence[WorkingTree]) -> InvalidRequest | None:
    """Return why one of the hooks cannot be written, or None where all can."""
    for directory, hook, called in planned(trees):
        why = None if called else hook_file.refusal(directory, hook)
        if why is not None:
            return why
    return None


def refusal(repository: Repository, trees: Sequence[WorkingTree]) -> InvalidRequest | None:
    """Return why `hooks install` would be refused now, or None where it would not."""
    obstacles = obstacles_of(repository, trees)
    if not obstacles:
        return refused_by_hook(trees)
    return None if configured.has_configured_hooks() else refused_by_place(obstacles)


def planned(trees: Sequence[WorkingTree]) -> Iterator[tuple[Path, str, bool]]:
    """Yield each hook of each directory, and whether pre-commit, which is installed there, calls us for it."""
    for directory in dict.fromkeys(tree.hooks for tree in trees):
        tops = [tree.top for tree in trees if tree.hooks == directory]
        for hook in HOOKS:
            is_framework = managers.runs_legacy(hook_file.look(directory, hook).by)
            yield directory, hook, is_framework and any(managers.calls_us(top, hook) for top in tops)
