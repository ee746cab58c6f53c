"""What relations do to the entities that they join: who is superseded, who is shown in doubt.

Owns the meaning of `supersedes`: it counts only while it is effective, its source stands (is there, neither void nor
tombstoned; being superseded itself is no matter) and no cycle of such edges runs through it. An edge that is effective
but does not count leaves its target as it is, and both ends, where active, disputed. All other types of relation change
nothing here; `contradicts` opens cases (`memgit.records.cases`).

Everything here is computable for a part of a store: see `component`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memgit.records.cases import History, derive_cases, watched
from memgit.records.effects import Cancels, Moment, effective_moments, instants
from memgit.records.ids import CaseId, EntityId, RelationId
from memgit.records.op import RelationType
from memgit.records.state import Case, Entity, Lineage, Relation, Status

JOINING: frozenset[RelationType] = frozenset({"supersedes", "contradicts"})
"""The types of relation through which one entity's state depends on another."""

LARGEST_REPLAYED = 64
"""Edges of one ring whose cycles are followed through its history; in a larger one a cyclic edge never counted."""


class Derived(NamedTuple):
    """What `derive` adds to lineages."""

    entities: dict[EntityId, Entity]
    cases: dict[CaseId, Case]


def derive(lineages: Mapping[EntityId, Lineage], relations: Mapping[RelationId, Relation], cancels: Cancels) -> Derived:
    """Return the entities and cases of a store, or of a part that is closed.

    Closed: for each entity of it, all relations of the types in `JOINING` that name it as an end, and both ends of each
    of these, where they exist. `cancels` unites those of all `Folded` values in it. The entities are in the order of
    `lineages`, cases in that of their ids.
    """
    supersedes = [relation for relation in relations.values() if relation.relation == "supersedes"]
    counting, doubted = _judge([edge for edge in supersedes if not edge.void], lineages)
    by_target: defaultdict[EntityId, set[EntityId]] = defaultdict(set)
    for edge in counting:
        by_target[edge.payload.target].add(edge.payload.source)
    cases = derive_cases(lineages, relations, cancels, _superseded_moments(supersedes, lineages, relations, cancels))
    open_cases: defaultdict[EntityId, list[CaseId]] = defaultdict(list)
    for case in cases.values():
        if case.status == "open":
            for entity in case.entities:
                open_cases[entity].append(case.id)
    entities = {}
    for name, lineage in lineages.items():
        superseded_by = tuple(sorted(by_target[name])) if name in by_target else ()
        status = _status(lineage, bool(superseded_by))
        entities[name] = Entity(
            lineage=lineage,
            status=status,
            disputed=name in open_cases or (status == "active" and name in doubted),
            superseded_by=superseded_by,
            open_cases=tuple(open_cases.get(name, ())),
        )
    return Derived(entities, cases)


def component(
    start: Iterable[EntityId], neighbours: Callable[[EntityId], Iterable[Relation]]
) -> tuple[set[EntityId], dict[RelationId, Relation]]:
    """Return the smallest closed part around `start`: its entities and the relations that join them.

    `neighbours` returns the relations, void ones too, with the entity as an end; other types than `JOINING` may be
    among them. An entity that only a relation names is returned too, although no lineage may exist for it.

    To refresh a derived state, start from every entity whose operations changed and from both ends of every relation
    whose operations changed, as it was *and* as it is; forget what was derived for the returned entities, their cases
    included; then keep what `derive` returns for them.
    """
    found = set(start)
    pending = list(found)
    joined: dict[RelationId, Relation] = {}
    while pending:
        for relation in neighbours(pending.pop()):
            if relation.relation in JOINING and relation.id not in joined:
                joined[relation.id] = relation
                fresh = {relation.payload.source, relation.payload.target} - found
                found |= fresh
                pending += fresh
    return found, joined


def _judge(edges: Sequence[Relation], lineages: Mapping[EntityId, Lineage]) -> tuple[list[Relation], set[EntityId]]:
    """Return the effective supersedes edges that count, and the targets of those that do not.

    No source need be named: where it stands, its edge is on a cycle, and so it is the target of another one.
    """
    live = [edge for edge in edges if _stands(lineages.get(edge.payload.source))]
    cyclic = _rings(live)
    counting = [edge for edge in live if edge.id not in cyclic]
    counted = {edge.id for edge in counting}
    return counting, {edge.payload.target for edge in edges if edge.id not in counted}


def _stands(lineage: Lineage | None) -> bool:
    return lineage is not None and bool(lineage.heads) and lineage.tombstone is None


def _status(lineage: Lineage, superseded: bool) -> Status:
    if not lineage.heads:
        return "void"
    if lineage.tombstone is not None:
        return "retracted" if lineage.tombstone.verb == "retract" else "forgotten"
    if superseded:
        return "superseded"
    return "withdrawn" if lineage.withdrawn else "active"


