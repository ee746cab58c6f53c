"""What only asks is no answer, and leads to what was said next."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.records.state import Revision
from memgit.retrieval.asking import only_asks
from memgit.retrieval.recall import RecallRequest, recall
from memgit.retrieval.retrieve import RetrieveRequest, retrieve
from memgit.retrieval.view import View

from .memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty memory."""
    return Memory(tmp_path)


def turn(memory: Memory, number: int, speaker: str, text: str) -> str:
    """Add a turn of the session `standup` and return its id."""
    markers = ("session:standup", f"turn:{number}", f"speaker:{speaker}")
    return memory.claim(text, claim_type="observation", subject=speaker, markers=markers)


def seen(memory: Memory, *turns: str) -> View:
    """Return a view that knows the session."""
    return memory.view(session=lambda scope, session, first, last: turns if first <= len(turns) else ())


def revision(memory: Memory, statement: str) -> Revision:
    """Return the revision of a new claim."""
    return memory.entities[memory.claim(statement)].current


@pytest.mark.parametrize(
    ("statement", "asks"),
    [
        ("Who cuts the release?", True),
        ("Hm? Who cuts the release?!?", True),
        ("“Who cuts the release?”", True),
        ("谁来发布？", True),
        ("Who cuts the release? I do.", False),
        ("Who cuts the release?\nCleo: I do", False),
        ("We ask who cuts the release.", False),
        ("See https://example.invalid/?page=1", False),
        ("The release is cut", False),
    ],
)
def test_what_only_asks(memory: Memory, statement: str, asks: bool) -> None:
    """Each sentence is a question."""
    assert only_asks(revision(memory, statement)) is asks


def test_a_question_is_a_candidate_and_brings_its_answer(memory: Memory) -> None:
    """Memory does not know what was only asked; what was said next stands behind the question, whatever its words."""
    asked = turn(memory, 1, "Ben", "Who is going to cut the next release?")
    repeated = turn(memory, 2, "Ben", "Anybody?")
    answer = turn(memory, 3, "Cleo", "I will, on the 20th.")
    view = seen(memory, asked, repeated, answer)
    result = recall(RecallRequest(query="who cuts the next release?", max_candidate_claims=4), view)
    assert (result.presence, result.claims) == ("none", ())
    first, second = result.candidate_claims
    assert (first.claim_id, first.why.tier, first.why.withheld) == (asked, None, "question")
    assert (second.claim_id, second.why.answers) == (answer, asked)
    assert result.candidates_hint is not None and result.candidates_hint.claims == 2


def test_an_answer_that_qualifies_does_so_by_itself(memory: Memory) -> None:
    """The question adds nothing to it."""
    asked = turn(memory, 1, "Ben", "Who cuts the next release?")
    answer = turn(memory, 2, "Cleo", "I cut the next release.")
    result = recall(RecallRequest(query="who cuts the next release?"), seen(memory, asked, answer))
    assert [(claim.claim_id, claim.why.tier) for claim in result.claims] == [(answer, "lexical")]


def test_a_document_may_ask(memory: Memory) -> None:
    """A text under its question is a text; only claims are judged."""
    memory.artifact("Who cuts the next release? Cleo does.")
    assert recall(RecallRequest(query="who cuts the next release?"), memory.view()).presence == "artifacts_only"


def test_retrieve_shows_the_exchange(memory: Memory) -> None:
    """Question and answer are evidence to check, cited, and nothing that qualifies."""
    asked = turn(memory, 1, "Ben", "Who is going to cut the next release?")
    answer = turn(memory, 2, "Cleo", "I will, on the 20th.")
    request = RetrieveRequest(recall=RecallRequest(query="who cuts the next release?"))
    found = retrieve(request, seen(memory, asked, answer))
    assert (found.recall.presence, found.next_action) == ("none", "check_evidence_then_recall")
    assert [(piece.claim_id, piece.text) for piece in found.unqualified_evidence] == [
        (asked, "Who is going to cut the next release?"),
        (answer, "I will, on the 20th."),
    ]
    assert found.recall.candidate_claims == ()
