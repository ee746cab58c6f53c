"""`promote`: from the local layer into the shared one, with new ids, after a look at what will become visible.

The shared layer is written first, in one commit: the claims, and the artifacts that only this clone has and that they
rest on. Then the local layer notes that the new ones supersede the old ones; so the mapping stays here. A receipt for
each promoted revision, under a digest of its ids, lets a repetition find what an interrupted one has done.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from memgit.errors import InvalidRequest, NotFound
from memgit.index.meanings import aliases_at
from memgit.index.state_cache import StateCache
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import artifact_payload, check_id, claim_payload, head_revision, read_lineage
from memgit.operations.promotion import Made, Part, Promotion, known_promotions, stage_parts
from memgit.operations.views import entity_view, statement_of
from memgit.records import ids
from memgit.records.ids import EntityId, RevisionId
from memgit.records.op import OWN_NOTE, ArtifactPayload, ClaimPayload, RelationPayload, draft
from memgit.records.state import Lineage, Revision
from memgit.scope.horizon import belongs, check_write
from memgit.store.private import LOCAL, SHARED
from memgit.store.snapshot import Snapshot
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

Reason = Literal["asked", "evidence", "possible"]

_SHOWN_BYTES = 320
_LISTED = 200  # of what could be shared


class Promote(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Share what was local. Without `yes` it only says what would become visible; without ids, what could be shared."""

    ids: tuple[str, ...] = ()
    yes: bool = False
    allow_flagged: bool = False


class Planned(Struct, frozen=True, kw_only=True):
    """What becomes visible of a claim or an artifact: all of its present state, and the beginning of a text.

    `becomes` is the shared one's id, None while it is not made; `already`: all of it was shared before. `reason`: it
    was asked for, or a claim rests on it, or it could be shared.
    """

    kind: str
    item: dict[str, Any]
    reason: Reason
    excerpt: str | None
    becomes: str | None
    already: bool = False


class Promoted(Struct, frozen=True, kw_only=True):
    """The plan, and whether it was carried out. `left_out` counts what could be shared beside what is listed."""

    applied: bool
    items: tuple[Planned, ...]
    left_out: int = 0


def promote(invocation: Invocation, request: Promote) -> Promoted:
    """Share claims and artifacts. Raises NotFound, ScopeViolation, InvalidRequest, SecretDetected."""
    if request.yes and not request.ids:
        raise InvalidRequest(
            "the request names nothing to promote",
            hint="Without `yes` it lists what could be.",
            details={"field": "ids"},
        )
    if LOCAL not in invocation.layers.names():
        raise NotFound("this clone has no local layer", hint="`git memory remember --local TEXT` begins one.")
    snapshot = invocation.layers.snapshot((LOCAL,))
    if not request.ids:
        return _possible(invocation, snapshot)
    parts = _parts(invocation, snapshot, request.ids)
    before = {part.lineage.id: known_promotions(invocation.store.snapshot(), part.lineage) for part in parts}
    becomes: dict[EntityId, str | None] = {name: _entity(known) for name, known in before.items()}
    shared = None
    if request.yes:
        promotions = _share(invocation, request, parts)
        shared = invocation.observed
        _supersede(invocation, parts, promotions)
        becomes |= {part.lineage.id: made.entity for part, made in zip(parts, promotions, strict=True)}
    items = []
    for part in parts:
        name = part.lineage.id
        already = all(revision.id in before[name] for revision in part.revisions)
        reason: Reason = "asked" if name in request.ids else "evidence"
        items.append(_planned(invocation, snapshot, part, reason, becomes=becomes[name], already=already))
    if shared is not None:
        invocation.observed, invocation.observed_layers = shared, {}
    return Promoted(applied=request.yes, items=tuple(items))


def _entity(known: Mapping[RevisionId, Made]) -> str | None:
    """Return the shared entity that an earlier promotion made."""
    return next((made.id for made in known.values()), None)


def _possible(invocation: Invocation, snapshot: Snapshot) -> Promoted:
    """Return what lives here alone and could be shared, newest first. A note of `remember` goes with its claim."""
    state = invocation.state_of(snapshot)
    aliases = aliases_at(snapshot)
    found = []
    for entity in state.entities():
        lineage = entity.lineage
        is_here = state.layer_of(lineage.ops[0].digest) == LOCAL and belongs(lineage.scope, invocation.context, aliases)
        if not is_here or entity.status != "active" or len(lineage.heads) != 1:
            continue
        head = head_revision(lineage)
        if not (isinstance(head.payload, ArtifactPayload) and head.payload.provenance == OWN_NOTE):
            found.append(Part(lineage, [head]))
    found.sort(key=lambda part: part.lineage.updated_seq, reverse=True)
    items = (_planned(invocation, snapshot, part, "possible") for part in found[:_LISTED])
    return Promoted(applied=False, items=tuple(items), left_out=max(0, len(found) - _LISTED))


