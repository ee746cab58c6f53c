"""Nearness of meaning as a retrieval sees it: who is nearest to a question, and how near some are."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple, Protocol

from memgit.index.lexical import IndexFilter
from memgit.records.ids import EntityId, RevisionId


class Near(NamedTuple):
    """A revision, or the bytes [start, end) of an artifact's, and its cosine to the question, from -1 to 1.

    `projection`: it is the text derived from these bytes that is near.
    """

    entity: EntityId
    revision: RevisionId
    start: int | None
    end: int | None
    score: float
    projection: EntityId | None = None


class Nearness(Protocol):
    """An embedder with its vectors, of the very state that the view is of."""

    def nearest(self, question: str, where: IndexFilter, limit: int) -> tuple[Near, ...]:
        """Return the `limit` nearest of what `where` admits, best first; ties by entity."""

    def of(self, question: str, entities: Collection[EntityId], where: IndexFilter) -> Mapping[EntityId, float]:
        """Return the cosine of each of these entities whose lifecycle and scope `where` admits."""
