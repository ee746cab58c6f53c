"""A store at one commit: what is read is what was written, and what was not written by memgit is told apart."""

from __future__ import annotations

import itertools

import pytest

from memgit.errors import FormatTooNew, StoreCorrupt
from memgit.records import codec, ids, paths
from memgit.records.codec import PurgeMarker, Receipt
from memgit.records.ids import BlobDigest, OpDigest
from memgit.records.op import ClaimPayload, Op
from memgit.records.state import Problem
from memgit.store.objects import ObjectId, Signature, TreeItem, encode_commit, encode_tree
from memgit.store.snapshot import Change, LostOp, Snapshot
from memgit.store.store import Store
from memgit.store.transaction import Transaction
from memgit.store.tree_edit import add_files
from memgit.store.writer import Result
from tests.conftest import MakeRepository
from tests.store.scenario import claim, claims, fsck, loose_path, new_store, open_store, write

WHO = Signature("Test Person", "test@example.org", 1_700_000_000)


@pytest.fixture
def store(repository: MakeRepository) -> Store:
    """A store without claims."""
    return new_store(repository())


def with_files(store: Store, files: dict[str, bytes], message: str = "foreign\n\nMemgit-Seq: 7\n") -> Snapshot:
    """Return the store with files that some other program put beside its own."""
    made = {path: store.database.make("blob", data) for path, data in files.items()}
    parent = store.snapshot()
    tree, trees = add_files(store.database, parent.commit.tree, {path: item.oid for path, item in made.items()})
    commit = store.database.make("commit", encode_commit(tree, [parent.commit_id], WHO, WHO, message))
    store.database.write([*made.values(), *trees, commit])
    return Snapshot(store.database, commit.oid)


def test_an_entity_is_read_back(store: Store) -> None:
    """An entity's operations come back as they were staged, in the fold's order."""
    staged: list[Op] = []

    def build(transaction: Transaction) -> Result:
        staged.extend(transaction.stage(claim(text), text) for text in ("one", "two"))
        return {}

    store.write(build)
    snapshot = open_store(store.repository.root).snapshot()

    for op in staged:
        assert snapshot.ops(op.entity) == ([op], [])
    assert snapshot.ops(ids.new_entity_id("claim")) == ([], [])
    assert snapshot.seq == staged[-1].seq


def test_a_snapshot_does_not_change(store: Store) -> None:
    """What was written after a snapshot was taken is not in it."""
    before = store.snapshot()
    write(store, "later")

    assert list(before.files("claims")) == []
    assert len(list(store.snapshot().files("claims"))) == 1
    assert store.snapshot(before.commit_id).seq == before.seq


def test_a_blob_is_what_its_digest_names(store: Store) -> None:
    """An artifact's bytes come back; an absent one is None; other bytes under the name are STORE_CORRUPT."""
    content = bytes(range(256)) * 100
    digest = codec.blob_digest(content)

    def build(transaction: Transaction) -> Result:
        assert transaction.put_blob(content) == transaction.put_blob(content) == digest
        transaction.stage(claim("about it"), "about it")
        return {}

    store.write(build)
    snapshot = store.snapshot()
    other = BlobDigest("0" * 64)

    assert snapshot.blob(digest) == content
    assert snapshot.blob(other) is None
    assert len(list(snapshot.files("blobs"))) == 1
    with pytest.raises(StoreCorrupt, match=other):
        with_files(store, {paths.blob_path(other): b"something else"}).blob(other)


def test_damaged_records_are_problems_of_their_own(store: Store) -> None:
    """A record that is not what its name says is reported with its path; the entity's other operations are read."""
    written = write(store, "sound")
    entity = written.result["claims"][0]
    path, _ = store.snapshot().op_files(entity)[0]
    forged = path.path.replace(path.digest, "0" * 64)

    ops, problems = with_files(store, {forged: b"format: 1\n", "claims/0/0/0/README": b"hello"}).ops(entity)

    assert [op.payload for op in ops] == [ClaimPayload(claim_type="fact", statement="sound")]
    assert problems == [Problem(path=forged, reason=problems[0].reason)]
    assert forged.rpartition("/")[2] in problems[0].reason


def test_a_record_of_the_future_is_a_problem_that_says_so(store: Store) -> None:
    """A record of a later format hides nothing else, and the reason is not called damage."""
    data = b"format: 2\nverb: assert\n"
    entity = ids.new_entity_id("claim")
    path = paths.OpPath(entity, 7, "assert", OpDigest(codec.digest_of(data))).path

    ops, problems = with_files(store, {path: data}).ops(entity)

    assert ops == []
    assert [problem.path for problem in problems] == [path]
    assert "format 2" in problems[0].reason


def test_a_lost_record_is_told_from_an_unusable_one(store: Store) -> None:
    """A blob that nobody holds any more is a LostOp: whoever folds without it must not keep the result as the state."""
    entity = write(store, "one").result["claims"][0]
    _, oid = store.snapshot().op_files(entity)[0]
    loose_path(store, oid).unlink()
    store.database.log.path.unlink()

    ops, problems = open_store(store.repository.root).snapshot().ops(entity)
    assert ops == []
    assert isinstance(problems[0], LostOp) and oid in problems[0].reason


def test_receipts_are_a_set_and_the_least_counts(store: Store) -> None:
    """Merges may bring several receipts of a key together: every reader takes the same one, and skips damaged ones."""
    key = codec.digest_of(b"key")
    receipts = [
        Receipt(digest="", operation="import.markdown", request="r" * 64, seq=1, at=at, result="{}")
        for at in ("5", "6", "7")
    ]
    encoded = dict(codec.encode_record(receipt) for receipt in receipts)
    directory = paths.receipt_directory(key)
    files = {f"{directory}/{digest}.yaml": data for digest, data in encoded.items()}

    found = with_files(store, {**files, f"{directory}/{'0' * 64}.yaml": b"damaged"}).receipt(key)

    assert found is not None and found.digest == min(encoded)
    assert store.snapshot().receipt(key) is None


