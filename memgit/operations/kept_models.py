"""Models that a process has loaded, kept for its life. What could not be loaded is tried again: it may be there by now.

A failure that took long is not repeated at each request: it stands for a minute.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

LONG_SECONDS = 0.5
STANDS_SECONDS = 60.0

Key = TypeVar("Key", bound=Hashable)
Model = TypeVar("Model")


class KeptModels(Generic[Key, Model]):
    """What `opens` gave for a key, for the `most` keys that were asked for last. Threads take turns at opening."""

    def __init__(self, opens: Callable[[Key], Model], most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._opens = opens
        self._most = most
        self._clock = clock
        self._turn = threading.Lock()
        self._kept: OrderedDict[Key, Model] = OrderedDict()
        self._failed: dict[Key, tuple[float, Exception]] = {}

    def get(self, key: Key) -> Model:
        """Return the model of a key. Raises what opening it raises."""
        with self._turn:
            if key not in self._kept:
                self._kept[key] = self._open(key)
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
            return self._kept[key]

    def clear(self) -> None:
        """Forget all."""
        with self._turn:
            self._kept.clear()
            self._failed.clear()

    def _open(self, key: Key) -> Model:
        until, failure = self._failed.pop(key, (0.0, None))
        began = self._clock()
        if failure is not None and began < until:
            self._failed[key] = until, failure
            raise failure
        try:
            return self._opens(key)
        except Exception as error:
            if self._clock() - began > LONG_SECONDS:
                self._failed[key] = self._clock() + STANDS_SECONDS, error
            raise
