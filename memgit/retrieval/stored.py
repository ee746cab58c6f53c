"""A revision as an index would give it, for what comes into a search by another way than an index."""

from __future__ import annotations

from memgit.index.lexical import Stored
from memgit.records.ids import EntityId
from memgit.records.op import ClaimPayload
from memgit.records.state import Entity, Revision


def stored_of(
    entity: Entity,
    revision: Revision,
    start: int | None = None,
    end: int | None = None,
    projection: EntityId | None = None,
) -> Stored:
    """Return a revision as an index would give it: as a whole, by a passage, or by a text that was derived from it."""
    payload = revision.payload
    claim = payload if isinstance(payload, ClaimPayload) else None
    return Stored(
        entity=entity.lineage.id,
        kind="claim" if claim else "artifact",
        revision=revision.id,
        seq=revision.seq,
        type=claim.claim_type if claim else getattr(payload, "kind", ""),
        task=entity.lineage.scope.task,
        component=payload.component,
        markers=payload.markers,
        valid_from=claim.valid_from if claim else None,
        valid_until=claim.valid_until if claim else None,
        start=start,
        end=end,
        projection=projection,
        at=revision.at,
    )
