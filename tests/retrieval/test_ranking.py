"""The order of a search among sessions, by meaning, and under the request's conditions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memgit.index.lexical import IndexFilter
from memgit.records.conversation import saying
from memgit.records.ids import EntityId
from memgit.records.op import ClaimPayload, Scope
from memgit.retrieval.nearness import Near
from memgit.retrieval.ranking import NEAR_ENOUGH
from memgit.retrieval.search import SearchRequest, SearchResult, search
from memgit.retrieval.stored import stored_of

from .memory import HERE, Memory


@dataclass
class Similar:
    """A `Nearness` that knows the cosines by heart. `stale`: it has not heard what has ended."""

    memory: Memory
    cosines: dict[EntityId, float]
    stale: bool

    def nearest(self, question: str, where: IndexFilter, limit: int) -> tuple[Near, ...]:
        """Return all of them, best first."""
        known = self.of(question, self.cosines, where)
        ranked = sorted(known.items(), key=lambda pair: -pair[1])[:limit]
        known = self.memory.entities
        return tuple(Near(stored_of(known[name], known[name].current), score) for name, score in ranked)

    def of(self, question: str, entities: Collection[EntityId], where: IndexFilter) -> Mapping[EntityId, float]:
        """Return those that are known and active."""
        active = {name for name in entities if self.stale or self.memory.entities[name].status == "active"}
        return {name: self.cosines[name] for name in active & self.cosines.keys()}


class Talk:
    """A memory with sessions."""

    def __init__(self, directory: Path) -> None:
        self.memory = Memory(directory)
        self.numbers: dict[str, int] = {}

    def say(self, speaker: str, text: str, session: str = "one", *more: str, **fields: Any) -> EntityId:
        """Add the next turn of a session."""
        self.numbers[session] = self.numbers.get(session, 0) + 1
        markers = (f"session:{session}", f"turn:{self.numbers[session]}", f"speaker:{speaker}", *more)
        return self.memory.claim(text, claim_type="observation", subject=speaker, markers=markers, **fields)

    def session(self, scope: Scope, name: str, first: int, last: int) -> list[EntityId]:
        """Return turns of a session."""
        found = []
        for entity in self.memory.entities.values():
            payload = entity.lineage.revisions[0].payload
            said = saying(payload.markers) if isinstance(payload, ClaimPayload) else None
            is_here = said is not None and said.session == name and entity.lineage.scope == scope
            if said is not None and is_here and said.turns is not None and first <= said.turns.first <= last:
                found.append((said.turns, entity.lineage.id))
        return [entity for _, entity in sorted(found)]

    def ask(
        self, query: str, cosines: dict[EntityId, float] | None = None, *, stale: bool = False, **fields: Any
    ) -> SearchResult:
        """Return what a search answers."""
        similar = Similar(self.memory, cosines, stale) if cosines is not None else None
        view = self.memory.view(session=self.session, nearness=lambda: similar)
        return search(SearchRequest(query=query, **fields), view)


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    """A memory without anything."""
    return Talk(tmp_path)


def ids(result: SearchResult) -> list[str]:
    """Return the claims of the hits."""
    return [hit.claim.claim_id for hit in result.hits if hit.claim]


def test_an_answer_is_found_by_the_words_of_its_question(talk: Talk) -> None:
    """The turn after a question comes first although it shares no word with what is asked."""
    talk.say("Ada", "The weather is fine today, is it not?")
    talk.say("Ben", "Which instrument did you learn at school?")
    answer = talk.say("Ada", "The violin, and I still play it on Sundays with my neighbour from the third floor.")
    talk.say("Ben", "Nice.")
    assert ids(talk.ask("Which instrument did she learn at school?"))[0] == answer


def test_a_session_is_not_mixed_with_another(talk: Talk) -> None:
    """What was said in another session is no neighbour, whatever its seq."""
    talk.say("Ben", "Which instrument did you learn at school?", "one")
    other = talk.say("Ada", "The violin, and I still play it on Sundays with my neighbour.", "two")
    assert other not in ids(talk.ask("Which instrument did she learn at school?"))


def test_neighbours_must_pass_the_conditions_too(talk: Talk) -> None:
    """A neighbour that is retracted, of another type or without the marker is no hit and lends nothing."""
    question = talk.say("Ben", "Which instrument did you learn at school?", "one", "tag:kept")
    answer = talk.say("Ada", "The violin, and I still play it on Sundays.")
    assert set(ids(talk.ask("instrument learn school"))) == {question, answer}
    assert ids(talk.ask("instrument learn school", markers=("tag:kept",))) == [question]
    assert ids(talk.ask("instrument learn school", kinds=frozenset({"artifact"}))) == []
    talk.memory.end(question, "retracted")
    assert ids(talk.ask("instrument learn school")) == []


def test_the_speaker_that_is_named_comes_first(talk: Talk) -> None:
    """A name says whose words are meant, not which words; the one who only calls the other by name comes after."""
    ben = talk.say("Ben", "I bought a red bicycle in March, Ada.")
    for _ in range(4):
        talk.say("Ben", "The talk goes on about something else entirely for a while.")
    ada = talk.say("Ada", "I bought a red bicycle in April, Ben.")
    assert ids(talk.ask("What did Ada buy? A red bicycle"))[0] == ada
    assert ids(talk.ask("What did Ben buy? A red bicycle"))[0] == ben


def test_a_name_is_no_word_of_a_conversation(talk: Talk) -> None:
    """Who is called by name is the other one, so a turn is not better for it; a role is a word like any other."""
    called = talk.say("Ben", "Thank you, Ada, and greetings to everybody at home.")
    meant = talk.say("Ada", "The bicycle is red, and it was not even expensive when I bought it.")
    result = talk.ask("Ada bicycle")
    assert ids(result) == [meant, called]
    assert "words" not in {part.name for part in result.hits[1].ranking.parts}
    role = talk.say("user", "Set the user agent of the client.", "two")
    assert "words" in {part.name for part in talk.ask("user").hits[0].ranking.parts}
    assert ids(talk.ask("user")) == [role]


def test_what_has_ended_lends_no_meaning(talk: Talk) -> None:
    """A retracted question lifts nothing around it."""
    question = talk.say("Ben", "Which instrument did you learn?")
    answer = talk.say("Ada", "The violin.")
    cosines = {question: 0.9, answer: 0.3}
    assert talk.ask("violin", cosines).hits[-1].ranking.parts != talk.ask("violin", {answer: 0.3}).hits[0].ranking.parts
    talk.memory.end(question, "retracted")
    assert talk.ask("violin", cosines).hits[0].ranking.parts[0].score == 1.0
    after = {part.name: part.score for part in talk.ask("violin", cosines).hits[0].ranking.parts}
    assert after["around_meaning"] == pytest.approx(1.5 * after["meaning"], abs=1e-5)


def test_a_session_without_end_has_neighbours_everywhere(talk: Talk) -> None:
    """Also where one block of turns ends and the next begins."""
    for number in range(1, 200):
        talk.say("Ben", f"Which colour has door number {'x' * number}?" if number in (63, 127) else "Hm, let me see.")
    answers = talk.session(HERE, "one", 64, 64) + talk.session(HERE, "one", 128, 128)
    found = ids(talk.ask("Which colour has the door?", limit=10))
    assert set(answers) <= set(found)


def test_the_date_of_a_question_leads_to_what_was_said_then(talk: Talk) -> None:
    """The same words on another day come after it."""
    talk.say("Ada", "I went to the theatre yesterday evening.", "a", "time:2026-03-02T10:00:00.000000Z")
    meant = talk.say("Ada", "I went to the theatre yesterday evening.", "b", "time:2026-05-09T10:00:00.000000Z")
    talk.say("Ada", "I went to the theatre yesterday evening.", "c", "time:2026-07-02T10:00:00.000000Z")
    result = talk.ask("Where did she go on 8 May 2026? theatre")
    assert ids(result)[0] == meant
    assert "date" in {part.name for part in result.hits[0].ranking.parts}


def test_meaning_finds_what_no_word_does(talk: Talk) -> None:
    """What is near enough is a hit without a word in common, and what is not near is none."""
    near = talk.memory.claim("The automobile is parked outside.")
    far = talk.memory.claim("Bread is baked on Fridays.")
    assert ids(talk.ask("where is my car")) == []
    result = talk.ask("where is my car", {near: NEAR_ENOUGH + 0.1, far: NEAR_ENOUGH - 0.1})
    assert ids(result) == [near]
    assert result.hits[0].ranking.similarity == NEAR_ENOUGH + 0.1
    assert result.hits[0].ranking.lexical_score == 0


def test_words_and_meaning_add_up(talk: Talk) -> None:
    """Of two that meet the same word the nearer comes first; the parts are the score."""
    one, two = talk.memory.claim("A cache of pages."), talk.memory.claim("A cache of files.")
    assert ids(talk.ask("cache", {one: 0.2, two: 0.6})) == [two, one]
    assert ids(talk.ask("cache", {one: 0.6, two: 0.2})) == [one, two]
    ranking = talk.ask("cache", {one: 0.6, two: 0.2}).hits[0].ranking
    assert ranking.score == pytest.approx(sum(part.score for part in ranking.parts), abs=1e-5)


def test_meaning_cannot_show_what_the_view_hides(talk: Talk) -> None:
    """A vector of what is retracted or elsewhere leads to nothing, even if an index still proposes it."""
    ended = talk.memory.claim("The automobile is parked outside.")
    talk.memory.end(ended, "retracted")
    elsewhere = talk.memory.claim("The automobile is red.", scope=Scope(workspace="wsp_test", project="prj_elsewhere"))
    assert ids(talk.ask("where is my car", {ended: 0.9, elsewhere: 0.9}, stale=True)) == []
