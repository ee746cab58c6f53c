"""A call that may be slow or fail, kept to a budget of time. Where it is not kept, the call is left alone for a while.

Whoever calls goes on without a result. The call runs in a thread of its own, since nothing else can leave it behind;
there is never more than one at a time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

Scores = Callable[[str, Sequence[str]], Sequence[float]]

FAILURES = 3  # in a row, after which it rests
REST_SECONDS = 60.0

_Answer = SimpleQueue["list[float] | Exception"]


class LatencyBreaker:
    """Scores within a budget, or nothing. Used by one thread at a time."""

    def __init__(
        self, scores: Scores, budget_ms: int, *, name: str = "reranker", clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._scores = scores
        self._budget_ms = budget_ms
        self._name = name
        self._clock = clock
        self._failures = 0
        self._rests_until: float | None = None
        self._notes: list[str] = []
        self._idle = threading.Lock()  # held while a call runs
        self._tasks: SimpleQueue[tuple[str, Sequence[str], _Answer]] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def scores(self, question: str, texts: Sequence[str]) -> list[float] | None:
        """Return a score for each text, None where they cannot be had within the budget or while it rests."""
        if self._rests_until is not None and self._clock() < self._rests_until:
            return None
        found = self._within_budget(question, texts)
        if isinstance(found, str):
            self._fail(found)
            return None
        self._failures, self._rests_until = 0, None
        return found

    def take_notes(self) -> list[str]:
        """Return what a person should hear, each thing once: the first failure in a row, and that it rests."""
        notes, self._notes = self._notes, []
        return notes

    def _within_budget(self, question: str, texts: Sequence[str]) -> list[float] | str:
        """Return the scores, or why there are none."""
        if not self._idle.acquire(blocking=False):
            return "the call before has not ended"
        answer: _Answer = SimpleQueue()
        self._tasks.put((question, texts, answer))
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        try:
            found = answer.get(timeout=self._budget_ms / 1000)
        except Empty:
            return f"it took more than {self._budget_ms} ms"
        if isinstance(found, Exception):
            return str(found) or type(found).__name__
        return found if len(found) == len(texts) else "it gave another number of scores"

    def _work(self) -> None:
        while True:
            question, texts, answer = self._tasks.get()
            found: list[float] | Exception
            try:
                found = list(self._scores(question, texts))
            except Exception as error:  # noqa: BLE001 - whatever it is, the caller goes on without
                found = error
            self._idle.release()
            answer.put(found)

    def _fail(self, reason: str) -> None:
        self._failures += 1
        if self._failures == 1:
            self._notes.append(f"this order is without the {self._name}: {reason}")
        if self._failures >= FAILURES:
            if self._rests_until is None:
                self._notes.append(
                    f"the {self._name} rests for {REST_SECONDS:.0f} s at a time after {self._failures} calls in a row "
                    f"that failed or were too slow: {reason}"
                )
            self._rests_until = self._clock() + REST_SECONDS
