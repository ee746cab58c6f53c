"""What one operation says: for a revision what it changed, for anything else its payload in a line or two."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

from memgit.records.ids import OpDigest, RevisionId
from memgit.records.op import (
    AcknowledgePayload,
    ArtifactPayload,
    CheckpointPayload,
    ClaimPayload,
    Op,
    ProjectionPayload,
    ReasonPayload,
    RelationPayload,
    SourcePayload,
)
from memgit.review.compare import ReadBlob, author_of
from memgit.review.fields import FieldChange, changed_fields, text_of
from memgit.review.sides import FoldedEntity
from memgit.review.words import TextChange, text_change


class Said(Struct, frozen=True, kw_only=True):
    """An operation in words. `about` is one line; `fields` and `content` are what a revision changed."""

    digest: OpDigest
    seq: int
    verb: str
    entity: str
    at: str
    author: str
    about: str
    revision: str | None = None
    parents: tuple[str, ...] = ()
    cancels: tuple[str, ...] = ()
    reason: str | None = None
    void: bool = False  # undone
    ignored: str | None = None  # why the fold does not count it
    head: str | None = None  # of the user's own repository, when it was written
    branch: str | None = None
    fields: tuple[FieldChange, ...] = ()
    content: TextChange | None = None


def said(
    op: Op,
    known: Mapping[RevisionId, Op],
    read_blob: ReadBlob | None = None,
    *,
    patch: bool = False,
    folded: FoldedEntity | None = None,
) -> Said:
    """Return what an operation says. `known` are those of its entity by the revision that they make.

    With `patch` a revision comes with its difference to its first known parent, and with its bytes' where `read_blob`
    gives them. `folded` is the entity, and says whether the operation counts.
    """
    payload = op.payload
    parent = next((known[name] for name in op.parents if name in known), None)
    fields: tuple[FieldChange, ...] = ()
    content: TextChange | None = None
    void, ignored = _standing(op, folded)
    if patch and isinstance(payload, ClaimPayload | ArtifactPayload):
        old = parent.payload if parent is not None else None
        fields = changed_fields(old if isinstance(old, ClaimPayload | ArtifactPayload) else None, payload)
        content = _content(op, parent, read_blob)
    return Said(
        digest=op.digest,
        seq=op.seq,
        verb=op.verb,
        entity=op.entity,
        at=op.at,
        author=author_of(op.actor),
        about=about(op),
        revision=op.revision,
        parents=op.parents,
        cancels=op.cancels,
        reason=payload.reason if isinstance(payload, ReasonPayload | AcknowledgePayload) else None,
        void=void,
        ignored=ignored,
        head=op.code.head if op.code is not None else None,
        branch=op.code.branch if op.code is not None else None,
        fields=fields,
        content=content,
    )


def by_revision(ops: Iterable[Op]) -> dict[RevisionId, Op]:
    """Return operations by the revision that they make, the first of several."""
    found: dict[RevisionId, Op] = {}
    for op in ops:
        if op.revision is not None:
            found.setdefault(op.revision, op)
    return found


def about(op: Op) -> str:
    """Return what an operation is about: its text, its ends, its reason, or what it cancels."""
    match op.payload:
        case ClaimPayload() | ArtifactPayload():
            return text_of(op.payload)
        case RelationPayload():
            return f"{op.payload.source} {op.payload.relation} {op.payload.target}"
        case AcknowledgePayload():
            return op.payload.case
        case ReasonPayload():
            cancels = ", ".join(digest[:12] for digest in op.cancels[:3]) + (" …" if len(op.cancels) > 3 else "")
            return "; ".join(part for part in (cancels, op.payload.reason or "") if part)
        case SourcePayload():
            return f"{op.payload.kind} {op.payload.name}"
        case CheckpointPayload():
            return op.payload.health
        case ProjectionPayload():
            return op.payload.text
        case _:
            return ""


def _standing(op: Op, folded: FoldedEntity | None) -> tuple[bool, str | None]:
    """Return whether an operation is void, and why it does not count where it does not."""
    if folded is None or folded.value is None:
        return False, None
    for note in folded.value.ops:
        if note.digest == op.digest:
            return note.void, None
    return False, next((problem.reason for problem in folded.problems if op.digest in problem.path), None)


def _content(op: Op, parent: Op | None, read_blob: ReadBlob | None) -> TextChange | None:
    """Return how the bytes of an artifact revision differ from its parent's."""
    if read_blob is None or op.blob is None or (parent is not None and parent.blob == op.blob):
        return None
    new = read_blob(op.blob)
    old = read_blob(parent.blob) if parent is not None and parent.blob is not None else None
    if new is None or (parent is not None and old is None):
        return TextChange(added=0, removed=0, note="the bytes are not here")
    return text_change(old, new)
