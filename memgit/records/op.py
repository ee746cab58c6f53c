"""An operation: the immutable unit of memory, as it is written in one YAML record.

The envelope is the same for every verb and stays readable in an encrypted store; the payload depends on the verb.
Structs, not dataclasses, because the schema itself converts YAML's strings (`no` stays a string, `42` becomes an int
only where the schema says int). Frozen; fields that are None are not written.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from memgit.records.ids import (
    ArtifactId,
    BlobDigest,
    CaseId,
    EntityId,
    EntityKind,
    OpDigest,
    RevisionId,
    kind_of,
)

FORMAT = 1
"""The version of the record format; a reader refuses any other before it decodes."""

ClaimType = Literal["fact", "decision", "constraint", "preference", "procedure", "observation"]
ValueType = Literal["text", "symbol", "number", "boolean", "timestamp", "reference", "json"]
RelationType = Literal["derived_from", "supports", "contradicts", "supersedes", "references", "duplicates"]
ProjectionKind = Literal["summary", "alias", "entity", "question", "retrieval_anchor"]
Health = Literal["ok", "degraded", "failing"]


class Scope(Struct, frozen=True, omit_defaults=True):
    """Where an entity lives. Fixed when the entity is created; a move is a new entity that supersedes."""

    workspace: str
    project: str
    task: str | None = None


class Actor(Struct, frozen=True, omit_defaults=True):
    """Who acted: the user's Git identity and, where one acted for them, the agent."""

    name: str
    email: str
    agent: str | None = None


class CodeStamp(Struct, frozen=True, omit_defaults=True):
    """Where the user's own repository stood: HEAD's commit and branch. Either is absent where there is none."""

    head: str | None = None
    branch: str | None = None


class Evidence(Struct, frozen=True, omit_defaults=True):
    """What a claim rests on: a whole artifact revision, or its bytes [start, end)."""

    artifact: ArtifactId
    revision: RevisionId
    start: int | None = None
    end: int | None = None


class Anchor(Struct, frozen=True, omit_defaults=True):
    """A place in the user's code, with enough of a copy to be found again when the commit is gone.

    `path` is the path in Git's own bytes, as UTF-8; a name that is not UTF-8 is percent-encoded and `path_encoded` is
    true. Lines count from 1 and both ends are included. The digests are BLAKE3 of text with LF line ends.
    """

    path: str | None = None
    path_encoded: bool = False
    start_line: int | None = None
    end_line: int | None = None
    symbol: str | None = None
    commit: str | None = None
    tree: str | None = None
    blob: str | None = None
    patch_id: str | None = None
    text: str | None = None
    text_digest: str | None = None
    before_digest: str | None = None
    after_digest: str | None = None


class Value(Struct, frozen=True):
    """A typed value. `data` is its canonical text; the type says how to read it."""

    type: ValueType
    data: str


class External(Struct, frozen=True):
    """What an artifact revision is elsewhere: an item of a source, at a revision that the source names."""

    source: EntityId
    item: str
    revision: str


class Span(Struct, frozen=True):
    """The bytes [start, end) of an artifact revision."""

    start: int
    end: int


# The two payloads that a revision may have are tagged, so that derived files can tell them apart; a record does not
# hold the tag, because its verb and entity say the same (`codec.encode_op`).
PAYLOAD_TAG = "payload_of"


class ClaimPayload(Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field=PAYLOAD_TAG, tag="claim"):
    """One atomic statement, whole at every revision. At least one of `statement` and `value` is present."""

    claim_type: ClaimType
    statement: str | None = None
    value: Value | None = None
    subject: str | None = None
    component: str | None = None
    confidence: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    trust: str | None = None
    sensitivity: str | None = None
    markers: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    anchors: tuple[Anchor, ...] = ()


class ArtifactPayload(Struct, frozen=True, omit_defaults=True, kw_only=True, tag_field=PAYLOAD_TAG, tag="artifact"):
    """A document's description; its bytes are the envelope's `blob`. `digest` is BLAKE3 of the plain bytes."""

    kind: str
    title: str
    media_type: str
    size: int
    digest: str
    component: str | None = None
    provenance: str | None = None  # JSON text
    external: External | None = None
    markers: tuple[str, ...] = ()
    anchors: tuple[Anchor, ...] = ()


