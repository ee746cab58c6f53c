"""One score from several: it explains itself, and what was said around a text counts for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.retrieval.fusion import NEIGHBOURS, REACH, Said, Scale, Surroundings, fuse, scale_of

SCALE = Scale(10.0, 0.5)


def around(turns: dict[int, Said], **session: float) -> Surroundings:
    """Return surroundings."""
    return Surroundings(turns, session)


@given(
    st.dictionaries(st.sampled_from("abc"), st.floats(0, 9)),
    st.floats(0, 1),
    st.booleans(),
    st.integers(0, 99),
    st.floats(0, 1),
)
def test_the_parts_add_up(terms: dict[str, float], near: float, asks: bool, length: int, date: float) -> None:
    """For any text, alone and in a session; a part that is off is 0."""
    said = Said(terms, near, asks, length, asks, date)
    for surroundings in (None, around({-1: said, 2: said}, a=1.0)):
        parts = fuse(said, surroundings, SCALE)
        assert parts.score == pytest.approx(sum(parts.as_dict().values()))


def test_alone_only_words_and_meaning_rank() -> None:
    """What belongs to no session is its own surroundings."""
    better, worse = fuse(Said({"a": 5.0}, 0.4), None, SCALE), fuse(Said({"a": 5.0}, 0.3), None, SCALE)
    assert better.score > worse.score > fuse(Said({"a": 4.0}, 0.3), None, SCALE).score
    assert fuse(Said(asks=True, length=1), None, SCALE) == fuse(Said(length=99), None, SCALE)


def test_the_answer_to_a_question_meets_its_words() -> None:
    """The words of the turn before count as the turn's own where that turn asks, and only there."""
    asked = fuse(Said(), around({-1: Said({"a": 5.0}, 0.4, asks=True)}), SCALE)
    told = fuse(Said(), around({-1: Said({"a": 5.0}, 0.4)}), SCALE)
    later = fuse(Said(), around({1: Said({"a": 5.0}, 0.4, asks=True)}), SCALE)
    assert asked.words > 0 and asked.meaning > 0
    assert told.words == later.words == told.meaning == later.meaning == 0
    assert told.around_words > 0 and told.around_meaning > 0


def test_a_word_counts_once_however_often_it_was_said() -> None:
    """Of a term the best weight counts, so that chatter about it does not add up; other terms do add up."""
    once = fuse(Said({"a": 5.0}), around({-1: Said({"a": 5.0})}), SCALE)
    thrice = fuse(Said({"a": 5.0}), around({-1: Said({"a": 5.0}), -2: Said({"a": 5.0}), 1: Said({"a": 5.0})}), SCALE)
    assert once.around_words == thrice.around_words
    assert fuse(Said({"a": 5.0}), around({-1: Said({"b": 5.0})}), SCALE).around_words > once.around_words


def test_questions_short_turns_and_other_speakers_come_later() -> None:
    """Each by itself moves a turn, and so does a date that fits."""
    plain = Said({"a": 5.0}, length=20)
    score = fuse(plain, around({}), SCALE).score
    assert fuse(Said({"a": 5.0}, length=20, asks=True), around({}), SCALE).score < score
    assert fuse(Said({"a": 5.0}, length=2), around({}), SCALE).score < score
    assert fuse(Said({"a": 5.0}, length=20, by_named=True), around({}), SCALE).score > score
    assert fuse(Said({"a": 5.0}, length=20, date=0.5), around({}), SCALE).score > score


def test_a_scale_is_never_nothing() -> None:
    """Not even where no word and no vector is met."""
    assert scale_of([]) == scale_of([Said()]) == Scale(1.0, 1.0)
    assert scale_of([Said({"a": 2.0, "b": 1.0}, 0.2), Said({"a": 2.5}, 0.3)]) == Scale(3.0, 0.3)


def test_no_distance_is_out_of_reach() -> None:
    """Neighbours are looked up as far as their words count."""
    assert max(map(abs, NEIGHBOURS)) <= REACH
