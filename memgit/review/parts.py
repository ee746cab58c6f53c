"""From trees to a difference: what two places of a store's history hold, read as far as they differ.

A merge is a union, so the second place is looked at together with the first: what comes is what it has and the first
has not, and nothing ever goes, but for a purge. The conflicts are those that open over both together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from memgit.errors import FormatTooNew, StoreCorrupt
from memgit.index.state_cache import StateCache
from memgit.records import codec
from memgit.records.codec import PurgeMarker, StoreRecord
from memgit.records.ids import EntityId, OpDigest, RelationId, kind_of
from memgit.records.links import component, derive
from memgit.records.op import Op
from memgit.records.paths import DIRECTORY_BY_KIND, OpPath, is_wellformed, parse_op_path
from memgit.records.state import Lineage, Problem, Projection, Relation, Source, State
from memgit.review.changes import Diff, PurgeChange, StoreChange
from memgit.review.compare import counted, semantic_diff
from memgit.review.sides import Ops, Side, Trees, cached_side, overlaid, tree_side
from memgit.store.objects import ObjectId
from memgit.store.snapshot import Snapshot

MOST_ENTITIES = 5_000
"""How many entities one difference reads, at about a millisecond each. Nobody reviews more; the rest is counted."""


@dataclass(slots=True)
class Arrival:
    """The files that one side has and the other has not, by what they are."""

    ops: list[OpPath] = field(default_factory=list)
    stores: list[StoreChange] = field(default_factory=list)
    purges: list[PurgeChange] = field(default_factory=list)
    faults: list[Problem] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


def diff_trees(before: Trees, after: Trees, tip: Trees, state: StateCache | None, *, full: bool = False) -> Diff:
    """Return what `after` would bring to `before`. `state` is that of `tip`, the clone's own store; both may be empty.

    `full`: with all lines of the documents. Raises StoreCorrupt where a directory or a purge marker is lost.
    """
    arrival = arrivals(before, after)
    union = Trees([*before.snapshots, *after.snapshots])
    purged = union.purged()
    names, unread = _looked_at(arrival.ops)
    names |= purged - before.purged()
    changed = {name: union.ops(name) for name in sorted(names)}
    old = side_of(before, tip, state)
    states = part_states(old, overlaid(old, changed, purged), names)
    came = {path.digest for path in arrival.ops}
    brought = [op for ops, _ in changed.values() for op in ops if op.digest in came]
    found = semantic_diff(*states, brought, union.blob, full=full)
    whole = msgspec.structs.replace(
        found,
        stores=tuple(arrival.stores),
        purges=tuple(arrival.purges),
        ignored=(*found.ignored, *arrival.faults),
    )
    counts = {f"{section}.unread": count for section, count in unread.items()}
    return counted(
        msgspec.structs.replace(whole, counts=counts, left_out=unread), operations=len(arrival.ops), **arrival.counts
    )


def diff_ops(state: StateCache, trees: Trees, changed: Mapping[EntityId, Ops], brought: Iterable[Op]) -> Diff:
    """Return what it would do to the trees, whose state is cached, if the operations of some entities were these."""
    old = cached_side(state, trees)
    return semantic_diff(*part_states(old, overlaid(old, changed), changed), brought)


def side_of(trees: Trees, tip: Trees, state: StateCache | None) -> Side:
    """Return the state of trees, from the cache where that holds just this commit."""
    seen = state.watermark if state is not None else None
    if state is not None and seen is not None and [one.commit_id for one in trees.snapshots] == [seen.commit_id]:
        return cached_side(state, trees)
    return tree_side(trees, tip, state)


def part_states(before: Side, after: Side, names: Collection[EntityId]) -> tuple[State, State]:
    """Return both states of everything that operations of these entities reach; all else is equal in both."""
    start = {name for name in names if name.startswith(("clm_", "art_"))}
    relations = [RelationId(name) for name in names if name.startswith("rel_")]
    for side in (before, after):
        for name in relations:
            value = side.folded(name).value
            if isinstance(value, Relation):
                start |= {value.payload.source, value.payload.target}
    members: set[EntityId] = set()
    while members != start:  # until what is closed in one state is closed in the other
        members = start
        start = component(component(members, before.joined)[0], after.joined)[0]
    wanted = sorted(members)
    return _state(before, wanted, names), _state(after, wanted, names)


def arrivals(before: Trees, after: Trees) -> Arrival:
    """Return what `after` has and `before` has not, file by file."""
    found = Arrival()
    for file in after.beyond(before):
        if file.clashes:
            reason = "the same path holds other bytes here; no memgit writes that"
            found.faults.append(Problem(path=file.path, reason=reason))
        else:
            _sort(found, file.snapshot, file.path, file.oid)
    return found


def _looked_at(ops: Iterable[OpPath]) -> tuple[set[EntityId], dict[str, int]]:
    """Return the entities that are read, the newest of very many, and how many of each section are not."""
    latest: dict[EntityId, int] = {}
    for path in ops:
        latest[path.entity] = max(path.seq, latest.get(path.entity, 0))
    order = sorted(latest, key=lambda name: (latest[name], name), reverse=True)
    left = Counter(DIRECTORY_BY_KIND[kind_of(name)] for name in order[MOST_ENTITIES:])
    return set(order[:MOST_ENTITIES]), dict(left)


def _sort(found: Arrival, snapshot: Snapshot, path: str, oid: ObjectId) -> None:
    """Put a file where it belongs."""
    top = path.partition("/")[0]
    op = parse_op_path(path)
    if op is not None:
        found.ops.append(op)
    elif not is_wellformed(path):
        found.faults.append(Problem(path=path, reason="no memgit writes a file like this"))
    elif top in ("stores", "purges"):
        try:
            found_record = _record(snapshot, path, oid)
        except (StoreCorrupt, FormatTooNew) as error:
            found.faults.append(Problem(path=path, reason=error.message))
            return
        if isinstance(found_record, StoreChange):
            found.stores.append(found_record)
        else:
            found.purges.append(found_record)
    elif top in ("blobs", "receipts"):
        found.counts[top] += 1


def _record(snapshot: Snapshot, path: str, oid: ObjectId) -> StoreChange | PurgeChange:
    data, digest = snapshot.read_file(oid), path.rpartition("/")[2].removesuffix(".yaml")
    if path.startswith("purges/"):
        marker = codec.decode_record(data, digest, PurgeMarker)
        return PurgeChange(entities=tuple(marker.entities), at=marker.at, reason=marker.reason)
    record = codec.decode_record(data, digest, StoreRecord)
    return StoreChange(
        store=record.store,
        workspace=record.workspace,
        project=record.project,
        at=record.at,
        alias_of=record.alias_of,
    )


def _state(side: Side, members: Sequence[EntityId], names: Collection[EntityId]) -> State:
    folded = {name: side.folded(name) for name in members}
    lineages = {name: value for name, one in folded.items() if isinstance(value := one.value, Lineage)}
    joining = {relation.id: relation for name in members for relation in side.joined(name)}
    cancels: dict[OpDigest, tuple[OpDigest, ...]] = {}
    for name in (*members, *joining):
        cancels.update(side.folded(name).cancels)
    entities, cases = derive(lineages, joining, cancels)
    values = {name: side.folded(name).value for name in names}
    problems = [problem for name in names for problem in side.folded(name).problems]
    return State(
        entities=entities,
        relations={value.id: value for value in values.values() if isinstance(value, Relation)},
        sources={name: value for name, value in values.items() if isinstance(value, Source)},
        projections={name: value for name, value in values.items() if isinstance(value, Projection)},
        cases=cases,
        problems=tuple(sorted(problems, key=lambda problem: problem.path)),
    )
