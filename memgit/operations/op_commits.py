"""Histories as operations walk them, and which commit brought an operation, in whichever layer that is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from memgit.index.commit_graph import CommitGraph
from memgit.operations.invocation import Invocation
from memgit.records.ids import OpDigest
from memgit.records.paths import OpPath
from memgit.store.commits import Graph, origins
from memgit.store.store import Store


@contextmanager
def history_of(invocation: Invocation, store: Store) -> Iterator[Graph]:
    """Give the history of a layer; what is learned of the shared one is kept. Private layers are short."""
    if store is not invocation.store:
        yield Graph(store.database)
        return
    graph = CommitGraph(invocation.repository.cache_dir, store.database)
    yield graph
    graph.close()


def commits_of(invocation: Invocation, paths: Iterable[OpPath]) -> dict[OpDigest, str]:
    """Return the commit of each operation, by its digest; one that no layer in sight holds is left out."""
    missing = {path.digest: path for path in paths}
    found: dict[OpDigest, str] = {}
    for store in (invocation.store, *(invocation.layers.private(layer) for layer in invocation.sight)):
        tip = store.tip() if missing else None
        if tip is None:
            continue
        with history_of(invocation, store) as graph:
            known = origins(graph, [tip], missing.values())
        found.update(known)
        missing = {digest: path for digest, path in missing.items() if digest not in known}
    return found
