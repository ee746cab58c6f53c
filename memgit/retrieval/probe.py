"""Where might the answer stand? A few leads, for a question that nothing qualified for.

A lead is a title and exact places. It proves that the source material exists, nothing else: it never qualifies, never
enters a context bundle, and never changes presence. Claims and raw documents stay separate leads even where they share
a document, so that neither lends the other relevance or evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from msgspec import Struct

from memgit.index.documents import path_of
from memgit.index.passages import boundary_before
from memgit.records.ids import ArtifactId
from memgit.records.op import ArtifactPayload, ClaimPayload, Evidence
from memgit.records.span import span_fault
from memgit.records.state import Projection, Revision
from memgit.retrieval import bounds
from memgit.retrieval.bounds import Bound
from memgit.retrieval.candidates import Candidate, Selection, candidates, one_per_entity, quotable
from memgit.retrieval.citations import ArtifactCitation
from memgit.retrieval.cited_sources import is_outdated_note, shown_evidence
from memgit.retrieval.excerpt import excerpt_span
from memgit.retrieval.query import Query, analyse_query, with_similar_words
from memgit.retrieval.results import Author, author_of
from memgit.retrieval.view import Horizon, View
from memgit.retrieval.windows import WINDOW_BYTES, WINDOWS, Documents, clauses_of

DEPTH = Bound(1, 8)
RAW_FLOOR = 2  # places that raw documents have among the leads, where there are so many
CITED_BYTES = 1024  # an exact citation is shown whole up to here
_PROPOSALS = 32
_CLAIMS_LOOKED_AT = 3 * DEPTH.most  # for a source that may be shown

Provenance = Literal["claim_evidence", "artifact_window", "projection"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRequest:
    """`query` may be a reformulation of `original_query` that keeps its meaning; then both are looked for."""

    query: str
    original_query: str | None = None
    depth: int = 8
    raw_only: bool = False


class LeadSource(Struct, frozen=True, kw_only=True):
    """An exact place in a document, to be read with `citation.get`.

    `provenance` is `projection` where a derived text led there, which nobody checked against it.
    """

    citation: str
    artifact_id: str
    revision_id: str
    start_byte: int
    end_byte: int
    provenance: Provenance
    author: Author
    trusted: bool


class Lead(Struct, frozen=True, kw_only=True):
    """A place to look. `title` and `path`, where the document came from, are untrusted; `claim_id` is None for a raw
    document.

    `author` and `trusted` are of the claim's or the document's revision; each source has those of its own bytes.
    """

    title: str
    claim_id: str | None
    sources: tuple[LeadSource, ...]
    score: float
    author: Author
    trusted: bool
    path: str | None = None


class ProbeResult(Struct, frozen=True, kw_only=True):
    """Leads, claims before raw documents. `qualified` is always false, whatever stands in them."""

    leads: tuple[Lead, ...]
    searched_horizons: tuple[Horizon, ...]
    evaluated_at: str
    warnings: tuple[str, ...]
    qualified: Literal[False] = False


def probe(request: ProbeRequest, view: View) -> ProbeResult:
    """Return at most `depth` leads. Raises InvalidRequest for a blank query, LimitExceeded beyond the depth.

    With `raw_only` claims are withheld, and so are the documents that those near the query rest on.
    """
    bounds.check("depth", request.depth, DEPTH)
    queries = [analyse_query(text) for text in dict.fromkeys((request.query, request.original_query or request.query))]
    found = _nearest(queries, view)
    claims = [candidate for candidate in found if candidate.entity.lineage.kind == "claim"]
    raw = [candidate for candidate in found if candidate.entity.lineage.kind == "artifact"]
    if request.raw_only:
        cited = {item.artifact for claim in claims for item in _evidence(claim)}
        claims, raw = [], [candidate for candidate in raw if candidate.id not in cited]
    floor = min(RAW_FLOOR, len(raw), request.depth)
    documents = Documents(view)
    of_claims = (_claim_lead(claim, documents, view) for claim in claims[:_CLAIMS_LOOKED_AT])
    leads = list(islice((lead for lead in of_claims if lead.sources), request.depth - floor))
    of_raw = (_raw_lead(item, queries[0], view) for item in raw)
    leads += islice((lead for lead in of_raw if lead.sources), request.depth - len(leads))
    return ProbeResult(
        leads=tuple(leads),
        searched_horizons=(view.horizon,),
        evaluated_at=view.instant,
        warnings=tuple(dict.fromkeys(warning for query in queries for warning in query.warnings)),
    )


def _nearest(queries: list[Query], view: View) -> list[Candidate]:
    """Return what is nearest to any of the queries, each entity once, best first."""
    best: dict[str, Candidate] = {}
    for query in queries:
        if not query.units:
            continue
        guessed = with_similar_words(query, view)
        for candidate in one_per_entity(candidates(guessed, view, Selection(derived=True), _PROPOSALS, "score")):
            known = best.get(candidate.id)
            if known is None or candidate.score > known.score:
                best[candidate.id] = candidate
    return sorted(best.values(), key=lambda candidate: (-candidate.score, -candidate.revision.seq, candidate.id))


def _evidence(claim: Candidate) -> tuple[Evidence, ...]:
    payload = claim.revision.payload
    return payload.evidence if isinstance(payload, ClaimPayload) else ()


def _claim_lead(claim: Candidate, documents: Documents, view: View) -> Lead:
    sources: list[LeadSource] = []
    described: ArtifactPayload | None = None
    clauses = clauses_of(claim.revision)
    for item in _evidence(claim):
        shown = shown_evidence(item.artifact, item.revision, view)
        if shown is None:
            continue
        entity, revision = shown
        described = described or _described(revision)
        written = _Written(item, author_of(revision.actor), view.trusts(entity, revision))
        spans = _spans(claim, item, revision, documents, clauses)
        sources += (written.source(start, end, "claim_evidence") for start, end in spans)
    return _lead(claim, described, sources, claim.id)


def _lead(
    candidate: Candidate, document: ArtifactPayload | None, sources: Iterable[LeadSource], claim_id: str | None
) -> Lead:
    return Lead(
        title=document.title if document is not None else "",
        path=path_of(document) if document is not None else None,
        claim_id=claim_id,
        sources=tuple(sources),
        score=round(candidate.score, 6),
        author=author_of(candidate.revision.actor),
        trusted=candidate.is_trusted,
    )


def _described(revision: Revision) -> ArtifactPayload | None:
    return revision.payload if isinstance(revision.payload, ArtifactPayload) else None


def _spans(
    claim: Candidate, item: Evidence, revision: Revision, documents: Documents, clauses: list[Query]
) -> Iterator[tuple[int, int]]:
    """Yield the cited bytes, or the windows of a document that is cited as a whole, by the clauses of the claim."""
    data = documents.text(revision)
    if data is None or is_outdated_note(claim.revision, revision, data):
        return
    if item.start is None or item.end is None:
        yield from documents.windows(revision, clauses)
    elif span_fault(data, item.start, item.end, is_text=True) is None:
        yield item.start, boundary_before(data, min(item.end, item.start + CITED_BYTES))


def _raw_lead(artifact: Candidate, query: Query, view: View) -> Lead:
    payload, passage = artifact.revision.payload, artifact.passage
    sources: tuple[LeadSource, ...] = ()
    if artifact.via is not None:
        sources = tuple(_derived_from(artifact, artifact.via, query, view))
    elif passage is not None:
        start, end = excerpt_span(passage.data, query, WINDOW_BYTES)
        source = _written(artifact).source(passage.start + start, passage.start + end, "artifact_window")
        sources = (source,) if start < end else ()
    return _lead(artifact, payload if isinstance(payload, ArtifactPayload) else None, sources, None)


def _derived_from(artifact: Candidate, projection: Projection, query: Query, view: View) -> Iterator[LeadSource]:
    """Yield the places that a derived text names, as they are cited there up to a bound."""
    for place in islice(quotable(view, artifact.revision, projection.payload.spans, query), WINDOWS):
        end = boundary_before(place.data, min(len(place.data), CITED_BYTES))
        yield _written(artifact).source(place.start, place.start + end, "projection")


@dataclass(frozen=True, slots=True)
class _Written:
    """A revision of a document, and whose it is."""

    item: Evidence
    author: Author
    trusted: bool

    def source(self, start: int, end: int, provenance: Provenance) -> LeadSource:
        """Return a place in it."""
        return LeadSource(
            citation=str(ArtifactCitation(self.item.artifact, self.item.revision, start, end)),
            artifact_id=self.item.artifact,
            revision_id=self.item.revision,
            start_byte=start,
            end_byte=end,
            provenance=provenance,
            author=self.author,
            trusted=self.trusted,
        )


def _written(artifact: Candidate) -> _Written:
    item = Evidence(ArtifactId(artifact.id), artifact.revision.id)
    return _Written(item, author_of(artifact.revision.actor), artifact.is_trusted)
