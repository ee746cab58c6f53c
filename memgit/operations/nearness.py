"""Nearness of meaning for one request: the embedder that the settings name, and a store's vectors brought to its state.

Nothing here is needed for an answer: whatever fails leaves a search with words alone, and is said once. An embedder is
kept for the life of the process, since loading one takes from 60 ms to seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from memgit.errors import IndexNotReady, StoreReadOnly
from memgit.index.embedders.embedder import Embedder
from memgit.index.embedders.registry import NO_EMBEDDER, open_embedder, open_named
from memgit.index.lexical import IndexDamaged, IndexFilter
from memgit.index.refresh import refresh_index
from memgit.operations.invocation import Invocation
from memgit.operations.kept_models import KeptModels
from memgit.records.ids import EntityId
from memgit.retrieval.nearness import Near, Nearness
from memgit.store.private import combination

if TYPE_CHECKING:
    from memgit.index.document_vectors import DocumentVectors

_T = TypeVar("_T")


def nearness_in(request: Invocation, place: Invocation) -> Callable[[], Nearness | None]:
    """Return what opens the vectors of a store, brought to its state; None where there are none, with a warning.

    Nothing is loaded before it is called.
    """
    return lambda: _open(request, place)


def _open(request: Invocation, place: Invocation) -> Nearness | None:
    wanted = request.config.text("embedder")
    if wanted == NO_EMBEDDER:
        return None
    opened = open_embedder(wanted, request.environment.data_dir, lambda *named: _embedders.get(named))
    request.warnings.extend(opened.notes)
    if opened.embedder is None:
        return None
    directory = place.repository.cache_dir / f"vectors{combination(place.sight)}"
    vectors = _vectors(directory, opened.embedder)  # type: ignore[arg-type]  # hashable, as objects are
    found = VectorNearness(place, vectors, request.warnings.append)
    return found if found.bring_up() else None


def _named(named: tuple[str, Path | None]) -> Embedder:
    return open_named(*named)


_embedders = KeptModels(_named, 4)


@lru_cache(maxsize=8)
def _vectors(directory: Path, embedder: Embedder) -> DocumentVectors:
    """Return the vectors of a directory, kept open: each file is compared with its digest once, not at each request."""
    from memgit.index.document_vectors import DocumentVectors

    return DocumentVectors(directory, embedder)


class VectorNearness:
    """A `Nearness` over the vectors of a store. What fails in the middle of a request is as if there were none."""

    def __init__(self, place: Invocation, vectors: DocumentVectors, warn: Callable[[str], None]) -> None:
        self._place = place
        self._vectors = vectors
        self._warn = warn
        self._failed = False

    def bring_up(self) -> bool:
        """Bring the vectors to the state of the store. False where that cannot be done."""
        return self._guarded(self._refresh, False)

    def nearest(self, question: str, where: IndexFilter, limit: int) -> tuple[Near, ...]:
        """Return the nearest of what `where` admits: see `Nearness.nearest`."""

        def ask() -> tuple[Near, ...]:
            return tuple(Near(*found) for found in self._vectors.nearest(question, where, limit))

        return self._guarded(ask, ())

    def of(self, question: str, entities: Collection[EntityId], where: IndexFilter) -> Mapping[EntityId, float]:
        """Return the cosines of entities: see `Nearness.of`."""
        return self._guarded(lambda: self._vectors.of(question, entities, where), {})

    def _refresh(self) -> bool:
        seen = self._place.state.watermark
        assert seen is not None
        with suppress(IndexDamaged):
            known = self._vectors.watermark()
            if known is not None and known.commit == seen.commit_id:
                return True  # without opening the store
        if refresh_index(self._vectors, self._place.snapshot_at(seen.commit_id), self._place.state):
            self._warn("the vectors were damaged and have been rebuilt")
        return True

    def _guarded(self, ask: Callable[[], _T], otherwise: _T) -> _T:
        """Return what `ask` returns, or the other where the vectors fail it, now or before."""
        from memgit.index.embedders.embedder import EmbedderUnavailable

        if self._failed:
            return otherwise
        try:
            return ask()
        except (IndexDamaged, IndexNotReady, StoreReadOnly, EmbedderUnavailable) as error:
            self._failed = True
            self._warn(f"this answer is by words alone: {error}")
            return otherwise
