"""Which operations of one entity count, and what its undos make void: the first half of the fold.

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

from collections.abc import Sequence
from typing import NamedTuple

from memgit.records.ids import OpDigest, RevisionId
from memgit.records.op import CREATING_VERBS, TOMBSTONE_VERBS, Op
from memgit.records.paths import OpPath
from memgit.records.state import Problem


class Counted(NamedTuple):
    """An operation that counts, and those of its parents that are known."""

    op: Op
    parents: tuple[RevisionId, ...]


def count(ops: Sequence[Op]) -> Tally:
    """Return what counts among one entity's operations, in the fold's order, the creating one first."""
    ordered = sorted({op.digest: op for op in ops}.values(), key=_order) if len(ops) > 1 else ops
    creator = next((op for op in ordered if op.verb in CREATING_VERBS and op.payload is not None), None)
    tally = Tally(creator)
    for op in ordered:
        tally.take(op)
    return tally


def _order(op: Op) -> tuple[int, str]:
    return (op.seq, op.digest)


class Tally:
    """What counts among one entity's operations, taken one by one in the fold's order."""

    __slots__ = ("_creator", "_made", "_problems", "_seqs", "cancels", "counted")

    def __init__(self, creator: Op | None) -> None:
        self.counted: list[Counted] = []
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
        self.counted.append(Counted(op, parents))
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


def void_of(cancels: dict[OpDigest, tuple[OpDigest, ...]]) -> set[OpDigest]:
    """Return what an effective undo cancels. What can cancel an undo stands after it, so one pass back is enough."""
    void: set[OpDigest] = set()
    for digest in reversed(cancels):
        if digest not in void:
            void.update(cancels[digest])
    return void
