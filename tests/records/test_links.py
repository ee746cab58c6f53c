"""What relations do to entities: supersession, doubt, and deriving a part of a store."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from memgit.records.fold import fold, fold_entity
from memgit.records.ids import EntityId, OpDigest, RelationId
from memgit.records.links import component, derive
from memgit.records.op import Op
from memgit.records.state import Case, Entity, Lineage, Relation, State, Status

from .strategies import (
    World,
    asserted,
    claim_id,
    law,
    quarrels,
    related,
    retracted,
    undone,
    worlds,
)

ONE, TWO, THREE = claim_id(1), claim_id(2), claim_id(3)
CLAIMS = [asserted(number, number) for number in (1, 2, 3)]


def statuses(*ops: Op) -> list[tuple[Status, bool]]:
    """Return status and doubt of the three claims after further operations."""
    entities = fold([*CLAIMS, *ops]).entities
    return [(entities[name].status, entities[name].disputed) for name in (ONE, TWO, THREE)]


# supersedes


def test_the_target_of_supersedes_is_superseded() -> None:
    """The source is the new one: it stays active, and the target says by whom it was superseded."""
    state = fold([*CLAIMS, related(4, 1, "supersedes", TWO, ONE), related(5, 2, "supersedes", THREE, ONE)])
    assert state.entities[ONE].status == "superseded"
    assert state.entities[ONE].superseded_by == (TWO, THREE)
    assert not state.entities[ONE].disputed
    assert state.entities[TWO].status == "active"
    assert state.entities[TWO].superseded_by == ()


@pytest.mark.parametrize("relation", ["derived_from", "supports", "contradicts", "references", "duplicates"])
def test_no_other_relation_changes_a_status(relation: str) -> None:
    """Only supersedes supersedes."""
    assert [status for status, _ in statuses(related(4, 1, relation, TWO, ONE))] == ["active"] * 3


def test_superseded_entities_keep_superseding() -> None:
    """A chain leaves only its newest end active."""
    chain = [related(4, 1, "supersedes", TWO, ONE), related(5, 2, "supersedes", THREE, TWO)]
    assert statuses(*chain) == [("superseded", False), ("superseded", False), ("active", False)]


def test_a_void_relation_does_nothing() -> None:
    """An undone supersedes leaves no trace, not even doubt."""
    edge = related(4, 1, "supersedes", TWO, ONE)
    assert statuses(edge, undone(5, edge)) == [("active", False)] * 3


def test_supersedes_counts_only_while_its_source_stands() -> None:
    """Where the source was retracted, undone or never came, the target is shown, disputed."""
    edge = related(4, 1, "supersedes", TWO, ONE)
    assert statuses(edge, retracted(5, 2, 2)) == [("active", True), ("retracted", False), ("active", False)]
    assert statuses(edge, undone(5, CLAIMS[1])) == [("active", True), ("void", False), ("active", False)]
    assert statuses(related(4, 1, "supersedes", claim_id(9), ONE)) == [("active", True), *[("active", False)] * 2]
    retraction = retracted(5, 2, 2)
    assert statuses(edge, retraction, undone(6, retraction))[0] == ("superseded", False)


def test_one_edge_that_counts_is_enough() -> None:
    """A superseded entity is not in doubt because another edge to it is broken."""
    edges = [related(4, 1, "supersedes", TWO, ONE), related(5, 2, "supersedes", THREE, ONE)]
    state = fold([*CLAIMS, *edges, retracted(6, 2, 2)])
    assert (state.entities[ONE].status, state.entities[ONE].disputed) == ("superseded", False)
    assert state.entities[ONE].superseded_by == (THREE,)


def test_a_cycle_supersedes_nobody() -> None:
    """All ends of a cycle stay active, disputed, and whom they supersede outside it stays superseded."""
    cycle = [related(4, 1, "supersedes", ONE, TWO), related(5, 2, "supersedes", TWO, ONE)]
    assert statuses(*cycle) == [("active", True), ("active", True), ("active", False)]
    assert statuses(*cycle, related(6, 3, "supersedes", TWO, THREE))[2] == ("superseded", False)
    assert statuses(*cycle, related(6, 3, "supersedes", THREE, TWO))[1:] == [("superseded", False), ("active", False)]


def test_two_cycles_do_not_make_one() -> None:
    """An edge between two cycles is in neither, so it counts."""
    four = asserted(0, 4)
    pairs = [(ONE, TWO), (TWO, ONE), (THREE, claim_id(4)), (claim_id(4), THREE), (ONE, THREE)]
    edges = [related(4 + place, place, "supersedes", *pair) for place, pair in enumerate(pairs)]
    entities = fold([*CLAIMS, four, *edges]).entities
    assert entities[THREE].superseded_by == (ONE,)
    assert [entities[name].status for name in (ONE, TWO, THREE, claim_id(4))] == [
        "active",
        "active",
        "superseded",
        "active",
    ]


def test_a_cycle_is_one_of_live_edges() -> None:
    """A cycle that runs through a retracted claim is none: what is left of it counts."""
    ring = [related(3 + n, n, "supersedes", claim_id(n), claim_id(n % 3 + 1)) for n in (1, 2, 3)]
    assert statuses(*ring) == [("active", True)] * 3
    assert statuses(*ring, retracted(9, 1, 1)) == [("retracted", False), ("active", True), ("superseded", False)]
    assert statuses(*ring, undone(9, ring[0])) == [("superseded", False), ("active", False), ("superseded", False)]


def test_an_entity_does_not_supersede_itself() -> None:
    """An edge to oneself, which no reader lets pass, is a cycle."""
    assert statuses(related(4, 1, "supersedes", ONE, ONE))[0] == ("active", True)


def test_void_comes_before_tombstone_before_superseded() -> None:
    """The strongest status is shown."""
    edge, retraction = related(4, 1, "supersedes", TWO, ONE), retracted(5, 1, 1)
    assert statuses(edge)[0][0] == "superseded"
    assert statuses(edge, retraction)[0][0] == "retracted"
    assert statuses(edge, retraction, undone(6, CLAIMS[0]))[0][0] == "void"


def test_ends_that_are_not_there_do_not_matter() -> None:
    """A relation to an entity that was purged stays, and nothing else comes of it."""
    ops = [*CLAIMS, related(4, 1, "supersedes", ONE, claim_id(8)), related(5, 2, "contradicts", claim_id(8), ONE)]
    state = fold(ops)
    assert len(state.relations) == 2
    assert state.cases == {}
    assert [(entity.status, entity.disputed) for entity in state.entities.values()] == [("active", False)] * 3


# Parts


def test_a_component_follows_supersedes_and_contradicts_only() -> None:
    """The closed part around an entity is joined by the relations that can change a state, void ones too."""
    void = related(5, 2, "contradicts", TWO, claim_id(9))
    ops = [related(4, 1, "supersedes", ONE, TWO), void, undone(7, void), related(6, 3, "references", ONE, THREE)]
    relations = fold([*CLAIMS, *ops]).relations.values()

    def at(entity: EntityId) -> list[Relation]:
        return [relation for relation in relations if entity in (relation.payload.source, relation.payload.target)]

    entities, joined = component([ONE], at)
    assert entities == {ONE, TWO, claim_id(9)}
    assert set(joined) == {ops[0].entity, void.entity}
    assert component([THREE], at) == ({THREE}, {})
    assert component([THREE, TWO], at)[0] == {ONE, TWO, THREE, claim_id(9)}


class Cache:
    """A derived state that is kept up to date entity by entity, as a cache does it."""

    def __init__(self) -> None:
        self.ops: dict[EntityId, list[Op]] = {}
        self.lineages: dict[EntityId, Lineage] = {}
        self.relations: dict[EntityId, Relation] = {}
        self.cancels: dict[OpDigest, tuple[OpDigest, ...]] = {}
        self.entities: dict[EntityId, Entity] = {}
        self.cases: dict[str, Case] = {}

    def add(self, ops: Iterable[Op]) -> None:
        """Take further operations."""
        touched: set[EntityId] = set()
        for op in ops:
            self.ops.setdefault(op.entity, []).append(op)
            touched.add(op.entity)
        self._refresh(touched)

    def purge(self, entities: Iterable[EntityId]) -> None:
        """Forget entities."""
        self._refresh({entity for entity in entities if self.ops.pop(entity, None)})

    def _refresh(self, touched: set[EntityId]) -> None:
        start = set()
        for entity in touched:
            start |= self._start(entity)
            self.lineages.pop(entity, None)
            self.relations.pop(entity, None)
            if entity in self.ops:
                folded = fold_entity(self.ops[entity])
                self.cancels |= folded.cancels
                if isinstance(folded.value, Lineage):
                    self.lineages[entity] = folded.value
                elif isinstance(folded.value, Relation):
                    self.relations[entity] = folded.value
            start |= self._start(entity)
        names, joined = component(start, self._at)
        for case in [case for case in self.cases.values() if names & set(case.entities)]:
            del self.cases[case.id]
        for name in names:
            self.entities.pop(name, None)
        derived = derive({name: self.lineages[name] for name in names & self.lineages.keys()}, joined, self.cancels)
        self.entities |= derived.entities
        self.cases |= derived.cases

    def _start(self, entity: EntityId) -> set[EntityId]:
        relation = self.relations.get(entity)
        return {relation.payload.source, relation.payload.target} if relation else {entity}

    def _at(self, entity: EntityId) -> list[Relation]:
        ends = [(relation, relation.payload) for relation in self.relations.values()]
        return [relation for relation, payload in ends if entity in (payload.source, payload.target)]


def assert_same(cache: Cache, state: State) -> None:
    """Compare a cache with a full fold."""
    assert cache.entities == state.entities
    assert cache.relations == state.relations
    assert cache.cases == state.cases


@law
@given(st.one_of(worlds(), quarrels()), st.randoms(use_true_random=False), st.integers(1, 4))
def test_an_incremental_refresh_equals_a_full_fold(world: World, order, step: int) -> None:  # type: ignore[no-untyped-def]
    """Operations that arrive in any order and in any portions, and purges, lead to the same state as all at once."""
    ops = list(world.history)
    order.shuffle(ops)
    cache = Cache()
    size = max(1, len(ops) // step)
    for place in range(0, len(ops), size):
        cache.add(ops[place : place + size])
        assert_same(cache, fold(ops[: place + size]))
    cache.purge(world.purged)
    assert_same(cache, fold(ops, world.purged))


def test_a_hub_derives_in_linear_time() -> None:
    """10,000 relations of one claim derive within seconds, of each type and either way round."""
    claims = [asserted(number, number) for number in range(1, 2002)]
    lineages = {entity: lineage.lineage for entity, lineage in fold(claims).entities.items()}
    hub, *rest = lineages
    for kind in ("supersedes", "contradicts", "references"):
        template = fold([related(5000, 0, kind, hub, rest[0])]).relations.popitem()[1]
        relations = _fan(template, hub, rest)
        entities, cases = derive(lineages, relations, {})
        assert len(entities) == len(claims)
        assert len(cases) == (len(relations) if kind == "contradicts" else 0)


def _fan(template: Relation, hub: EntityId, rest: list[EntityId]) -> dict[RelationId, Relation]:
    relations = {}
    for number in range(10_000):
        pair = (hub, rest[number % len(rest)])
        source, target = pair if number % 3 else pair[::-1]
        name = RelationId(related(1, number, "supports", source, target).entity)
        payload = replace(template.payload, source=source, target=target)
        relations[name] = replace(template, id=name, seq=5000 + number, payload=payload)
    return relations
