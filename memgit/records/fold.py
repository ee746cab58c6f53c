"""Operations in, state out: a pure function of the *set* of operations, in the one order (seq, digest).

Owns what one entity is by its own operations. Which of them count is `tally`, what entities do to one another is
`links`, what they disagree about is `cases`. It never fails on an operation: one that breaks a rule is ignored and
reported as a `Problem`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence, Set
from itertools import groupby
from operator import attrgetter
from typing import Generic, TypeVar

from msgspec import Struct

from memgit.records.ids import CaseId, EntityId, OpDigest, RelationId, RevisionId
from memgit.records.links import derive
from memgit.records.op import (
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
from memgit.records.state import Lineage, OpNote, Problem, Projection, Relation, Revision, Source, State, Tombstone
from memgit.records.tally import Counted, count, void_of

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
    tally = count(ops)
    value = _lineage(tally.counted, void_of(tally.cancels)) if tally.counted else None
    return Folded(value, tally.reported(), tally.cancels)


def fold_relation(ops: Sequence[Op]) -> Folded[Relation]:
    """Return the relation that its operations, in any order, add up to."""
    tally = count(ops)
    value = _relation(tally.counted, void_of(tally.cancels)) if tally.counted else None
    return Folded(value, tally.reported(), tally.cancels)


def fold_source(ops: Sequence[Op]) -> Folded[Source]:
    """Return the source that its operations, in any order, add up to."""
    tally = count(ops)
    value = _source(tally.counted, void_of(tally.cancels)) if tally.counted else None
    return Folded(value, tally.reported(), tally.cancels)


def fold_projection(ops: Sequence[Op]) -> Folded[Projection]:
    """Return the projection that its operations, in any order, add up to."""
    tally = count(ops)
    value = _projection(tally.counted, void_of(tally.cancels)) if tally.counted else None
    return Folded(value, tally.reported(), tally.cancels)


def _lineage(counted: Sequence[Counted], void: Set[OpDigest]) -> Lineage:
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


def _revisions(counted: Sequence[Counted], void: Set[OpDigest]) -> tuple[Revision, ...]:
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


def _tombstone(counted: Sequence[Counted], void: Set[OpDigest]) -> Tombstone | None:
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


def _acknowledged(counted: Sequence[Counted], void: Set[OpDigest]) -> tuple[CaseId, ...]:
    cases = [
        op.payload.case for op, _ in counted if isinstance(op.payload, AcknowledgePayload) and op.digest not in void
    ]
    return tuple(sorted(set(cases))) if cases else ()


def _withdrawn(counted: Sequence[Counted], void: Set[OpDigest]) -> bool:
    """Tell whether the last effective word is a withdrawal: an item that comes again is there again."""
    for op, _ in reversed(counted):
        if op.digest not in void and (op.verb == "withdraw" or op.revision is not None):
            return op.verb == "withdraw"
    return False


def _relation(counted: Sequence[Counted], void: Set[OpDigest]) -> Relation:
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


def _source(counted: Sequence[Counted], void: Set[OpDigest]) -> Source:
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


def _projection(counted: Sequence[Counted], void: Set[OpDigest]) -> Projection:
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


def _notes(counted: Sequence[Counted], void: Set[OpDigest]) -> tuple[OpNote, ...]:
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
