"""Sending one commit to one ref of a remote, and what its answer means. The store and the drafts go this way alike.

Not the words decide, which every server has its own of: a push that fails although the remote's ref has not moved is a
refusal; one that fails while it moved is a race, and worth another try.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

from memgit.errors import RemoteRefused, RemoteUnavailable
from memgit.store.objects import ObjectId
from memgit.sync.arrival import BRANCH
from memgit.sync.remotes import ref_key
from memgit.sync.transport import Pushed, Transport

Screen = Callable[[ObjectId, ObjectId | None], tuple[str, ...]]
"""Looks at what a push would add to the remote's tip; returns what looks like a secret and was let in, by name.

Raises SecretDetected for what nobody let in."""

_ATTEMPTS = 12  # several clones that push at once: each round lets one of them through
_ROUND_SECONDS = 0.15
_LONGEST_PAUSE_SECONDS = 3.0
_REFUSALS = {"refused": 2, "raced": 4}  # how often, with its ref unmoved, a remote says no before it is no


def rounds(remote: str) -> Iterator[int]:
    """Yield the number of each round, with a growing pause between two. Raises RemoteUnavailable after the last."""
    for attempt in range(_ATTEMPTS):
        yield attempt
        time.sleep(min(_LONGEST_PAUSE_SECONDS, _ROUND_SECONDS * 2**attempt) * random.random())  # noqa: S311
    raise RemoteUnavailable(
        f"{remote} was changed by somebody else {_ATTEMPTS} times in a row",
        hint="Try again; what was fetched is here.",
    )


class Sender:
    """Sends to one remote. `what` is what messages call that which is sent."""

    def __init__(self, transport: Transport, screen: Screen, what: str = "memory") -> None:
        self._transport = transport
        self._remote = transport.remote
        self._screen = screen
        self._what = what
        self._refusals = 0
        self.allowed: tuple[str, ...] = ()  # what went although it looks like a secret, since somebody let it in

    def send(self, commit: ObjectId, ref: str, expected: ObjectId | None) -> bool:
        """Push; return whether it is done. False: look again, for somebody may have been faster.

        The commit must descend from what is expected there. Raises RemoteRefused where the remote has its mind made up,
        SecretDetected, RemoteUnavailable.
        """
        allowed = self._screen(commit, expected)
        pushed = self._transport.push(commit, ref, expected)
        if pushed.verdict == "done":
            self.allowed = allowed
            return True
        if self._transport.look([ref]).get(ref) == expected:
            self._refusals += 1  # the lock of another push passes in a moment
            if self._refusals >= _REFUSALS[pushed.verdict]:
                raise self._refusal(pushed, ref)
        return False

    def _refusal(self, pushed: Pushed, ref: str) -> RemoteRefused:
        details = {"remote": self._remote, "ref": ref, "reason": pushed.reason}
        if pushed.verdict == "raced":
            return RemoteRefused(
                f"{self._remote} is fetched from one place and pushed to another, and {ref} is not the same there",
                hint="`git remote add memory URL` names the one place where memory is kept, then "
                "`git memory sync memory --elect`.",
                details=details,
            )
        hint = f"Ask whoever runs the remote what it accepts. The {self._what} that is here stays here."
        if not ref.startswith("refs/heads/"):
            hint = only_branches(self._remote)
        return RemoteRefused(f"{self._remote} does not take {ref}: {pushed.reason}", hint=hint, details=details)


def only_branches(remote: str) -> str:
    """Return what helps where a remote takes branches alone, and what that brings with it."""
    return (
        f"Some servers accept only branches: `git config {ref_key(remote)} {BRANCH}` keeps the memory of {remote} in "
        "one. It is then a branch like others: each clone fetches and lists it, and so does the server's own page.\n"
        "Or keep it apart: `git remote add memory URL`, then `git memory sync memory --elect`."
    )
