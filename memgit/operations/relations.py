"""`relation.put` and `relation.list`: immutable edges between claims and artifacts."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from memgit.errors import InvalidRequest, ScopeViolation
from memgit.index.meanings import aliases_at
from memgit.index.state_cache import StateCache
from memgit.operations import checks
from memgit.operations.checks import FreeJson
from memgit.operations.cursor import decode_cursor, encode_cursor
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import check_id, latest_at, read_lineage, snapshot_of
from memgit.operations.reading import ReadRequest
from memgit.operations.views import RelationView, relation_view
from memgit.operations.writing import WriteRequest
from memgit.records import ids
from memgit.records.ids import EntityId
from memgit.records.op import RelationPayload, RelationType, draft
from memgit.records.state import Lineage, Relation
from memgit.scope.horizon import check_write
from memgit.store.transaction import Transaction
from memgit.store.writer import Result


class RelationPut(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Relate two claims or artifacts. For `supersedes` the source is the new one."""

    source: str
    target: str
    relation: RelationType
    metadata: FreeJson = None


class RelationWritten(Struct, frozen=True, kw_only=True):
    """The edge. `existed`: the same edge was there, and nothing was written."""

    relation_id: str
    existed: bool


class RelationList(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List the edges at an entity, one hop, newest first."""

    anchor: str
    direction: Literal["out", "in", "both"] = "both"
    relation: RelationType | None = None
    limit: int = 50
    before_commit_seq: int | None = None
    cursor: str | None = None
    horizon: str | None = None
    reason: str | None = None
    min_commit_seq: int | None = None
    min_commit: str | None = None


class RelationPage(Struct, frozen=True, kw_only=True):
    """Edges, newest first. `next_cursor` is None on the last page."""

    items: tuple[RelationView, ...]
    next_cursor: str | None
    next_before_commit_seq: int | None


def put(invocation: Invocation, request: RelationPut) -> RelationWritten:
    """Create an edge. Both ends must belong to the ambient project and task."""
    for end in (request.source, request.target):
        if ids.is_entity_id(end) and ids.kind_of(end) in ids.REVISION_PREFIX:
            continue
        raise InvalidRequest(f"{end[:80]!r} is not the id of a claim or an artifact", details={"id": end[:80]})
    if request.source == request.target:
        raise InvalidRequest("a relation has two different ends", details={"id": request.source})
    payload = RelationPayload(
        source=request.source,
        target=request.target,
        relation=request.relation,
        metadata=checks.json_text(request.metadata, "metadata"),
    )
    context = invocation.context

    def build(transaction: Transaction) -> Result:
        snapshot = snapshot_of(transaction)
        ends = [read_lineage(snapshot, end) for end in (request.source, request.target)]
        for lineage in ends:
            check_write(lineage.scope, context, lineage.id, aliases_at(snapshot))
        _check_reach(request, *ends)
        known = _known(invocation.state_of(snapshot), request)
        if known is not None:
            return {"relation_id": known, "existed": True}
        latest = max(map(latest_at, ends))
        op = draft("put", ids.new_entity_id("relation"), context.scope, payload, not_before=latest)
        staged = transaction.stage(op, f"{request.source} {request.relation} {request.target}")
        return {"relation_id": staged.entity, "existed": False}

    return RelationWritten(**invocation.write("relation.put", request, build).result)


def list_relations(invocation: Invocation, request: RelationList) -> RelationPage:
    """Return the edges at an entity that the horizon shows.

    A pinned artifact may be the anchor without revealing the graph of the project that it belongs to.
    """
    check_id(request.anchor)
    checks.page_limit(request.limit)
    invocation.look(request.horizon, request.reason)
    invocation.await_commit(request.min_commit_seq, request.min_commit)
    before = decode_cursor(request.cursor, request.before_commit_seq)
    found = [
        relation
        for relation in invocation.state.relations_at(request.anchor)
        if _wanted(relation, request) and invocation.sees(relation.scope)
    ]
    found.sort(key=lambda relation: (relation.seq, relation.digest), reverse=True)
    rest = [relation for relation in found if before is None or (relation.seq, relation.digest) < before]
    page = rest[: request.limit]
    more = len(rest) > len(page)
    return RelationPage(
        items=tuple(relation_view(relation, invocation.state.layer_of) for relation in page),
        next_cursor=encode_cursor(page[-1].seq, page[-1].digest) if more else None,
        next_before_commit_seq=page[-1].seq if more else None,
    )


def _known(state: StateCache, request: RelationPut) -> str | None:
    """Return the same edge where it exists. Raises InvalidRequest where `supersedes` would run in a circle."""
    edges = [edge for edge in state.relations_at(request.source) if not edge.void]
    wanted = (request.source, request.target, request.relation)
    for edge in edges:
        if (edge.payload.source, edge.payload.target, edge.relation) == wanted and request.metadata is None:
            return edge.id
    if request.relation == "supersedes" and _supersedes(state, request.target, request.source):
        raise InvalidRequest(
            f"{request.target} supersedes {request.source} already, so it cannot be superseded by it",
            hint="Assert a new claim, and let that supersede both.",
            details={"id": request.target},
        )
    return None


def _supersedes(state: StateCache, source: EntityId, target: EntityId) -> bool:
    """Tell whether `source` supersedes `target`, directly or through others."""
    pending, seen = [source], {source}
    while pending:
        name = pending.pop()
        for edge in state.relations_at(name):
            end = edge.payload.target
            if edge.relation == "supersedes" and edge.payload.source == name and not edge.void and end not in seen:
                seen.add(end)
                pending.append(end)
    return target in seen


def _check_reach(request: RelationPut, source: Lineage, target: Lineage) -> None:
    """Raise ScopeViolation where a task's entity would end one that others see, while they cannot see its successor."""
    if request.relation == "supersedes" and source.scope.task not in (None, target.scope.task):
        raise ScopeViolation(
            f"{source.id} belongs to the task {source.scope.task}, and {target.id} is seen outside it",
            hint="Assert the new one outside the task, and let that supersede.",
            details={"id": target.id},
        )


def _wanted(relation: Relation, request: RelationList) -> bool:
    if request.relation is not None and relation.relation != request.relation:
        return False
    end = {"out": relation.payload.source, "in": relation.payload.target}.get(request.direction, request.anchor)
    return end == request.anchor
