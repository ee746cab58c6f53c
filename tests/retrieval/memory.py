"""A memory made by hand for the tests: entities, cases and blobs in dictionaries, and a real index beside them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from memgit.clock import format_time
from memgit.index.documents import Document, documents_of
from memgit.index.lexical import LexicalIndex, ScopeFilter, Watermark, open_index
from memgit.records.codec import blob_digest, digest_of
from memgit.records.ids import ArtifactId, BlobDigest, CaseId, EntityId, OpDigest, RevisionId
from memgit.records.op import (
    Actor,
    ArtifactPayload,
    ClaimPayload,
    Evidence,
    ProjectionKind,
    ProjectionPayload,
    Scope,
    Span,
)
from memgit.records.state import Case, Entity, Lineage, Projection, Revision, Status, Tombstone
from memgit.retrieval.view import View

START = 1_750_000_000
NOW = format_time(START + 1_000_000)
HERE = Scope(workspace="wsp_test", project="prj_here")
ELSEWHERE = Scope(workspace="wsp_test", project="prj_elsewhere")
AMBIENT = ScopeFilter("wsp_test", "prj_here", frozenset({None}))
_ACTOR = Actor(name="Ada", email="ada@example.org")


def name(prefix: str, number: int) -> str:
    """Return a well-formed id."""
    return f"{prefix}_{number:026d}"


@dataclass
class Memory:
    """Everything that a view needs. Ids and times count up; `directory` holds the index."""

    directory: Path
    entities: dict[EntityId, Entity] = field(default_factory=dict)
    cases: dict[CaseId, Case] = field(default_factory=dict)
    projections: dict[EntityId, Projection] = field(default_factory=dict)
    blobs: dict[BlobDigest, bytes] = field(default_factory=dict)
    reads: list[BlobDigest] = field(default_factory=list)
    numbers: Any = field(default_factory=lambda: itertools.count(1))
    opened: LexicalIndex | None = None

    def claim(
        self, statement: str, *, scope: Scope = HERE, evidence: tuple[Evidence, ...] = (), **fields: Any
    ) -> EntityId:
        """Add a claim and return its id."""
        fields.setdefault("claim_type", "fact")
        payload = ClaimPayload(statement=statement, evidence=evidence, **fields)
        return self._add("clm", "crev", scope, payload, None)

    def artifact(
        self, content: str | bytes, title: str = "A document", *, scope: Scope = HERE, **fields: Any
    ) -> EntityId:
        """Add an artifact and return its id."""
        data = content.encode() if isinstance(content, str) else content
        payload = self._artifact_payload(data, title, fields)
        return self._add("art", "arev", scope, payload, self._blob(data))

    def revise(self, entity_id: EntityId, content: str, *, fork: bool = False, **fields: Any) -> RevisionId:
        """Add a revision; with `fork`, beside the current head instead of after it. Return its id."""
        entity = self.entities[entity_id]
        lineage, current = entity.lineage, entity.current
        if isinstance(current.payload, ClaimPayload):
            payload: Any = replace(current.payload, statement=content, **fields)
            blob = None
        else:
            data = content.encode()
            payload, blob = self._artifact_payload(data, current.payload.title, fields), self._blob(data)
        revision = self._revision(current.id.partition("_")[0], payload, blob, len(lineage.revisions) + 1)
        heads = (*lineage.heads, revision.id) if fork else (revision.id,)
        changed = replace(lineage, revisions=(*lineage.revisions, revision), heads=heads)
        self.entities[entity_id] = replace(entity, lineage=changed, disputed=fork)
        return revision.id

    def end(self, entity_id: EntityId, status: Status, *, by: tuple[EntityId, ...] = ()) -> None:
        """Give an entity a terminal status."""
        entity = self.entities[entity_id]
        lineage = entity.lineage
        if status in ("retracted", "forgotten"):
            verb: Any = "retract" if status == "retracted" else "forget"
            tombstone = Tombstone(
                digest=OpDigest("0" * 64), seq=next(self.numbers), at=NOW, actor=_ACTOR, verb=verb, reason=None,
                heads=lineage.heads,
            )  # fmt: skip
            lineage = replace(lineage, tombstone=tombstone)
        if status == "void":
            lineage = replace(
                lineage, heads=(), revisions=tuple(replace(revision, void=True) for revision in lineage.revisions)
            )
        self.entities[entity_id] = replace(entity, status=status, superseded_by=by, lineage=lineage)

    def contradict(self, left: EntityId, right: EntityId) -> CaseId:
        """Open a case between two claims and return its id."""
        revisions = (self.entities[left].current.id, self.entities[right].current.id)
        case_id = CaseId(digest_of("|".join(revisions).encode()))
        self.cases[case_id] = Case(
            id=case_id, kind="contradicts", status="open", sequence=next(self.numbers), entities=(left, right),
            revisions=revisions, scope=self.entities[left].lineage.scope,
        )  # fmt: skip
        for side in (left, right):
            entity = self.entities[side]
            self.entities[side] = replace(entity, disputed=True, open_cases=(*entity.open_cases, case_id))
        return case_id

    def derive(self, artifact: EntityId, text: str, *quotes: str, kind: ProjectionKind = "summary") -> EntityId:
        """Add a text that is derived from the only places of `quotes` in an artifact. Return its id."""
        spans = tuple(Span(*self._place(artifact, quote)) for quote in quotes)
        revision = self.entities[artifact].current
        payload = ProjectionPayload(
            projection=kind, artifact=ArtifactId(artifact), revision=revision.id, spans=spans, text=text
        )
        seq = next(self.numbers)
        derived = Projection(
            id=name("pjn", seq), scope=self.entities[artifact].lineage.scope, seq=seq, digest=OpDigest(f"{seq:064x}"),
            at=format_time(START + seq), actor=_ACTOR, payload=payload,
        )  # fmt: skip
        self.projections[derived.id] = derived
        return derived.id

    def evidence(self, artifact: EntityId, quote: str | None = None) -> Evidence:
        """Return evidence for the only place of `quote` in an artifact, or for the whole of it."""
        revision = self.entities[artifact].current
        start, end = (None, None) if quote is None else self._place(artifact, quote)
        return Evidence(artifact=ArtifactId(artifact), revision=revision.id, start=start, end=end)

    def data(self, artifact: EntityId) -> bytes:
        """Return the current bytes of an artifact."""
        blob = self.entities[artifact].current.blob
        assert blob is not None
        return self.blobs[blob]

    def read_blob(self, digest: BlobDigest) -> bytes | None:
        """Return stored bytes and remember that they were read."""
        self.reads.append(digest)
        return self.blobs.get(digest)

    def index(self) -> LexicalIndex:
        """Return an index of all that is here."""
        index = self.opened or open_index(self.directory)
        self.opened = index
        documents = (document for entity in self.entities.values() for document in self.documents(entity))
        assert index.apply(documents, (), Watermark("c" * 40, next(self.numbers)), index.watermark())
        return index

    def documents(self, entity: Entity) -> Iterator[Document]:
        """Yield the documents of an entity."""
        derived = [each for each in self.projections.values() if each.payload.artifact == entity.lineage.id]
        return documents_of(entity, self.blobs.get, derived)

    def view(self, scope: ScopeFilter = AMBIENT, *, index: LexicalIndex | None = None, **fields: Any) -> View:
        """Return a view of all that is here, from `scope`; with a fresh index unless one is given."""
        fields = {"instant": NOW, "projection": self.projections.get, **fields}
        chosen = index or self.index()
        return View(
            entity=self.entities.get, case=self.cases.get, read_blob=self.read_blob, index=chosen, scope=scope, **fields
        )

    def _place(self, artifact: EntityId, quote: str) -> tuple[int, int]:
        from memgit.retrieval.evidence_spans import find_quote

        return find_quote(self.data(artifact), quote.encode())

    def _add(self, prefix: str, revision_prefix: str, scope: Scope, payload: Any, blob: BlobDigest | None) -> EntityId:
        revision = self._revision(revision_prefix, payload, blob, 1)
        entity_id = name(prefix, next(self.numbers))
        lineage = Lineage(
            id=entity_id, kind="claim" if prefix == "clm" else "artifact", scope=scope, created_seq=revision.seq,
            created_at=revision.at, updated_seq=revision.seq, revisions=(revision,), heads=(revision.id,),
        )  # fmt: skip
        self.entities[entity_id] = Entity(lineage=lineage, status="active")
        return entity_id

    def _revision(self, prefix: str, payload: Any, blob: BlobDigest | None, number: int) -> Revision:
        seq = next(self.numbers)
        return Revision(
            id=RevisionId(name(prefix, seq)), number=number, seq=seq, digest=OpDigest(f"{seq:064x}"),
            at=format_time(START + seq), actor=_ACTOR, payload=payload, blob=blob,
        )  # fmt: skip

    def _artifact_payload(self, data: bytes, title: str, fields: dict[str, Any]) -> ArtifactPayload:
        fields = {"kind": "document", "media_type": "text/plain; charset=utf-8", **fields}
        return ArtifactPayload(title=title, size=len(data), digest=digest_of(data), **fields)

    def _blob(self, data: bytes) -> BlobDigest:
        digest = blob_digest(data)
        self.blobs[digest] = data
        return digest
