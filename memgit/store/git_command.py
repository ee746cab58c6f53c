"""The way to start an offline `git`: bounded, without a prompt, without the caller's repository leaking in."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from memgit.environment import git_child_environment
from memgit.errors import NotARepository, StoreBusy
from memgit.store.repository import GIT_TIMEOUT_SECONDS, Repository

__all__ = ["GIT_TIMEOUT_SECONDS", "git_config", "git_environment", "run_git"]


WITHOUT_HOOKS = ("-c", f"core.hooksPath={os.devnull}")
"""A hook of the user's (`reference-transaction`) that remembers something would wait for the lock that we hold."""


def git_environment(repository: Repository, *, network: bool = False) -> dict[str, str]:
    """Return the environment for a `git` that works on this repository and never prompts.

    Without `network` no transport is allowed, so that a partial clone cannot fetch behind the user's back (2.39 has no
    switch for that alone). Replace refs and grafts are off: the store's objects are what their ids say.
    """
    extra = {"GIT_DIR": str(repository.git_dir), "GIT_NO_REPLACE_OBJECTS": "1"}
    if not network:
        extra |= {"GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1"}
    return git_child_environment(keep_configuration=True, extra=extra)


def git_config(repository: Repository, *prefixes: str) -> dict[str, str]:
    """Return the configuration whose keys start with one of the prefixes, lower-case keys, the last value of each."""
    pattern = "|".join(f"^{re.escape(prefix)}" for prefix in prefixes)
    answer = run_git(repository, ["config", "-z", "--get-regexp", pattern])
    entries = answer.stdout.decode("utf-8", "surrogateescape").split("\0")
    pairs = (entry.partition("\n") for entry in entries if entry)
    return {key.lower(): value for key, _, value in pairs}


def run_git(
    repository: Repository,
    arguments: list[str],
    *,
    stdin: bytes = b"",
    timeout: float = GIT_TIMEOUT_SECONDS,
    directory: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run one offline `git` command and return its outcome, whatever its exit status.

    It runs in the Git directory or in `directory`, with `variables` over its environment. Raises NotARepository where
    there is no `git`, StoreBusy where it could not be run or did not answer in time.
    """
    try:
        return subprocess.run(
            ["git", *WITHOUT_HOOKS, *arguments],
            cwd=directory or repository.git_dir,
            env=git_environment(repository) | dict(variables or {}),
            input=stdin,
            capture_output=True,
            timeout=timeout,
        )
    except FileNotFoundError:
        raise NotARepository("the `git` command is not on the PATH", hint="Install Git.") from None
    except OSError as error:  # no process or no pipe to be had
        raise StoreBusy(f"`git {arguments[0]}` could not be run: {error.strerror or error}") from None
    except subprocess.TimeoutExpired:
        raise StoreBusy(f"`git {arguments[0]}` did not answer within {timeout:.0f} s") from None
