"""Which operations are effective, and since when: what undos make of them, one by one in the order of the fold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import groupby
from typing import Generic, NamedTuple, TypeVar

from memgit.records.ids import OpDigest
from memgit.records.state import OpNote, Relation

Cancels = Mapping[OpDigest, tuple[OpDigest, ...]]
"""What each undo names, by the undo's digest: `fold.Folded.cancels` of all entities and relations at hand."""

Order = tuple[int, OpDigest]

V = TypeVar("V", covariant=True)


class Moment(NamedTuple, Generic[V]):
    """What is so from an operation on."""

    order: Order
    at: str
    value: V


def effective_moments(relation: Relation, cancels: Cancels) -> list[Moment[bool]]:
    """Return since when the relation was effective."""
    effects = Effects(relation.ops, cancels)
    return [
        Moment((note.seq, note.digest), note.at, effective)
        for note in relation.ops
        for _, effective in effects.arrive(note)
    ]


def instants(streams: Sequence[Sequence[Moment[V]]]) -> Iterator[tuple[Order, str, list[tuple[int, V]]]]:
    """Merge streams in the fold's order: for each operation its changes, each with the number of its stream."""
    tagged = [(order, at, number, value) for number, stream in enumerate(streams) for order, at, value in stream]
    tagged.sort(key=lambda item: item[0])
    for order, group in groupby(tagged, key=lambda item: item[0]):
        changes = list(group)
        yield order, changes[0][1], [(number, value) for _, _, number, value in changes]


class Effects:
    """Which operations of one entity are effective, as they arrive in the fold's order."""

    def __init__(self, notes: Sequence[OpNote], cancels: Cancels) -> None:
        self._notes = notes
        self._place = {note.digest: place for place, note in enumerate(notes)}
        self._cancels = cancels
        self._against: Counter[OpDigest] = Counter()  # effective undos that name the operation
        self._effective: set[OpDigest] = set()

    def arrive(self, note: OpNote) -> Iterator[tuple[OpNote, bool]]:
        """Yield what the arrival makes effective (True) or void (False), undos aside."""
        pending = [-self._place[note.digest]]
        while pending:  # latest first: an undo stands after what it names, so each is judged once, after its judges
            judged = self._notes[-heappop(pending)]
            effective = not self._against[judged.digest]
            if effective == (judged.digest in self._effective):
                continue
            (self._effective.add if effective else self._effective.discard)(judged.digest)
            if judged.verb != "undo":
                yield judged, effective
            for digest in self._cancels.get(judged.digest, ()):
                self._against[digest] += 1 if effective else -1
                heappush(pending, -self._place[digest])
