"""The layers whose histories `log` tells, and who wrote what a commit of theirs brought."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from msgspec import Struct

from memgit.errors import FormatTooNew, StoreCorrupt
from memgit.operations.invocation import Invocation, Observed
from memgit.review.compare import author_of
from memgit.store.commits import Graph, Visit, brought, commits
from memgit.store.database import Database
from memgit.store.objects import Commit, ObjectId
from memgit.store.private import SHARED
from memgit.store.snapshot import Snapshot
from memgit.store.store import Store

_ASKED = 200  # operations of a draft's merge whose authors are looked up


class Messages(Graph):
    """A history that keeps each commit until it was told, so that none is read twice."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.commits: dict[ObjectId, Commit] = {}

    def _learn(self, oid: ObjectId) -> Visit | None:
        try:
            commit = self.commits[oid] = self.database.commit(oid)
        except StoreCorrupt:
            return None
        return self._note(oid, commit)


class Place(Struct, frozen=True):
    """One layer on the way through the history."""

    layer: str
    store: Store
    graph: Messages
    tip: ObjectId

    def visits(self) -> Iterator[tuple[Visit, Place]]:
        """Yield the layer's commits, newest first."""
        for seen in commits(self.graph, [self.tip]):
            yield seen, self


def places(invocation: Invocation, *, private_only: bool) -> list[Place]:
    """Return the layers in sight, or the private ones alone.

    A private one that is damaged is left out, and that is said.
    """
    shared = invocation.store.snapshot()
    invocation.observed = Observed(shared.seq, shared.commit_id)
    graph = Messages(invocation.store.database)
    found = [] if private_only else [Place(SHARED, invocation.store, graph, shared.commit_id)]
    for layer in invocation.sight:
        store = invocation.layers.private(layer)
        try:
            snapshot = store.snapshot()
        except (StoreCorrupt, FormatTooNew) as error:
            invocation.warnings.append(f"{layer} cannot be read and was left out: {error.message}")
            continue
        invocation.observed_layers[layer] = Observed(snapshot.seq, snapshot.commit_id)
        found.append(Place(layer, store, Messages(store.database), snapshot.commit_id))
    return found


def authors_of(place: Place, commit: ObjectId) -> list[str]:
    """Return who wrote the first operations that a commit brought, each once."""
    snapshot = Snapshot(place.store.database, commit)
    found: list[str] = []
    for path in islice(brought(snapshot), _ASKED):
        ops, _ = snapshot.ops(path.entity)
        found += [author_of(op.actor) for op in ops if op.digest == path.digest]
    return list(dict.fromkeys(found))
