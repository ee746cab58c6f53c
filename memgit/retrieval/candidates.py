"""From the hits of an index to candidates: read from the authority, filtered by it, and compared with the query.

An index only proposes where to look. What a candidate says, whether it is current and in scope, and what of the query
it meets, is read here from the entities and the stored bytes, so that a stale or damaged index can hide something, but
never make something up. A text that was derived from a document may lead to it, and is never compared with the query:
what it was derived from is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from memgit.index.documents import DocumentKind, matchable, stands
from memgit.index.lexical import Hit, Order, TermMatch
from memgit.index.passages import PASSAGE_BYTES, boundary_before, decode_text
from memgit.records.ids import EntityId, RevisionId
from memgit.records.op import ArtifactPayload, ClaimPayload, Span
from memgit.records.state import Entity, Projection, Revision
from memgit.retrieval.asking import only_asks
from memgit.retrieval.currentness import Reason, reasons_against
from memgit.retrieval.qualification import Lexicon, Match, description_lexicon, lexicon, match, may_qualify
from memgit.retrieval.query import Query
from memgit.retrieval.view import HISTORY_FACTOR, SHARED, Trusts, View, trusts_nobody

SCATTERED_BYTES = 256 * 1024
"""Of a text whose passages may meet a query together. In a longer one, words that have nothing to do with each other
meet by chance; its passages must qualify by themselves."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What a request admits beside its view. None admits any. `derived`: what only a derived text leads to."""

    kinds: frozenset[DocumentKind] = frozenset({"claim", "artifact"})
    types: frozenset[str] | None = None
    component: str | None = None
    markers: frozenset[str] = frozenset()
    historical: bool = False
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Excerptable:
    """The bytes [start, end) of a stored text, and what of the query they meet by themselves."""

    start: int
    end: int
    data: bytes
    own: Match


_MOST_HISTORY = HISTORY_FACTOR**3  # times as many hits as are wanted; each is folded as it was, about 0.5 ms

_WEIGHTS = {"decision": 0, "constraint": 0, "observation": 2}
_SCORE_DIGITS = 6  # as scores are shown: what looks equal is

_Option = tuple[Match, tuple[TermMatch, ...], Excerptable | None]
_PROJECTION = "projection"  # the field of a term that a derived text meets


@dataclass(frozen=True, slots=True)
class Candidate:
    """A revision that meets something of a query, as the authority has it.

    `reasons`: why it is not current. `score` and `terms` are the index's, for its best document. `passage`: the bytes
    of an artifact to quote; None for a claim, and where only the title meets the query. `via`: the derived text that
    led to an artifact that nothing else led to so well; it has no tier then, and `terms` are that text's. `query`: what
    it was compared with, None where nothing was asked of it. `answers`: the question that it was said after, where that
    alone led here; `score` is the question's then.
    """

    entity: Entity
    revision: Revision
    reasons: tuple[Reason, ...]
    match: Match
    score: float
    terms: tuple[TermMatch, ...]
    passage: Excerptable | None = None
    layer: str = SHARED  # whose tree holds the revision
    trusts: Trusts = trusts_nobody
    via: Projection | None = None
    query: Query | None = None
    answers: EntityId | None = None

    @property
    def id(self) -> EntityId:
        """The entity's id."""
        return self.entity.lineage.id

    @property
    def is_trusted(self) -> bool:
        """Whether the revision's author is trusted. Looked up at each call: ask it of what is shown."""
        return self.trusts(self.entity, self.revision)

    @property
    def order(self) -> tuple[object, ...]:
        """Sorts by tier, what is current first, how much is met, then score; ties by type, later seq, then id."""
        tier, met = self.match.order
        return (tier, bool(self.reasons), met, self.by_score, -self.revision.seq, self.id, self.revision.id)

    @property
    def by_score(self) -> tuple[float, int]:
        """Sorts by score; what scores alike by its type."""
        return -round(self.score, _SCORE_DIGITS), self.weight

    @property
    def weight(self) -> int:
        """Sorts what binds (decisions, constraints) before what was only observed, where nothing else decides."""
        payload = self.revision.payload
        return _WEIGHTS.get(payload.claim_type, 1) if isinstance(payload, ClaimPayload) else 1


