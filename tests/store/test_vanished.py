"""What a commit dropped of its parents' files, as far as the trees can be compared."""

from __future__ import annotations

import pytest

from memgit.errors import StoreCorrupt
from memgit.store.objects import ObjectId
from memgit.store.vanished import dropped_parents
from tests.conftest import MakeRepository
from tests.store.scenario import REF, git, loose_path, new_store, write


def test_a_tree_that_is_missing_is_no_proof_of_anything(repository: MakeRepository) -> None:
    """Where a tree of the difference is gone, that is said; it is not taken for a commit that dropped nothing."""
    store = new_store(repository())
    write(store, "one")
    write(store, "two")
    root = store.repository.root
    tip = ObjectId(git(root, "rev-parse", REF))
    assert dropped_parents(store.repository, store.database, [tip]) == []
    loose_path(store, ObjectId(git(root, "rev-parse", f"{REF}:claims"))).unlink()

    with pytest.raises(StoreCorrupt, match="compared"):
        dropped_parents(store.repository, store.database, [tip])
