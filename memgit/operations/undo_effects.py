"""What an undo says that it did: the difference that it makes, in words, with ids alone.

The answer is kept as a receipt, which must not repeat what a claim says: whoever takes a secret back would find it
there again.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from memgit.retrieval.view import SHARED
from memgit.review.changes import Diff, EntityChange, RelationChange, SmallChange

_TOLD = 100  # of each list; the receipt keeps them too


class Cancelled(Struct, frozen=True, kw_only=True):
    """An operation that was undone, and the operation that did it."""

    digest: str
    verb: str
    entity: str
    undo: str


class Effect(Struct, frozen=True, kw_only=True):
    """What an entity is now. `change` says what became of it, `sentence` the same for people."""

    entity: str
    change: str
    status: str | None
    revision_id: str | None
    revision_number: int | None
    sentence: str


class CaseEffect(Struct, frozen=True, kw_only=True):
    """What became of a conflict case."""

    case_id: str
    kind: str
    change: str


class Undone(Struct, frozen=True, kw_only=True):
    """What was cancelled and what that changed. `left_out` counts what is not listed. `layer` is where the undo is."""

    cancelled: tuple[Cancelled, ...]
    effects: tuple[Effect, ...]
    conflicts: tuple[CaseEffect, ...]
    left_out: int = 0
    layer: str = SHARED


def undone(cancelled: Sequence[Cancelled], diff: Diff) -> Undone:
    """Return the answer for what was cancelled and what that did to the state."""
    effects = [_effect(change) for change in (*diff.claims, *diff.artifacts)]
    others: list[RelationChange | SmallChange] = [*diff.relations, *diff.sources, *diff.projections]
    effects += [_small_effect(change) for change in others]
    cases = [CaseEffect(case_id=case.id, kind=case.kind, change=case.change) for case in diff.conflicts]
    left = sum(max(0, len(found) - _TOLD) for found in (cancelled, effects, cases))
    return Undone(
        cancelled=tuple(cancelled[:_TOLD]),
        effects=tuple(effects[:_TOLD]),
        conflicts=tuple(cases[:_TOLD]),
        left_out=left,
    )


def _effect(change: EntityChange) -> Effect:
    return Effect(
        entity=change.id,
        change=change.change,
        status=change.statuses[1],
        revision_id=change.revisions[1],
        revision_number=change.number,
        sentence=_sentence(change),
    )


def _small_effect(change: RelationChange | SmallChange) -> Effect:
    saying = "in force again" if change.change == "restored" else change.change
    return Effect(
        entity=change.id,
        change=change.change,
        status=None,
        revision_id=None,
        revision_number=None,
        sentence=f"{change.id} is {saying}",
    )


def _sentence(change: EntityChange) -> str:
    """Return what became of an entity, as a person would say it."""
    at = f"revision {change.number}"
    sayings = {
        "undone": f"{change.id} is void: its creation is undone",
        "restored": f"{change.id} is active again, at {at}",
        "revised": f"{change.id} is at {at} again" if not change.heads else f"{change.id} has forked",
        "superseded": f"{change.id} is superseded again by {', '.join(change.superseded_by)}",
        "disputed": f"{change.id} is disputed",
        "settled": f"{change.id} is not disputed any more",
        "noted": f"nothing that is shown of {change.id} changed",
    }
    return sayings.get(change.change, f"{change.id} is {change.statuses[1]} again")
