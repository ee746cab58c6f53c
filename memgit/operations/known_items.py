"""What is known, as the answers about code say it: enough to read, to judge whose word it is, and to cite."""

from __future__ import annotations

from msgspec import Struct

from memgit.operations.invocation import Invocation
from memgit.operations.views import statement_of
from memgit.records.ids import ArtifactId, ClaimId
from memgit.records.op import ClaimPayload
from memgit.records.state import Entity
from memgit.retrieval.citations import ArtifactCitation, ClaimCitation
from memgit.retrieval.results import Author, author_of


class KnownItem(Struct, frozen=True, kw_only=True):
    """A live claim or artifact at its current revision. `type` is a claim's type or an artifact's kind.

    `text` is the statement or the title. `trusted`: its author is one whose word this clone's user lets into a prompt.
    """

    entity_id: str
    revision_id: str
    kind: str
    type: str
    text: str
    citation: str
    disputed: bool
    open_conflicts: tuple[str, ...]
    author: Author
    trusted: bool
    layer: str
    revised_at: str
    seq: int


def is_valid_now(entity: Entity) -> bool:
    """Tell whether an entity is in force at this moment: a claim has begun and not run out; documents have no end."""
    from memgit import clock
    from memgit.index.lexical import is_valid

    payload = entity.current.payload
    return not isinstance(payload, ClaimPayload) or is_valid(payload.valid_from, payload.valid_until, clock.now())


def known_item(invocation: Invocation, entity: Entity) -> KnownItem:
    """Return an entity as answers about code say it."""
    revision, name = entity.current, entity.lineage.id
    payload = revision.payload
    kind: str
    if isinstance(payload, ClaimPayload):
        kind, text = payload.claim_type, statement_of(payload)
        citation = str(ClaimCitation(ClaimId(name), revision.id))
    else:
        kind, text = payload.kind, payload.title
        citation = str(ArtifactCitation(ArtifactId(name), revision.id, None, None))
    return KnownItem(
        entity_id=name,
        revision_id=revision.id,
        kind=entity.lineage.kind,
        type=kind,
        text=text,
        citation=citation,
        disputed=entity.disputed,
        open_conflicts=entity.open_cases,
        author=author_of(revision.actor),
        trusted=invocation.trusts(entity, revision),
        layer=invocation.state.layer_of(revision.digest),
        revised_at=revision.at,
        seq=revision.seq,
    )
