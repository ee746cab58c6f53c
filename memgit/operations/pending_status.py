"""How many continuity notes wait, as a summary has it: one look at a directory, and at the small files in it."""

from __future__ import annotations

from msgspec import Struct

from memgit import clock
from memgit.operations.invocation import Invocation


class PendingNotes(Struct, frozen=True, kw_only=True):
    """Numbers of notes that wait for review, of those whose window is over, and of damaged files, which are neither.

    `next` is the session that expires next, and `next_expires_at` when; both are None where none waits.
    """

    waiting: int
    expired: int
    damaged: int = 0
    next: str | None = None
    next_expires_at: str | None = None


def pending_notes(invocation: Invocation) -> PendingNotes | None:
    """Return what waits in quarantine; None where nothing does. Never raises."""
    state_dir = invocation.repository.state_dir
    if not (state_dir / "pending").is_dir():
        return None
    from memgit.checkpoints.quarantine import Quarantine

    found = Quarantine(state_dir).waiting(clock.timestamp())
    if not found.notes and not found.damaged:
        return None
    return PendingNotes(
        waiting=found.notes - found.expired,
        expired=found.expired,
        damaged=found.damaged,
        next=found.next_session,
        next_expires_at=clock.format_time(found.next_at) if found.next_at is not None else None,
    )
