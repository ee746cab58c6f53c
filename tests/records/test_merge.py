"""The merge: laws of the union, what a purge takes along, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import StoreCorrupt
from memgit.records.codec import (
    PurgeMarker,
    blob_digest,
    decode_op,
    digest_of,
    encode_op,
    encode_record,
    referenced_blob,
)
from memgit.records.fold import fold
from memgit.records.ids import EntityId
from memgit.records.merge import TreeEntry, purge_epoch, purge_set, union
from memgit.records.op import Op
from memgit.records.paths import blob_path, parse_op_path, purge_path

from .strategies import (
    DOCUMENT,
    World,
    asserted,
    claim_id,
    law,
    make_op,
    path_of,
    revised,
    revision_id,
    ulid,
    worlds,
)

Files = dict[str, bytes]


class Trees:
    """Trees in memory, named by their content; counts what is read."""

    def __init__(self) -> None:
        self.objects: dict[str, Mapping[str, TreeEntry] | bytes] = {}
        self.reads: list[str] = []

    def read(self, oid: str) -> Mapping[str, TreeEntry]:
        """Return a directory's entries by name."""
        self.reads.append(oid)
        entries = self.objects[oid]
        assert isinstance(entries, Mapping)
        return entries

    def write(self, entries: Mapping[str, TreeEntry]) -> str:
        """Keep a directory; return its id. Like Git's, only the root may be empty."""
        oid = digest_of(repr(sorted(entries.items())).encode())
        self.objects[oid] = dict(entries)
        return oid

    def blob(self, oid: str) -> bytes:
        """Return a file's bytes."""
        self.reads.append(oid)
        data = self.objects[oid]
        assert isinstance(data, bytes)
        return data

    def keep(self, files: Mapping[str, bytes]) -> str:
        """Keep a tree given as paths; return its root."""
        entries: dict[str, TreeEntry] = {}
        below: dict[str, Files] = {}
        for path, data in files.items():
            name, _, rest = path.partition("/")
            if rest:
                below.setdefault(name, {})[rest] = data
            else:
                oid = digest_of(b"blob " + data)
                self.objects[oid] = data
                entries[name] = TreeEntry(oid, False)
        entries |= {name: TreeEntry(self.keep(inside), True) for name, inside in below.items()}
        return self.write(entries)

    def files(self, root: str, top: bool = True) -> Files:
        """Return a tree as paths. No directory but the root is empty."""
        entries = self.objects[root]
        assert isinstance(entries, Mapping)
        assert entries or top
        found: Files = {}
        for name, entry in entries.items():
            if entry.is_tree:
                found |= {f"{name}/{path}": data for path, data in self.files(entry.oid, False).items()}
            else:
                data = self.objects[entry.oid]
                assert isinstance(data, bytes)
                found[name] = data
        return found


def merged(*trees: Files) -> Files:
    """Return what the law says of some trees: their files, minus what is purged, minus blobs without a reference."""
    files = {path: data for tree in trees for path, data in tree.items()}
    purged = purged_in(files)
    if not purged:
        return files
    kept = {path: data for path, data in files.items() if entity_of(path) not in purged}
    needed = {referenced_blob(data) for path, data in kept.items() if path.startswith("artifacts/")}
    return {
        path: data for path, data in kept.items() if not path.startswith("blobs/") or path.rpartition("/")[2] in needed
    }


def purged_in(files: Files) -> set[EntityId]:
    """Return what the (well-formed) markers of a tree name, by their text."""
    return {
        line.removeprefix("- ")
        for path, data in files.items()
        if path.startswith("purges/")
        for line in data.decode().splitlines()
        if line.startswith("- ")
    }


def entity_of(path: str) -> EntityId | None:
    """Return whose operation a file is."""
    parsed = parse_op_path(path)
    return parsed.entity if parsed else None


def ops_of(files: Files) -> list[Op]:
    """Return the operations of a tree."""
    paths = {path: parsed for path in files if (parsed := parse_op_path(path))}
    return [decode_op(files[path], parsed) for path, parsed in paths.items()]


def marker(*entities: EntityId, reason: str | None = None) -> Files:
    """Return a purge marker as a file."""
    record = PurgeMarker(digest="", entities=entities, at="2026-01-01T00:00:00.000000Z", reason=reason)
    digest, data = encode_record(record)
    return {purge_path(digest): data}


def written(*ops: Op) -> Files:
    """Return operations as files."""
    return {path_of(op): encode_op(op)[1] for op in ops}


def artifact(number: int, content: bytes, seq: int = 1) -> Files:
    """Return an artifact as files, its blob included."""
    blob = blob_digest(content)
    op = make_op(seq, "put", art(number), DOCUMENT, revision=revision_id(number, "artifact"), blob=blob)
    return written(op) | {blob_path(blob): content}


