"""What retrieval answers with: values that encode to JSON as they are (`msgspec.to_builtins`), and how they are made.

Every quoted text carries a citation that resolves to exactly these bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from memgit.index.documents import path_of
from memgit.records.ids import ArtifactId, ClaimId, EntityId
from memgit.records.op import Actor, ArtifactPayload, ClaimPayload, ClaimType, Evidence, ProjectionKind, Scope, Value
from memgit.records.state import Entity, Status
from memgit.retrieval.candidates import Candidate
from memgit.retrieval.citations import ArtifactCitation, ClaimCitation
from memgit.retrieval.code_state import CodeState
from memgit.retrieval.currentness import Reason
from memgit.retrieval.excerpt import excerpt_span
from memgit.retrieval.explained import MetBy, Parts, artifact_parts, claim_parts, met_by
from memgit.retrieval.qualification import Tier, Withheld
from memgit.retrieval.query import Query
from memgit.retrieval.recency import Recency
from memgit.retrieval.view import SHARED

Standing = Literal["current", "disputed", "historical"]

SAME_NAMED = 16
"""Of the claims that say the same as one that is shown, how many are named. Repetition must not fill an answer."""


class LedBy(Struct, frozen=True, kw_only=True):
    """The derived text that led to a document. It is not shown: it proves nothing, and what it names is cited."""

    projection_id: str
    kind: ProjectionKind


class Why(Struct, frozen=True, kw_only=True):
    """Why something is in an answer. `tier` None: it did not qualify.

    `met` are the terms of the query that stand in what is shown: a claim's fields, a document's excerpt, title or path;
    `met_by` says which and how. `elsewhere` are those that only the rest of the document holds. `guessed`: (asked,
    written) pairs. `withheld`: the words would do, but it is a `question`, or meets them by `derivation` alone, by
    other words with the same stems.
    `led_by`: only a derived text met enough of the query; `score` is that text's then, `met` the document's own.
    `answers`: the question that this was said after, which alone led here; `score` is the question's then.
    """

    tier: Tier | None
    met: tuple[str, ...]
    missing: tuple[str, ...]
    guessed: tuple[tuple[str, str], ...]
    scattered: bool
    score: float
    led_by: LedBy | None = None
    met_by: tuple[MetBy, ...] = ()
    elsewhere: tuple[str, ...] = ()
    withheld: Withheld | None = None
    answers: str | None = None


class EvidenceRef(Struct, frozen=True, kw_only=True):
    """What a claim rests on. The bytes are None for a whole revision."""

    artifact_id: str
    revision_id: str
    start_byte: int | None
    end_byte: int | None
    citation: str


class Author(Struct, frozen=True, kw_only=True):
    """Who wrote a revision, as the record says: anybody who can push can write any name. `agent` acted for them."""

    name: str
    email: str
    agent: str | None

    @property
    def text(self) -> str:
        """The author as Git writes one."""
        return f"{self.name} <{self.email}>"


class ClaimItem(Struct, frozen=True, kw_only=True):
    """A claim at one revision. `not_current` is empty unless history was asked for. `layer` is the revision's.

    `trusted`: the revision's author is one whose word this clone's user lets into a prompt. `same_as` names claims that
    qualify and say the same, at most SAME_NAMED of the `same_count` that there are. `recency`: what its age did to its
    place; None where nothing was ordered by age.
    """

    claim_id: str
    revision_id: str
    revision_number: int
    seq: int
    created_at: str
    claim_type: ClaimType
    statement: str | None
    value: Value | None
    subject: str | None
    component: str | None
    confidence: float | None
    trust: str | None
    sensitivity: str | None
    markers: tuple[str, ...]
    valid_from: str | None
    valid_until: str | None
    scope: Scope
    status: Status
    standing: Standing
    not_current: tuple[Reason, ...]
    open_cases: tuple[str, ...]
    evidence: tuple[EvidenceRef, ...]
    citation: str
    why: Why
    author: Author
    trusted: bool
    layer: str = SHARED
    same_as: tuple[str, ...] = ()
    same_count: int = 0
    recency: Recency | None = None
    code_state: CodeState | None = None


class ArtifactItem(Struct, frozen=True, kw_only=True):
    """A reference to an artifact. `excerpt` is exactly the bytes of `citation`; None where its description is met.

    `path`: where it came from, as its provenance says; None where it says nothing. `reason`: `match` where it qualified
    by its own text, `evidence` where a claim of the same answer rests on it.
    """

    artifact_id: str
    revision_id: str
    seq: int
    created_at: str
    kind: str
    title: str
    media_type: str
    component: str | None
    markers: tuple[str, ...]
    scope: Scope
    status: Status
    standing: Standing
    not_current: tuple[Reason, ...]
    reason: Literal["match", "evidence"]
    citation: str
    start_byte: int | None
    end_byte: int | None
    excerpt: str | None
    why: Why | None
    author: Author
    trusted: bool
    layer: str = SHARED
    path: str | None = None
    code_state: CodeState | None = None


def claim_item(candidate: Candidate, same: Sequence[EntityId] = (), recency: Recency | None = None) -> ClaimItem:
    """Return a claim as answers show it. `same` are the claims that it stands for beside itself."""
    entity, revision, payload = candidate.entity, candidate.revision, candidate.revision.payload
    assert isinstance(payload, ClaimPayload)
    return ClaimItem(
        claim_id=candidate.id,
        revision_id=revision.id,
        revision_number=revision.number,
        seq=revision.seq,
        created_at=revision.at,
        claim_type=payload.claim_type,
        statement=payload.statement,
        value=payload.value,
        subject=payload.subject,
        component=payload.component,
        confidence=payload.confidence,
        trust=payload.trust,
        sensitivity=payload.sensitivity,
        markers=payload.markers,
        valid_from=payload.valid_from,
        valid_until=payload.valid_until,
        scope=entity.lineage.scope,
        status=entity.status,
        standing=standing(entity, candidate.reasons),
        not_current=candidate.reasons,
        open_cases=entity.open_cases,
        evidence=tuple(evidence_ref(item) for item in payload.evidence),
        citation=str(ClaimCitation(ClaimId(candidate.id), revision.id)),
        why=why(candidate, claim_parts(payload)),
        author=author_of(revision.actor),
        trusted=candidate.is_trusted,
        layer=candidate.layer,
        same_as=tuple(same[:SAME_NAMED]),
        same_count=len(same),
        recency=recency,
    )


def artifact_item(
    candidate: Candidate, query: Query, most: int, reason: Literal["match", "evidence"] = "match"
) -> ArtifactItem:
    """Return an artifact as answers refer to it, with an excerpt of at most `most` bytes for what was asked of it."""
    entity, revision, payload = candidate.entity, candidate.revision, candidate.revision.payload
    assert isinstance(payload, ArtifactPayload)
    span = _quoted(candidate, candidate.query or query, most)
    start, end, text = span if span else (None, None, None)
    return ArtifactItem(
        artifact_id=candidate.id,
        revision_id=revision.id,
        seq=revision.seq,
        created_at=revision.at,
        kind=payload.kind,
        title=payload.title,
        media_type=payload.media_type,
        component=payload.component,
        markers=payload.markers,
        scope=entity.lineage.scope,
        status=entity.status,
        standing=standing(entity, candidate.reasons),
        not_current=candidate.reasons,
        reason=reason,
        citation=str(ArtifactCitation(ArtifactId(candidate.id), revision.id, start, end)),
        start_byte=start,
        end_byte=end,
        excerpt=text,
        why=why(candidate, artifact_parts(payload, text)) if reason == "match" else None,
        author=author_of(revision.actor),
        trusted=candidate.is_trusted,
        layer=candidate.layer,
        path=path_of(payload),
    )


def author_of(actor: Actor) -> Author:
    """Return an actor as answers name it."""
    return Author(name=actor.name, email=actor.email, agent=actor.agent)


def evidence_ref(item: Evidence) -> EvidenceRef:
    """Return what a claim cites, with its citation."""
    return EvidenceRef(
        artifact_id=item.artifact,
        revision_id=item.revision,
        start_byte=item.start,
        end_byte=item.end,
        citation=str(ArtifactCitation(item.artifact, item.revision, item.start, item.end)),
    )


def standing(entity: Entity, reasons: tuple[Reason, ...]) -> Standing:
    """Return how an answer labels a revision: what is not current is historical, whether or not it is disputed."""
    if reasons:
        return "historical"
    return "disputed" if entity.disputed else "current"


def why(candidate: Candidate, parts: Parts) -> Why:
    """Return the explanation of a candidate of which these parts are shown."""
    found, via = candidate.match, candidate.via
    told = met_by(candidate.query, found, parts) if candidate.query is not None else ()
    met = tuple(each.term for each in told)
    return Why(
        tier=found.tier,
        met=met,
        missing=found.missing,
        guessed=found.guessed,
        scattered=found.scattered,
        score=round(candidate.score, 6),
        led_by=LedBy(projection_id=via.id, kind=via.payload.projection) if via is not None else None,
        met_by=told,
        elsewhere=tuple(term for term in found.met if term not in met),
        withheld=found.withheld,
        answers=candidate.answers,
    )


def _quoted(candidate: Candidate, query: Query, most: int) -> tuple[int, int, str] | None:
    passage = candidate.passage
    if passage is None:
        return None
    start, end = excerpt_span(passage.data, query, most)
    if start == end:
        return None
    return passage.start + start, passage.start + end, passage.data[start:end].decode()
