"""Where a repository is: its Git directory, its common directory, its working tree, and memgit's own places.

Found by reading files, because starting Git or importing pygit2 costs more than most reads. Whatever is unusual
(`GIT_DIR` set, a directory of another owner) is left to Git itself, whose checks are honoured, never bypassed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memgit.environment import printable
from memgit.errors import NotARepository, StoreCorrupt

DEFAULT_REF = "refs/memgit/store"
GIT_TIMEOUT_SECONDS = 20
_LEFT_TO_GIT = ("GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_CEILING_DIRECTORIES")


@dataclass(frozen=True, slots=True)
class Repository:
    """A Git repository on this machine, as seen from one directory of it."""

    git_dir: Path  # of this working tree
    common_dir: Path  # shared by all working trees
    work_tree: Path | None  # None for a bare repository

    @property
    def private_dir(self) -> Path:
        """memgit's own directory."""
        return self.common_dir / "memgit"

    @property
    def state_dir(self) -> Path:
        """What is not derived: never deletable."""
        return self.private_dir / "state"

    @property
    def cache_dir(self) -> Path:
        """What is derived: deleting it costs time, never data."""
        return self.private_dir / "cache"

    @property
    def packs_file(self) -> Path:
        """Where the names of the packs that memgit made are noted."""
        return self.state_dir / "packs.json"

    @property
    def root(self) -> Path:
        """The directory that people would name: the working tree, or the bare repository."""
        return self.work_tree or self.git_dir

    @property
    def worktree_name(self) -> str:
        """The Git directory of this working tree relative to the common one: `.`, or `worktrees/NAME`.

        Bytes that are not UTF-8 are escaped.
        """
        try:
            name = self.git_dir.resolve().relative_to(self.common_dir.resolve()).as_posix()
        except ValueError:
            name = self.git_dir.name
        return printable(name)


def discover(start: Path, environment: Mapping[str, str] | None = None) -> Repository:
    """Return the repository that `start` lies in. Raises NotARepository.

    `GIT_DIR` and its kin are honoured by asking Git, so that a hook's or a wrapper's choice of repository counts.
    """
    variables = os.environ if environment is None else environment
    if not start.is_dir():
        raise NotARepository(f"{start} is not a directory")
    if any(name in variables for name in _LEFT_TO_GIT):
        return _ask_git(start, variables)
    found = _walk_up(start.resolve())
    if found is None or not _is_own(found.git_dir):
        return _ask_git(start, variables)
    return found


def _walk_up(start: Path) -> Repository | None:
    for directory in (start, *start.parents):
        dot_git = directory / ".git"
        if dot_git.is_dir() and _is_git_dir(dot_git):
            return Repository(dot_git, _common_dir(dot_git), directory)
        if dot_git.is_file():
            git_dir = _follow(dot_git)
            return Repository(git_dir, _common_dir(git_dir), directory)
        if _is_git_dir(directory):
            return None if directory.name == ".git" else Repository(directory, _common_dir(directory), None)
    return None


def _is_git_dir(directory: Path) -> bool:
    if not (directory / "HEAD").is_file():
        return False
    common = _common_dir(directory)
    return (common / "objects").is_dir() and (common / "refs").is_dir()


def _common_dir(git_dir: Path) -> Path:
    try:
        text = (git_dir / "commondir").read_text("utf-8", "surrogateescape").strip()
    except OSError:
        return git_dir
    if "\0" in text:
        raise NotARepository(f"{git_dir / 'commondir'} does not name a directory", hint="Run `git worktree repair`.")
    return Path(os.path.normpath(git_dir / text))


def _follow(dot_git: Path) -> Path:
    """Return the directory that a `.git` file names, as submodules and linked working trees have one."""
    text = dot_git.read_text("utf-8", "surrogateescape")
    if not text.startswith("gitdir:"):
        raise NotARepository(f"{dot_git} is a file that does not name a Git directory")
    git_dir = Path(os.path.normpath(dot_git.parent / text.removeprefix("gitdir:").strip()))
    if not git_dir.is_dir():
        raise NotARepository(
            f"{dot_git} names {git_dir}, which does not exist",
            hint="Run `git worktree repair` or `git submodule update`.",
        )
    return git_dir


def _is_own(git_dir: Path) -> bool:
    """Tell whether Git's ownership check would pass without a `safe.directory` entry."""
    if not hasattr(os, "geteuid"):
        return False  # Windows: let Git decide
    return git_dir.stat().st_uid == os.geteuid()


def _ask_git(start: Path, environment: Mapping[str, str]) -> Repository:
    command = ["git", "rev-parse", "--path-format=absolute", "--is-bare-repository", "--git-dir", "--git-common-dir"]
    answer = _run(command, start, environment)
    if answer.returncode != 0:
        text = answer.stderr.strip().splitlines()
        raise NotARepository(
            f"{start}: {text[0].removeprefix('fatal: ') if text else 'not a Git repository'}",
            hint="\n".join(text[1:]).strip() or None,
        )
    bare, git_dir, common_dir = answer.stdout.splitlines()[:3]
    top = None
    if bare == "false":
        shown = _run(["git", "rev-parse", "--show-toplevel"], start, environment)
        top = Path(shown.stdout.strip()) if shown.returncode == 0 else None
    return Repository(Path(git_dir), Path(common_dir), top)


def _run(command: list[str], directory: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            cwd=directory,
            env={**environment, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            errors="surrogateescape",
            timeout=GIT_TIMEOUT_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError:
        raise NotARepository("the `git` command is not on the PATH", hint="Install Git.") from None
    except subprocess.TimeoutExpired:
        raise StoreCorrupt(f"`{' '.join(command)}` did not answer within {GIT_TIMEOUT_SECONDS} s") from None
