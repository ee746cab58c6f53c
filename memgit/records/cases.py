"""Conflict cases: the disagreements that a store's operations leave behind. Derived, never stored.

Owns what opens, stales, resolves and reopens a case, and the ids of cases. A case's history is a replay: operation by
operation in the fold's order, a case is open exactly while a fold of the operations so far has it open, and its events
are the operations that changed that. So events are only ever added along that order, never rewritten.

- `contradicts`: an effective relation between two claims sets their greatest heads against each other. It is open
  while both ends are active; another pair of heads stales it and opens a fresh one; an end that is no longer active, or
  the relation's undo, resolves it. An undo may reopen it.
- `fork`: two or more heads of an active entity. Other heads stale it; a revise that names all of them resolves it, and
  so does whatever ends the entity.
- `tombstone`: the heads that the tombstone saw neither themselves nor in a revision made from them. Open until somebody
  acknowledges this very case, or the tombstone or those heads are undone.

Where an end is not active when a relation is put, no case opens; `contradiction_case` still gives an answer for it.
Two entities that share a revision id (no honest writer makes one) may share a fork case: the first by id has it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from memgit.records.codec import canonical_json, digest_of
from memgit.records.effects import Cancels, Effects, Moment, Order, effective_moments, instants
from memgit.records.ids import CaseId, EntityId, OpDigest, RelationId, RevisionId
from memgit.records.op import TOMBSTONE_VERBS
from memgit.records.state import Case, CaseEvent, CaseStatus, Entity, EventKind, Lineage, OpNote, Relation

WIDEST_KEPT = 64
"""A stale case over more heads than this is forgotten: before a fork of n heads there were n - 2 smaller ones."""

_STATUS: dict[EventKind, CaseStatus] = {"opened": "open", "reopened": "open", "staled": "stale", "resolved": "resolved"}


class Presence(NamedTuple):
    """An entity's greatest head, if it was not void, and whether it was active."""

    head: RevisionId | None
    active: bool


def derive_cases(
    lineages: Mapping[EntityId, Lineage],
    relations: Mapping[RelationId, Relation],
    cancels: Cancels,
    superseded: Mapping[EntityId, Sequence[Moment[bool]]],
) -> dict[CaseId, Case]:
    """Return every case, in the order of their ids. `superseded` says since when, for the entities of `watched`."""
    histories: dict[EntityId, History] = {}
    cases: list[Case] = []
    for entity in sorted(watched(lineages, relations)):
        histories[entity] = History(lineages[entity], cancels, superseded.get(entity, ()))
        cases += histories[entity].cases()
    for relation in relations.values():
        if _contradicts(relation, lineages):
            source, target = histories[relation.payload.source], histories[relation.payload.target]
            cases += _contradictions(relation, cancels, source, target)
    return dict(sorted({case.id: case for case in reversed(cases)}.items()))


def watched(lineages: Mapping[EntityId, Lineage], relations: Mapping[RelationId, Relation]) -> set[EntityId]:
    """Return the entities whose history is replayed: the ends of contradictions, and what can conflict by itself."""
    found = {entity for entity, lineage in lineages.items() if not _is_quiet(lineage)}
    for relation in relations.values():
        if _contradicts(relation, lineages):
            found |= {relation.payload.source, relation.payload.target}
    return found


def contradiction_case(
    known: Mapping[CaseId, Case],
    relation: Relation,
    pair: tuple[RevisionId, RevisionId],
    source: Entity,
    target: Entity,
) -> Case | None:
    """Return the case of a relation over a revision of its source and one of its target, be they current or not.

    `known` are the derived cases. A pair that none of them is about has no events; it is resolved where an end or the
    relation is terminal, else stale. None where the relation contradicts no claims or the revisions are not the ends'.
    """
    case = known.get(contradiction_id(relation.id, *pair))
    if case is not None:
        return case
    ends = {relation.payload.source: source.lineage, relation.payload.target: target.lineage}
    seqs = (_seqs(source.lineage), _seqs(target.lineage))
    if not _contradicts(relation, ends) or pair[0] not in seqs[0] or pair[1] not in seqs[1]:
        return None
    status: CaseStatus = "stale" if source.status == target.status == "active" and not relation.void else "resolved"
    return _contradiction(relation, pair, max(seqs[0][pair[0]], seqs[1][pair[1]]), status, ())


def contradiction_id(relation: RelationId, source: RevisionId, target: RevisionId) -> CaseId:
    """Return the id of the case of a contradicts relation over these revisions of its source and its target."""
    return _case_id("contradicts", relation, source, target)


def fork_id(heads: Iterable[RevisionId]) -> CaseId:
    """Return the id of the case over concurrent heads; their order does not matter."""
    return _case_id("fork", sorted(heads))


def tombstone_id(tombstone: OpDigest, unseen: Iterable[RevisionId]) -> CaseId:
    """Return the id of the case over the heads that a tombstone did not see; their order does not matter."""
    return _case_id("tombstone", tombstone, sorted(unseen))


