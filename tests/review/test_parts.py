"""From trees to a difference: what is read is what differs, and it is what two whole folds would say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given, settings

from memgit.index.state_cache import StateCache
from memgit.records.codec import encode_op
from memgit.records.fold import fold
from memgit.records.op import Op
from memgit.review import parts as review_parts
from memgit.review.bounds import bounded
from memgit.review.changes import Diff
from memgit.review.compare import semantic_diff
from memgit.review.parts import diff_trees
from memgit.review.sides import Trees
from memgit.store.database import Database
from memgit.store.snapshot import Snapshot
from tests.index.trees import open_database, write_snapshot
from tests.records.strategies import Clone, World, asserted, claim_id, path_of, worlds


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """Objects that every example adds to."""
    found = open_database(tmp_path_factory.mktemp("objects") / "store.git")
    yield found
    found.backend.close()


def snapshot_of(database: Database, clone: Clone) -> Snapshot:
    """Return a clone's tree as a commit."""
    return write_snapshot(database, clone.files, max([op.seq for op in clone.ops.values()], default=1))


def whole(before: list[Clone], after: list[Clone]) -> Diff:
    """Return the difference by two whole folds, without what a folded state does not hold."""
    both = [*before, *after]
    old, new = united(before), united(both)
    known, purged = {op.digest for op in old}, [entity for clone in both for entity in clone.purged]
    gone = {entity for clone in before for entity in clone.purged}
    return plain(semantic_diff(fold(old, gone), fold(new, purged), [op for op in new if op.digest not in known]))


def united(clones: list[Clone]) -> list[Op]:
    return list({digest: op for clone in clones for digest, op in clone.ops.items()}.values())


def plain(diff: Diff) -> Diff:
    """Return a difference without the parts that come from trees alone."""
    artifacts = tuple(msgspec.structs.replace(change, content=None) for change in diff.artifacts)
    return msgspec.structs.replace(diff, artifacts=artifacts, stores=(), purges=(), counts={})


def parts(database: Database, before: list[Clone], after: list[Clone], own: Clone | None) -> Diff:
    """Return the difference as it is read from trees, with the folded state of `own` at hand."""
    with TemporaryDirectory() as directory:
        tip, state = Trees([], database), None
        if own is not None:
            tip, state = Trees([snapshot_of(database, own)], database), StateCache(Path(directory))
            state.refresh(tip.snapshots[0])
        sides = [Trees([snapshot_of(database, clone) for clone in clones], database) for clones in (before, after)]
        found = diff_trees(*sides, tip, state)
        if state is not None:
            state.close()
    return plain(found)


@settings(settings.get_profile("records"), max_examples=30)
@given(worlds())
def test_a_part_says_what_two_whole_folds_say(database: Database, world: World) -> None:
    """Whatever the own state knows: it is the first side, a third one, or not there."""
    one, two, three = world.clones
    for own in (one, three, None):
        assert parts(database, [one], [two], own) == whole([one], [two])
    assert parts(database, [one, three], [two], one) == whole([one, three], [two])
    assert parts(database, [one], [two, three], one) == whole([one], [two, three])


def test_of_very_many_entities_the_newest_are_read(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest is counted, by section, and a bound on the answer adds to that."""
    monkeypatch.setattr(review_parts, "MOST_ENTITIES", 3)
    world = World()
    clone = world.clones[0]
    for number in range(1, 9):
        op = asserted(number, number)
        clone.files[path_of(op)] = encode_op(op)[1]
    found = diff_trees(Trees([], database), Trees([snapshot_of(database, clone)], database), Trees([], database), None)
    assert {change.id for change in found.claims} == {claim_id(number) for number in (6, 7, 8)}
    assert (found.counts["claims.new"], found.counts["claims.unread"], found.left_out) == (3, 5, {"claims": 5})
    assert found.counts["operations"] == 8
    assert bounded(found, 10).left_out["claims"] == 8


def test_nothing_differs_from_itself(database: Database) -> None:
    """The same tree twice is an empty difference, with nothing read."""
    clone = World().clones[0]
    assert parts(database, [clone], [clone], clone).is_empty
