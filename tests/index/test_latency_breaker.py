"""Scores come within the budget or not at all, and what keeps failing is left alone for a while."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from memgit.index.latency_breaker import FAILURES, REST_SECONDS, LatencyBreaker

LONG = 60_000  # ms


class Clock:
    """A clock that stands still until it is set."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def lengths(question: str, texts: Sequence[str]) -> list[float]:
    """Score texts by their length."""
    return [float(len(text)) for text in texts]


class Failing:
    """Fails as long as it is told to, and counts its calls."""

    def __init__(self) -> None:
        self.calls = 0
        self.fails = True

    def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        self.calls += 1
        if self.fails:
            raise ValueError("out of memory")
        return lengths(question, texts)


def test_scores_pass_through() -> None:
    """One for each text, without a word about it."""
    breaker = LatencyBreaker(lengths, LONG)
    assert breaker.scores("q", ["a", "bbb"]) == [1.0, 3.0]
    assert breaker.scores("q", []) == []
    assert breaker.take_notes() == []


def test_a_failure_is_none_and_said_once() -> None:
    """The caller goes on; a second failure in a row says nothing new, a success ends the row."""
    scorer = Failing()
    breaker = LatencyBreaker(scorer, LONG)
    assert breaker.scores("q", ["a"]) is None
    (note,) = breaker.take_notes()
    assert "out of memory" in note
    assert breaker.scores("q", ["a"]) is None and breaker.take_notes() == []
    scorer.fails = False
    assert breaker.scores("q", ["a"]) == [1.0]
    scorer.fails = True
    assert breaker.scores("q", ["a"]) is None and len(breaker.take_notes()) == 1


def test_after_some_failures_it_rests() -> None:
    """Nothing is called for a minute, which is said once; then one call may end it, or not."""
    scorer, clock = Failing(), Clock()
    breaker = LatencyBreaker(scorer, LONG, clock=clock)
    for _ in range(FAILURES):
        breaker.scores("q", ["a"])
    assert [note for note in breaker.take_notes() if "rests" in note]
    clock.now += REST_SECONDS - 1
    assert breaker.scores("q", ["a"]) is None and scorer.calls == FAILURES
    clock.now += 1
    assert breaker.scores("q", ["a"]) is None and scorer.calls == FAILURES + 1
    assert breaker.scores("q", ["a"]) is None and scorer.calls == FAILURES + 1
    assert breaker.take_notes() == []
    clock.now += REST_SECONDS
    scorer.fails = False
    assert breaker.scores("q", ["a"]) == [1.0]
    assert breaker.scores("q", ["a"]) == [1.0]


def test_what_is_slow_is_left_behind() -> None:
    """The caller waits for the budget, not for the call; there are never two calls at once."""
    go = threading.Event()
    calls: list[str] = []

    def slow(question: str, texts: Sequence[str]) -> list[float]:
        calls.append(question)
        assert go.wait(30)
        return lengths(question, texts)

    breaker = LatencyBreaker(slow, 20)
    assert breaker.scores("first", ["a"]) is None
    assert "more than 20 ms" in breaker.take_notes()[0]
    assert breaker.scores("second", ["a"]) is None
    assert calls == ["first"]
    go.set()
    for _ in range(1000):
        if (found := breaker.scores("third", ["aaaa"])) is not None:
            break
        breaker._rests_until = None
        threading.Event().wait(0.01)
    assert found == [4.0]  # and not what the first call gave
    assert "second" not in calls


def test_another_number_of_scores_is_a_failure() -> None:
    """Scores that belong to nothing order nothing."""
    breaker = LatencyBreaker(lambda question, texts: [1.0], LONG)
    assert breaker.scores("q", ["a", "b"]) is None
    assert "another number" in breaker.take_notes()[0]
