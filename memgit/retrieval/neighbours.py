"""What was said around a claim: its session's turns in their order, as far as this request may see them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from memgit.index.analysis import analyse
from memgit.records.conversation import Saying, Turns, saying
from memgit.records.ids import EntityId
from memgit.records.op import ClaimPayload, Scope
from memgit.records.state import Entity, Revision
from memgit.retrieval.fusion import REACH
from memgit.retrieval.query import Query
from memgit.retrieval.view import View

_ROLES = frozenset({"agent", "assistant", "human", "system", "tool", "user"})
"""Names of roles that some logs give as speakers: in a query they are words like any other."""

_QUESTION_MARKS = ("?", "\uff1f", "\u061f", "\u037e")

_BLOCK = 64
"""Turns that are looked up at once, with as many before and after: most sessions at one go, and of one that goes on for
ever only the surroundings. Claims of more than 21 turns each have fewer neighbours than they could."""

SessionKey = tuple[Scope, str]
_Block = tuple[tuple[EntityId, ...], dict[EntityId, int]]


@dataclass(frozen=True, slots=True)
class Turn:
    """A claim that was said in a session: its current text, and its place there. `asks`: it is one turn that asks."""

    entity: Entity
    revision: Revision
    saying: Saying
    turns: Turns
    session: SessionKey
    asks: bool
    length: int  # in words, as they are written


@dataclass(slots=True)
class Conversations:
    """The sessions that the claims of one request belong to. Looks each claim and each block of turns up once."""

    view: View
    _turns: dict[EntityId, Turn | None] = field(default_factory=dict)
    _blocks: dict[tuple[SessionKey, int], _Block] = field(default_factory=dict)

    def turn(self, entity_id: EntityId) -> Turn | None:
        """Return a claim as a turn; None for what has no place in a session, is not active, or out of sight."""
        if entity_id not in self._turns:
            entity = self.view.entity(entity_id)
            self._turns[entity_id] = _turn(entity) if entity is not None and self.view.sees(entity) else None
        return self._turns[entity_id]

    def around(self, turn: Turn) -> tuple[tuple[int, EntityId], ...]:
        """Return the claims up to REACH places before and after, with their distances, whatever their status."""
        members, places = self._block(turn.session, turn.turns.first // _BLOCK)
        place = places.get(turn.entity.lineage.id)
        if place is None:
            return ()
        reach = range(max(0, place - REACH), min(len(members), place + REACH + 1))
        return tuple((other - place, members[other]) for other in reach if other != place)

    def _block(self, session: SessionKey, number: int) -> _Block:
        """Return the claims of some turns in their order, with their places."""
        if (session, number) not in self._blocks:
            first, last = (number - 1) * _BLOCK, (number + 2) * _BLOCK - 1
            members = tuple(self.view.session(*session, first, last))
            self._blocks[session, number] = (members, {member: place for place, member in enumerate(members)})
        return self._blocks[session, number]


def speakers_in(query: Query, turns: Iterable[Turn]) -> tuple[frozenset[str], str | None]:
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
    if said is None or said.turns is None:
        return None
    text = payload.statement or ""
    asks = said.turns.first == said.turns.last and any(mark in text for mark in _QUESTION_MARKS)
    key = (entity.lineage.scope, said.session)
    return Turn(entity, entity.current, said, said.turns, key, asks, len(text.split()))
