"""The lexical index follows the state: whatever differs between two trees, it answers as a fresh one would."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings

from memgit.index.documents import stands
from memgit.index.lexical import IndexFilter, LexicalIndex, ScopeFilter, open_index
from memgit.index.refresh import refresh_index
from memgit.index.state_cache import StateCache
from memgit.retrieval.query import analyse_query
from tests.index.trees import open_database, write_snapshot
from tests.records.strategies import World, worlds

ANYTHING = IndexFilter(ScopeFilter(), kinds=frozenset({"claim"}), statuses=None, heads_only=False)
ACTIVE = IndexFilter(ScopeFilter(), kinds=frozenset({"claim"}))
DERIVED = IndexFilter(ScopeFilter(), kinds=frozenset({"artifact"}), statuses=None, heads_only=False, derived=True)


def found(index: LexicalIndex, where: IndexFilter) -> set[tuple[str, str]]:
    """Return (claim, revision) of whatever holds a word of the one statement that these worlds know."""
    hits = index.query(analyse_query("water").terms, where, 10_000, "score")
    return {(hit.document.entity, hit.document.revision) for hit in hits}


def derived(index: LexicalIndex) -> set[str | None]:
    """Return the projections of whatever holds the one text that these worlds derive."""
    return {hit.document.projection for hit in index.query(analyse_query("short").terms, DERIVED, 10_000, "score")}


def standing(state: StateCache) -> set[str]:
    """Return the projections that stand, of revisions that are current."""
    artifacts = [entity for entity in state.entities() if entity.lineage.kind == "artifact"]
    return {
        each.id
        for artifact in artifacts
        for each in state.projections_of(artifact.lineage.id)
        if stands(each) and each.payload.revision in (artifact.lineage.heads or (artifact.current.id,))
    }


@settings(max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(world=worlds(length=18))
def test_following_any_difference_equals_the_state(world: World) -> None:
    """Forwards, sideways, through relations that come and go, and through purges."""
    with tempfile.TemporaryDirectory() as directory:
        database = open_database(Path(directory) / "store.git")
        state = StateCache(Path(directory) / "cache")
        index = open_index(Path(directory) / "lexical")
        for seq, number in enumerate((0, 1, 2, 0), start=1):
            snapshot = write_snapshot(database, world.clones[number].files, seq)
            state.refresh(snapshot)
            refresh_index(index, snapshot, state)
            claims = [entity for entity in state.entities() if entity.lineage.kind == "claim"]
            everything = {(claim.lineage.id, item.id) for claim in claims for item in claim.lineage.revisions}
            active = {
                (claim.lineage.id, head) for claim in claims if claim.status == "active" for head in claim.lineage.heads
            }
            assert found(index, ANYTHING) == everything
            assert found(index, ACTIVE) == active
            assert derived(index) == standing(state)
        index.close()
        state.close()