def _case_id(*parts: str | list[RevisionId]) -> CaseId:
    return CaseId(f"case_{digest_of(canonical_json(parts).encode())[:32]}")


def _contradicts(relation: Relation, lineages: Mapping[EntityId, Lineage]) -> bool:
    """Tell whether the relation can open cases: a `contradicts` between two claims that are there."""
    if relation.relation != "contradicts":
        return False
    ends = (lineages.get(relation.payload.source), lineages.get(relation.payload.target))
    return all(end is not None and end.kind == "claim" for end in ends)


def _is_quiet(lineage: Lineage) -> bool:
    """Tell whether the lineage never had a tombstone, nor two heads: each revision was made from the last one too."""
    if len(lineage.ops) == 1:
        return True
    ended = any(note.verb in TOMBSTONE_VERBS for note in lineage.ops)
    return not ended and all(parent.id in child.parents for parent, child in pairwise(lineage.revisions))


def _contradictions(relation: Relation, cancels: Cancels, source: History, target: History) -> Iterator[Case]:
    """Yield the cases that a contradicts relation went through, from the pair that it found."""
    effective = effective_moments(relation, cancels)
    streams = [[Moment(order, at, Presence(None, holds)) for order, at, holds in effective]]
    now = [Presence(None, False)] * 3
    for side, end in ((1, source), (2, target)):
        found = bisect_right(end.presence, effective[0].order, key=lambda moment: moment.order)
        now[side] = end.presence[found - 1].value if found else now[side]
        streams.append(end.presence[found:])
    track = _Track()
    for order, at, changes in instants(streams):
        for side, value in changes:
            now[side] = value
        pair = tuple(end.head for end in now[1:] if end.head is not None)
        track.step(pair if len(pair) == 2 else track.current, all(end.active for end in now), order, at)
    for heads, events in track.events.items():
        seq = max(source.seqs[heads[0]], target.seqs[heads[1]])
        yield _contradiction(relation, heads, seq, _STATUS[events[-1].event], events)


def _contradiction(
    relation: Relation, pair: Sequence[str], seq: int, status: CaseStatus, events: Sequence[CaseEvent]
) -> Case:
    revisions = (RevisionId(pair[0]), RevisionId(pair[1]))
    return Case(
        id=contradiction_id(relation.id, *revisions),
        kind="contradicts",
        status=status,
        sequence=max(relation.seq, seq),
        entities=(relation.payload.source, relation.payload.target),
        revisions=revisions,
        scope=relation.scope,
        relation=relation.id,
        events=tuple(events),
    )


def _seqs(lineage: Lineage) -> dict[str, int]:
    return {revision.id: revision.seq for revision in lineage.revisions}


class _Track:
    """The cases that one disagreement went through, by what they are over. At most one of them is open."""

    def __init__(self) -> None:
        self.events: dict[tuple[str, ...], list[CaseEvent]] = {}
        self.current: tuple[str, ...] | None = None
        self._open = False

    def step(self, key: tuple[str, ...] | None, active: bool, order: Order, at: str) -> None:
        """Record what an operation changed: `key` is what the disagreement is over now, None where it is settled.

        Without `active` an open case is resolved, but not settled: should other heads come back with it, it is stale.
        """
        opened = active and key is not None
        if self.current is not None and opened and key != self.current:
            self._mark(self.current, "staled", order, at)
            if len(self.current) > WIDEST_KEPT:
                del self.events[self.current]
        elif self.current is not None and self._open and not opened:
            self._mark(self.current, "resolved", order, at)
        if key is not None and opened and not (self._open and key == self.current):
            self._mark(key, "reopened" if key in self.events else "opened", order, at)
        if opened or key is None:
            self.current = key
        self._open = opened

    def _mark(self, key: tuple[str, ...], event: EventKind, order: Order, at: str) -> None:
        seq, digest = order
        self.events.setdefault(key, []).append(CaseEvent(event=event, digest=digest, seq=seq, at=at))


