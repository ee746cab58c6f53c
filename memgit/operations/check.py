"""`check`: does a change touch code that memory is about, and has somebody looked since? For CI. It only reads.

What a change touches: the text of an anchor is no longer what it was before the change. A text that had changed before
is not this change's. A finding is settled when the claim is confirmed, revised, retracted or superseded after the
change began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct

from memgit.anchors.way import read_path
from memgit.errors import NotFound
from memgit.operations.code_memory import CodeMemory, Here
from memgit.operations.code_states import WORK_TREE, anchor_state, stamp_of
from memgit.operations.invocation import Invocation
from memgit.operations.known_items import KnownItem, is_valid_now, known_item
from memgit.operations.reading import ReadRequest
from memgit.records.ids import EntityId
from memgit.records.op import Anchor
from memgit.retrieval.code_state import AnchorState

if TYPE_CHECKING:
    from memgit.anchors.located import Located
    from memgit.store.objects import ObjectId

_HERE = ("in", "carried")
_LOOKED_BACK = 8  # revisions of one claim, for what an earlier one was tied to
_DEEPEN = "Fetch more of the history: `git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout."


class Check(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Find what is tied to code that a change touches: from where it left `since` to the working tree, or to `at`.

    `ok` is false until each is confirmed, revised, retracted or superseded. `differences` adds what changed, bounded.
    """

    since: str
    at: str | None = None
    differences: bool = False


class CheckFinding(Struct, frozen=True, kw_only=True):
    """One claim or artifact whose code the change touches, with the anchors that say so."""

    item: KnownItem
    anchors: tuple[AnchorState, ...]


class CheckReport(Struct, frozen=True, kw_only=True):
    """What a change leaves to look at. `base` is the commit where the change began, `changed_files` its size.

    `settled` counts what the change touches and somebody looked at since. `notes` say what could not be seen.
    """

    ok: bool
    base: str
    against: str
    changed_files: int
    checked: int
    findings: tuple[CheckFinding, ...]
    settled: int
    notes: tuple[str, ...]


def check(invocation: Invocation, request: Check) -> CheckReport:
    """Return what a change touches and nobody looked at since. Raises NotFound for an unknown revision."""
    with CodeMemory(invocation, request.at) as code:
        return _Change(invocation, request, code).report()


