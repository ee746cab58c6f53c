"""`stale`: what is tied to code that has changed or is gone, the worst first.

A changed text makes nothing false: it says that nobody has looked since. What comes from a branch that the history does
not have is counted, not listed: its code is elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from memgit.operations import checks
from memgit.operations.code_memory import CodeMemory, Here
from memgit.operations.code_states import WORK_TREE, anchor_state
from memgit.operations.cursor import not_a_cursor
from memgit.operations.invocation import Invocation
from memgit.operations.known_items import KnownItem, known_item
from memgit.operations.reading import ReadRequest
from memgit.records.ids import EntityId
from memgit.retrieval.code_state import AnchorState

Grade = tuple[int, int]
"""How bad an anchor's state is: the lower, the worse."""

_STATES = {"gone": 0, "drifted": 1}
_CERTAINTY = {"certain": 0, "likely": 1, "lost": 2}
_CURSOR = re.compile(r"([01])\.([0-2])\.([0-9a-z_]{1,40})")


class Stale(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List what is tied to code that has changed (`drifted`) or is `gone`, in the working tree or `at` a revision.

    `differences` adds what changed, bounded.
    """

    state: Literal["drifted", "gone"] | None = None
    at: str | None = None
    differences: bool = False
    limit: int = 20
    cursor: str | None = None


class StaleItem(Struct, frozen=True, kw_only=True):
    """One claim or artifact with those of its anchors that are not as they were."""

    item: KnownItem
    state: Literal["drifted", "gone"]
    anchors: tuple[AnchorState, ...]


class StalePage(Struct, frozen=True, kw_only=True):
    """The worst first: gone before drifted, what is certain before what is likely.

    `fresh`, `drifted` and `gone` count what has anchors by its worst one; moved code counts as fresh. `unmerged` counts
    what comes from branches that the history does not have. `next_cursor` is None on the last page.
    """

    against: str
    items: tuple[StaleItem, ...]
    fresh: int
    drifted: int
    gone: int
    unmerged: int
    next_cursor: str | None


class Graded(Struct, frozen=True, kw_only=True):
    """What has anchors, by entity: the stale ones with their grades, and the counts."""

    stale: dict[EntityId, tuple[Grade, list[Here]]]
    fresh: int
    unmerged: int

    def count(self, state: Literal["drifted", "gone"]) -> int:
        """Return how many have this as their worst state."""
        return sum(grade[0] == _STATES[state] for grade, _ in self.stale.values())


def stale(invocation: Invocation, request: Stale) -> StalePage:
    """Return a page of what deserves a look. Raises NotFound for an unknown revision, InvalidRequest."""
    checks.page_limit(request.limit)
    after = _after(request.cursor)
    with CodeMemory(invocation, request.at) as code:
        found = graded(code, code.everywhere())
        wanted = None if request.state is None else _STATES[request.state]
        ordered = sorted((grade, name) for name, (grade, _) in found.stale.items() if wanted in (None, grade[0]))
        left = [(grade, name) for grade, name in ordered if after is None or (grade, name) > after]
        page = left[: request.limit]
        tracer = code.states.tracer if request.differences else None
        items = []
        for grade, name in page:
            here = found.stale[name][1]
            differences = [tracer().difference(one.anchor, one.located, request.at) if tracer else "" for one in here]
            items.append(_item(invocation, grade, here, differences))
        against = _against(invocation, code, request.at)
    last = page[-1] if len(left) > len(page) else None
    return StalePage(
        against=against,
        items=tuple(items),
        fresh=found.fresh,
        drifted=found.count("drifted"),
        gone=found.count("gone"),
        unmerged=found.unmerged,
        next_cursor=f"{last[0][0]}.{last[0][1]}.{last[1]}" if last is not None else None,
    )


def graded(code: CodeMemory, items: Sequence[Here]) -> Graded:
    """Return entities by how bad their worst anchor is; what the history does not have is only counted."""
    elsewhere = code.elsewhere(items) if items else set()
    by_entity: dict[EntityId, list[Here]] = {}
    for here in items:
        if here.entity.lineage.id not in elsewhere:
            by_entity.setdefault(here.entity.lineage.id, []).append(here)
    worst: dict[EntityId, tuple[Grade, list[Here]]] = {}
    for name, many in by_entity.items():
        bad = [here for here in many if not here.located.unchanged]
        if bad:
            worst[name] = (min(map(_grade, bad)), sorted(bad, key=_grade))
    return Graded(stale=worst, fresh=len(by_entity) - len(worst), unmerged=len(elsewhere))


def _grade(here: Here) -> Grade:
    return (_STATES[here.located.state], _CERTAINTY[here.located.certainty])


def _item(invocation: Invocation, grade: Grade, here: Sequence[Here], differences: Sequence[str]) -> StaleItem:
    pairs = zip(here, differences, strict=True)
    return StaleItem(
        item=known_item(invocation, here[0].entity),
        state="gone" if grade[0] == _STATES["gone"] else "drifted",
        anchors=tuple(anchor_state(one.anchor, one.located, difference or None) for one, difference in pairs),
    )


def _against(invocation: Invocation, code: CodeMemory, at: str | None) -> str:
    if at is None and invocation.repository.work_tree is not None:
        return WORK_TREE
    return code.states.reach().target or "nothing: there is no commit yet"


def _after(cursor: str | None) -> tuple[Grade, str] | None:
    if cursor is None:
        return None
    match = _CURSOR.fullmatch(cursor)
    if match is None:
        raise not_a_cursor(cursor)
    return (int(match[1]), int(match[2])), match[3]
