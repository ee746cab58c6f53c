"""Differences of texts, and whose each piece is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.review.words import attribute, runs, text_change, word_diff, words
from tests.records.strategies import law

TEXT = st.text(alphabet=st.sampled_from("ab .,\n"), max_size=40)


@law
@given(TEXT, TEXT)
def test_a_word_diff_holds_both_texts(old: str, new: str) -> None:
    """Without the added pieces it is the old text, without the removed ones the new."""
    pieces = word_diff(old, new)
    assert "".join(text for sign, text in pieces if sign != "+") == old
    assert "".join(text for sign, text in pieces if sign != "-") == new


@law
@given(st.lists(st.tuples(TEXT, st.lists(st.integers(0, 5), max_size=2)), min_size=1, max_size=7))
def test_every_token_has_an_owner_that_said_it(program: list[tuple[str, list[int]]]) -> None:
    """The owner is the revision itself or one that leads to it, and its text has the token."""
    texts = {number: words(text) for number, (text, _) in enumerate(program)}
    parents = {number: [one for one in made if one < number] for number, (_, made) in enumerate(program)}
    owners = attribute(texts, lambda number: parents[number], list(texts))
    for number, tokens in texts.items():
        assert "".join(text for _, text in runs(tokens, owners[number])) == "".join(tokens)
        reached = _ancestry(parents, number)
        for token, owner in zip(tokens, owners[number], strict=True):
            assert owner in reached and token in texts[owner]


def test_a_kept_beginning_and_end_stay_the_parents() -> None:
    """What stands around an insertion is not the inserter's."""
    texts = {1: ["a", "b", "c"], 2: ["a", "x", "b", "c"]}
    assert attribute(texts, lambda number: [1] if number == 2 else [], [1, 2])[2] == [1, 2, 1, 1]


def test_what_two_parents_have_is_the_first_ones() -> None:
    """A revision that settles a fork owes a common word to one of them, always the same."""
    texts = {1: ["a", "b"], 2: ["b"], 3: ["a", "b"]}
    assert attribute(texts, lambda number: [1, 2] if number == 3 else [], [1, 2, 3])[3] == [1, 1]
    assert attribute(texts, lambda number: [2, 1] if number == 3 else [], [1, 2, 3])[3] == [1, 2]


def _ancestry(parents: dict[int, list[int]], number: int) -> set[int]:
    found, pending = {number}, [number]
    while pending:
        fresh = set(parents[pending.pop()]) - found
        found |= fresh
        pending += fresh
    return found


def test_a_document_is_shown_up_to_a_number_of_lines() -> None:
    """Counts are whole, the rest is counted."""
    change = text_change(None, b"".join(b"line %d\n" % number for number in range(500)), 10)
    assert (change.added, change.removed, len(change.lines), change.left_out) == (500, 0, 10, 490)


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [(b"\xff\x00", b"text", "not text"), (b"a" * 300_000, b"b" * 300_000, "too large to compare")],
)
def test_what_cannot_be_compared_says_why(old: bytes, new: bytes, note: str) -> None:
    """Bytes that are no text, and texts that would take long."""
    change = text_change(old, new)
    assert change.note is not None and change.note.startswith(note) and not change.lines
