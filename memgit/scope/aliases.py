"""Which workspace and project mean the same, because two stores that began apart were joined.

`sync --join` leaves the records of both stores in the tree, and one that says `alias_of`. An alias speaks of the tree
that holds it and of nothing else: it never changes which other stores of this machine a request reaches. It joins two
projects, never two workspaces. Whoever can push can write one, so it is believed only where both ends are beyond doubt:

- A store's identity is the workspace and project that its founding records (those without `alias_of`) agree on.
- An alias counts if it names two different stores that both have an identity, and repeats that of its own store.
- Stores are joined if a chain of aliases that count leads from one to the other. Their canonical store is the least id.
- Each identity of a joined store means the canonical one's, unless it or that one is also the identity of a store that
  is not joined to them. Every other workspace and project means itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from memgit.records.codec import StoreRecord
from memgit.records.ids import StoreId
from memgit.records.op import Scope

Place = tuple[str, str]
"""A workspace and a project."""


@dataclass(frozen=True, slots=True)
class Aliases:
    """What each workspace and project of one tree means. Without records each means itself."""

    _meaning: Mapping[Place, Place] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Iterable[StoreRecord]) -> Aliases:
        """Return the aliases that a tree's store records make: whatever their order, whatever they say."""
        known = list(records)
        identities = _identities(known)
        groups = _joined(identities, (record for record in known if _counts(record, identities)))
        owners: defaultdict[Place, set[StoreId]] = defaultdict(set)
        for store, place in identities.items():
            owners[place].add(groups[store])
        meaning: dict[Place, Place] = {}
        for store, place in identities.items():
            canonical = identities[groups[store]]
            if place != canonical and len(owners[place]) == len(owners[canonical]) == 1:
                meaning[place] = canonical
        return cls(meaning)

    def canonical(self, scope: Scope) -> Scope:
        """Return the scope that this one means; its task stays. Twice is the same as once."""
        workspace, project = self.place(scope.workspace, scope.project)
        if (workspace, project) == (scope.workspace, scope.project):
            return scope
        return msgspec.structs.replace(scope, workspace=workspace, project=project)

    def place(self, workspace: str, project: str) -> Place:
        """Return the workspace and project that these mean."""
        return self._meaning.get((workspace, project), (workspace, project))

    def same_as(self, workspace: str, project: str) -> tuple[Place, ...]:
        """Return every workspace and project that means the same as these: these first, the others sorted."""
        meant = self.place(workspace, project)
        others = {meant, *(place for place, canonical in self._meaning.items() if canonical == meant)}
        return ((workspace, project), *sorted(others - {(workspace, project)}))

    def __bool__(self) -> bool:
        return bool(self._meaning)


NO_ALIASES = Aliases()


def _identities(records: Iterable[StoreRecord]) -> dict[StoreId, Place]:
    """Return what each store's founding records agree on; a store whose records do not agree is nobody's word."""
    said: defaultdict[StoreId, set[Place]] = defaultdict(set)
    for record in records:
        if record.alias_of is None:
            said[record.store].add((record.workspace, record.project))
    return {store: next(iter(places)) for store, places in said.items() if len(places) == 1}


def _counts(record: StoreRecord, identities: Mapping[StoreId, Place]) -> bool:
    if record.alias_of is None or record.alias_of not in identities:
        return False
    return identities.get(record.store) == (record.workspace, record.project)


def _joined(identities: Iterable[StoreId], aliases: Iterable[StoreRecord]) -> dict[StoreId, StoreId]:
    """Return the least store that each store is joined to, itself where it is joined to none."""
    least = {store: store for store in identities}

    def find(store: StoreId) -> StoreId:
        while least[store] != store:
            store = least[store]
        return store

    for record in aliases:
        assert record.alias_of is not None
        first, second = sorted((find(record.store), find(record.alias_of)))
        least[second] = first
    return {store: find(store) for store in least}
