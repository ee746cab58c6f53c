"""What one retrieval sees: the entities of one state, at one instant, from one scope.

The caller builds it from a store; nothing below it opens anything. All answers of one request come from one view, so
they cannot disagree about what is current.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from memgit.index.documents import ReadBlob
from memgit.index.lexical import IndexFilter, LexicalIndex, ScopeFilter
from memgit.records.ids import CaseId, EntityId, OpDigest
from memgit.records.op import Scope
from memgit.records.state import Case, Entity, Projection, Revision
from memgit.retrieval.nearness import Nearness
from memgit.retrieval.scores import Scores
from memgit.scope.aliases import NO_ALIASES, Aliases

LayerOf = Callable[[OpDigest], str]
"""Returns the layer whose tree holds an operation: `shared`, `local` or `draft:NAME`."""

SHARED = "shared"

ProjectionOf = Callable[[EntityId], Projection | None]
"""Returns a derived text by its id."""

Trusts = Callable[[Entity, Revision], bool]
"""Tells whether the author of a revision is trusted: whether it may be put into a prompt that nobody asked for."""

SessionOf = Callable[[Scope, str, int, int], Sequence[EntityId]]
"""Returns the claims of a session of a scope that begin within a range of turns, in their order, whatever their status.
"""

Horizon = Literal["ambient", "workspace", "personal"]

HISTORY_FACTOR = 4
"""How many more hits to ask an index for where it cannot judge the lifecycle itself, since some of them will go."""


@dataclass(frozen=True, slots=True)
class Past:
    """How far an earlier state reaches: to the operations up to a seq, or to a moment as `clock.now` writes it."""

    latest_seq: int | None = None
    latest_at: str | None = None


def all_shared(digest: OpDigest) -> str:
    """Say of every operation that it is shared, where no other layer is in sight."""
    return SHARED


def no_session(scope: Scope, session: str, first: int, last: int) -> tuple[EntityId, ...]:
    """Say of every session that nothing of it is known, where nobody knows better."""
    return ()


def no_projection(projection_id: EntityId) -> None:
    """Say of every derived text that it is not there, where nobody knows better."""


def trusts_nobody(entity: Entity, revision: Revision) -> bool:
    """Say of every author that he is not trusted, where nobody knows better."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """`entity` and `case` look up by id, None where there is none. `instant` is as `clock.now` writes it.

    `scope` is what the horizon admits; `horizon` is only repeated in answers. `past`: the entities are those of an
    earlier state than the index's, so lifecycle and heads are theirs to tell, not the index's. `alone`: the index holds
    nothing beside the scope, which saves looks. `nearness` opens what knows nearness of meaning; None where there is
    none. `reranker` opens what orders by reading, likewise.
    """

    entity: Callable[[EntityId], Entity | None]
    case: Callable[[CaseId], Case | None]
    read_blob: ReadBlob
    index: LexicalIndex
    instant: str
    scope: ScopeFilter
    horizon: Horizon = "ambient"
    past: Past | None = None
    alone: bool = False
    layer_of: LayerOf = all_shared
    trusts: Trusts = trusts_nobody
    aliases: Aliases = NO_ALIASES
    session: SessionOf = no_session
    projection: ProjectionOf = no_projection
    nearness: Callable[[], Nearness | None] = lambda: None
    reranker: Callable[[], Scores | None] = lambda: None

    def index_filter(
        self,
        *,
        historical: bool,
        kinds: frozenset[Literal["claim", "artifact"]] = frozenset({"claim", "artifact"}),
        types: frozenset[str] | None = None,
        component: str | None = None,
        markers: frozenset[str] = frozenset(),
        derived: bool = False,
    ) -> IndexFilter:
        """Return what the index may rank; `historical` admits what is not current, `derived` what only leads."""
        past = self.past
        anything = historical or past is not None
        return IndexFilter(
            scope=self.scope,
            kinds=kinds,
            statuses=None if anything else frozenset({"active"}),
            heads_only=not anything,
            instant=None if anything else self.instant,
            types=types,
            component=component,
            markers=markers,
            derived=derived,
            latest_seq=past.latest_seq if past is not None else None,
            latest_at=past.latest_at if past is not None else None,
        )

    def similar_words(self, word: str) -> tuple[str, ...]:
        """Return the words of the scope that a folded word may stand for: see `LexicalIndex.similar_words`."""
        return self.index.similar_words(word, ScopeFilter() if self.alone else self.scope)

    def sees(self, entity: Entity) -> bool:
        """Tell whether the scope admits an entity."""
        return self.scope.admits(self.aliases.canonical(entity.lineage.scope), entity.lineage.id)
