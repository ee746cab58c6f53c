"""Operations in, state out: a pure function of the *set* of operations, in the one order (seq, digest).

Owns which operations count, what an undo makes void, and what one entity is by its own operations. What entities do to
one another is `links`, what they disagree about is `cases`. It never fails on an operation: one that breaks a rule is
ignored and reported as a `Problem`.

An operation counts if
- its verb is known for its kind;
- it is the entity's creating operation, the first in order, or stands after it with the same scope;
- it makes no revision that an operation before it made;
- as a `revise`, it names a known parent; as an `undo`, it names a known operation. Known means: of the same entity,
  itself counted, with a *smaller* seq. A writer's seq is above all that it saw, so nothing honest is lost, and neither
  lineages nor undos can run in circles, whatever ids and digests somebody makes up.

A revise that names unknown parents among known ones counts, as a child of those that are known: to drop it would hide
an edit that somebody was told is safe. A tombstone counts in any case. Both are reported all the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set
from itertools import groupby
from operator import attrgetter
from typing import Generic, NamedTuple, TypeVar

from msgspec import Struct

from memgit.records.ids import CaseId, EntityId, OpDigest, RelationId, RevisionId
from memgit.records.links import derive
from memgit.records.op import (
    CREATING_VERBS,
    TOMBSTONE_VERBS,
    AcknowledgePayload,
    ArtifactPayload,
    CheckpointPayload,
    ClaimPayload,
    Op,
    ProjectionPayload,
    ReasonPayload,
    RelationPayload,
    SourcePayload,
)
from memgit.records.paths import OpPath
from memgit.records.state import Lineage, OpNote, Problem, Projection, Relation, Revision, Source, State, Tombstone

T = TypeVar("T", Lineage, Relation, Source, Projection)
Value = Lineage | Relation | Source | Projection


class Folded(Struct, Generic[T], frozen=True):
    """What one entity's operations add up to. `value` is None where none of them creates it.

    `cancels` is what each undo names, as far as that is known; `links.derive` dates events with it.
    """

    value: T | None
    problems: tuple[Problem, ...] = ()
    cancels: dict[OpDigest, tuple[OpDigest, ...]] = {}


def fold(ops: Iterable[Op], purged: Collection[EntityId] = ()) -> State:
    """Return the state that the operations add up to, as if those of purged entities had never been.

    The order of `ops` and repetitions do not matter. Mappings are in the order of their ids, problems in that of paths.
    """
    gone = frozenset(purged)
    left = sorted((op for op in ops if op.entity not in gone), key=attrgetter("entity"))
    lineages: dict[EntityId, Lineage] = {}
    relations: dict[RelationId, Relation] = {}
    sources: dict[EntityId, Source] = {}
    projections: dict[EntityId, Projection] = {}
    cancels: dict[OpDigest, tuple[OpDigest, ...]] = {}
    problems: list[Problem] = []
    for entity, group in groupby(left, key=attrgetter("entity")):
        folded = fold_entity(list(group))
        match folded.value:
            case Lineage():
                lineages[entity] = folded.value
            case Relation():
                relations[folded.value.id] = folded.value
            case Source():
                sources[entity] = folded.value
            case Projection():
                projections[entity] = folded.value
        cancels.update(folded.cancels)
        problems += folded.problems
    entities, cases = derive(lineages, relations, cancels)
    problems.sort(key=lambda problem: problem.path)
    return State(
        entities=entities,
        relations=relations,
        cases=cases,
        problems=tuple(problems),
        sources=sources,
        projections=projections,
    )


def fold_entity(
    ops: Sequence[Op],
) -> Folded[Lineage] | Folded[Relation] | Folded[Source] | Folded[Projection]:
    """Return what the operations (one or more, in any order) of one entity of any kind add up to."""
    match ops[0].kind:
        case "relation":
            return fold_relation(ops)
        case "source":
            return fold_source(ops)
        case "projection":
            return fold_projection(ops)
        case _:
            return fold_lineage(ops)


def fold_lineage(ops: Sequence[Op]) -> Folded[Lineage]:
    """Return the claim or artifact that its operations, in any order, add up to."""
    tally = _count(ops)
    value = _lineage(tally.counted, _void(tally.cancels)) if tally.counted else None
    return Folded(value, tally.reported(), tally.cancels)


def fold_relation(ops: Sequence[Op]) -> Folded[Relation]:
    """Return the relation that its operations, in any order, add up to."""
    tally = _count(ops)
    value = _relation(tally.counted, _void(tally.cancels)) if tally.counted else None
    return Folded(value, tally.reported(), tally.cancels)


def fold_source(ops: Sequence[Op]) -> Folded[Source]:
    """Return the source that its operations, in any order, add up to."""
    tally = _count(ops)
    value = _source(tally.counted, _void(tally.cancels)) if tally.counted else None
    return Folded(value, tally.reported(), tally.cancels)


def fold_projection(ops: Sequence[Op]) -> Folded[Projection]:
    """Return the projection that its operations, in any order, add up to."""
    tally = _count(ops)
    value = _projection(tally.counted, _void(tally.cancels)) if tally.counted else None
    return Folded(value, tally.reported(), tally.cancels)


class _Counted(NamedTuple):
    """An operation that counts, and those of its parents that are known."""

    op: Op
    parents: tuple[RevisionId, ...]


def _count(ops: Sequence[Op]) -> _Tally:
    """Return the operations that count, in the fold's order, the creating one first."""
    ordered = sorted({op.digest: op for op in ops}.values(), key=_order) if len(ops) > 1 else ops
    creator = next((op for op in ordered if op.verb in CREATING_VERBS and op.payload is not None), None)
    tally = _Tally(creator)
    for op in ordered:
        tally.take(op)
    return tally