def art(number: int) -> EntityId:
    """Return the id of an artifact."""
    return f"art_{ulid(number)}"


# Laws


@law
@given(worlds(length=40))
def test_merging_is_a_function_of_the_united_files(world: World) -> None:
    """For clones with forks, tombstones, purges and shared seqs: merge(A, B) is what the law says, as files."""
    store = Trees()
    mine, theirs, _ = (clone.files for clone in world.clones)
    root = union(store, store.keep(mine), store.keep(theirs))
    assert store.files(root) == merged(mine, theirs)
    assert root == store.keep(merged(mine, theirs))


@law
@given(worlds(length=40))
def test_merging_is_commutative_associative_and_idempotent(world: World) -> None:
    """Order does not matter, repetition changes nothing; the trees have equal ids."""
    store = Trees()
    one, two, three = (store.keep(clone.files) for clone in world.clones)
    assert union(store, one, two) == union(store, two, one)
    left = union(store, union(store, one, two), three)
    assert left == union(store, one, union(store, two, three)) == union(store, union(store, three, one), two)
    assert union(store, left, left) == left
    assert {union(store, left, root) for root in (one, two, three)} == {left}
    assert union(store, one, one) == one


@law
@given(worlds(length=40))
def test_the_fold_of_a_merge_is_the_fold_of_the_united_operations(world: World) -> None:
    """Merging and folding commute, up to what is purged."""
    store = Trees()
    mine, theirs, _ = world.clones
    root = union(store, store.keep(mine.files), store.keep(theirs.files))
    united = [*mine.ops.values(), *theirs.ops.values()]
    purged = purge_set(store, root)
    assert purged == mine.purged | theirs.purged
    assert fold(ops_of(store.files(root))) == fold(united, purged)


@law
@given(worlds(length=40), st.booleans(), st.booleans())
def test_vouching_for_a_swept_tree_changes_nothing(world: World, mine: bool, theirs: bool) -> None:
    """Which of the trees the caller knows to be swept decides what is read, never what comes out."""
    store = Trees()
    roots = [store.keep(clone.files) for clone in world.clones[:2]]
    swept = [root for root, vouched in zip(roots, (mine, theirs), strict=True) if vouched]
    assert union(store, *roots, swept) == union(store, *roots)


@law
@given(
    st.lists(
        st.sampled_from(
            [
                *({name: data} for name, data in (artifact(1, b"x") | artifact(2, b"y")).items()),
                artifact(3, b"x"),
                written(asserted(1, 1), revised(2, 1, 2, 1)),
                marker(art(1)),
                marker(art(3), claim_id(1)),
            ]
        )
    )
)
def test_any_set_of_files_merges_in_any_grouping_of_two(parts: list[Files]) -> None:
    """Also for what no honest writer leaves: stray blobs, operations without theirs, markers beside what they purge."""
    store = Trees()
    mine: Files = {}
    theirs: Files = {}
    for place, part in enumerate(parts):
        (mine if place % 2 else theirs).update(part)
    root = union(store, store.keep(mine), store.keep(theirs))
    assert store.files(root) == merged(mine, theirs)
    assert root == union(store, store.keep(theirs), store.keep(mine))


# Cases of the law


def test_an_absent_tree_adds_nothing() -> None:
    """A merge with nothing is the other tree; of two nothings, the empty tree."""
    store = Trees()
    root = store.keep(written(asserted(1, 1)))
    assert union(store, root, None) == union(store, None, root) == root
    assert store.files(union(store, None, None)) == {}


def test_an_absent_tree_does_not_spare_the_other_its_own_markers() -> None:
    """What a tree's own markers purge goes, also where there is nothing to unite it with."""
    store = Trees()
    mark = marker(claim_id(1))
    root = store.keep(written(asserted(1, 1)) | mark)
    assert store.files(union(store, root, None)) == store.files(union(store, root, root)) == mark


def test_a_purge_drops_operations_and_blobs_that_lost_their_last_reference() -> None:
    """Blobs that another artifact names stay, and so do the neighbours in the shard."""
    store = Trees()
    shared, alone = artifact(1, b"shared"), artifact(2, b"alone")
    neighbour = artifact(3, b"shared")
    claims = written(asserted(5, 5), asserted(6, 6))
    mark = marker(art(1), art(2), claim_id(5))
    root = union(store, store.keep(shared | alone | claims), store.keep(neighbour | mark))
    assert store.files(root) == neighbour | written(asserted(6, 6)) | mark


def test_a_later_purge_takes_what_an_earlier_one_left() -> None:
    """A blob goes with the last of its references, whichever merge that was in."""
    store = Trees()
    both = store.keep(artifact(1, b"shared") | artifact(2, b"shared"))
    first, second = marker(art(1)), marker(art(2))
    once = union(store, both, store.keep(first))
    assert blob_path(blob_digest(b"shared")) in store.files(once)
    assert store.files(union(store, once, store.keep(second), swept=[once])) == first | second


