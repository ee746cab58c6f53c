"""Reading one entity inside a write, straight from the tree: what the writer must know before it stages anything."""

from __future__ import annotations

from collections.abc import Sequence

from memgit.errors import FormatTooNew, InvalidRequest, JsonValue, NotFound, RevisionConflict, StoreCorrupt
from memgit.index.meanings import aliases_at
from memgit.operations.invocation import Invocation
from memgit.records import ids
from memgit.records.fold import fold_lineage
from memgit.records.ids import EntityId, EntityKind, RevisionId
from memgit.records.op import ArtifactPayload, ClaimPayload
from memgit.records.state import Entity, Lineage, Revision
from memgit.scope.context import Context
from memgit.scope.horizon import check_write
from memgit.store.private import LOCAL
from memgit.store.snapshot import LaterOp, LostOp, Snapshot
from memgit.store.transaction import Transaction

_SHOWN_BY: dict[EntityKind | None, str] = {
    "source": "source list",
    "projection": "projection list ARTIFACT",
    "relation": "relation list ID",
}
"""The verb that shows ids of a kind, where that is not `search`."""


def check_id(entity: str, kind: EntityKind | None = None) -> EntityId:
    """Return the id if it is well-formed and of the kind. Raises InvalidRequest."""
    if not ids.is_entity_id(entity) or (kind is not None and ids.kind_of(entity) != kind):
        shown = entity[:80]
        raise InvalidRequest(
            f"{shown!r} is not the id of {'an' if kind in (None, 'artifact') else 'a'} {kind or 'entity'}",
            hint=f"An id is a prefix and 26 characters, such as {ids.PREFIX_BY_KIND[kind or 'claim']}_01jb3h…; "
            f"`git memory {_SHOWN_BY.get(kind, 'search')}` shows them.",
            details={"id": shown},
        )
    return entity


def snapshot_of(transaction: Transaction) -> Snapshot:
    """Return the snapshot that a write is based on; the store exists by then."""
    assert transaction.snapshot is not None
    return transaction.snapshot


def continues_here(transaction: Transaction, entity: EntityId) -> bool:
    """Tell whether a document's next state becomes a revision of the artifact that its path had before.

    Not in the local layer, where it would be this clone's own revision of what everybody shares, and fork with theirs.
    """
    return transaction.layer != LOCAL or (transaction.base is not None and bool(transaction.base.op_files(entity)))


def read_lineage(snapshot: Snapshot, entity: EntityId) -> Lineage:
    """Return a claim or an artifact by its own operations. Raises NotFound."""
    ops, problems = snapshot.ops(entity)
    for problem in problems:
        if isinstance(problem, LostOp):
            raise StoreCorrupt(f"a part of {entity} is lost: {problem.reason}")
        if isinstance(problem, LaterOp):
            raise FormatTooNew(f"a later version wrote to {entity}: {problem.reason}")
    lineage = fold_lineage(ops).value if ops else None
    if lineage is None:
        raise NotFound(f"there is no {entity}", details={"id": entity})
    return lineage


def writable_lineage(snapshot: Snapshot, entity: EntityId, context: Context) -> Lineage:
    """Return an entity that this context may write. Raises NotFound, ScopeViolation, InvalidRequest when it ended."""
    lineage = read_lineage(snapshot, entity)
    check_write(lineage.scope, context, entity, aliases_at(snapshot))
    if lineage.tombstone is not None:
        verb = "retracted" if lineage.tombstone.verb == "retract" else "forgotten"
        raise InvalidRequest(
            f"{entity} was {verb} at {lineage.tombstone.at}",
            hint="Assert a new one; it may supersede this one.",
            details={"id": entity, "status": verb},
        )
    if not lineage.heads:
        raise InvalidRequest(f"the creation of {entity} was undone", details={"id": entity, "status": "void"})
    return lineage


def named_heads(
    lineage: Lineage, if_revision: str | None, if_revisions: Sequence[str] | None
) -> tuple[RevisionId, ...]:
    """Return the heads that a write supersedes, if the request names all of them. Raises RevisionConflict.

    A request names one with `if_revision`, or all heads of a fork with `if_revisions`.
    """
    named = [if_revision] if if_revision is not None else list(if_revisions or ())
    if not named:
        raise InvalidRequest(
            "the request names no revision",
            hint="Give `if_revision`: the current revision, as `get` shows it.",
            details={"field": "if_revision"},
        )
    if set(named) == set(lineage.heads):
        return tuple(lineage.heads)
    heads: list[JsonValue] = [str(head) for head in lineage.heads]
    forked = len(heads) > 1
    what = f"has forked into {len(heads)} revisions" if forked else f"is at {heads[0]}"
    raise RevisionConflict(
        f"{lineage.id} {what}, and the request names {', '.join(named)[:200]}",
        details={"entity": lineage.id, "current": heads[-1], "requested": list[JsonValue](named), "heads": heads},
    )


def head_revision(lineage: Lineage) -> Revision:
    """Return the greatest head."""
    return next(revision for revision in reversed(lineage.revisions) if revision.id == lineage.heads[-1])


def claim_payload(revision: Revision) -> ClaimPayload:
    """Return a claim revision's payload."""
    assert isinstance(revision.payload, ClaimPayload)
    return revision.payload


def artifact_payload(revision: Revision) -> ArtifactPayload:
    """Return an artifact revision's payload."""
    assert isinstance(revision.payload, ArtifactPayload)
    return revision.payload


def latest_at(lineage: Lineage) -> str:
    """Return the latest time among an entity's revisions: what builds on it is never older."""
    return max(revision.at for revision in lineage.revisions)


def known_entity(invocation: Invocation, entity_id: EntityId) -> Entity:
    """Return a claim or an artifact by its id, from any scope.

    What a later version wrote to it becomes a warning. Raises NotFound, or what keeps it from being read.
    """
    entity = invocation.state.entity(entity_id)
    later = [problem for problem in invocation.state.problems_of(entity_id) if "record format" in problem.reason]
    if entity is None:
        try:
            read_lineage(invocation.snapshot(), entity_id)
        except NotFound as error:
            raise invocation.elsewhere(error) from None
        raise NotFound(f"there is no {entity_id}", details={"id": entity_id})
    if later:
        invocation.warnings.append(f"a later version wrote to {entity_id}; upgrade git-memgit to see what")
    return entity
