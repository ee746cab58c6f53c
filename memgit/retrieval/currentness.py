"""Whether a revision is current at an instant, and if not, why. Judged by the folded entity alone."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from memgit.index.lexical import is_valid
from memgit.records.op import ClaimPayload
from memgit.records.state import Entity, Revision

ReasonCode = Literal[
    "superseded", "retracted", "forgotten", "withdrawn", "undone", "revised", "not_yet_valid", "expired"
]


class Reason(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a revision is not current. `by` are the entities or revisions that took its place; `at` is when, RFC 3339.

    `withdrawn`: the source that an artifact came from no longer has it.
    """

    code: ReasonCode
    by: tuple[str, ...] = ()
    at: str | None = None


def reasons_against(entity: Entity, revision: Revision, instant: str) -> tuple[Reason, ...]:
    """Return all reasons why `revision` of `entity` is not current at `instant`; none where it is.

    A disputed entity is current: both sides of a disagreement stay visible. Of a forked one every head is.
    """
    return (*_lifecycle(entity, revision), *_validity(revision, instant))


def _lifecycle(entity: Entity, revision: Revision) -> list[Reason]:
    found: list[Reason] = []
    tombstone = entity.lineage.tombstone
    if entity.status == "superseded":
        found.append(Reason(code="superseded", by=entity.superseded_by))
    elif entity.status == "retracted":
        found.append(Reason(code="retracted", at=tombstone.at if tombstone else None))
    elif entity.status == "forgotten":
        found.append(Reason(code="forgotten", at=tombstone.at if tombstone else None))
    elif entity.status == "withdrawn":
        found.append(Reason(code="withdrawn"))
    if revision.void or entity.status == "void":
        found.append(Reason(code="undone"))
    elif revision.id not in entity.lineage.heads:
        found.append(Reason(code="revised", by=entity.lineage.heads))
    return found


def _validity(revision: Revision, instant: str) -> list[Reason]:
    payload = revision.payload
    if not isinstance(payload, ClaimPayload):
        return []
    found: list[Reason] = []
    if not is_valid(payload.valid_from, None, instant):
        found.append(Reason(code="not_yet_valid", at=payload.valid_from))
    if not is_valid(None, payload.valid_until, instant):
        found.append(Reason(code="expired", at=payload.valid_until))
    return found