def candidates(
    query: Query, view: View, selection: Selection, limit: int, order: Order, *, hopeful_only: bool = False
) -> list[Candidate]:
    """Return what an index proposes for `query`, `limit` hits of each kind, one candidate for each revision.

    `hopeful_only` leaves out what cannot qualify by what the index says that it meets, before it is read.
    """
    where = view.index_filter(
        historical=selection.historical,
        kinds=selection.kinds,
        types=selection.types,
        component=selection.component,
        markers=selection.markers,
        derived=selection.derived,
    )
    size = limit
    while True:
        hits = view.index.query(query.terms, where, size, order)
        found = list(judged(query, view, selection, hits, hopeful_only=hopeful_only))
        if view.past is None or not _is_crowded(query, hits, found, size, limit, hopeful_only=hopeful_only):
            return found
        size *= HISTORY_FACTOR


def _is_crowded(
    query: Query, hits: Sequence[Hit], found: Sequence[Candidate], size: int, limit: int, *, hopeful_only: bool
) -> bool:
    """Tell whether what had ended by a past moment may have taken the places of what had not, and more can be seen.

    An index does not know what was current then, so it ranks what was not as well.
    """
    if size >= limit * _MOST_HISTORY:
        return False
    for kind in ("claim", "artifact"):
        reached = [hit for hit in hits if hit.document.kind == kind]
        if hopeful_only:
            reached = [hit for hit in reached if may_qualify(query, hit.terms)]
        left = sum(candidate.entity.lineage.kind == kind for candidate in found)
        if len(reached) >= size and left < limit:
            return True
    return False