class RelationPayload(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An edge between two claims or artifacts. For `supersedes` the source is the new one."""

    source: EntityId
    target: EntityId
    relation: RelationType
    metadata: str | None = None  # JSON text, untrusted


class ReasonPayload(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Why an entity was retracted or forgotten, or an operation undone."""

    reason: str | None = None


class AcknowledgePayload(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Somebody looked at a tombstone case and lets the tombstone stand."""

    case: CaseId
    reason: str | None = None


class SourcePayload(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A system that documents come from. `kind` says what it is in one word, `name` which one; both are for people."""

    kind: str
    name: str
    uri: str | None = None
    metadata: str | None = None  # JSON text, untrusted


class CheckpointPayload(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """How far a source has been read, in its own words, and how it fares."""

    cursor: str | None = None
    health: Health = "ok"
    message: str | None = None


class ProjectionPayload(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A text derived from exact bytes of one artifact revision: it may lead there, and proves nothing."""

    projection: ProjectionKind
    artifact: ArtifactId
    revision: RevisionId
    spans: tuple[Span, ...]
    text: str
    metadata: str | None = None  # JSON text, untrusted


OWN_NOTE = '{"origin":"remember"}'
"""The provenance of a note that repeats a claim's own text, as its evidence."""

Payload = (
    ClaimPayload
    | ArtifactPayload
    | RelationPayload
    | ReasonPayload
    | AcknowledgePayload
    | SourcePayload
    | CheckpointPayload
    | ProjectionPayload
)

PAYLOAD_BY_VERB: dict[tuple[EntityKind, str], type[Payload]] = {
    ("claim", "assert"): ClaimPayload,
    ("claim", "revise"): ClaimPayload,
    ("claim", "retract"): ReasonPayload,
    ("claim", "undo"): ReasonPayload,
    ("claim", "acknowledge"): AcknowledgePayload,
    ("artifact", "put"): ArtifactPayload,
    ("artifact", "revise"): ArtifactPayload,
    ("artifact", "forget"): ReasonPayload,
    ("artifact", "withdraw"): ReasonPayload,
    ("artifact", "undo"): ReasonPayload,
    ("artifact", "acknowledge"): AcknowledgePayload,
    ("relation", "put"): RelationPayload,
    ("relation", "undo"): ReasonPayload,
    ("source", "register"): SourcePayload,
    ("source", "checkpoint"): CheckpointPayload,
    ("source", "undo"): ReasonPayload,
    ("projection", "put"): ProjectionPayload,
    ("projection", "drop"): ReasonPayload,
    ("projection", "undo"): ReasonPayload,
}
"""Every verb that this version understands. A verb that is not here is kept, ignored by the fold, and reported."""

CREATING_VERBS = frozenset({"assert", "put", "register"})
REVISING_VERBS = frozenset({"assert", "put", "revise"})
TOMBSTONE_VERBS = frozenset({"retract", "forget"})


class Envelope(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What every operation says, whatever its verb; all that a reader without a key can see."""

    digest: OpDigest
    verb: str
    entity: EntityId
    seq: int
    at: str
    scope: Scope
    actor: Actor
    code: CodeStamp | None = None
    revision: RevisionId | None = None  # the revision that a creating or revising verb makes
    parents: tuple[RevisionId, ...] = ()  # the heads that the writer saw
    blob: BlobDigest | None = None  # the stored bytes that an artifact revision names
    cancels: tuple[OpDigest, ...] = ()  # what an `undo` makes void


class Op(Envelope, frozen=True, kw_only=True, omit_defaults=True):
    """One operation. `digest` is BLAKE3 of its stored bytes, and so its identity; it is not written inside it."""

    payload: Payload | None = None  # None where the verb is unknown to this version

    @property
    def kind(self) -> EntityKind:
        """What the operation is about."""
        return kind_of(self.entity)

    @property
    def order(self) -> tuple[int, str]:
        """The key of the one order in which a store is folded."""
        return (self.seq, self.digest)


def draft(
    verb: str,
    entity: EntityId,
    scope: Scope,
    payload: Payload,
    *,
    not_before: str = "",
    revision: RevisionId | None = None,
    parents: tuple[RevisionId, ...] = (),
    blob: BlobDigest | None = None,
    cancels: tuple[OpDigest, ...] = (),
) -> Op:
    """Return an operation that the writer has yet to complete with its seq, digest, actor and code stamp.

    `not_before` is the time of what it builds on: an operation is never older than its parents.
    """
    return Op(
        digest=OpDigest(""),
        verb=verb,
        entity=entity,
        seq=0,
        at=not_before,
        scope=scope,
        actor=Actor("", ""),
        revision=revision,
        parents=parents,
        blob=blob,
        cancels=cancels,
        payload=payload,
    )