def _order(op: Op) -> tuple[int, str]:
    return (op.seq, op.digest)


class _Tally:
    """What counts among one entity's operations, taken one by one in the fold's order."""

    __slots__ = ("_creator", "_made", "_problems", "_seqs", "cancels", "counted")

    def __init__(self, creator: Op | None) -> None:
        self.counted: list[_Counted] = []
        self.cancels: dict[OpDigest, tuple[OpDigest, ...]] = {}
        self._creator = creator
        self._problems: list[Problem] = []
        self._made: dict[RevisionId, int] = {}
        self._seqs: dict[OpDigest, int] = {}

    def take(self, op: Op) -> None:
        """Count the operation, or report it."""
        parents = op.parents and tuple(name for name in op.parents if self._made.get(name, op.seq) < op.seq)
        cancels = op.cancels and tuple(digest for digest in op.cancels if self._seqs.get(digest, op.seq) < op.seq)
        fault = self._place_fault(op) or self._reference_fault(op, parents, cancels)
        if fault is not None:
            self._report(op, fault)
            return
        if parents != op.parents and (op.verb == "revise" or op.verb in TOMBSTONE_VERBS):
            self._report(op, "it counts, but names revisions that are not known")
        self.counted.append(_Counted(op, parents))
        self._seqs[op.digest] = op.seq
        if op.revision is not None:
            self._made[op.revision] = op.seq
        if op.verb == "undo":
            self.cancels[op.digest] = cancels

    def reported(self) -> tuple[Problem, ...]:
        """Return the problems by path."""
        return tuple(sorted(self._problems, key=lambda problem: problem.path)) if self._problems else ()

    def _place_fault(self, op: Op) -> str | None:
        if op.payload is None:
            return f"this version does not know the verb {op.verb!r} of a {op.kind}"
        if op is self._creator:
            return None
        if self._creator is None:
            return "nothing creates the entity"
        if op.verb in CREATING_VERBS:
            return f"the entity was created before, by {self._creator.digest}"
        if _order(op) < _order(self._creator):
            return "it comes before the operation that creates the entity"
        if op.scope != self._creator.scope:
            return "its scope is not the entity's"
        return None

    def _reference_fault(self, op: Op, parents: tuple[RevisionId, ...], cancels: tuple[OpDigest, ...]) -> str | None:
        if op.revision is not None and op.revision in self._made:
            return f"the revision {op.revision} was made before"
        if op.verb == "revise" and not parents:
            return "none of its parents is known"
        if op.verb == "undo" and not cancels:
            return "none of the operations that it cancels is known"
        return None

    def _report(self, op: Op, reason: str) -> None:
        self._problems.append(Problem(path=OpPath(op.entity, op.seq, op.verb, op.digest).path, reason=reason))


def _void(cancels: dict[OpDigest, tuple[OpDigest, ...]]) -> set[OpDigest]:
    """Return what an effective undo cancels. What can cancel an undo stands after it, so one pass back is enough."""
    void: set[OpDigest] = set()
    for digest in reversed(cancels):
        if digest not in void:
            void.update(cancels[digest])
    return void


def _lineage(counted: Sequence[_Counted], void: Set[OpDigest]) -> Lineage:
    first = counted[0].op
    revisions = _revisions(counted, void)
    return Lineage(
        id=first.entity,
        kind=first.kind,
        scope=first.scope,
        created_seq=first.seq,
        created_at=first.at,
        updated_seq=counted[-1].op.seq,
        revisions=revisions,
        heads=_heads(revisions),
        tombstone=_tombstone(counted, void),
        ops=_notes(counted, void),
        acknowledged=_acknowledged(counted, void),
        withdrawn=_withdrawn(counted, void),
    )


