"""The sync that a push starts: in the background, one at a time, to the elected remote alone.

Nobody looks at what it says, so what fails is kept for the next command. A push elects no remote: which one the memory
goes to is a decision, and a push of code to a fork is none.
"""

from __future__ import annotations

from memgit.errors import MemgitError
from memgit.operations.invocation import Invocation

NO_REMOTE = "no remote was chosen for it; `git memory sync REMOTE` chooses one"


def sync_after_push(invocation: Invocation, remote: str | None) -> None:
    """Exchange memory with the elected remote if that is the one pushed to. Raises nothing that memgit foresees."""
    from filelock import FileLock, Timeout

    from memgit.hosts.git_hooks.notices import keep_push_outcome
    from memgit.hosts.git_hooks.record import hooks_state

    repository = invocation.repository
    try:
        with FileLock(hooks_state(repository) / "push.lock", timeout=0):
            failure = _exchange(invocation, remote)
            keep_push_outcome(repository, failure)
    except (Timeout, OSError):
        return  # another one is at it, and takes along what is written by now


def _exchange(invocation: Invocation, remote: str | None) -> str | None:
    """Return why it failed, or None."""
    from memgit.operations.sync import SyncRun, run

    try:
        elected = invocation.config.optional_text("remote")
        if elected is None:
            return NO_REMOTE
        if remote != elected:
            return None
        request = SyncRun()
        invocation.take(request)  # what Git's hooks noted is taken first
        run(invocation, request)
    except MemgitError as error:
        return f"{error.message.rstrip('. ')}. {error.hint}".strip()
    return None
