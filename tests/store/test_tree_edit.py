"""Adding files to a tree: the result is the tree that Git makes of the same files, and nothing is stored by asking."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.errors import StoreCorrupt
from memgit.store.database import Database
from memgit.store.objects import ObjectId, TreeItem, encode_tree
from memgit.store.store import Store
from memgit.store.tree_edit import add_files
from tests.conftest import MakeRepository
from tests.store.scenario import git, new_store, open_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store whose objects the tests may add to."""
    path = tmp_path_factory.mktemp("trees")
    git(path, "init", "-q")
    return new_store(path)


def blobs(store: Store, files: Mapping[str, bytes]) -> dict[str, ObjectId]:
    """Write the files' contents and return their ids."""
    made = {path: store.database.make("blob", data) for path, data in files.items()}
    store.database.write(made.values())
    return {path: item.oid for path, item in made.items()}


def listing(store: Store, tree: ObjectId) -> dict[str, str]:
    """Return the files of a tree as Git lists them."""
    lines = git(store.repository.root, "ls-tree", "-r", "-z", tree).split("\0")
    return {line.partition("\t")[2]: line.split()[2] for line in lines if line}


# Few names, so that paths meet: what is a directory to one is a file to the next.
parts = st.sampled_from(["a", "b", "c.yaml", "ab", "a.b", "a-b"])
paths = st.lists(parts, min_size=1, max_size=4).map("/".join)
files = st.dictionaries(paths, st.sampled_from([b"1", b"2"]), max_size=8)


def has_clash(paths: list[str]) -> bool:
    """Tell whether a path is a file and a directory at once."""
    return any(other.startswith(f"{path}/") for path in paths for other in paths)


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(first=files, second=files)
def test_adding_is_the_union(store: Store, first: dict[str, bytes], second: dict[str, bytes]) -> None:
    """Adding in two steps, in either order or at once gives one tree; what contradicts itself is StoreCorrupt."""
    both = {**first, **second}
    contradicts = has_clash(list(both)) or any(second[path] != first[path] for path in first.keys() & second.keys())
    oids = blobs(store, {**first, **second})
    steps = [{path: oids[path] for path in side} for side in (first, second)]

    def added(root: ObjectId | None, step: dict[str, ObjectId]) -> ObjectId:
        oid, created = add_files(store.database, root, step)
        store.database.write(created)
        return oid

    if contradicts:
        with pytest.raises(StoreCorrupt):
            added(added(None, blobs(store, first)), blobs(store, second))
        return
    one_by_one = added(added(None, steps[0]), steps[1])

    assert one_by_one == added(added(None, steps[1]), steps[0]) == added(None, {**steps[0], **steps[1]})
    assert one_by_one == added(one_by_one, steps[0])
    assert listing(store, one_by_one) == {path: oids[path] for path in both}


def test_nothing_new_makes_nothing(store: Store) -> None:
    """Files that are there already create no object and leave the root as it is."""
    oids = blobs(store, {"a/b/c": b"1", "d": b"2"})
    root, created = add_files(store.database, None, oids)
    store.database.write(created)

    assert add_files(store.database, root, oids) == (root, [])
    assert add_files(store.database, root, {}) == (root, [])


def test_children_come_before_their_parents(store: Store) -> None:
    """Objects are written in an order in which each finds its children stored."""
    _, created = add_files(store.database, None, blobs(store, {"a/b/c": b"1", "a/d": b"2"}))

    for place, item in enumerate(created):
        children = store.database.tree(item.oid).values()
        later = {other.oid for other in created[place:]}
        assert not any(child.oid in later for child in children)


def test_asking_stores_nothing(repository: MakeRepository) -> None:
    """The new trees are values; whether they are stored is the writer's business."""
    store = new_store(repository())
    root, created = add_files(store.database, None, blobs(store, {"some/where": b"1"}))

    assert created and not any(store.backend.contains(item.oid) for item in created)
    assert store.database.tree(root) == {"some": TreeItem(created[0].oid, True, b"40000")}


def test_a_large_directory_is_spliced_exactly(store: Store) -> None:
    """Replacing a subtree in the old bytes gives the bytes that encoding all entries anew gives."""
    many = blobs(store, {f"{number:02x}/x": b"%d" % number for number in range(256)})
    root, created = add_files(store.database, None, many)
    store.database.write(created)

    changed, created = add_files(store.database, root, blobs(store, {"7f/y": b"new", "00/y": b"new", "ff/y": b"new"}))

    assert store.database.tree_data(changed) == encode_tree(store.database.tree(changed))
    assert created[-1].oid == changed
    store.database.write(created)
    fresh = Database(open_store(store.repository.root).backend, store.database.log)
    assert fresh.tree(changed) == store.database.tree(changed)


@pytest.mark.parametrize(
    ("present", "added"),
    [("a", "a/b"), ("a/b", "a"), ("a/b/c", "a/b/c/d"), ("a/b/c", "a/b")],
)
def test_a_file_against_a_directory(store: Store, present: str, added: str) -> None:
    """A path that is one of the two stays that; the error names it."""
    root, created = add_files(store.database, None, blobs(store, {present: b"1"}))
    store.database.write(created)

    with pytest.raises(StoreCorrupt, match="a"):
        add_files(store.database, root, blobs(store, {added: b"2"}))
    with pytest.raises(StoreCorrupt):
        add_files(store.database, None, blobs(store, {present: b"1", added: b"2"}))


def test_a_path_always_holds_the_same_bytes(store: Store) -> None:
    """Other bytes at a path that exists are refused."""
    root, created = add_files(store.database, None, blobs(store, {"a/b": b"1"}))
    store.database.write(created)

    with pytest.raises(StoreCorrupt, match=r"a/b exists with other bytes"):
        add_files(store.database, root, blobs(store, {"a/b": b"2"}))
