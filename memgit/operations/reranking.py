"""The cross-encoder that the settings name, kept to its budget. It is loaded at the first use and kept by the process.

Nothing here is needed for an answer: whatever fails leaves the order as it is, and is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.operations.kept_models import KeptModels
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
    try:
        opened = _opened.get((wanted, request.environment.data_dir, request.config.integer("rerankerBudget")))
    except _Unusable as error:
        request.warnings.append(f"the reranker {wanted[:64]} cannot be used: {error}")
        return None

    def scores(question: str, texts: Sequence[str]) -> list[float] | None:
        found = opened.scores(question, texts)
        request.warnings.extend(opened.take_notes())
        return found

    return scores


class _Unusable(Exception):
    """The model cannot be opened; the message says why."""


def _loaded(named: tuple[str, Path | None, int]) -> LatencyBreaker:
    """Return the loaded model behind its breaker. Raises _Unusable."""
    from memgit.index.cross_encoder import CrossEncoderUnavailable, open_cross_encoder
    from memgit.index.latency_breaker import LatencyBreaker

    wanted, data_dir, budget_ms = named
    try:
        return LatencyBreaker(open_cross_encoder(wanted, data_dir).scores, budget_ms)
    except CrossEncoderUnavailable as error:
        raise _Unusable(str(error)) from error
    except ImportError as error:
        raise _Unusable(f"{error.name} is not installed") from error


_opened = KeptModels(_loaded, 4)
