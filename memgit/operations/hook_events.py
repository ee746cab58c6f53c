"""What Git's hooks left since the last command: what is the matter with them, what they saw. It fails no request."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from memgit.errors import MemgitError

if TYPE_CHECKING:
    from memgit.operations.invocation import Invocation


def heard_from_hooks(invocation: Invocation) -> list[str]:
    """Make checkpoints of what hooks saw, where that can be done at once; return the sentences that a person needs."""
    return [*_notices(invocation), *_recorded(invocation)]


def _notices(invocation: Invocation) -> list[str]:
    """Return what is the matter with Git's hooks, where they are installed."""
    with suppress(MemgitError, OSError):
        state = invocation.repository.state_dir
        if (state / "hooks").is_dir() or (state / "hook-failed").exists():
            from memgit.hosts.git_hooks.notices import notices

            return notices(invocation.repository)
    return []


def _recorded(invocation: Invocation) -> list[str]:
    """Make checkpoints of what Git's hooks saw since the last command; return what is to be said of it."""
    with suppress(MemgitError, OSError):
        if not (invocation.repository.state_dir / "spool").is_dir():
            return []
        from memgit.checkpoints.spool import is_waiting

        if is_waiting(invocation.repository):
            from memgit.checkpoints.drain import drain
            from memgit.operations.checkpoint_choice import retention

            return drain(invocation.repository, lambda: retention(invocation))
    return []
