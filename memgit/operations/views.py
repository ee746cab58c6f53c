"""How entities look in answers: flat, by the protocol's names; the revision historical, the lifecycle present."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from memgit.operations import checks
from memgit.records.ids import ArtifactId, ClaimId
from memgit.records.op import Anchor, ArtifactPayload, ClaimPayload, Value
from memgit.records.state import Case, Entity, Relation, Revision
from memgit.retrieval.citations import ArtifactCitation, ClaimCitation
from memgit.retrieval.code_state import CodeState
from memgit.retrieval.results import Author, EvidenceRef, author_of, evidence_ref
from memgit.retrieval.view import SHARED, LayerOf, Trusts, all_shared, trusts_nobody


class CodeView(Struct, frozen=True, kw_only=True):
    """Where the writer's own repository stood."""

    head: str | None
    branch: str | None


class EntityView(Struct, frozen=True, kw_only=True):
    """What claims and artifacts have in common in answers. `author` and `trusted` are the revision's.

    `code` is where its writer's repository stood, `code_state` what became of the code since, where that is looked at.
    """

    kind: str
    workspace_id: str
    project_id: str
    task_id: str | None
    revision_id: str
    revision_number: int
    is_current: bool
    status: str
    disputed: bool
    heads: tuple[str, ...]
    superseded_by: tuple[str, ...]
    open_conflicts: tuple[str, ...]
    citation: str
    seq: int
    created_at: str
    revised_at: str
    author: Author
    trusted: bool
    code: CodeView | None
    ended_at: str | None = None
    ended_because: str | None = None
    layer: str = SHARED
    code_state: CodeState | None = None


class ClaimView(EntityView, frozen=True, kw_only=True):
    """A claim at one of its revisions."""

    claim_id: str
    claim_type: str
    statement: str
    value: Value | None
    subject: str | None
    component: str | None
    confidence: float | None
    valid_from: str | None
    valid_until: str | None
    trust: str | None
    sensitivity: str | None
    markers: tuple[str, ...]
    evidence: tuple[EvidenceRef, ...]
    anchors: tuple[Anchor, ...] = ()


class ArtifactView(EntityView, frozen=True, kw_only=True):
    """An artifact at one of its revisions, without its bytes."""

    artifact_id: str
    artifact_kind: str
    title: str
    media_type: str
    size: int
    digest: str
    component: str | None
    provenance: Any
    markers: tuple[str, ...]
    anchors: tuple[Anchor, ...] = ()


class HistoryPage(Struct, frozen=True, kw_only=True):
    """Revisions, newest first. `next_before_revision_number` is None on the last page."""

    items: tuple[ClaimView | ArtifactView, ...]
    next_before_revision_number: int | None


class RelationView(Struct, frozen=True, kw_only=True):
    """An edge. Its metadata is untrusted; the lifecycle of its ends is theirs."""

    relation_id: str
    source: str
    target: str
    relation: str
    metadata: Any
    void: bool
    workspace_id: str
    project_id: str
    seq: int
    created_at: str
    author: Author
    layer: str = SHARED


class CaseView(Struct, frozen=True, kw_only=True):
    """A disagreement with both sides as they were frozen and as they are.

    `resolved_by` says what resolves it, with the commands that do; None where it is not open.
    """

    case_id: str
    kind: str
    status: str
    case_sequence: int
    relation_id: str | None
    frozen: tuple[ClaimView | ArtifactView, ...]
    current: tuple[ClaimView | ArtifactView, ...]
    events: tuple[dict[str, Any], ...]
    resolved_by: str | None = None


def statement_of(payload: ClaimPayload) -> str:
    """Return a claim's text: its statement, or its typed value with its subject in front."""
    if payload.statement is not None:
        return payload.statement
    data = payload.value.data if payload.value is not None else ""
    return f"{payload.subject}: {data}" if payload.subject else data


def claim_view(
    entity: Entity, revision: Revision, layer_of: LayerOf = all_shared, trusts: Trusts = trusts_nobody
) -> ClaimView:
    """Return a claim as answers show it; `layer_of` says which layer holds the operation that made the revision."""
    payload = revision.payload
    assert isinstance(payload, ClaimPayload)
    return ClaimView(
        **_common(entity, revision, ClaimCitation(ClaimId(entity.lineage.id), revision.id)),
        layer=layer_of(revision.digest),
        trusted=trusts(entity, revision),
        claim_id=entity.lineage.id,
        claim_type=payload.claim_type,
        statement=statement_of(payload),
        value=payload.value,
        subject=payload.subject,
        component=payload.component,
        confidence=payload.confidence,
        valid_from=payload.valid_from,
        valid_until=payload.valid_until,
        trust=payload.trust,
        sensitivity=payload.sensitivity,
        markers=payload.markers,
        evidence=tuple(evidence_ref(item) for item in payload.evidence),
        anchors=payload.anchors,
    )