def _revisions(counted: Sequence[_Counted], void: Set[OpDigest]) -> tuple[Revision, ...]:
    numbers: dict[RevisionId, int] = {}
    revisions: list[Revision] = []
    for op, parents in counted:
        if op.revision is None:
            continue
        assert isinstance(op.payload, ClaimPayload | ArtifactPayload)
        number = 1 + max([numbers[parent] for parent in parents], default=0)
        numbers[op.revision] = number
        revisions.append(
            Revision(
                id=op.revision,
                number=number,
                seq=op.seq,
                digest=op.digest,
                at=op.at,
                actor=op.actor,
                payload=op.payload,
                parents=parents,
                code=op.code,
                blob=op.blob,
                void=op.digest in void,
            )
        )
    return tuple(revisions)


def _heads(revisions: Sequence[Revision]) -> tuple[RevisionId, ...]:
    """Return the effective revisions without an effective child; none where the creating one is void.

    Backwards, since children stand after their parents: a revision hands being covered on to its parents if it is
    effective, or void and itself covered.
    """
    if revisions[0].void:
        return ()
    if len(revisions) == 1:
        return (revisions[0].id,)
    covered: set[RevisionId] = set()
    heads: list[RevisionId] = []
    for revision in reversed(revisions):
        if not revision.void and revision.id not in covered:
            heads.append(revision.id)
        if not revision.void or revision.id in covered:
            covered.update(revision.parents)
    return tuple(reversed(heads))


def _tombstone(counted: Sequence[_Counted], void: Set[OpDigest]) -> Tombstone | None:
    """Return the first effective tombstone: whoever came later found the entity ended, or could not know."""
    for op, parents in counted:
        if op.verb in TOMBSTONE_VERBS and op.digest not in void:
            assert isinstance(op.payload, ReasonPayload)
            return Tombstone(
                digest=op.digest,
                seq=op.seq,
                at=op.at,
                actor=op.actor,
                verb="retract" if op.verb == "retract" else "forget",
                reason=op.payload.reason,
                heads=parents,
            )
    return None


def _acknowledged(counted: Sequence[_Counted], void: Set[OpDigest]) -> tuple[CaseId, ...]:
    cases = [
        op.payload.case for op, _ in counted if isinstance(op.payload, AcknowledgePayload) and op.digest not in void
    ]
    return tuple(sorted(set(cases))) if cases else ()


def _withdrawn(counted: Sequence[_Counted], void: Set[OpDigest]) -> bool:
    """Tell whether the last effective word is a withdrawal: an item that comes again is there again."""
    for op, _ in reversed(counted):
        if op.digest not in void and (op.verb == "withdraw" or op.revision is not None):
            return op.verb == "withdraw"
    return False


def _relation(counted: Sequence[_Counted], void: Set[OpDigest]) -> Relation:
    put = counted[0].op
    assert isinstance(put.payload, RelationPayload)
    return Relation(
        id=RelationId(put.entity),
        scope=put.scope,
        seq=put.seq,
        digest=put.digest,
        at=put.at,
        actor=put.actor,
        payload=put.payload,
        code=put.code,
        void=put.digest in void,
        ops=_notes(counted, void),
    )


def _source(counted: Sequence[_Counted], void: Set[OpDigest]) -> Source:
    made = counted[0].op
    assert isinstance(made.payload, SourcePayload)
    checks = [op for op, _ in counted if isinstance(op.payload, CheckpointPayload) and op.digest not in void]
    last = checks[-1] if checks else None
    return Source(
        id=made.entity,
        scope=made.scope,
        seq=made.seq,
        digest=made.digest,
        at=made.at,
        actor=made.actor,
        payload=made.payload,
        checkpoint=last.payload if last is not None and isinstance(last.payload, CheckpointPayload) else None,
        checked_at=last.at if last is not None else None,
        void=made.digest in void,
        ops=_notes(counted, void),
    )


def _projection(counted: Sequence[_Counted], void: Set[OpDigest]) -> Projection:
    put = counted[0].op
    assert isinstance(put.payload, ProjectionPayload)
    return Projection(
        id=put.entity,
        scope=put.scope,
        seq=put.seq,
        digest=put.digest,
        at=put.at,
        actor=put.actor,
        payload=put.payload,
        dropped=any(op.verb == "drop" and op.digest not in void for op, _ in counted),
        void=put.digest in void,
        ops=_notes(counted, void),
    )


def _notes(counted: Sequence[_Counted], void: Set[OpDigest]) -> tuple[OpNote, ...]:
    notes = [
        OpNote(
            digest=op.digest,
            seq=op.seq,
            at=op.at,
            verb=op.verb,
            void=op.digest in void,
            revision=op.revision,
            parents=parents,
            case=op.payload.case if isinstance(op.payload, AcknowledgePayload) else None,
        )
        for op, parents in counted
    ]
    return tuple(notes)