def test_a_blob_stays_for_an_old_operation_that_names_it() -> None:
    """Beside a swept tree, too, the references that did not change count."""
    store = Trees()
    ours = store.keep(artifact(1, b"shared") | artifact(2, b"shared"))
    mark = marker(art(1))
    root = union(store, ours, store.keep(mark), swept=[ours])
    assert store.files(root) == artifact(2, b"shared") | mark


def test_purged_entities_never_come_back() -> None:
    """A stale clone that still has the operations adds nothing of them."""
    store = Trees()
    clean = store.keep(marker(claim_id(1)))
    stale = store.keep(written(asserted(1, 1), revised(2, 1, 2, 1)))
    assert union(store, clean, stale, swept=[clean]) == union(store, stale, clean) == clean


def test_a_marker_that_cannot_be_read_stays_and_purges_nothing() -> None:
    """Neither damage nor a later format nor an id that is none stops a merge or drops anything."""
    store = Trees()
    later = b"format: 99\nentities:\n- " + claim_id(1).encode() + b"\n"
    damaged = {purge_path("0" * 64): b"format: 1\n", purge_path(digest_of(later)): later, "purges/readme": b"?"}
    strange = marker("nonsense", "clm_short")
    ops = written(asserted(1, 1))
    root = union(store, store.keep(ops), store.keep(damaged | strange))
    assert store.files(root) == ops | damaged | strange
    assert purge_set(store, root) == frozenset()
    assert purge_set(store, None) == frozenset()
    assert purge_set(store, store.keep({"purges": b"a file"})) == frozenset()


def test_directories_that_a_purge_empties_are_gone() -> None:
    """Nothing but the markers is left of a store in which everything was purged."""
    store = Trees()
    mark = marker(art(1), claim_id(7))
    root = union(store, store.keep(artifact(1, b"x") | written(asserted(1, 7))), store.keep(mark))
    assert set(store.read(root)) == {"purges"}


@pytest.mark.parametrize(
    ("mine", "theirs", "reason"),
    [
        ({"claims/a/file": b"one"}, {"claims/a/file": b"two"}, "claims/a/file: different bytes"),
        ({"claims/a": b"one"}, {"claims/a/file": b"two"}, "claims/a: a file against a directory"),
        ({"claims": b"one"}, {"claims/a/file": b"two"}, "claims: a file against a directory"),
    ],
)
def test_trees_that_contradict_each_other_are_refused(mine: Files, theirs: Files, reason: str) -> None:
    """Names are digests, so honest stores never do; the message says where."""
    store = Trees()
    for roots in [(mine, theirs), (theirs, mine)]:
        with pytest.raises(StoreCorrupt, match=reason):
            union(store, *map(store.keep, roots))


# Cost


def big(count: int, first: int = 1) -> Files:
    """Return many claims and artifacts as files."""
    files: Files = {}
    for number in range(first, first + count):
        files |= written(asserted(number, number)) | artifact(100_000 + number, b"%d" % number, number)
    return files


def test_a_union_reads_the_difference() -> None:
    """Without a purge, two new records in a large store cost the directories on their way, and no record is read."""
    store = Trees()
    base = big(400)
    roots = store.keep(base | big(1, 5000)), store.keep(base | big(1, 6000))
    store.reads.clear()
    root = union(store, *roots)
    assert len(store.reads) < 40
    assert all(isinstance(store.objects[oid], dict) for oid in store.reads)
    store.reads.clear()
    assert union(store, root, root) == root
    assert len(store.reads) <= 1


def test_a_union_with_old_markers_reads_the_difference_beside_a_swept_tree() -> None:
    """A store that was purged once merges as cheaply as before, when the caller vouches for its own tip."""
    store = Trees()
    base = big(400) | marker(claim_id(9000), art(9000))
    ours, theirs = store.keep(base | big(1, 5000)), store.keep(base | big(1, 6000))
    store.reads.clear()
    expected = union(store, ours, theirs)
    assert len(store.reads) > 800
    store.reads.clear()
    assert union(store, ours, theirs, swept=[ours]) == expected
    assert len(store.reads) < 80


# Epochs


def test_the_epoch_is_a_digest_of_the_set_of_markers() -> None:
    """Order and repetition do not change it; another marker does."""
    one, two = digest_of(b"1"), digest_of(b"2")
    assert purge_epoch([one, two]) == purge_epoch((two, one, two)) == digest_of(f'["{two}","{one}"]'.encode())
    assert len({purge_epoch([]), purge_epoch([one]), purge_epoch([one, two])}) == 3
