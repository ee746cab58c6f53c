"""The difference of two states: empty exactly where they are equal, with every operation that came somewhere in it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given

from memgit.records.fold import fold
from memgit.records.ids import OpDigest
from memgit.records.op import Op
from memgit.records.paths import parse_op_path
from memgit.records.state import State
from memgit.review.changes import SECTIONS, Diff
from memgit.review.compare import semantic_diff
from tests.records.strategies import (
    World,
    acknowledged,
    asserted,
    claim_id,
    law,
    related,
    retracted,
    revised,
    revision_id,
    undone,
    worlds,
)


def accounted(diff: Diff) -> list[OpDigest]:
    """Return the operations that a difference names, as often as it does."""
    found = [op.digest for section in SECTIONS[1:6] for change in getattr(diff, section) for op in change.ops]
    found += [op.digest for op in diff.purged]
    paths = [parse_op_path(problem.path) for problem in diff.ignored]
    return found + [path.digest for path in paths if path is not None]


def compared(before: Iterable[Op], after: Iterable[Op]) -> Diff:
    """Return what the second set of operations has beyond the first."""
    old, new = list(before), list(after)
    known = {op.digest for op in old}
    return semantic_diff(fold(old), fold(new), [op for op in new if op.digest not in known])


@law
@given(worlds())
def test_the_difference_is_empty_exactly_where_the_states_are_equal(world: World) -> None:
    """Nothing that a fold finds is left out, be it an ignored operation; nothing is made up."""
    one, two = world.clones[0], world.clones[1]
    states: list[State] = [fold(clone.ops.values(), world.purged) for clone in (one, two)]
    united = fold([*one.ops.values(), *two.ops.values()], world.purged)
    for before, after in ((states[0], united), (states[0], states[1]), (united, states[1]), (united, united)):
        assert semantic_diff(before, after).is_empty == (before == after)


@law
@given(worlds())
def test_every_operation_that_came_is_accounted_for(world: World) -> None:
    """It counts for an entity, or is ignored, or is kept out by a purge."""
    one, two = world.clones[0], world.clones[1]
    brought = [op for digest, op in two.ops.items() if digest not in one.ops]
    before, after = fold(one.ops.values(), world.purged), fold([*one.ops.values(), *brought], world.purged)
    diff = semantic_diff(before, after, brought)
    assert {op.digest for op in brought} <= set(accounted(diff))
    assert sum(diff.authors.values()) == len(brought) == diff.counts["operations"]


def test_a_new_claim_carries_what_somebody_decides_by() -> None:
    """Text, type, citation, author, and the operation."""
    (change,) = compared([], [asserted(1, 1)]).claims
    assert (change.change, change.text, change.about, change.statuses) == (
        "new",
        "water is wet",
        "fact",
        (None, "active"),
    )
    assert change.citation == f"memoree://claim/{claim_id(1)}@{revision_id(1)}"
    assert change.author == "Ada <ada@example.org>"
    assert [op.verb for op in change.ops] == ["assert"]


@pytest.mark.parametrize(
    ("more", "verb"),
    [
        ([revised(2, 1, 11, 1)], "revised"),
        ([retracted(2, 1, 1, reason="no longer so")], "retracted"),
        ([undone(2, asserted(1, 1))], "undone"),
        ([asserted(2, 2), related(3, 1, "supersedes", claim_id(2), claim_id(1))], "superseded"),
        ([asserted(2, 2), related(3, 1, "contradicts", claim_id(2), claim_id(1))], "disputed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_became_of_a_claim(more: list[Op], verb: str) -> None:
    """The weightiest of what happened names the change."""
    changes = {change.id: change for change in compared([asserted(1, 1)], [asserted(1, 1), *more]).claims}
    assert changes[claim_id(1)].change == verb
    assert (verb != "retracted") or changes[claim_id(1)].reason == "no longer so"


def test_conflicts_that_would_open_are_listed_with_both_sides() -> None:
    """A retraction over an edit that it did not see, and what acknowledging it does."""
    common = [asserted(1, 1)]
    ours = [*common, revised(2, 1, 11, 1)]
    united = [*ours, retracted(2, 1, 1)]
    (case,) = compared(ours, united).conflicts
    assert (case.kind, case.change, [side.revision for side in case.sides]) == (
        "tombstone",
        "opened",
        [revision_id(11)],
    )
    settled = compared(united, [*united, acknowledged(3, 1, case.id)])
    assert [(one.change, one.id) for one in settled.conflicts] == [("resolved", case.id)]
    assert settled.counts["conflicts.resolved"] == 1


def test_sections_are_the_lists_of_a_difference() -> None:
    """Whoever bounds or renders a difference walks all of it."""
    lists = {name for name, value in ((name, getattr(Diff(), name)) for name in Diff.__struct_fields__) if value == ()}
    assert lists == set(SECTIONS)
