"""Staging what is promoted: new ids, the same content, evidence that names the promoted artifacts.

What an earlier, interrupted promotion wrote is found by its receipts and not written again. A later revision of what
was promoted becomes a revision of the shared one, made from the promoted one, so that nobody's edit is overwritten.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import msgspec

from memgit.errors import StoreCorrupt
from memgit.operations.views import statement_of
from memgit.records import ids
from memgit.records.codec import Receipt, canonical_json, digest_of
from memgit.records.ids import ArtifactId, EntityId, RevisionId
from memgit.records.op import ArtifactPayload, ClaimPayload, Evidence, Payload, draft
from memgit.records.state import Lineage, Revision
from memgit.store.snapshot import Snapshot
from memgit.store.transaction import Transaction

OPERATION = "promote"


@dataclass(frozen=True, slots=True)
class Part:
    """An entity to share, and those of its revisions that are to be there, in the fold's order."""

    lineage: Lineage
    revisions: list[Revision]


@dataclass(frozen=True, slots=True)
class Promotion:
    """The shared entity that a local one has become, and its revision for each that was promoted."""

    entity: EntityId
    revisions: dict[RevisionId, RevisionId]


class Made(msgspec.Struct, frozen=True):
    """What the receipt of a promoted revision holds: ids of the shared layer alone."""

    id: EntityId
    revision_id: RevisionId


def stage_parts(transaction: Transaction, parts: list[Part], local: Snapshot) -> list[Promotion]:
    """Stage what is not shared yet of each part and return what each has become. Artifacts come before claims."""
    artifacts: dict[EntityId, Promotion] = {}
    made = []
    for part in parts:
        promotion = _stage_part(transaction, part, local, artifacts)
        artifacts[part.lineage.id] = promotion
        made.append(promotion)
    return made


def promotion_key(entity: EntityId, revision: RevisionId) -> str:
    """Return the digest under which the receipt of a promoted revision is kept. It tells nobody the ids."""
    return digest_of(canonical_json(["memgit promote 1", entity, revision]).encode())


def _stage_part(
    transaction: Transaction, part: Part, local: Snapshot, artifacts: dict[EntityId, Promotion]
) -> Promotion:
    lineage = part.lineage
    assert transaction.base is not None
    known = known_promotions(transaction.base, lineage)
    entity = next(iter(known.values())).id if known else ids.new_entity_id(lineage.kind)
    becomes = {revision: found.revision_id for revision, found in known.items()}
    for revision in part.revisions:
        if revision.id not in becomes:
            before = [becomes[each.id] for each in lineage.revisions if each.id in becomes]
            becomes[revision.id] = _stage(transaction, entity, part, revision, before[-1:], local, artifacts)
    return Promotion(entity, becomes)


def _stage(
    transaction: Transaction,
    entity: EntityId,
    part: Part,
    revision: Revision,
    parents: list[RevisionId],
    local: Snapshot,
    artifacts: dict[EntityId, Promotion],
) -> RevisionId:
    """Stage one revision and its receipt; return the new revision's id."""
    kind = part.lineage.kind
    first = "put" if kind == "artifact" else "assert"
    payload = _payload(revision.payload, artifacts)
    op = draft(
        "revise" if parents else first,
        entity,
        part.lineage.scope,
        payload,
        not_before=revision.at,
        revision=ids.new_revision_id(kind),
        parents=tuple(parents),
        blob=transaction.put_blob(_bytes(local, revision)) if revision.blob is not None else None,
    )
    staged = transaction.stage(op, _about(payload), main=kind == "claim")
    assert staged.revision is not None
    _put_receipt(transaction, part.lineage.id, revision.id, Made(entity, staged.revision))
    return staged.revision


def _payload(
    payload: ClaimPayload | ArtifactPayload, artifacts: dict[EntityId, Promotion]
) -> ClaimPayload | ArtifactPayload:
    if isinstance(payload, ArtifactPayload):
        # No longer an item of the source that it came from: that may be local, and has one artifact for each item.
        return msgspec.structs.replace(payload, external=None)
    evidence = tuple(_rewritten(item, artifacts.get(item.artifact)) for item in payload.evidence)
    return msgspec.structs.replace(payload, evidence=evidence)


def _rewritten(item: Evidence, promotion: Promotion | None) -> Evidence:
    if promotion is None or item.revision not in promotion.revisions:
        return item
    return Evidence(ArtifactId(promotion.entity), promotion.revisions[item.revision], item.start, item.end)


def known_promotions(shared: Snapshot, lineage: Lineage) -> dict[RevisionId, Made]:
    """Return what was promoted of an entity before, by its local revisions."""
    found: dict[RevisionId, Made] = {}
    for revision in lineage.revisions:
        receipt = shared.receipt(promotion_key(lineage.id, revision.id))
        if receipt is not None and receipt.operation == OPERATION:
            with suppress(msgspec.DecodeError):  # somebody else's receipt under this key
                found[revision.id] = msgspec.json.decode(receipt.result, type=Made)
    return found


def _put_receipt(transaction: Transaction, entity: EntityId, revision: RevisionId, made: Made) -> None:
    key = promotion_key(entity, revision)
    transaction.put_receipt(
        key,
        Receipt(
            digest="",
            operation=OPERATION,
            request=digest_of(key.encode()),
            seq=transaction.last_seq,
            at=transaction.at,
            result=canonical_json(msgspec.to_builtins(made)),
        ),
    )


def _bytes(local: Snapshot, revision: Revision) -> bytes:
    assert revision.blob is not None
    data = local.blob(revision.blob)
    if data is None:
        raise StoreCorrupt(f"the bytes of {revision.id} are gone, so it cannot be shared")
    return data


def _about(payload: Payload) -> str:
    if isinstance(payload, ClaimPayload):
        return statement_of(payload)
    return payload.title if isinstance(payload, ArtifactPayload) else ""