def artifact_view(
    entity: Entity, revision: Revision, layer_of: LayerOf = all_shared, trusts: Trusts = trusts_nobody
) -> ArtifactView:
    """Return an artifact as answers show it."""
    payload = revision.payload
    assert isinstance(payload, ArtifactPayload)
    return ArtifactView(
        **_common(entity, revision, ArtifactCitation(ArtifactId(entity.lineage.id), revision.id)),
        layer=layer_of(revision.digest),
        trusted=trusts(entity, revision),
        artifact_id=entity.lineage.id,
        artifact_kind=payload.kind,
        title=payload.title,
        media_type=payload.media_type,
        size=payload.size,
        digest=payload.digest,
        component=payload.component,
        provenance=free_json(payload.provenance),
        markers=payload.markers,
        anchors=payload.anchors,
    )


def entity_view(
    entity: Entity, revision: Revision, layer_of: LayerOf = all_shared, trusts: Trusts = trusts_nobody
) -> ClaimView | ArtifactView:
    """Return either kind as answers show it."""
    if entity.lineage.kind == "claim":
        return claim_view(entity, revision, layer_of, trusts)
    return artifact_view(entity, revision, layer_of, trusts)


def relation_view(relation: Relation, layer_of: LayerOf = all_shared) -> RelationView:
    """Return a relation as answers show it."""
    return RelationView(
        relation_id=relation.id,
        source=relation.payload.source,
        target=relation.payload.target,
        relation=relation.relation,
        metadata=free_json(relation.payload.metadata),
        void=relation.void,
        workspace_id=relation.scope.workspace,
        project_id=relation.scope.project,
        seq=relation.seq,
        created_at=relation.at,
        author=author_of(relation.actor),
        layer=layer_of(relation.digest),
    )


def case_view(
    case: Case, sides: dict[str, Entity], layer_of: LayerOf = all_shared, trusts: Trusts = trusts_nobody
) -> CaseView:
    """Return a case with the revisions that it froze, and its entities' present ones."""
    frozen = [
        entity_view(entity, revision, layer_of, trusts)
        for wanted in case.revisions
        for entity in sides.values()
        for revision in entity.lineage.revisions
        if revision.id == wanted
    ]
    present = [sides[name] for name in case.entities if name in sides]
    current = [entity_view(entity, entity.current, layer_of, trusts) for entity in present]
    return CaseView(
        case_id=case.id,
        kind=case.kind,
        status=case.status,
        case_sequence=case.sequence,
        relation_id=case.relation,
        frozen=tuple(frozen),
        current=tuple(current),
        events=tuple(msgspec.to_builtins(event) for event in case.events),
    )


def history_page(
    entity: Entity,
    limit: int,
    before: int | None,
    layer_of: LayerOf = all_shared,
    trusts: Trusts = trusts_nobody,
) -> HistoryPage:
    """Return a page of revisions, newest first. Revisions that share a number stay on one page."""
    checks.page_limit(limit)
    revisions = sorted(entity.lineage.revisions, key=lambda item: (item.number, item.seq, item.digest), reverse=True)
    wanted = [item for item in revisions if before is None or item.number < before]
    page = wanted[:limit]
    while len(page) < len(wanted) and wanted[len(page)].number == page[-1].number:
        page.append(wanted[len(page)])
    more = len(page) < len(wanted)
    return HistoryPage(
        items=tuple(entity_view(entity, item, layer_of, trusts) for item in page),
        next_before_revision_number=page[-1].number if more and page else None,
    )


def free_json(text: str | None) -> Any:
    """Return stored JSON text as a value; text that is not JSON (another program wrote it) as the text."""
    if text is None:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def _common(entity: Entity, revision: Revision, citation: ClaimCitation | ArtifactCitation) -> dict[str, Any]:
    lineage, code = entity.lineage, revision.code
    return {
        "kind": lineage.kind,
        "workspace_id": lineage.scope.workspace,
        "project_id": lineage.scope.project,
        "task_id": lineage.scope.task,
        "revision_id": revision.id,
        "revision_number": revision.number,
        "is_current": revision.id == entity.current.id,
        "status": entity.status,
        "disputed": entity.disputed,
        "heads": lineage.heads,
        "superseded_by": entity.superseded_by,
        "open_conflicts": entity.open_cases,
        "citation": str(citation),
        "seq": revision.seq,
        "created_at": lineage.created_at,
        "revised_at": revision.at,
        "author": author_of(revision.actor),
        "code": CodeView(head=code.head, branch=code.branch) if code is not None else None,
        "ended_at": lineage.tombstone.at if lineage.tombstone else None,
        "ended_because": lineage.tombstone.reason if lineage.tombstone else None,
    }
