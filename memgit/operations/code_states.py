"""What became of the code behind an answer's items: added after retrieval, which neither qualifies nor ranks by it.

Nothing of the anchors' room is loaded where no item has an anchor and each was written at a commit that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from memgit.errors import MemgitError
from memgit.operations.invocation import Invocation
from memgit.operations.reading import CodeRequest
from memgit.operations.stamp_reach import StampReach
from memgit.records.ids import EntityId
from memgit.records.op import Anchor
from memgit.records.state import Entity, Revision
from memgit.retrieval.code_state import AnchorState, CodePlace, CodeState, CodeWord

if TYPE_CHECKING:
    from memgit.anchors.located import Located, Place
    from memgit.anchors.tracer import Tracer

_WORST: tuple[CodeWord, ...] = ("gone", "drifted", "moved", "fresh")
WORK_TREE = "the working tree"


class CodeChoice(Struct, frozen=True, kw_only=True):
    """What a request wants to know of code. `at`: against this revision. `merged_only`: without unmerged branches."""

    at: str | None = None
    differences: bool = False
    merged_only: bool = False


class CodeStates:
    """Tells of revisions of one store what became of their code. Close it."""

    def __init__(
        self, place: Invocation, choice: CodeChoice | None = None, warn: Callable[[str], None] | None = None
    ) -> None:
        self._place = place
        self._warn = warn or place.warnings.append
        self._choice = choice or CodeChoice()
        self._opened: Tracer | None = None
        self._reach: StampReach | None = None

    def __enter__(self) -> CodeStates:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release what was opened."""
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    def tracer(self) -> Tracer:
        """Return the tracer of the repository, opened when it is first needed."""
        if self._opened is None:
            self._opened = open_tracer(self._place)
        return self._opened

    def reach(self) -> StampReach:
        """Return what tells how far the history that is looked at has a commit. Raises NotFound for `at`."""
        if self._reach is None:
            self._reach = StampReach(self._place.repository, self.tracer, self._choice.at)
        return self._reach

    def of(self, revisions: Sequence[Revision]) -> list[CodeState | None]:
        """Return what became of the code behind revisions, in their order; None where there is nothing to say.

        Raises NotFound for an unknown `at`. What else goes wrong becomes a warning: an answer is worth more than this.
        """
        reach = self.reach()
        try:
            located = self._located(revisions)
            reached = reach.of(stamp_of(revision) for revision in revisions if stamp_of(revision))
        except MemgitError as error:
            self._warn(f"the state of the code is not known: {error.message}")
            return [None] * len(revisions)
        return [self._state(one, located[number], reached) for number, one in enumerate(revisions)]

    def is_merged(self, revision: Revision) -> bool:
        """Tell whether a revision may be shown where only what is merged is wanted."""
        stamp = stamp_of(revision)
        if not stamp or self.reach().of([stamp]).get(stamp, "in") in ("in", "carried"):
            return True
        found = self._located([revision])[0]
        return bool(found) and all(item.unchanged for _, item in found)

    def _located(self, revisions: Sequence[Revision]) -> list[list[tuple[Anchor, Located]]]:
        flat = [anchor for revision in revisions for anchor in revision.payload.anchors]
        found = iter(self.tracer().locate_all(flat, self._choice.at)) if flat else iter(())
        return [[(anchor, next(found)) for anchor in revision.payload.anchors] for revision in revisions]

    def _state(
        self, revision: Revision, located: list[tuple[Anchor, Located]], reached: dict[str, str]
    ) -> CodeState | None:
        unreached = reached.get(stamp_of(revision), "in") in ("out", "unknown")
        is_there = bool(located) and all(item.unchanged for _, item in located)
        is_elsewhere = unreached and not is_there
        if not located and not is_elsewhere:
            return None
        anchors = tuple(self._anchor(anchor, item) for anchor, item in located)
        code = revision.code
        return CodeState(
            state=worst(item.state for item in anchors),
            against=self._against() if located else None,
            anchors=anchors,
            branch=(code.branch or code.head) if is_elsewhere and code is not None else None,
            merged=None if not is_elsewhere else "unknown" if reached[stamp_of(revision)] == "unknown" else "no",
        )

    def _against(self) -> str | None:
        if self._choice.at is None and self._place.repository.work_tree is not None:
            return WORK_TREE
        return self.reach().target

    def _anchor(self, anchor: Anchor, item: Located) -> AnchorState:
        difference = self.tracer().difference(anchor, item, self._choice.at) if self._choice.differences else ""
        return anchor_state(anchor, item, difference or None)


def code_state(invocation: Invocation, revision: Revision, request: CodeRequest) -> CodeState | None:
    """Return what became of the code behind one revision. Raises NotFound for an unknown `at`."""
    with CodeStates(invocation, CodeChoice(at=request.at, differences=request.differences)) as states:
        return states.of([revision])[0]


def open_tracer(place: Invocation) -> Tracer:
    """Return the tracer of a request's repository, with the rewrites that Git's hooks told of. Close it."""
    from memgit.anchors.tracer import Tracer
    from memgit.checkpoints.rewrites import rewrites

    return Tracer(place.repository, rewrites=rewrites(place.repository))


def anchor_state(anchor: Anchor, item: Located, difference: str | None = None) -> AnchorState:
    """Return what is said of one anchor, as answers say it."""
    return AnchorState(
        state=item.state,
        certainty=item.certainty,
        said=item.why,
        was=place_of(anchor),
        symbol=anchor.symbol,
        commit=anchor.commit if anchor.path is None else None,
        now=code_place(item.place),
        ended_by=item.ended_by,
        others=tuple(found for other in item.others if (found := code_place(other)) is not None),
        difference=difference,
    )


def place_of(anchor: Anchor) -> CodePlace | None:
    """Return the place that an anchor was made at; None of one to a commit."""
    if anchor.path is None:
        return None
    return CodePlace(
        path=anchor.path, path_encoded=anchor.path_encoded, start_line=anchor.start_line, end_line=anchor.end_line
    )


def code_place(place: Place | None) -> CodePlace | None:
    """Return a place as answers say it."""
    if place is None:
        return None
    return CodePlace(
        path=place.path, path_encoded=place.path_encoded, start_line=place.start_line, end_line=place.end_line
    )


def worst(states: Iterable[CodeWord]) -> CodeWord | None:
    """Return the state that deserves most attention; None of nothing."""
    return min(states, key=_WORST.index, default=None)


def stamp_of(revision: Revision) -> str:
    """Return the commit at which a revision was written; nothing where there was none."""
    return (revision.code.head or "") if revision.code is not None else ""


def choice_at(invocation: Invocation, place: Invocation, choice: CodeChoice) -> CodeChoice:
    """Return what is wanted of a store's code: a revision of the asker's repository means nothing in another one."""
    if place is invocation or choice.at is None:
        return choice
    return CodeChoice(differences=choice.differences, merged_only=choice.merged_only)


def merged_only(states: CodeStates, look: Callable[[EntityId], Entity | None]) -> Callable[[EntityId], Entity | None]:
    """Return a look-up that does not see what comes from branches that the history does not have."""

    def entity(name: EntityId) -> Entity | None:
        found = look(name)
        return found if found is None or states.is_merged(found.current) else None

    return entity
