"""Whether a revision is current, and all reasons why it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.retrieval.currentness import reasons_against

from .memory import NOW, Memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty memory."""
    return Memory(tmp_path)


def codes(memory: Memory, entity_id: str, position: int = -1) -> list[str]:
    """Return the codes of the reasons against a revision."""
    entity = memory.entities[entity_id]
    return [reason.code for reason in reasons_against(entity, entity.lineage.revisions[position], NOW)]


def test_a_live_claim_is_current(memory: Memory) -> None:
    """Disputed or not."""
    left, right = memory.claim("Yes."), memory.claim("No.")
    memory.contradict(left, right)
    assert codes(memory, left) == codes(memory, right) == []


def test_every_head_of_a_fork_is_current(memory: Memory) -> None:
    """A fork has no history among its heads."""
    claim = memory.claim("One.")
    memory.revise(claim, "Two.")
    memory.revise(claim, "Three.", fork=True)
    assert [codes(memory, claim, position) for position in range(3)] == [["revised"], [], []]


@pytest.mark.parametrize(
    ("status", "code"),
    [("superseded", "superseded"), ("retracted", "retracted"), ("forgotten", "forgotten"), ("void", "undone")],
)
def test_what_ended(memory: Memory, status: str, code: str) -> None:
    """Each end has its reason."""
    claim = memory.claim("Over.")
    memory.end(claim, status, by=("clm_new",))  # type: ignore[arg-type]
    assert codes(memory, claim) == [code]


def test_reasons_say_what_and_when(memory: Memory) -> None:
    """What took the place, and the moment where there is one."""
    claim = memory.claim("Over.", valid_until="2020-01-01")
    new = memory.claim("New.")
    memory.end(claim, "superseded", by=(new,))
    entity = memory.entities[claim]
    superseded, expired = reasons_against(entity, entity.current, NOW)
    assert superseded.by == (new,)
    assert (expired.code, expired.at) == ("expired", "2020-01-01")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"valid_from": NOW}, []),
        ({"valid_until": NOW}, ["expired"]),
        ({"valid_from": "2999-01-01"}, ["not_yet_valid"]),
        ({"valid_from": "2000-01-01", "valid_until": "2999-01-01"}, []),
    ],
)
def test_validity(memory: Memory, fields: dict[str, str], expected: list[str]) -> None:
    """[valid_from, valid_until) at the instant of the view."""
    assert codes(memory, memory.claim("Sometimes.", **fields)) == expected


def test_all_reasons_are_given(memory: Memory) -> None:
    """An old revision of a retracted claim that has expired has three."""
    claim = memory.claim("One.", valid_until="2020-01-01")
    memory.revise(claim, "Two.")
    memory.end(claim, "retracted")
    assert codes(memory, claim, 0) == ["retracted", "revised", "expired"]
