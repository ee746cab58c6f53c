"""What a store's operations add up to: values only. `memgit.records.fold` computes them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from memgit.records.ids import BlobDigest, CaseId, EntityId, EntityKind, OpDigest, RelationId, RevisionId
from memgit.records.op import (
    Actor,
    ArtifactPayload,
    CheckpointPayload,
    ClaimPayload,
    CodeStamp,
    ProjectionPayload,
    RelationPayload,
    RelationType,
    Scope,
    SourcePayload,
)

Status = Literal["active", "superseded", "retracted", "forgotten", "withdrawn", "void"]
"""`void`: the creating operation was undone. `withdrawn`: the source that an artifact came from no longer has it, until
it comes again. Everything but `active` and `withdrawn` is terminal."""

CaseKind = Literal["contradicts", "fork", "tombstone"]
CaseStatus = Literal["open", "stale", "resolved"]
EventKind = Literal["opened", "staled", "resolved", "reopened"]


class Revision(Struct, frozen=True, kw_only=True):
    """One immutable revision of a claim or an artifact.

    `number` is 1 + the longest path to a creating operation; concurrent revisions may share one. A `void` revision was
    undone; it keeps its number, and its children count as children of its parents.
    """

    id: RevisionId
    number: int
    seq: int
    digest: OpDigest
    at: str
    actor: Actor
    payload: ClaimPayload | ArtifactPayload
    parents: tuple[RevisionId, ...] = ()
    code: CodeStamp | None = None
    blob: BlobDigest | None = None
    void: bool = False


class Tombstone(Struct, frozen=True, kw_only=True):
    """The retract or forget that ended an entity. Of several, the first effective one in the fold's order."""

    digest: OpDigest
    seq: int
    at: str
    actor: Actor
    verb: Literal["retract", "forget"]
    reason: str | None
    heads: tuple[RevisionId, ...]  # what it saw


class Lineage(Struct, frozen=True, kw_only=True):
    """A claim or an artifact by its own operations alone: what `fold_entity` returns.

    `revisions` are in the fold's order. `heads` are the revisions without an effective child, in the fold's order; the
    last one is the greatest and is what `get` shows. Empty heads: the entity is void.
    """

    id: EntityId
    kind: EntityKind
    scope: Scope
    created_seq: int
    created_at: str
    updated_seq: int  # the greatest seq among its operations
    revisions: tuple[Revision, ...]
    heads: tuple[RevisionId, ...]
    tombstone: Tombstone | None = None
    ops: tuple[OpNote, ...] = ()
    acknowledged: tuple[CaseId, ...] = ()
    withdrawn: bool = False  # the last effective one of its revisions and withdrawals is a withdrawal


class OpNote(Struct, frozen=True, kw_only=True):
    """An operation in an entity's history, without its payload: enough to date the events of a case."""

    digest: OpDigest
    seq: int
    at: str
    verb: str
    void: bool = False
    revision: RevisionId | None = None
    parents: tuple[RevisionId, ...] = ()
    case: CaseId | None = None  # what an `acknowledge` names


class Relation(Struct, frozen=True, kw_only=True):
    """An immutable edge. `void`: it was undone."""

    id: RelationId
    scope: Scope
    seq: int
    digest: OpDigest
    at: str
    actor: Actor
    payload: RelationPayload
    code: CodeStamp | None = None
    void: bool = False
    ops: tuple[OpNote, ...] = ()

    @property
    def relation(self) -> RelationType:
        """The edge's type."""
        return self.payload.relation


class Source(Struct, frozen=True, kw_only=True):
    """A system that documents come from. `checkpoint` is the last effective one, `checked_at` its time.

    `void`: its registration was undone.
    """

    id: EntityId
    scope: Scope
    seq: int
    digest: OpDigest
    at: str
    actor: Actor
    payload: SourcePayload
    checkpoint: CheckpointPayload | None = None
    checked_at: str | None = None
    void: bool = False
    ops: tuple[OpNote, ...] = ()


class Projection(Struct, frozen=True, kw_only=True):
    """A derived text. It stands unless it was dropped or undone; whether its artifact stands is another matter."""

    id: EntityId
    scope: Scope
    seq: int
    digest: OpDigest
    at: str
    actor: Actor
    payload: ProjectionPayload
    dropped: bool = False
    void: bool = False
    ops: tuple[OpNote, ...] = ()


class Entity(Struct, frozen=True, kw_only=True):
    """A claim or an artifact with what the rest of the store says of it."""

    lineage: Lineage
    status: Status
    disputed: bool = False
    superseded_by: tuple[EntityId, ...] = ()  # sources of the supersedes relations that count
    open_cases: tuple[CaseId, ...] = ()

    @property
    def current(self) -> Revision:
        """The greatest head, or the last revision where none is effective."""
        wanted = self.lineage.heads[-1] if self.lineage.heads else self.lineage.revisions[-1].id
        return next(revision for revision in self.lineage.revisions if revision.id == wanted)


class CaseEvent(Struct, frozen=True, kw_only=True):
    """An operation that changed a case."""

    event: EventKind
    digest: OpDigest
    seq: int
    at: str


class Case(Struct, frozen=True, kw_only=True):
    """A disagreement that somebody should look at. Derived, never stored: `id` is a digest of its parts.

    `contradicts`: `relation` and the two revisions that it set against each other, in the order source, target.
    `fork`: the concurrent heads, sorted. `tombstone`: the heads that the tombstone did not see, sorted.
    """

    id: CaseId
    kind: CaseKind
    status: CaseStatus
    sequence: int  # the highest seq of its parts
    entities: tuple[EntityId, ...]
    revisions: tuple[RevisionId, ...]
    scope: Scope
    relation: RelationId | None = None
    tombstone: OpDigest | None = None
    events: tuple[CaseEvent, ...] = ()


class Problem(Struct, frozen=True, kw_only=True):
    """An operation that the fold ignored, and why."""

    path: str
    reason: str


class State(Struct, frozen=True, kw_only=True):
    """The whole of a store, folded."""

    entities: dict[EntityId, Entity]
    relations: dict[RelationId, Relation]
    cases: dict[CaseId, Case]
    problems: tuple[Problem, ...] = ()
    sources: dict[EntityId, Source] = {}
    projections: dict[EntityId, Projection] = {}
