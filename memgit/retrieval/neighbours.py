"""What was said around a claim: its session's turns in their order, as far as this request may see them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from memgit.index.analysis import analyse
from memgit.records.conversation import Saying, saying
from memgit.records.ids import EntityId
from memgit.records.op import ClaimPayload, Scope
from memgit.records.state import Entity, Revision
from memgit.retrieval.fusion import REACH
from memgit.retrieval.query import Query
from memgit.retrieval.view import View

_ROLES = frozenset({"agent", "assistant", "human", "system", "tool", "user"})
"""Names of roles that some logs give as speakers: in a query they are words like any other."""

_QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")

SessionKey = tuple[Scope, str]


@dataclass(frozen=True, slots=True)
class Turn:
    """A claim that was said in a session: its current text, and its place there. `asks`: it is one turn that asks."""

    entity: Entity
    revision: Revision
    saying: Saying
    session: SessionKey
    asks: bool
    length: int  # in words, as they are written


@dataclass(slots=True)
class Conversations:
    """The sessions that the claims of one request belong to. Looks each claim and each session up once."""

    view: View
    _turns: dict[EntityId, Turn | None] = field(default_factory=dict)
    _members: dict[SessionKey, tuple[EntityId, ...]] = field(default_factory=dict)
    _places: dict[EntityId, int] = field(default_factory=dict)
    _around: dict[EntityId, tuple[tuple[int, Turn], ...]] = field(default_factory=dict)

    def turn(self, entity_id: EntityId) -> Turn | None:
        """Return a claim as a turn; None for what was said in no session, is not active, or out of sight."""
        if entity_id not in self._turns:
            entity = self.view.entity(entity_id)
            self._turns[entity_id] = _turn(entity) if entity is not None and self.view.sees(entity) else None
        return self._turns[entity_id]

    def around(self, turn: Turn) -> tuple[tuple[int, Turn], ...]:
        """Return what was said up to REACH turns before and after, with its distance, the turn itself left out."""
        name = turn.entity.lineage.id
        if name not in self._around:
            self._around[name] = tuple(self._look_around(turn, name))
        return self._around[name]

    def _look_around(self, turn: Turn, name: EntityId) -> Iterator[tuple[int, Turn]]:
        members = self._session(turn.session)
        place = self._places.get(name)
        if place is None:
            return
        for other in range(max(0, place - REACH), min(len(members), place + REACH + 1)):
            found = self.turn(members[other]) if other != place else None
            if found is not None:
                yield other - place, found

    def _session(self, key: SessionKey) -> tuple[EntityId, ...]:
        if key not in self._members:
            members = tuple(self.view.session(*key))
            self._members[key] = members
            self._places |= {member: place for place, member in enumerate(members)}
        return self._members[key]


def speakers_in(query: Query, turns: list[Turn]) -> tuple[frozenset[str], str | None]:
    """Return the words of the query that name speakers of these turns, and the speaker where it names only one."""
    asked = {unit.name for unit in query.units}
    named: dict[str, frozenset[str]] = {}
    for speaker in {speaker for turn in turns for speaker in turn.saying.speakers}:
        words = (analyse(speaker).surfaces & asked) - _ROLES
        if words:
            named[speaker] = words
    return frozenset().union(*named.values()), next(iter(named)) if len(named) == 1 else None


def _turn(entity: Entity) -> Turn | None:
    payload = entity.current.payload
    if entity.status != "active" or not isinstance(payload, ClaimPayload):
        return None
    said = saying(payload.markers)
    if said is None:
        return None
    text = payload.statement or ""
    alone = said.turns is None or said.turns.first == said.turns.last
    asks = alone and any(mark in text for mark in _QUESTION_MARKS)
    return Turn(entity, entity.current, said, (entity.lineage.scope, said.session), asks, len(text.split()))