def _parts(invocation: Invocation, snapshot: Snapshot, wanted: tuple[str, ...]) -> list[Part]:
    """Return what is to be shared, artifacts before the claims that cite them, each once."""
    state = invocation.state_of(snapshot)
    parts: dict[EntityId, Part] = {}
    for name in dict.fromkeys(wanted):
        lineage = _promotable(invocation, snapshot, state, name)
        head = head_revision(lineage)
        if isinstance(head.payload, ClaimPayload):
            for item in head.payload.evidence:
                _add_evidence(parts, state, snapshot, item.artifact, item.revision)
        _add(parts, lineage, head)
    return sorted(parts.values(), key=lambda part: part.lineage.kind)


def _promotable(invocation: Invocation, snapshot: Snapshot, state: StateCache, name: str) -> Lineage:
    """Return an entity that lives in the local layer alone and may be written from here."""
    if ids.kind_of(check_id(name)) not in ids.REVISION_PREFIX:
        raise InvalidRequest(
            f"{name} is neither a claim nor an artifact",
            hint="Promote the ends of a relation; then relate these.",
            details={"id": name},
        )
    try:
        lineage = read_lineage(snapshot, name)
    except NotFound as error:
        raise invocation.elsewhere(error, LOCAL) from None
    if state.layer_of(lineage.ops[0].digest) == SHARED:
        raise InvalidRequest(
            f"{name} is shared already",
            hint="What was changed here alone is shared by revising it with `--shared`.",
            details={"id": name},
        )
    check_write(lineage.scope, invocation.context, name, aliases_at(snapshot))
    if lineage.tombstone is not None or len(lineage.heads) != 1:
        state_of = "has ended" if lineage.tombstone is not None or not lineage.heads else "has forked"
        raise InvalidRequest(f"{name} {state_of}", hint="Settle that here first.", details={"id": name})
    return lineage


def _add_evidence(
    parts: dict[EntityId, Part], state: StateCache, snapshot: Snapshot, artifact: EntityId, revision_id: str
) -> None:
    """Add a cited artifact revision that only this clone has."""
    try:
        lineage = read_lineage(snapshot, artifact)
    except NotFound:
        return  # it is gone here too; the locator is kept as it is
    revision = next((found for found in lineage.revisions if found.id == revision_id), None)
    if revision is None or state.layer_of(revision.digest) == SHARED:
        return
    if lineage.tombstone is not None:
        raise InvalidRequest(
            f"the evidence {artifact} was forgotten here, and promoting would show it to everybody",
            hint="Revise the claim without it first.",
            details={"id": artifact},
        )
    _add(parts, lineage, revision)


def _add(parts: dict[EntityId, Part], lineage: Lineage, revision: Revision) -> None:
    part = parts.setdefault(lineage.id, Part(lineage, []))
    if revision not in part.revisions:
        part.revisions.append(revision)
        part.revisions.sort(key=lambda found: (found.seq, found.digest))


def _share(invocation: Invocation, request: Promote, parts: list[Part]) -> list[Promotion]:
    """Write the shared ones and return what each part has become."""
    local = invocation.layers.private(LOCAL).snapshot()
    made: list[Promotion] = []

    def build(transaction: Transaction) -> Result:
        made[:] = stage_parts(transaction, parts, local)
        return {}

    invocation.publish(SHARED, build, allow_flagged=request.allow_flagged)
    return made


def _supersede(invocation: Invocation, parts: list[Part], promotions: list[Promotion]) -> None:
    """Note in the local layer what has become of what, where that is not noted."""

    def build(transaction: Transaction) -> Result:
        assert transaction.snapshot is not None
        state = invocation.state_of(transaction.snapshot)
        for part, made in zip(parts, promotions, strict=True):
            payload = RelationPayload(source=made.entity, target=part.lineage.id, relation="supersedes")
            known = [edge for edge in state.relations_at(part.lineage.id) if not edge.void]
            if all((edge.payload.source, edge.relation) != (made.entity, "supersedes") for edge in known):
                transaction.stage(draft("put", ids.new_entity_id("relation"), part.lineage.scope, payload))
        return {}

    invocation.publish(LOCAL, build)


def _planned(
    invocation: Invocation,
    snapshot: Snapshot,
    part: Part,
    reason: Reason,
    *,
    becomes: str | None = None,
    already: bool = False,
) -> Planned:
    state = invocation.state_of(snapshot)
    entity = state.entity(part.lineage.id)
    assert entity is not None
    revision = part.revisions[-1]
    return Planned(
        kind=part.lineage.kind,
        item=msgspec.to_builtins(entity_view(entity, revision, state.layer_of, invocation.trusts)),
        reason=reason,
        excerpt=_excerpt(snapshot, revision),
        becomes=becomes,
        already=already,
    )


def _excerpt(snapshot: Snapshot, revision: Revision) -> str | None:
    """Return the beginning of what will be readable: of a claim its statement, of a text its first bytes."""
    if isinstance(revision.payload, ClaimPayload):
        return statement_of(claim_payload(revision))
    if revision.blob is None or not artifact_payload(revision).media_type.startswith("text/"):
        return None
    data = snapshot.blob(revision.blob) or b""
    return data[:_SHOWN_BYTES].decode("utf-8", "ignore") + ("…" if len(data) > _SHOWN_BYTES else "")