class History:
    """One entity replayed: its `presence` over time, and what it disagreed about by itself.

    `superseded` says since when, and since when not.
    """

    def __init__(self, lineage: Lineage, cancels: Cancels, superseded: Sequence[Moment[bool]]) -> None:
        self.presence: list[Moment[Presence]] = []
        self.seqs = _seqs(lineage) | {note.digest: note.seq for note in lineage.ops}
        self._lineage = lineage
        self._forks = _Track()
        self._unseen = _Track()
        self._replay = _Replay(lineage, cancels)
        notes = [Moment((note.seq, note.digest), note.at, note) for note in lineage.ops]
        streams: list[Sequence[Moment[OpNote | bool]]] = [notes, superseded]
        gone = False
        for order, at, changes in instants(streams):
            for _, change in changes:
                if isinstance(change, OpNote):
                    self._replay.arrive(change)
                else:
                    gone = change
            self._step(gone, order, at)

    def cases(self) -> Iterator[Case]:
        """Yield the cases over forks and over heads that a tombstone did not see."""
        for heads, events in self._forks.events.items():
            yield self._case(None, heads, events)
        for (tombstone, *unseen), events in self._unseen.events.items():
            yield self._case(OpDigest(tombstone), unseen, events)

    def _step(self, superseded: bool, order: Order, at: str) -> None:
        heads, unseen = self._replay.heads(), self._replay.unseen()
        now = Presence(heads[-1] if heads else None, self._replay.stands() and not superseded)
        if not self.presence or self.presence[-1].value != now:
            self.presence.append(Moment(order, at, now))
        self._forks.step(heads if len(heads) > 1 else None, now.active, order, at)
        if self._unseen.current is not None and self._unseen.current[:1] != unseen[:1]:
            self._unseen.step(None, False, order, at)  # another tombstone settles what the last one left open
        self._unseen.step(unseen or None, True, order, at)

    def _case(self, tombstone: OpDigest | None, heads: Sequence[str], events: Sequence[CaseEvent]) -> Case:
        revisions = tuple(RevisionId(head) for head in sorted(heads))
        return Case(
            id=fork_id(revisions) if tombstone is None else tombstone_id(tombstone, revisions),
            kind="fork" if tombstone is None else "tombstone",
            status=_STATUS[events[-1].event],
            sequence=max(self.seqs[part] for part in (tombstone or heads[0], *heads)),
            entities=(self._lineage.id,),
            revisions=revisions,
            scope=self._lineage.scope,
            tombstone=tombstone,
            events=tuple(events),
        )


class _Replay:
    """A lineage up to some operation. An arrival costs what it changes, not what there is."""

    def __init__(self, lineage: Lineage, cancels: Cancels) -> None:
        self._revisions = lineage.revisions
        self._place = {revision.id: place for place, revision in enumerate(lineage.revisions)}
        self._notes = {note.digest: note for note in lineage.ops}
        self._effects = Effects(lineage.ops, cancels)
        self._effective: set[int] = set()
        self._covers = [0] * len(lineage.revisions)  # of each revision, the children that are effective or covered
        self._heads: list[int] = []
        self._names: list[RevisionId] = []  # of the heads
        self._tombstones: set[Order] = set()
        self._acknowledged: Counter[CaseId] = Counter()
        self._seen: tuple[OpDigest, set[int]] | None = None  # by the tombstone that is in force

    def arrive(self, note: OpNote) -> None:
        """Take the lineage's next operation."""
        for changed, effective in self._effects.arrive(note):
            if changed.revision is not None:
                self._turn(self._place[changed.revision], effective)
            elif changed.verb in TOMBSTONE_VERBS:
                (self._tombstones.add if effective else self._tombstones.discard)((changed.seq, changed.digest))
            elif changed.case is not None:
                self._acknowledged[changed.case] += 1 if effective else -1

    def stands(self) -> bool:
        """Tell whether the entity is neither void nor tombstoned."""
        return 0 in self._effective and not self._tombstones

    def heads(self) -> tuple[RevisionId, ...]:
        """Return the heads in the fold's order; none where the creating operation is void."""
        return tuple(self._names) if 0 in self._effective else ()

    def unseen(self) -> tuple[str, ...]:
        """Return the tombstone's digest and the heads that it did not see; nothing where nobody need look at them."""
        if not self._tombstones:
            return ()
        digest = min(self._tombstones)[1]
        if self._seen is None or self._seen[0] != digest:
            self._seen = (digest, self._lineage_of(self._notes[digest].parents))
        heads = [head for head in self.heads() if self._place[head] not in self._seen[1]]
        if not heads or (self._acknowledged and self._acknowledged[tombstone_id(digest, heads)] > 0):
            return ()
        return (digest, *heads)

    def _lineage_of(self, revisions: Iterable[RevisionId]) -> set[int]:
        """Return these revisions and all that they were made from."""
        found: set[int] = set()
        pending = list(revisions)
        while pending:
            place = self._place[pending.pop()]
            if place not in found:
                found.add(place)
                pending += self._revisions[place].parents
        return found

    def _turn(self, place: int, effective: bool) -> None:
        """Make a revision effective or void; hand it on to its parents as far as that changes who is a head."""
        (self._effective.add if effective else self._effective.discard)(place)
        if self._covers[place]:
            return
        self._show(place, effective)
        pending = [place]
        while pending:
            for name in self._revisions[pending.pop()].parents:
                parent = self._place[name]
                before = self._covers[parent]
                self._covers[parent] = before + (1 if effective else -1)
                if before and self._covers[parent]:
                    continue
                if parent in self._effective:
                    self._show(parent, not effective)
                else:
                    pending.append(parent)

    def _show(self, place: int, head: bool) -> None:
        at = bisect_left(self._heads, place)
        self._heads[at : at + (not head)] = [place] if head else []
        self._names[at : at + (not head)] = [self._revisions[place].id] if head else []
