"""Whose each part of a revision is, in any store."""

from __future__ import annotations

from hypothesis import given

from memgit.records.fold import fold
from memgit.review.blame import ancestry, field_owners
from memgit.review.fields import fields_of
from tests.records.strategies import World, law, worlds


@law
@given(worlds())
def test_every_field_is_of_a_revision_that_says_it(world: World) -> None:
    """The owner leads to the revision, says the field, and none of its own parents does."""
    ops = {digest: op for clone in world.clones for digest, op in clone.ops.items()}
    for entity in fold(ops.values(), world.purged).entities.values():
        known = {revision.id: revision for revision in entity.lineage.revisions}
        for revision in entity.lineage.revisions:
            revisions, parents = ancestry(entity.lineage, revision.id)
            names = {one.id for one in revisions}
            owned = field_owners(revisions, parents)
            assert [field for field, _ in owned] == fields_of(revision.payload)
            for field, owner in owned:
                assert owner in names and field in fields_of(known[owner].payload)
                assert not any(field in fields_of(known[name].payload) for name in parents[owner] if name in names)
