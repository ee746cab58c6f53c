"""A session's question leads to what was said next: the turn that may answer it stands among the candidates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from memgit.index.documents import matchable
from memgit.records.ids import EntityId
from memgit.retrieval.asking import only_asks
from memgit.retrieval.candidates import Candidate
from memgit.retrieval.currentness import reasons_against
from memgit.retrieval.neighbours import Conversations, Turn
from memgit.retrieval.qualification import description_lexicon, match
from memgit.retrieval.query import Query
from memgit.retrieval.view import View

_ANSWERED_WITHIN = 3  # turns: who asks may ask on, or wait


def with_answers(
    near: Iterable[Candidate], query: Query, view: View, known: set[EntityId], markers: Iterable[str] = ()
) -> Iterator[Candidate]:
    """Yield candidates, each question of a session followed by the turn that may answer it, with the question's score.

    What is in `known`, or was yielded before, is not yielded again; an answer bears all `markers`.
    """
    conversations, wanted = Conversations(view), frozenset(markers)
    seen = set(known)
    for candidate in near:
        if candidate.id in seen:
            continue
        seen.add(candidate.id)
        yield candidate
        turn = conversations.turn(candidate.id) if candidate.match.withheld == "question" else None
        answer = _answer(turn, conversations, view.instant) if turn is not None else None
        if answer is None or not wanted.issubset(answer.revision.payload.markers):
            continue
        if answer.entity.lineage.id not in seen:
            seen.add(answer.entity.lineage.id)
            yield _candidate(answer, candidate, query, view)


def _answer(question: Turn, conversations: Conversations, instant: str) -> Turn | None:
    """Return the first turn after a question that is current and does not only ask, where it comes soon."""
    for distance, name in conversations.around(question):
        turn = conversations.turn(name) if 0 < distance <= _ANSWERED_WITHIN else None
        if turn is None or only_asks(turn.revision) or reasons_against(turn.entity, turn.revision, instant):
            continue
        return turn
    return None


def _candidate(answer: Turn, question: Candidate, query: Query, view: View) -> Candidate:
    found = match(query, description_lexicon(matchable(answer.revision.payload)))
    return replace(
        question,
        entity=answer.entity,
        revision=answer.revision,
        reasons=(),
        match=replace(found, tier=None, withheld=None),
        terms=(),
        layer=view.layer_of(answer.revision.digest),
        answers=question.id,
    )
