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
from memgit.index.embedders.registry import NO_EMBEDDER, Opened, open_embedder
from memgit.index.lexical import IndexDamaged, IndexFilter
from memgit.index.refresh import refresh_index
from memgit.operations.invocation import Invocation
from memgit.records.ids import EntityId, RevisionId
from memgit.records.state import Entity
from memgit.retrieval.nearness import Near, Nearness
from memgit.retrieval.stored import stored_of
from memgit.store.private import combination

if TYPE_CHECKING:
    from memgit.index.document_vectors import DocumentVectors

_T = TypeVar("_T")


def nearness_in(
    request: Invocation, place: Invocation, entity: Callable[[EntityId], Entity | None]
) -> Callable[[], Nearness | None]:
    """Return what opens the vectors of a store, brought to its state; None where there are none, with a warning.

    Nothing is loaded before it is called. `entity` looks an entity of that state up.
    """
    return lambda: _open(request, place, entity)


def _open(request: Invocation, place: Invocation, entity: Callable[[EntityId], Entity | None]) -> Nearness | None:
    wanted = request.config.text("embedder")
    if wanted == NO_EMBEDDER:
        return None
    opened = _embedder(wanted, request.environment.data_dir)
    request.warnings.extend(opened.notes)
    if opened.embedder is None:
        return None
    directory = place.repository.cache_dir / f"vectors{combination(place.sight)}"
    found = VectorNearness(
        place, _vectors(directory, wanted, request.environment.data_dir), entity, request.warnings.append
    )
    return found if found.bring_up() else None


@lru_cache(maxsize=4)
def _embedder(wanted: str, data_dir: Path | None) -> Opened:
    return open_embedder(wanted, data_dir)


@lru_cache(maxsize=8)
def _vectors(directory: Path, wanted: str, data_dir: Path | None) -> DocumentVectors:
    """Return the vectors of a directory, kept open: each file is compared with its digest once, not at each request."""
    from memgit.index.document_vectors import DocumentVectors

    embedder = _embedder(wanted, data_dir).embedder
    assert embedder is not None
    return DocumentVectors(directory, embedder)


class VectorNearness:
    """A `Nearness` over the vectors of a store. What fails in the middle of a request is as if there were none."""

    def __init__(
        self,
        place: Invocation,
        vectors: DocumentVectors,
        entity: Callable[[EntityId], Entity | None],
        warn: Callable[[str], None],
    ) -> None:
        self._place = place
        self._vectors = vectors
        self._entity = entity
        self._warn = warn
        self._failed = False

    def bring_up(self) -> bool:
        """Bring the vectors to the state of the store. False where that cannot be done."""
        return self._guarded(self._refresh, False)

    def nearest(self, question: str, where: IndexFilter, limit: int) -> tuple[Near, ...]:
        """Return the nearest of what `where` admits: see `Nearness.nearest`."""

        def ask() -> tuple[Near, ...]:
            found = self._vectors.nearest(question, where, limit, lambda *names: self._admits(where, *names))
            return tuple(Near(entity, *part[:3], score, part[3]) for entity, part, score in found)

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

    def _admits(self, where: IndexFilter, entity_id: EntityId, revision_id: RevisionId) -> bool:
        entity = self._entity(entity_id)
        revisions = entity.lineage.revisions if entity is not None else ()
        revision = next((each for each in revisions if each.id == revision_id), None)
        if entity is None or revision is None:
            return False
        kind = "claim" if entity.lineage.kind == "claim" else "artifact"
        return kind in where.kinds and where.admits_details(stored_of(entity, revision))

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
