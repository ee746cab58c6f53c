"""What says the same is shown once; what might not is shown apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.retrieval.candidates import Candidate
from memgit.retrieval.collapse import collapsed
from memgit.retrieval.qualification import Match

from .memory import ELSEWHERE, Memory


def claims(memory: Memory, *ids: str) -> list[Candidate]:
    """Return candidates for these claims."""
    entities = [memory.entities[name] for name in ids]
    return [Candidate(entity, entity.current, (), Match("lexical", (), ()), 1.0, ()) for entity in entities]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We pin every dependency.", "we pin every dependency"),
        ("The limit is 100 requests.", "A limit of 100 requests"),
        ("Deploys happen on Tuesdays.", "Deploy happens on the Tuesday!"),
        ("Never push to main.", "never push to  main"),
    ],
)
def test_the_same_is_shown_once(tmp_path: Path, one: str, other: str) -> None:
    """Case, inflection, punctuation and function words make no other statement; the first is kept, and says so."""
    memory = Memory(tmp_path)
    first, second = memory.claim(one), memory.claim(other)
    ((kept, same),) = collapsed(claims(memory, first, second))
    assert (kept.id, same) == (first, (second,))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The cache is encrypted.", "The cache is not encrypted."),
        ("The cache is shared.", "The cache isn't shared."),
        ("The port is 80.", "The port is 8080."),
        ("Version 1.2.3 is pinned.", "Version 1.2.4 is pinned."),
        ("RULE-17 applies.", "RULE-18 applies."),
        ("Redis replaces Memcached.", "Memcached replaces Redis."),
        ("Push to main.", "Push to main without review."),
        ("Deploys happen on Tuesdays.", "Only deploys happen on Tuesdays."),
        ("We use Redis.", "We use Postgres."),
    ],
)
def test_what_may_differ_is_kept_apart(tmp_path: Path, one: str, other: str) -> None:
    """A number, a name, a negation, a restriction, an order or a word more is another statement."""
    memory = Memory(tmp_path)
    found = collapsed(claims(memory, memory.claim(one), memory.claim(other)))
    assert [same for _, same in found] == [(), ()]


def test_a_conflict_is_never_collapsed(tmp_path: Path) -> None:
    """Both sides of a dispute stay visible, even where their words agree."""
    memory = Memory(tmp_path)
    first, second = memory.claim("We pin every dependency."), memory.claim("We pin every dependency.")
    memory.contradict(first, second)
    assert len(collapsed(claims(memory, first, second))) == 2


def test_other_types_scopes_and_validity_are_kept_apart(tmp_path: Path) -> None:
    """The same words of another kind, place or time are another claim."""
    memory = Memory(tmp_path)
    text = "We pin every dependency."
    ids = [
        memory.claim(text),
        memory.claim(text, claim_type="constraint"),
        memory.claim(text, scope=ELSEWHERE),
        memory.claim(text, valid_from="2026-01-01T00:00:00.000000Z"),
        memory.claim(text, subject="builds"),
    ]
    assert len(collapsed(claims(memory, *ids))) == len(ids)