def _superseded_moments(
    supersedes: Sequence[Relation],
    lineages: Mapping[EntityId, Lineage],
    relations: Mapping[RelationId, Relation],
    cancels: Cancels,
) -> dict[EntityId, list[Moment[bool]]]:
    """Return since when each entity with a replayed history was superseded, and since when not."""
    wanted = watched(lineages, relations) if supersedes else ()
    into = [edge for edge in supersedes if edge.payload.target in wanted]
    if not into:
        return {}
    live = _live_moments(into, lineages, cancels)
    ring_of = _rings(supersedes)
    rings: defaultdict[int, list[Relation]] = defaultdict(list)
    for edge in supersedes:
        if edge.id in ring_of:
            rings[ring_of[edge.id]].append(edge)
    for number in {ring_of[edge.id] for edge in into if edge.id in ring_of}:
        live |= _ring_moments(_live_moments(rings[number], lineages, cancels), rings[number])
    by_target: defaultdict[EntityId, list[list[Moment[bool]]]] = defaultdict(list)
    for edge in into:
        by_target[edge.payload.target].append(live[edge.id])
    return {target: _at_least(1, streams) for target, streams in by_target.items()}


def _live_moments(
    edges: Iterable[Relation], lineages: Mapping[EntityId, Lineage], cancels: Cancels
) -> dict[RelationId, list[Moment[bool]]]:
    """Return since when each edge was effective with a standing source."""
    sources = {edge.payload.source for edge in edges}
    standing = {source: _standing_moments(lineages[source], cancels) for source in sources if source in lineages}
    return {
        edge.id: _at_least(2, [effective_moments(edge, cancels), standing.get(edge.payload.source, [])])
        for edge in edges
    }


def _standing_moments(lineage: Lineage, cancels: Cancels) -> list[Moment[bool]]:
    """Return since when the entity was neither void nor tombstoned."""
    return [Moment(order, at, value.active) for order, at, value in History(lineage, cancels, ()).presence]


def _ring_moments(
    live: Mapping[RelationId, list[Moment[bool]]], edges: Sequence[Relation]
) -> dict[RelationId, list[Moment[bool]]]:
    """Return since when each edge of a ring counted, that is, was live and on no cycle of live edges."""
    if len(edges) > LARGEST_REPLAYED:
        cyclic = _rings(edge for edge in edges if live[edge.id] and live[edge.id][-1].value)
        return {edge.id: [] if edge.id in cyclic else live[edge.id] for edge in edges}
    now: dict[RelationId, Relation] = {}
    moments: dict[RelationId, list[Moment[bool]]] = {edge.id: [] for edge in edges}
    for order, at, changes in instants([live[edge.id] for edge in edges]):
        for number, alive in changes:
            edge = edges[number]
            now = now | {edge.id: edge} if alive else {name: kept for name, kept in now.items() if name != edge.id}
        cyclic = _rings(now.values())
        for name, known in moments.items():
            counts = name in now and name not in cyclic
            if counts != (bool(known) and known[-1].value):
                known.append(Moment(order, at, counts))
    return moments


def _at_least(enough: int, streams: Sequence[list[Moment[bool]]]) -> list[Moment[bool]]:
    """Return since when so many of the streams held, and since when not."""
    holding: set[int] = set()
    moments: list[Moment[bool]] = []
    for order, at, changes in instants(streams):
        for number, holds in changes:
            (holding.add if holds else holding.discard)(number)
        value = len(holding) >= enough
        if value != (bool(moments) and moments[-1].value):
            moments.append(Moment(order, at, value))
    return moments


def _rings(edges: Iterable[Relation]) -> dict[RelationId, int]:
    """Return the edges that are on a cycle, each with the number of its strongly connected component (Kosaraju)."""
    edges = list(edges)
    forward: defaultdict[EntityId, list[EntityId]] = defaultdict(list)
    backward: defaultdict[EntityId, list[EntityId]] = defaultdict(list)
    for edge in edges:
        forward[edge.payload.source].append(edge.payload.target)
        backward[edge.payload.target].append(edge.payload.source)
    ring: dict[EntityId, int] = {}
    for number, root in enumerate(reversed(_by_finish(forward))):
        pending = [] if root in ring else [root]
        while pending:
            node = pending.pop()
            ring[node] = number
            pending += (previous for previous in backward.get(node, ()) if previous not in ring)
    ends = [(edge.id, ring[edge.payload.source], ring[edge.payload.target]) for edge in edges]
    return {name: source for name, source, target in ends if source == target}


def _by_finish(graph: Mapping[EntityId, Sequence[EntityId]]) -> list[EntityId]:
    """Return the nodes in the order in which a depth-first search leaves them."""
    seen: set[EntityId] = set()
    left: list[EntityId] = []
    for root in graph:
        path: list[tuple[EntityId, Iterator[EntityId]]] = []
        step: EntityId | None = None if root in seen else root
        while step is not None or path:
            if step is not None:
                seen.add(step)
                path.append((step, iter(graph.get(step, ()))))
            step = next((node for node in path[-1][1] if node not in seen), None)
            if step is None:
                left.append(path.pop()[0])
    return left
