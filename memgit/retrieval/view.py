"""What one retrieval sees: the entities of one state, at one instant, from one scope.

The caller builds it from a store; nothing below it opens anything. All answers of one request come from one view, so
they cannot disagree about what is current.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from memgit.index.documents import ReadBlob
from memgit.index.lexical import IndexFilter, LexicalIndex, ScopeFilter
from memgit.records.ids import CaseId, EntityId
from memgit.records.state import Case, Entity

Horizon = Literal["ambient", "workspace", "personal"]

HISTORY_FACTOR = 4
"""How many more hits to ask an index for where it cannot judge the lifecycle itself, since some of them will go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """`entity` and `case` look up by id, None where there is none. `instant` is as `clock.now` writes it.

    `scope` is what the horizon admits; `horizon` is only repeated in answers. `past`: the entities are those of an
    earlier state than the index's, so lifecycle and heads are theirs to tell, not the index's.
    """

    entity: Callable[[EntityId], Entity | None]
    case: Callable[[CaseId], Case | None]
    read_blob: ReadBlob
    index: LexicalIndex
    instant: str
    scope: ScopeFilter
    horizon: Horizon = "ambient"
    past: bool = False

    def index_filter(
        self,
        *,
        historical: bool,
        kinds: frozenset[Literal["claim", "artifact"]] = frozenset({"claim", "artifact"}),
        types: frozenset[str] | None = None,
        component: str | None = None,
        markers: frozenset[str] = frozenset(),
    ) -> IndexFilter:
        """Return what the index may rank; `historical` admits what is not current."""
        anything = historical or self.past
        return IndexFilter(
            scope=self.scope,
            kinds=kinds,
            statuses=None if anything else frozenset({"active"}),
            heads_only=not anything,
            instant=None if anything else self.instant,
            types=types,
            component=component,
            markers=markers,
        )

    def sees(self, entity: Entity) -> bool:
        """Tell whether the scope admits an entity."""
        return self.scope.admits(entity.lineage.scope, entity.lineage.id)
