"""Where Git looks for hooks: asked of Git in each working tree, with who says so and whether memgit may write there.

`core.hooksPath` may be relative (then it means another directory in each working tree), may come from the configuration
of all repositories of a user, and may lead to files that are under version control. What belongs to others is left to
them.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memgit.environment import git_child_environment
from memgit.errors import NotARepository, StoreBusy
from memgit.store.repository import GIT_TIMEOUT_SECONDS, Repository

_SHARED_SCOPES = {"global": "your own Git config", "system": "the machine's Git config"}


@dataclass(frozen=True, slots=True)
class WorkingTree:
    """One working tree (or the bare repository itself) and the directory of its hooks.

    `top` is where Git runs hooks. `name` is `.` or `worktrees/<name>`. `scope` is whose configuration sets
    `core.hooksPath`, None where nothing does. `fault` says why Git looks nowhere: then `hooks` is the null device.
    """

    top: Path
    git_dir: Path
    name: str
    hooks: Path
    scope: str | None
    is_bare: bool
    fault: str | None = None


def working_trees(repository: Repository) -> list[WorkingTree]:
    """Return the working trees that exist, the main one first. Raises NotARepository where Git cannot be asked."""
    # Asked from the common directory, so that a working tree that is broken takes no other one along.
    listed = ask(repository.common_dir, "worktree", "list", "--porcelain", "-z")
    if listed.returncode != 0:
        said = listed.stderr.decode("utf-8", "replace").strip().splitlines()
        why = said[0].removeprefix("fatal: ") if said else f"exit status {listed.returncode}"
        raise NotARepository(f"Git does not say which working trees there are: {why}", hint="\n".join(said[1:]))
    found: list[WorkingTree] = []
    for record in listed.stdout.decode("utf-8", "surrogateescape").split("\0\0"):
        lines = record.strip("\0").split("\0")
        top = Path(lines[0].removeprefix("worktree "))
        is_bare = "bare" in lines
        if not found and not is_bare and repository.work_tree and repository.git_dir == repository.common_dir:
            top = repository.work_tree  # Git guesses it from the name of the Git directory, which may be anywhere
        seen = _look(repository.common_dir if is_bare else top, repository, is_bare) if lines[0] else None
        found += [] if seen is None else [seen]
    return found


def obstacle(tree: WorkingTree, common_dir: Path) -> str | None:
    """Return why memgit must not write hooks into the directory of a working tree, or None where it may."""
    if tree.fault is not None:
        return tree.fault
    if tree.scope in _SHARED_SCOPES:
        return f"{tree.hooks} holds the hooks of other repositories too: {_SHARED_SCOPES[tree.scope]} names it"
    if tree.hooks.exists() and not tree.hooks.is_dir():
        return f"core.hooksPath is {tree.hooks}, which is no directory: no hook runs here"
    real = tree.hooks.resolve()
    if real.is_relative_to(common_dir.resolve()):
        return None
    if not real.is_dir():
        return f"core.hooksPath is {tree.hooks}, which does not exist: no hook runs here"
    if ask(real, "rev-parse", "--is-inside-work-tree").stdout.strip() != b"true":
        return None
    if ask(real, "ls-files", "-z", "--", ".").stdout:
        return f"{tree.hooks} is under version control: what is written there is for everybody"
    if ask(real, "check-ignore", "-q", "post-commit").returncode != 0:
        return f"{tree.hooks} is in the working tree, where Git would offer to add what is new"
    return None


def ask(directory: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run git in a directory, as a person there would, and return its outcome.

    Raises NotARepository where there is no `git`, StoreBusy where it does not answer.
    """
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=directory,
            env=git_child_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_TIMEOUT_SECONDS,
        )
    except FileNotFoundError:
        raise NotARepository("the `git` command is not on the PATH", hint="Install Git.") from None
    except subprocess.TimeoutExpired:
        raise StoreBusy(f"`git {arguments[0]}` did not answer within {GIT_TIMEOUT_SECONDS} s") from None


def _look(top: Path, repository: Repository, is_bare: bool) -> WorkingTree | None:
    """Return what Git says of a working tree, or None where it is not there."""
    if not top.is_dir():
        return None
    told = ask(top, "rev-parse", "--path-format=absolute", "--git-dir", "--git-path", "hooks")
    lines = list(_paths(told.stdout))
    if not lines:
        return None
    git_dir, fault = lines[0], None
    if told.returncode == 0 and len(lines) == 2:
        hooks = lines[1]
    else:  # an empty `core.hooksPath` is no path to Git
        hooks, fault = Path(os.devnull), "core.hooksPath is no path to Git: no hook runs here"
    is_main = not (git_dir / "commondir").is_file()
    scope = None
    if hooks != repository.common_dir / "hooks":
        said = ask(top, "config", "-z", "--show-scope", "--get", "core.hooksPath").stdout.split(b"\0")
        scope = said[0].decode() if len(said) > 1 else None
    return WorkingTree(top, git_dir, "." if is_main else f"worktrees/{git_dir.name}", hooks, scope, is_bare, fault)


def _paths(output: bytes) -> Iterator[Path]:
    for line in output.decode("utf-8", "surrogateescape").split("\n"):  # other ends of lines may be part of a name
        if line:
            yield Path(line)