def test_purges(store: Store) -> None:
    """The entities of every marker are purged; a marker that cannot be read names none."""
    entities = [ids.new_entity_id("claim") for _ in range(3)]
    markers = [PurgeMarker(digest="", entities=tuple(side), at="t") for side in (entities[:2], entities[1:])]
    files = {paths.purge_path(digest): data for digest, data in map(codec.encode_record, markers)}

    snapshot = with_files(store, {**files, paths.purge_path("0" * 64): b"damaged"})

    assert snapshot.purged() == frozenset(entities)
    assert store.snapshot().purged() == frozenset()


def test_changes_between_two_commits(store: Store) -> None:
    """The difference of two snapshots is exactly the files that differ, in both directions, and from nothing."""
    write(store, "one")
    before = store.snapshot()
    written = store.write(claims("two", "three"))
    after = store.snapshot()

    changes = list(after.changes_since(before))

    assert {path for change in changes if (path := change.path)} == set(dict(after.files())) - set(dict(before.files()))
    assert all(change.old is None and change.new == dict(after.files())[change.path] for change in changes)
    assert {Change(change.path, change.new, change.old) for change in changes} == set(before.changes_since(after))
    assert {change.path for change in after.changes_since(None)} == set(dict(after.files()))
    assert list(after.changes_since(after)) == []
    assert len(changes) == len(written.result["claims"])


def test_unchanged_directories_are_not_visited(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cost of a difference is that of what differs, also for the process that has just written it itself."""
    store.write(claims(*(f"claim {number}" for number in range(300))))
    before = store.snapshot()
    write(store, "one more")
    after = store.snapshot()
    visited: list[ObjectId] = []
    tree = store.database.tree
    monkeypatch.setattr(store.database, "tree", lambda oid: (visited.append(oid), tree(oid))[1])

    assert len(list(after.changes_since(before))) == 1
    assert len(visited) <= 12


def test_what_is_no_file_is_not_read_as_one(store: Store) -> None:
    """Links and executables in a foreign tree are listed as entries, and are nobody's records."""
    link = store.database.make("blob", b"/etc/passwd")
    root = store.snapshot().commit.tree
    entries = {**store.database.tree(root), "claims": TreeItem(link.oid, False, b"120000")}
    tree = store.database.make("tree", encode_tree(entries))
    commit = store.database.make("commit", encode_commit(tree.oid, [], WHO, WHO, "x\n\nMemgit-Seq: 3\n"))
    store.database.write([link, tree, commit])
    snapshot = Snapshot(store.database, commit.oid)

    assert list(snapshot.files("claims")) == []
    assert "claims" not in dict(snapshot.files())
    assert ("claims", entries["claims"]) in list(snapshot.entries())
    assert snapshot.ops(ids.new_entity_id("claim")) == ([], [])


@pytest.mark.parametrize("name", ["1", "01", "x", "٣", "9" * 5000, "-1", "1.0"])
def test_the_format_is_read_from_its_name_alone(store: Store, name: str) -> None:
    """Only a plain number names a format; anything else in that directory is passed over."""
    snapshot = with_files(store, {f"format/{name}": b"memgit store\n"} if name != "1" else {"claims/x": b""})

    assert snapshot.seq == 7


@pytest.mark.parametrize("name", ["2", "10", "999999999"])
def test_a_later_format(store: Store, name: str) -> None:
    """The highest number counts."""
    with pytest.raises(FormatTooNew, match=name):
        with_files(store, {f"format/{name}": b""})


@pytest.mark.parametrize("message", ["no trailer", "Memgit-Seq: x", "Memgit-Seq: -1", "aMemgit-Seq: 5", ""])
def test_a_commit_without_a_seq(store: Store, message: str) -> None:
    """A commit that does not say its seq was not written by memgit."""
    with pytest.raises(StoreCorrupt, match="Memgit-Seq"):
        _ = with_files(store, {}, message).seq


def test_the_last_trailer_counts(store: Store) -> None:
    """A subject that looks like a trailer does not stand for one."""
    assert with_files(store, {}, "Memgit-Seq: 5\n\nMemgit-Seq: 6\nMemgit-Actor: x\n").seq == 6


def test_another_commit_of_the_store(store: Store) -> None:
    """`at` is None for what this clone cannot read as a store, never an error."""
    write(store, "one")
    snapshot = store.snapshot()
    elsewhere = snapshot.at(snapshot.commit.parents[0])

    assert elsewhere is not None and elsewhere.seq == 1
    assert snapshot.at("0" * 40) is None
    assert snapshot.at(snapshot.commit.tree) is None


def test_a_missing_blob_is_healed_by_reading(store: Store) -> None:
    """Every object of a write may vanish from Git; each read that misses one brings all of them back from the log."""
    written = write(store, "one", key="k")
    commit = store.snapshot().commit
    lost = [written.commit_id, commit.tree, *(oid for _, oid in store.snapshot().files())]
    for count in range(1, len(lost) + 1):
        for oids in itertools.islice(itertools.combinations(lost, count), 8):
            for oid in oids:
                (store.repository.common_dir / "objects" / oid[:2] / oid[2:]).unlink(missing_ok=True)
            fresh = open_store(store.repository.root)
            assert {path: fresh.database.read(oid, "blob") for path, oid in fresh.snapshot().files()}
            assert fresh.database.healed >= 1
            fsck(store.repository.root)
