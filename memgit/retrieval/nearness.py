"""Nearness of meaning as a retrieval sees it: who is nearest to a question, and how near some are."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple, Protocol

from memgit.index.lexical import IndexFilter, Stored
from memgit.records.ids import EntityId


class Near(NamedTuple):
    """A revision, a passage of an artifact or a text derived from it, and its cosine to the question, from -1 to 1."""

    document: Stored
    score: float


class Nearness(Protocol):
    """An embedder with its vectors, of the very state that the view is of."""

    def nearest(self, question: str, where: IndexFilter, limit: int) -> tuple[Near, ...]:
        """Return the `limit` nearest of what `where` admits, best first; ties by entity."""

    def of(self, question: str, entities: Collection[EntityId], where: IndexFilter) -> Mapping[EntityId, float]:
        """Return the cosine of each of these entities whose lifecycle and scope `where` admits."""
