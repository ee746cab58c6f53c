"""The memory of one store as the code sees it: live anchors by where they are now, claims by when they were written.

The two indexes behind it are derived; each request brings them to the state that it observes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from memgit.errors import StoreBusy
from memgit.index.code_index import CodeIndex
from memgit.index.refresh import touched_since
from memgit.operations.code_states import CodeChoice, CodeStates, stamp_of
from memgit.operations.invocation import Invocation
from memgit.records.ids import EntityId
from memgit.records.op import Anchor
from memgit.records.state import Entity
from memgit.store.private import combination

if TYPE_CHECKING:
    from memgit.anchors.located import Located
    from memgit.anchors.place_index import PlaceIndex, Tied

_COMBINATIONS = 3  # of layers whose anchors are kept side by side
_Watermarks = dict[str, str]  # by combination: its commit


@dataclass(frozen=True, slots=True)
class Here:
    """One anchor of a live entity that the request's context shows, and where it is now."""

    entity: Entity
    position: int
    anchor: Anchor
    located: Located


class CodeMemory:
    """One request's look at code. `at`: as a revision has it, instead of the working tree. Close it."""

    def __init__(self, invocation: Invocation, at: str | None = None) -> None:
        self._invocation = invocation
        self.at = at
        self.states = CodeStates(invocation, CodeChoice(at=at))
        self._suffix = combination(invocation.sight)
        self._index: CodeIndex | None = None
        self._beside: dict[str, list[Here]] = {}

    def __enter__(self) -> CodeMemory:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release what was opened."""
        self.states.close()
        if self._index is not None:
            self._index.close()
            self._index = None

    @property
    def holds_anchors(self) -> bool:
        """Whether anything may be tied to code; where not, there is nothing to open."""
        return self._invocation.state.holds_anchors()

    @property
    def index(self) -> CodeIndex:
        """Claims by the commits at which they were written, and by what they cite."""
        self._follow_index(self.notebook)
        return self.notebook

    @property
    def notebook(self) -> CodeIndex:
        """The same index, wherever it is: what is kept in it under a name needs no more."""
        if self._index is None:
            self._index = CodeIndex(self._invocation.repository.cache_dir, self._suffix)
        return self._index

    @cached_property
    def places(self) -> PlaceIndex:
        """Live anchors by where they are, brought to the state that the request observes."""
        from memgit.anchors.place_index import PlaceIndex

        places = PlaceIndex(self.states.tracer())
        try:
            self._follow_places(places)
        except sqlite3.OperationalError as error:
            raise StoreBusy(f"the index of anchors is in use: {error}") from None
        return places

    def everywhere(self, target: str | None = None) -> list[Here]:
        """Return all live anchors of the context, with where each is. Raises NotFound for an unknown revision."""
        return list(self.here(self.places.located(target or self.at))) if self.holds_anchors else []

    def tied(self, path: str, start: int | None = None, end: int | None = None) -> list[Tied]:
        """Return the live anchors that are in a file now, or on these lines of it; whose they are is not looked at."""
        return self.places.at(path, start, end, self.at) if self.holds_anchors else []

    def on(self, path: str) -> list[Here]:
        """Return the live anchors of the context that are in a file at HEAD (or `at`), as they are now.

        What moves between files without a commit stays in its old file here: to know better, Git has to look through
        the whole working tree, which takes too long for whoever only opens a file.
        """
        if not self.holds_anchors or self.states.reach().target is None:
            return []
        from memgit.anchors.place_index import Tied

        ties = [item.tie for item in self.places.at(path, target=self.at or "HEAD")]
        located = self.states.tracer().locate_named({tie.name: tie.anchor for tie in ties}, self.at)
        return list(self.here(Tied(tie, located[tie.name]) for tie in ties))

    def beside(self, directory: str) -> list[Here]:
        """Return the live anchors of the context whose file was directly in a directory, and still is (or is gone)."""
        if directory not in self._beside:
            self._beside[directory] = self._found_beside(_written(directory)) if self.holds_anchors else []
        return self._beside[directory]

    def _found_beside(self, directory: str) -> list[Here]:
        state, sees = self._invocation.state, self._invocation.sees
        named = [(name, state.entity(name)) for name in self.index.anchored_in(directory)]
        there = [one for name, one in named if one is not None and sees(one.lineage.scope, name)]
        anchors = [
            (one, position, anchor)
            for one in there
            for position, anchor in enumerate(one.current.payload.anchors)
            if _is_in(anchor.path, directory)
        ]
        located = self.states.tracer().locate_all([anchor for _, _, anchor in anchors], self.at) if anchors else []
        found = [Here(*item, where) for item, where in zip(anchors, located, strict=True)]
        return [item for item in found if _is_there(item.located, directory)]

    def elsewhere(self, items: Sequence[Here]) -> set[EntityId]:
        """Return the entities among these that come from a branch which the history does not have.

        What holds unchanged text of this history belongs to it, however it came here. Where this clone does not know
        the commit, a place that was found is enough: nobody can tell that it is another branch's.
        """
        reach = self.states.reach()
        entities = {item.entity.lineage.id: item for item in items}
        stamps = {name: stamp_of(item.entity.current) for name, item in entities.items()}
        reached = reach.of(stamp for stamp in stamps.values() if stamp)
        there = {item.entity.lineage.id for item in items if item.located.unchanged}
        found = {item.entity.lineage.id for item in items if item.located.place is not None}
        not_elsewhere = {"out": there, "unknown": there | found}
        return {
            name
            for name, stamp in stamps.items()
            if (said := reached.get(stamp, "in")) in not_elsewhere and name not in not_elsewhere[said]
        }

    def here(self, tied: Iterable[Tied]) -> Iterator[Here]:
        """Yield what the request's context shows, with its entity, one by one."""
        state, sees = self._invocation.state, self._invocation.sees
        known: dict[str, Entity | None] = {}
        for tie, located in tied:
            name, _, suffix = tie.owner.partition(".")
            if suffix != self._suffix.removeprefix("."):
                continue
            if name not in known:
                entity = state.entity(EntityId(name))
                known[name] = entity if entity is not None and sees(entity.lineage.scope, name) else None
            entity = known[name]
            if entity is not None:
                yield Here(entity, tie.position, tie.anchor, located)

    # Following the store

    def _commit(self) -> str:
        seen = self._invocation.state.watermark
        assert seen is not None
        return seen.commit_id

    def _changed(self, seen: str) -> Mapping[EntityId, Entity | None] | None:
        """Return what may have changed since a commit; None where all may have."""
        state = self._invocation.state
        touched = touched_since(seen, self._invocation.snapshot(), state)
        return None if touched is None else {name: state.entity(name) for name in sorted(touched)}

    def _follow_index(self, index: CodeIndex) -> None:
        commit, seen = self._commit(), index.watermark
        if seen == commit:
            return
        changed = self._changed(seen) if seen is not None else None
        try:
            if changed is None:
                index.replace(self._invocation.state.entities(), commit)
            else:
                index.follow(changed, commit)
        except sqlite3.OperationalError as error:
            raise StoreBusy(f"the index of claims by commit is in use: {error}") from None

    def _follow_places(self, places: PlaceIndex) -> None:
        commit, marks = self._commit(), _watermarks(places.watermark)
        seen = marks.get(self._suffix)
        if seen == commit:
            return
        changed = self._changed(seen) if seen is not None else None
        marks[self._suffix] = commit
        left_out = [name for name in marks if name != self._suffix][: max(0, len(marks) - _COMBINATIONS)]
        marks = {name: mark for name, mark in marks.items() if name not in left_out}
        ended: list[str] = []
        if changed is None or left_out:
            emptied = {*left_out, *([self._suffix] if changed is None else [])}
            owners = {tie.owner for tie in places.all()}
            ended += [owner for owner in owners if owner[_ID_CHARACTERS:] in emptied]
        live = self._invocation.state.anchored() if changed is None else _there(changed)
        ties = {f"{one.lineage.id}{self._suffix}": one.current.payload.anchors for one in live if _is_live(one)}
        ended += [f"{name}{self._suffix}" for name in changed or ()]
        places.follow(ties, ended, json.dumps(marks))


_ID_CHARACTERS = 30  # of an entity's id; the combination follows


def _watermarks(text: str | None) -> _Watermarks:
    try:
        found = json.loads(text) if text is not None else {}
    except ValueError:
        return {}
    return dict(found) if isinstance(found, dict) else {}


def _there(changed: Mapping[EntityId, Entity | None]) -> Iterator[Entity]:
    return (entity for entity in changed.values() if entity is not None)


def _is_live(entity: Entity) -> bool:
    return entity.status == "active" and bool(entity.current.payload.anchors)


def _written(path: str) -> str:
    """Return a path as anchors hold it."""
    from memgit.anchors.way import written_path

    return written_path(path)[0]


def _is_in(path: str | None, directory: str) -> bool:
    return path is not None and path.rpartition("/")[0] == directory


def _is_there(located: Located, directory: str) -> bool:
    place = located.place or located.last
    return place is not None and _is_in(place.path, directory)
