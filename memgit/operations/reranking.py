"""The cross-encoder that the settings name, kept to its budget. It is loaded at the first use and kept by the process.

Nothing here is needed for an answer: whatever fails leaves the order as it is, and is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.retrieval.scores import Scores

if TYPE_CHECKING:
    from memgit.index.latency_breaker import LatencyBreaker
    from memgit.operations.invocation import Invocation

NO_RERANKER = "none"


def reranker_in(request: Invocation) -> Callable[[], Scores | None]:
    """Return what opens the cross-encoder of a request; None where there is none, with a warning where one is wanted.

    Nothing is loaded before it is called.
    """
    return lambda: _open(request)


def _open(request: Invocation) -> Scores | None:
    wanted = request.config.text("reranker")
    if wanted == NO_RERANKER:
        return None
    opened = _opened(wanted, request.environment.data_dir, request.config.integer("rerankerBudget"))
    if isinstance(opened, str):
        request.warnings.append(f"the reranker {wanted[:64]} cannot be used: {opened}")
        return None

    def scores(question: str, texts: Sequence[str]) -> list[float] | None:
        found = opened.scores(question, texts)
        request.warnings.extend(opened.take_notes())
        return found

    return scores


@lru_cache(maxsize=4)
def _opened(wanted: str, data_dir: Path | None, budget_ms: int) -> LatencyBreaker | str:
    """Return the loaded model behind its breaker, or why there is none."""
    from memgit.index.cross_encoder import CrossEncoderUnavailable, open_cross_encoder
    from memgit.index.latency_breaker import LatencyBreaker

    try:
        return LatencyBreaker(open_cross_encoder(wanted, data_dir).scores, budget_ms)
    except CrossEncoderUnavailable as error:
        return str(error)
    except ImportError as error:
        return f"{error.name} is not installed"