def one_per_entity(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the best candidate of each entity, in the given order; current revisions before others."""
    best: dict[EntityId, Candidate] = {}
    for candidate in found:
        known = best.get(candidate.id)
        if known is None or (_rank(candidate) < _rank(known)):
            best[candidate.id] = candidate
    return [candidate for candidate in found if best[candidate.id] is candidate]


def _rank(candidate: Candidate) -> tuple[object, ...]:
    return (candidate.match.tier is None, bool(candidate.reasons), candidate.order)


def judged(
    query: Query, view: View, selection: Selection, hits: Iterable[Hit], *, hopeful_only: bool
) -> Iterator[Candidate]:
    """Yield the candidates that hits of an index lead to, one for each revision, in the order of the first hits."""
    for (entity_id, revision_id), group in _grouped(hits).items():
        if hopeful_only and not may_qualify(query, frozenset().union(*(hit.terms for hit in group))):
            continue
        entity = view.entity(entity_id)
        revision = _find(entity, revision_id)
        if entity is None or revision is None or not view.sees(entity):
            continue
        reasons = reasons_against(entity, revision, view.instant)
        if reasons and not selection.historical:
            continue
        found: Candidate | None = None
        if entity.lineage.kind == "claim":
            found = _claim(query, entity, revision, reasons, group)
        else:
            found = _artifact(query, view, entity, revision, reasons, group)
        if found is not None:
            yield replace(found, layer=view.layer_of(revision.digest), trusts=view.trusts, query=query)


def _grouped(hits: Iterable[Hit]) -> dict[tuple[EntityId, RevisionId], list[Hit]]:
    groups: dict[tuple[EntityId, RevisionId], list[Hit]] = {}
    for hit in hits:
        groups.setdefault((hit.document.entity, hit.document.revision), []).append(hit)
    return groups


def _find(entity: Entity | None, revision_id: RevisionId) -> Revision | None:
    revisions = entity.lineage.revisions if entity else ()
    return next((revision for revision in revisions if revision.id == revision_id), None)


def _claim(query: Query, entity: Entity, revision: Revision, reasons: tuple[Reason, ...], hits: list[Hit]) -> Candidate:
    found = match(query, description_lexicon(matchable(revision.payload)))
    if found.tier is not None and only_asks(revision):
        found = replace(found, tier=None, withheld="question")
    return Candidate(entity, revision, reasons, found, hits[0].score, hits[0].matches)


def _artifact(
    query: Query, view: View, entity: Entity, revision: Revision, reasons: tuple[Reason, ...], hits: list[Hit]
) -> Candidate | None:
    """Return the candidate for the description, the proposed passages and the derived texts of an artifact.

    None where only derived texts lead there, and none of them stands.
    """
    title = description_lexicon(matchable(revision.payload))
    title_terms = [hit.matches for hit in hits if hit.document.start is None]
    passages = list(_passages(query, view, revision, [hit for hit in hits if hit.document.projection is None]))
    options: list[_Option] = [(match(query, title), _united(*title_terms), None)]
    for hit, text, passage in passages:
        options.append((match(query, title | text), _united(*title_terms, hit.matches), passage))
    found, terms, quoted = min(options, key=lambda option: (*option[0].order, -_score(option[1]), option[2] is None))
    if found.tier is None and (together := _scattered(query, revision, title, [text for _, text, _ in passages])):
        found = together
    if quoted is not None and not quoted.own.met:
        quoted = None
    if not found.met and passages:
        quoted = passages[0][2]  # near in meaning alone: what is near is shown, the nearest first
    direct = Candidate(entity, revision, reasons, found, _score(terms), terms, quoted)
    if found.tier is not None:
        return direct
    led = list(_led_to(query, view, direct, title, hits))
    if any(hit.document.projection is None for hit in hits):
        led.insert(0, direct)
    return max(led, key=lambda candidate: candidate.score, default=None)


def _led_to(query: Query, view: View, direct: Candidate, title: Lexicon, hits: list[Hit]) -> Iterator[Candidate]:
    """Yield an artifact as its derived texts lead to it: without a tier, whatever they say, at the bytes they name."""
    revision = direct.revision
    for hit in hits:
        projection = view.projection(hit.document.projection) if hit.document.projection is not None else None
        if projection is None or not stands(projection):
            continue
        payload = projection.payload
        if (payload.artifact, payload.revision) != (direct.id, revision.id):
            continue
        sources = list(quotable(view, revision, payload.spans, query))
        best = max(sources, key=lambda source: len(source.own.met), default=None)
        met = match(query, title | lexicon(best.data.decode())) if best is not None else match(query, title)
        terms = _united(*(matches.matches for matches in hits if matches.document.start is None), _derived(hit))
        yield replace(
            direct,
            match=replace(met, tier=None, withheld=None),
            score=_score(terms),
            terms=terms,
            passage=best,
            via=projection,
        )


def _derived(hit: Hit) -> tuple[TermMatch, ...]:
    return tuple(term._replace(field=_PROJECTION) for term in hit.matches)


def quotable(view: View, revision: Revision, spans: Iterable[Span], query: Query) -> Iterator[Excerptable]:
    """Yield the beginnings of these spans of a stored text, at most a passage long; nothing of what is no text."""
    data = view.read_blob(revision.blob) if revision.blob is not None else None
    if data is None or decode_text(data) is None:
        return
    for span in spans:
        end = boundary_before(data, min(span.end, span.start + PASSAGE_BYTES, len(data)))
        text = decode_text(data[span.start : end])
        if text:
            yield Excerptable(span.start, end, data[span.start : end], match(query, lexicon(text)))


def _passages(
    query: Query, view: View, revision: Revision, hits: list[Hit]
) -> Iterator[tuple[Hit, Lexicon, Excerptable]]:
    """Yield the proposed passages that stand in the stored bytes, with their terms."""
    spans = [(hit, hit.document.start, hit.document.end) for hit in hits]
    data = view.read_blob(revision.blob) if revision.blob and any(start is not None for _, start, _ in spans) else None
    for hit, start, end in spans:
        if data is None or start is None or end is None:
            continue
        piece = data[start:end]
        text = decode_text(piece)
        if text is not None and len(piece) == end - start:
            terms = lexicon(text)
            yield hit, terms, Excerptable(start, end, piece, match(query, terms))


def _scattered(query: Query, revision: Revision, title: Lexicon, texts: list[Lexicon]) -> Match | None:
    """Return the match of all proposed passages together where they hold every word of a query that is no question."""
    size = revision.payload.size if isinstance(revision.payload, ArtifactPayload) else 0
    if query.is_question or size > SCATTERED_BYTES or len(texts) < 2:
        return None
    together = title
    for text in texts:
        together = together | text
    found = match(query, together)
    return replace(found, scattered=True) if found.tier == "lexical" and not found.missing else None


def _united(*found: tuple[TermMatch, ...]) -> tuple[TermMatch, ...]:
    """Return the best match of each term."""
    best: dict[str, TermMatch] = {}
    for term in (term for terms in found for term in terms):
        known = best.get(term.term)
        if known is None or term.weight > known.weight:
            best[term.term] = term
    return tuple(best.values())


def _score(terms: tuple[TermMatch, ...]) -> float:
    return sum(term.weight for term in terms)
