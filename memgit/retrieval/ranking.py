"""The order of a search: proposals by words and by meaning, their neighbours in sessions, and one score for each.

Indexes propose a bounded number of revisions, so that a search costs the same however much is known. Lifecycle, scope
and the request's conditions have been applied by then; they are applied here again to whatever a session brings in.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import NamedTuple

from memgit.index.lexical import Hit, IndexFilter, QueryTerm, Stored
from memgit.records.ids import EntityId, RevisionId
from memgit.retrieval.asked_dates import AskedDate, asked_dates, asked_names, date_fit
from memgit.retrieval.fusion import MEANING_REACH, Parts, Said, Surroundings, fuse, scale_of
from memgit.retrieval.nearness import Nearness
from memgit.retrieval.neighbours import Conversations, SessionKey, Turn, speakers_in
from memgit.retrieval.query import Query
from memgit.retrieval.stored import stored_of
from memgit.retrieval.view import HISTORY_FACTOR, View

WORD_PROPOSALS, WORDS_PER_HIT = 128, 4  # of each kind, at least, and for each hit that is asked for
MEANING_PROPOSALS, MEANINGS_PER_HIT = 64, 2
DATE_PROPOSALS = 64  # of what was said on a date that the query names, the newest
EXTENDED = 32  # proposals whose neighbours are proposed, too: the answer may share no word with its question
_EXTENDED_REACH = 2  # turns

NEAR_ENOUGH = 0.3
"""The cosine that what shares no word with a question needs, by itself and around it. Below, unrelated texts begin: of
388,590 pairs of a question of one LoCoMo conversation and a turn of another 0.4 % reach it with `static`."""

Key = tuple[EntityId, RevisionId]


class Ranked(NamedTuple):
    """A revision with its score. `hits` are the index's, best first; one without matches where it met no word.

    `near` is its cosine to the question, None where nobody looked.
    """

    hits: tuple[Hit, ...]
    parts: Parts
    near: float | None


@dataclass(slots=True)
class _Proposal:
    hits: list[Hit] = field(default_factory=list)
    near: float | None = None
    turn: Turn | None = None
    terms: dict[str, float] = field(default_factory=dict)

    @property
    def seq(self) -> int:
        return self.hits[0].document.seq


def ranked(query: Query, view: View, where: IndexFilter, limit: int) -> list[Ranked]:
    """Return what `where` admits, best first, at least `limit` where so many are known; ties by later seq, then id.

    The query's terms are as an index takes them: `with_similar_words` comes before.
    """
    pool = _Pool(query, view, where)
    pool.propose(limit)
    return pool.scored()


class _Pool:
    """The proposals of one search, by revision, in the order in which they came."""

    def __init__(self, query: Query, view: View, where: IndexFilter) -> None:
        self._query = query
        self._view = view
        self._where = where
        self._nearness: Nearness | None = view.nearness()
        self._conversations = Conversations(view)
        self._dates: tuple[AskedDate, ...] = asked_dates(query.text)
        self._proposals: dict[Key, _Proposal] = {}
        self._near: dict[EntityId, float] = {}
        self._said: dict[EntityId, Said] = {}
        self._by_turn: dict[EntityId, _Proposal] = {}

    def propose(self, limit: int) -> None:
        """Collect the proposals for an answer of `limit` hits, and what is known of each."""
        factor = HISTORY_FACTOR if self._view.past is not None else 1
        by_words = max(WORD_PROPOSALS, WORDS_PER_HIT * limit) * factor
        for hit in self._view.index.query(self._query.terms, self._where, by_words, "score"):
            self._add(hit)
        if self._nearness is not None:
            by_meaning = max(MEANING_PROPOSALS, MEANINGS_PER_HIT * limit) * factor
            for near in self._nearness.nearest(self._query.text, self._where, by_meaning):
                name = near.document.entity
                self._near[name] = max(near.score, self._near.get(name, -1.0))
                self._add_near(near.document)
        self._add_said_on_dates(limit)
        self._find_turns()
        self._extend(max(EXTENDED, limit))
        self._measure()

    def scored(self) -> list[Ranked]:
        """Return the proposals with their scores, best first."""
        own = {key: self._own(key) for key in self._proposals}
        scale = scale_of(own.values())
        sessions = self._session_terms()
        result: list[tuple[float, int, Key, Ranked]] = []
        for key, proposal in self._proposals.items():
            parts = fuse(own[key], self._surroundings(proposal, sessions), scale)
            near = self._near.get(key[0])
            if parts.words or parts.around_words or parts.date or (near or 0.0) >= NEAR_ENOUGH:
                result.append((-parts.score, -proposal.seq, key, Ranked(tuple(proposal.hits), parts, near)))
        result.sort(key=itemgetter(0, 1, 2))
        return [found for *_, found in result]

    def _add(self, hit: Hit) -> _Proposal:
        key = (hit.document.entity, hit.document.revision)
        proposal = self._proposals.get(key)
        if proposal is None:
            proposal = self._proposals[key] = _Proposal()
        proposal.hits.append(hit)
        for match in hit.matches:
            proposal.terms[match.term] = max(match.weight, proposal.terms.get(match.term, 0.0))
        return proposal

    def _add_near(self, document: Stored) -> None:
        """Propose what is near, unless words have proposed it already."""
        known = self._proposals.get((document.entity, document.revision))
        if known is not None and (document.start is None or any(_same(document, hit.document) for hit in known.hits)):
            return
        self._add(Hit(document, 0.0))

    def _add_said_on_dates(self, limit: int) -> None:
        """Propose what was said on a date that the query names, whether or not it shares a word with it."""
        names = asked_names(self._dates)
        if not names or "claim" not in self._where.kinds:
            return
        where = replace(self._where, kinds=frozenset({"claim"}))
        asked = (QueryTerm("date", identifiers=names),)
        for hit in self._view.index.query(asked, where, max(DATE_PROPOSALS, limit), "score"):
            self._add_near(hit.document)

    def _find_turns(self) -> None:
        for (entity_id, revision_id), proposal in self._proposals.items():
            if proposal.turn is None and _may_be_a_turn(proposal):
                turn = self._conversations.turn(entity_id)
                if turn is not None and turn.revision.id == revision_id:
                    proposal.turn = turn
                    self._by_turn[entity_id] = proposal

    def _extend(self, count: int) -> None:
        """Propose the neighbours of the best."""
        if not self._by_turn:
            return
        scale = scale_of(self._own(key) for key in self._proposals)
        order = [
            (-self._own(key).share(scale), -proposal.seq, key, proposal.turn)
            for key, proposal in self._proposals.items()
            if proposal.turn is not None
        ]
        for *_, turn in heapq.nsmallest(count, order, key=lambda each: each[:3]):
            for distance, name in self._conversations.around(turn):
                if abs(distance) <= _EXTENDED_REACH and name not in self._by_turn:
                    other = self._conversations.turn(name)
                    if other is not None and self._admits(other):
                        self._add(Hit(stored_of(other.entity, other.revision), 0.0))
        self._find_turns()

    def _measure(self) -> None:
        """Learn what the fusion needs of every turn that is proposed, and how near those around it are."""
        if not self._by_turn:
            return
        turns = {name: proposal.turn for name, proposal in self._by_turn.items() if proposal.turn is not None}
        words, speaker = speakers_in(self._query, turns.values())
        if words >= {unit.name for unit in self._query.units}:
            words = frozenset()  # the query is a name
        if self._nearness is not None:
            near_by = {name for turn in turns.values() for name in self._heard(turn)}
            missing = sorted((near_by | turns.keys()) - self._near.keys())
            self._near |= self._nearness.of(self._query.text, missing, self._where)
        for name, turn in turns.items():
            terms = self._by_turn[name].terms
            self._said[name] = Said(
                {term: weight for term, weight in terms.items() if term not in words},
                max(0.0, self._near.get(name, 0.0)),
                turn.asks,
                turn.length,
                speaker is not None and speaker in turn.saying.speakers,
                max((date_fit(self._dates, moment) for moment in turn.saying.moments), default=0.0),
            )

    def _heard(self, turn: Turn) -> Iterator[EntityId]:
        """Yield the claims around a turn whose meaning counts for it."""
        return (name for distance, name in self._conversations.around(turn) if abs(distance) <= MEANING_REACH)

    def _own(self, key: Key) -> Said:
        proposal = self._proposals[key]
        if proposal.turn is not None and key[0] in self._said:
            return self._said[key[0]]
        return Said(proposal.terms, max(0.0, self._near.get(key[0], 0.0)))

    def _session_terms(self) -> dict[SessionKey, dict[str, float]]:
        """Return the best weight of each term in each session."""
        best: dict[SessionKey, dict[str, float]] = {}
        for name, proposal in self._by_turn.items():
            if proposal.turn is not None:
                terms = best.setdefault(proposal.turn.session, {})
                for term, weight in self._said[name].terms.items():
                    terms[term] = max(weight, terms.get(term, 0.0))
        return best

    def _surroundings(self, proposal: _Proposal, sessions: dict[SessionKey, dict[str, float]]) -> Surroundings | None:
        if proposal.turn is None:
            return None
        turns: dict[int, Said] = {}
        for distance, name in self._conversations.around(proposal.turn):
            if name in self._said:
                turns[distance] = self._said[name]
            elif name in self._near:  # not proposed: it meets no word, or not enough of them
                turns[distance] = Said(near=max(0.0, self._near[name]))
        return Surroundings(turns, sessions.get(proposal.turn.session, {}))

    def _admits(self, turn: Turn) -> bool:
        """Tell whether the request's conditions admit a turn; scope and status have been looked at."""
        where = self._where
        return "claim" in where.kinds and where.admits_details(stored_of(turn.entity, turn.revision))


def _same(document: Stored, other: Stored) -> bool:
    """Tell whether two documents of one revision are the same part of it."""
    return (document.start, document.end, document.projection) == (other.start, other.end, other.projection)


def _may_be_a_turn(proposal: _Proposal) -> bool:
    """Tell whether a proposal is a claim of some session, by what the index says: most are not, and need no look."""
    document = proposal.hits[0].document
    return document.kind == "claim" and any(marker.startswith("session:") for marker in document.markers)
