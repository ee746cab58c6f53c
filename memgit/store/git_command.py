"""The one way to start `git`: bounded, without a prompt, without the caller's repository leaking in, offline."""

from __future__ import annotations

import os
import subprocess

from memgit.errors import NotARepository, StoreBusy
from memgit.store.repository import GIT_TIMEOUT_SECONDS, Repository

__all__ = ["GIT_TIMEOUT_SECONDS", "git_environment", "run_git"]

# `git rev-parse --local-env-vars` of 2.39, less the configuration that a caller passes on purpose. A hook exports
# these; with them a child would work on another index or repository.
_LOCAL_VARIABLES = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
    "GIT_NAMESPACE",
)


def git_environment(repository: Repository, *, network: bool = False) -> dict[str, str]:
    """Return the environment for a `git` that works on this repository and never prompts.

    Without `network` no transport is allowed, so that a partial clone cannot fetch behind the user's back (2.39 has no
    switch for that alone). Replace refs and grafts are off: the store's objects are what their ids say.
    """
    environment = {key: value for key, value in os.environ.items() if key not in _LOCAL_VARIABLES}
    environment |= {
        "GIT_DIR": str(repository.git_dir),
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "LC_ALL": "C",
    }
    if not network:
        environment |= {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}
    return environment


def run_git(
    repository: Repository,
    arguments: list[str],
    *,
    stdin: bytes = b"",
    timeout: float = GIT_TIMEOUT_SECONDS,
) -> subprocess.CompletedProcess[bytes]:
    """Run one offline `git` command and return its outcome, whatever its exit status."""
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=repository.root,
            env=git_environment(repository),
            input=stdin,
            capture_output=True,
            timeout=timeout,
        )
    except FileNotFoundError:
        raise NotARepository("the `git` command is not on the PATH", hint="Install Git.") from None
    except subprocess.TimeoutExpired:
        raise StoreBusy(f"`git {arguments[0]}` did not answer within {timeout:.0f} s") from None
