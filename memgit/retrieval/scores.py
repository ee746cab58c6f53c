"""What a model that reads a question with texts gives to a retrieval: scores, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Scores = Callable[[str, Sequence[str]], Sequence[float] | None]
"""Returns a score for each text, the better the greater; None where there are none now."""