class _Change:
    """One change, from its base to its target."""

    def __init__(self, invocation: Invocation, request: Check, code: CodeMemory) -> None:
        self._invocation = invocation
        self._request = request
        self._code = code
        self._tracer = code.states.tracer()
        self._notes: list[str] = []
        self._items: Sequence[Here] = ()
        self._paths: frozenset[str] = frozenset()
        self._made_on_the_way: set[str] = set()
        self._unchanged_before: set[EntityId] = set()
        self._base = self._where_it_began()

    def report(self) -> CheckReport:
        """Return the whole answer."""
        self._paths = paths = self._tracer.changed_paths(self._base, self._request.at)
        items = [here for here in self._code.everywhere() if is_valid_now(here.entity)] if paths else []
        touched = self._touched(items)
        open_, settled = self._judged(touched)
        in_work_tree = self._request.at is None and self._invocation.repository.work_tree is not None
        return CheckReport(
            ok=not open_,
            base=self._base,
            against=WORK_TREE if in_work_tree else self._target() or "",
            changed_files=len(paths),
            checked=len({here.entity.lineage.id for here in items}),
            findings=tuple(self._finding(many) for many in open_),
            settled=settled,
            notes=tuple(self._notes),
        )

    def _target(self) -> ObjectId | None:
        return self._tracer.commit(self._request.at)

    def _where_it_began(self) -> ObjectId:
        """Return the commit at which the change left `since`. Raises NotFound, with what to do in a shallow clone."""
        history = self._tracer.history
        try:
            since = self._tracer.commit(self._request.since)
        except NotFound as error:
            raise NotFound(error.message, hint=_DEEPEN if history.boundaries() else error.hint) from None
        target = self._target()
        if since is None or target is None:
            raise NotFound("the repository has no commit yet", hint="Commit first; there is no change to check.")
        base = history.merge_base(since, target)
        if base is None:
            self._notes.append(
                f"{self._request.since} and the change have no common commit here, so all that differs between the two "
                f"counts as the change. {_DEEPEN if history.boundaries() else ''}".strip()
            )
        return base or since

    def _touched(self, items: Sequence[Here]) -> list[Here]:
        """Return the anchors whose text is another than before the change."""
        self._items = items
        changed = [here for here in items if not here.located.unchanged]
        if not changed:
            return []
        before = self._tracer.locate_all([item.anchor for item in changed], self._base)
        pairs = list(zip(changed, before, strict=True))
        self._unchanged_before = {item.entity.lineage.id for item, was in pairs if was.unchanged}
        elsewhere = self._code.elsewhere(items) - self._unchanged_before
        if self._tracer.history.boundaries():  # of what is lost, a shallow clone cannot tell that it is elsewhere
            elsewhere -= {item.entity.lineage.id for item, was in pairs if was.place is None and self._is_unseen(item)}
        pairs = [(item, was) for item, was in pairs if item.entity.lineage.id not in elsewhere]
        self._made_on_the_way = self._between({item.anchor.commit for item, _ in pairs if item.anchor.commit})
        judged = [(item, self._is_touched(item, was)) for item, was in pairs]
        self._say_unseen([item for item, is_touched in judged if is_touched is None])
        return [item for item, is_touched in judged if is_touched]

    def _between(self, commits: Set[str]) -> set[str]:
        """Return the commits that the target has and the base has not."""
        later = [name for name, said in self._tracer.reach(commits, self._base).items() if said == "out"]
        return {name for name, said in self._tracer.reach(later, self._target()).items() if said in _HERE}

    def _is_touched(self, item: Here, was: Located) -> bool | None:
        """Tell whether the change touches an anchor's text; None where this clone lacks what would tell."""
        if was.unchanged:
            return True
        if was.place is not None:
            return True if item.located.state == "gone" else self._is_another(was, item.located)
        if self._is_of_the_change(item):  # gone already before, or not yet there
            return True
        return None if self._is_unseen(item) else False

    def _is_unseen(self, item: Here) -> bool:
        """Tell whether an anchor's way may be lost only since this clone lacks a commit, a tree or a text."""
        commit = item.anchor.commit
        is_lost = item.located.state == "gone" and item.located.certainty == "lost"
        return is_lost and commit is not None and (self._is_cut_off or not self._tracer.history.has(commit))

    def _is_another(self, was: Located, now: Located) -> bool | None:
        """Tell whether the whole text at two places differs; None where one of the two is not in this clone."""
        if was.place is None or now.place is None:
            return was.place != now.place
        lines = [(place.start_line, place.end_line) for place in (was.place, now.place)]
        if was.blob is not None and was.blob == now.blob and lines[0] == lines[1]:
            return False
        old, new = self._tracer.text_digest(was, self._base), self._tracer.text_digest(now, self._request.at)
        if old is None or new is None:
            return True if was.place.start_line is None else None
        return old != new

    @cached_property
    def _is_cut_off(self) -> bool:
        """Whether the clone is shallow, or a partial one."""
        packs = self._invocation.repository.common_dir / "objects" / "pack"
        return bool(self._tracer.history.boundaries()) or any(packs.glob("*.promisor"))

    def _say_unseen(self, unseen: Sequence[Here]) -> None:
        names = sorted({item.entity.lineage.id for item in unseen})
        if names:
            shown = ", ".join(names[:5]) + (" and others" if len(names) > 5 else "")
            deepen = _DEEPEN if self._tracer.history.boundaries() else "`git fetch` may bring it."
            self._notes.append(f"the code of {len(names)} could not be found in what this clone has: {shown}. {deepen}")

    def _is_of_the_change(self, item: Here) -> bool:
        """Tell whether an anchor was made on the way from the base, so that its code has changed again since."""
        commit = item.anchor.commit
        if commit is None or item.anchor.blob is None:  # its text was not committed when it was tied
            return item.located.state == "drifted"
        return commit in self._made_on_the_way

    # Who looked since

    def _judged(self, touched: Sequence[Here]) -> tuple[list[list[Here]], int]:
        """Return what is left to look at, by entity, the nearest place first, and how many are settled."""
        by_entity: dict[EntityId, list[Here]] = {}
        for here in touched:
            by_entity.setdefault(here.entity.lineage.id, []).append(here)
        stamps = [stamp_of(one) for many in by_entity.values() for one in many[0].entity.lineage.revisions]
        before = self._tracer.reach([stamp for stamp in stamps if stamp], self._base) if by_entity else {}
        on_the_way = self._between({stamp for stamp in stamps if stamp}) if by_entity else set()
        open_ = [many for many in by_entity.values() if not self._is_looked_at(many, before, on_the_way)]
        looked_at = self._tied_anew({here.entity.lineage.id for here in touched}) + len(by_entity) - len(open_)
        return sorted(open_, key=_place), looked_at

    def _is_looked_at(self, many: Sequence[Here], before: Mapping[str, str], on_the_way: Set[str]) -> bool:
        """Tell whether a claim that was there before the change has been revised since the change began.

        One that was tied to code on the way has to hold what became of it. One that came here without its commit, as a
        squash merge brings it, was there before if its text was; then the revision has to be of this very change.
        """
        lineage, current = many[0].entity.lineage, many[0].entity.current
        if any(self._is_of_the_change(here) for here in many):
            return False
        earlier = [one for one in lineage.revisions if not one.void and one.id != current.id]
        if any(before.get(stamp_of(one), "in") in _HERE for one in earlier):
            return before.get(stamp_of(current)) == "out"
        is_known = lineage.id in self._unchanged_before and any(stamp_of(one) not in on_the_way for one in earlier)
        return is_known and stamp_of(current) in on_the_way

    def _tied_anew(self, touched: set[EntityId]) -> int:
        """Return how many hold the present text where an earlier revision held the one that the change replaced."""
        older: list[tuple[EntityId, Anchor]] = []
        for here in self._items:
            place, name = here.located.place, here.entity.lineage.id
            if place is not None and name not in touched and read_path(place.path, place.path_encoded) in self._paths:
                held = {anchor.text_digest for anchor in here.entity.current.payload.anchors}
                earlier = [one for one in here.entity.lineage.revisions if not one.void][-_LOOKED_BACK:]
                anchors = [anchor for one in earlier for anchor in one.payload.anchors]
                older += [(name, anchor) for anchor in anchors if anchor.text_digest not in held]
        found = self._tracer.locate_all([anchor for _, anchor in older], self._base)
        return len({name for (name, _), was in zip(older, found, strict=True) if was.unchanged})

    def _finding(self, many: Sequence[Here]) -> CheckFinding:
        at = self._request.at
        differences = [
            self._tracer.difference(one.anchor, one.located, at) if self._request.differences else "" for one in many
        ]
        return CheckFinding(
            item=known_item(self._invocation, many[0].entity),
            anchors=tuple(
                anchor_state(one.anchor, one.located, difference or None)
                for one, difference in zip(many, differences, strict=True)
            ),
        )


def _place(many: Sequence[Here]) -> tuple[str, int]:
    place = many[0].located.place or many[0].located.last
    return (place.path, place.start_line or 0) if place is not None else ("", 0)
