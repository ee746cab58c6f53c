"""How far this clone and its remote are apart, as a summary has it: no network, and no process where they are equal."""

from __future__ import annotations

from msgspec import Struct

from memgit.operations.invocation import Invocation
from memgit.store.quick_tip import quick_tip


class Unsynced(Struct, frozen=True, kw_only=True):
    """Numbers of operations that only this clone has, and that only the remote had when it was last looked at."""

    remote: str
    ahead: int
    behind: int


def unsynced(invocation: Invocation) -> Unsynced | None:
    """Return how far the elected remote is away; None where none is elected or nothing is known of it."""
    remote = invocation.config.optional_text("remote")
    if remote is None:
        return None
    from memgit.sync.arrival import tracking_ref

    repository = invocation.repository
    ours = quick_tip(repository, invocation.config.text("ref"))
    theirs = quick_tip(repository, tracking_ref(remote))
    if ours is None or theirs is None:
        return None
    if ours == theirs:
        return Unsynced(remote=remote, ahead=0, behind=0)
    from memgit.store.objects import ObjectId
    from memgit.sync.difference import operations_beside

    here, there = ObjectId(ours), ObjectId(theirs)
    ahead, behind = (operations_beside(repository, *pair) for pair in ((here, there), (there, here)))
    return Unsynced(remote=remote, ahead=sum(ahead.values()), behind=sum(behind.values()))
