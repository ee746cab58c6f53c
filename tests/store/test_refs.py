"""The authority ref: lost, damaged, set back or replaced by other programs, and what memgit makes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.errors import FormatTooNew, MemgitError, StoreCorrupt
from memgit.store.objects import Signature
from memgit.store.ref_file import is_ref_name
from memgit.store.store import Store
from tests.conftest import MakeRepository
from tests.store.scenario import (
    REF,
    WriterProcess,
    claims,
    fsck,
    git,
    loose_path,
    new_store,
    open_store,
    statements,
    write,
)


@pytest.fixture(params=["pygit2", "plumbing"])
def store(request: pytest.FixtureRequest, repository: MakeRepository) -> Store:
    """A store of two claims, on each back end."""
    store = new_store(repository(), backend=request.param)
    write(store, "one")
    write(store, "two")
    return store


def again(store: Store) -> Store:
    """Return the store as another process opens it."""
    return open_store(store.repository.root, backend=store.backend.name)


def ref_file(store: Store) -> Path:
    """Return where the ref's own file is."""
    return store.repository.common_dir / REF


def tip_of(store: Store) -> str:
    """Return what Git says that the ref names."""
    return git(store.repository.root, "rev-parse", "--verify", "--quiet", REF, check=False)


LOSSES: dict[str, Callable[[Store], object]] = {
    "emptied": lambda store: ref_file(store).write_bytes(b""),
    "zeros": lambda store: ref_file(store).write_bytes(bytes(41)),
    "garbage": lambda store: ref_file(store).write_bytes(b"not an id\n"),
    "cut": lambda store: ref_file(store).write_bytes(ref_file(store).read_bytes()[:17]),
    "unlinked": lambda store: ref_file(store).unlink(),
    "deleted": lambda store: git(store.repository.root, "update-ref", "-d", REF),
}


@pytest.mark.parametrize("loss", LOSSES)
def test_a_read_puts_a_lost_ref_back(store: Store, loss: str) -> None:
    """A ref whose file a power loss emptied, or that somebody deleted, comes back from the log with the next read."""
    tip = store.tip()
    LOSSES[loss](store)

    assert again(store).tip() == tip

    assert tip_of(store) == tip
    assert statements(store.repository.root) == ["one", "two"]
    fsck(store.repository.root)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_write_puts_a_lost_ref_back(store: Store, loss: str) -> None:
    """A write after the loss goes on from what was acknowledged before it, in this process and in another."""
    LOSSES[loss](store)
    write(store, "three")
    LOSSES[loss](store)
    write(again(store), "four")

    assert statements(store.repository.root) == ["one", "two", "three", "four"]
    assert git(store.repository.root, "rev-list", "--count", REF) == "5"
    fsck(store.repository.root)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_lost_ref_while_somebody_writes(store: Store, loss: str) -> None:
    """While another process holds the lock a read answers from the log, and leaves the ref to the holder."""
    tip = store.tip()
    LOSSES[loss](store)

    with store._lock.held():
        assert again(store).tip() == tip
        assert tip_of(store) == ""

    assert again(store).tip() == tip_of(store) == tip


def test_a_ref_lost_after_packing(repository: MakeRepository) -> None:
    """A log that was just restarted still says where the ref stood."""
    store = new_store(repository(), pack_every=5)
    for number in range(4):
        write(store, f"claim {number}")
    assert store.database.log.count() == 1
    ref_file(store).write_bytes(b"")

    assert len(statements(store.repository.root)) == 4


@pytest.mark.parametrize("loss", ["emptied", "garbage"])
def test_a_damaged_ref_without_a_log(store: Store, loss: str) -> None:
    """Where no log says what the ref held, it is STORE_CORRUPT for reads and writes, and the file is left as it is."""
    LOSSES[loss](store)
    content = ref_file(store).read_bytes()
    store.database.log.path.unlink()

    for act in (again(store).tip, lambda: write(again(store), "never")):
        with pytest.raises(StoreCorrupt, match=REF):
            act()

    assert ref_file(store).read_bytes() == content


def test_a_ref_whose_history_is_gone(store: Store) -> None:
    """If ref and objects are both gone for good, that is said; no new store is begun over the loss."""
    root = store.repository.root
    store.database.log.restart(store.tip() or "")
    store.database.log.restart(store.tip() or "")
    git(root, "update-ref", "-d", REF)
    git(root, "gc", "--quiet", "--prune=now")

    for act in (again(store).tip, lambda: again(store).initialize("wsp_x", "prj_x")):
        with pytest.raises(StoreCorrupt, match="gone or damaged") as corrupt:
            act()
        assert str(store.database.log.path) in corrupt.value.hint


def test_a_write_that_died_before_the_ref_moved_is_finished(store: Store) -> None:
    """A writer that was killed between log and ref leaves a complete commit; the next holder of the lock finishes it.

    So a client that repeats its request with the same key gets the first outcome.
    """
    root = store.repository.root
    writer = WriterProcess(root, "w", "1", "memgit.store.publication:Publisher.move:before")
    writer.await_ready()
    writer.go()
    assert writer.finish() == []
    assert statements(root) == ["one", "two"]

    replayed = write(again(store), "w 0", key="w 0")

    assert replayed.replayed
    assert statements(root) == ["one", "two", "w 0"]


def test_an_unfinished_write_is_no_restored_ref_away_from_the_acknowledged(store: Store) -> None:
    """If the ref is lost on top of that, the log's last entry descends from all that was acknowledged."""
    root = store.repository.root
    writer = WriterProcess(root, "w", "1", "memgit.store.publication:Publisher.move:before")
    writer.await_ready()
    writer.go()
    writer.finish()
    ref_file(store).write_bytes(b"")

    write(again(store), "three")

    assert statements(root) == ["one", "two", "w 0", "three"]
    fsck(root)


@pytest.mark.parametrize("collected", [False, True])
def test_a_ref_that_was_set_back(store: Store, collected: bool) -> None:
    """`git fetch +refs/*:refs/*` or `update-ref` to an older commit undoes nothing that was acknowledged."""
    root = store.repository.root
    tip = store.tip()
    git(root, "update-ref", REF, f"{tip}~2")
    if collected:
        git(root, "gc", "--quiet", "--prune=now")

    write(again(store), "three")

    assert statements(root) == ["one", "two", "three"]
    assert git(root, "rev-parse", f"{REF}~1") == tip
    fsck(root)


@pytest.mark.parametrize("collected", [False, True])
def test_a_forced_fetch_of_another_clones_memory(
    store: Store, repository: MakeRepository, tmp_path: Path, collected: bool
) -> None:
    """A forced fetch that replaces the ref by a tip that went another way is joined with ours: the union of both."""
    root = store.repository.root
    clone = tmp_path / "clone"
    git(root.parent, "clone", "--quiet", str(root), str(clone))
    git(clone, "fetch", "--quiet", "origin", f"{REF}:{REF}")
    write(open_store(clone), "theirs one")
    write(open_store(clone), "theirs two")
    write(store, "ours")
    ours = store.tip()
    git(root, "remote", "add", "clone", str(clone))
    git(root, "fetch", "--quiet", "clone", f"+{REF}:{REF}")
    theirs = tip_of(store)
    if collected:
        git(root, "gc", "--quiet", "--prune=now")

    written = write(again(store), "after")

    assert sorted(statements(root)) == sorted(["one", "two", "theirs one", "theirs two", "ours", "after"])
    assert git(root, "rev-list", "--parents", "-1", f"{written.commit_id}~1").split()[1:] == [theirs, ours]
    assert written.seq > 5
    again(store).require(ours or "")
    again(store).require(theirs)
    fsck(root)


def test_a_ref_that_moved_forward_without_us(store: Store, tmp_path: Path) -> None:
    """A fast-forward by another program is simply the new tip: nothing is joined and nothing undone."""
    root = store.repository.root
    clone = tmp_path / "clone"
    git(root.parent, "clone", "--quiet", str(root), str(clone))
    git(clone, "fetch", "--quiet", "origin", f"{REF}:{REF}")
    write(open_store(clone), "theirs")
    git(root, "fetch", "--quiet", str(clone), f"{REF}:{REF}")

    write(store, "ours")

    assert statements(root) == ["one", "two", "theirs", "ours"]
    assert git(root, "rev-list", "--count", "--merges", REF) == "0"


def test_unrelated_stores_never_join_in_silence(store: Store, repository: MakeRepository) -> None:
    """A forced fetch of a store with another beginning stops writes, names both tips, and loses neither."""
    root = store.repository.root
    other = repository(name="other")
    write(new_store(other), "theirs")
    ours = store.tip()
    git(root, "fetch", "--quiet", str(other), f"+{REF}:{REF}")
    theirs = tip_of(store)

    with pytest.raises(StoreCorrupt, match="never joined") as corrupt:
        write(again(store), "never")

    assert corrupt.value.details == {"ref": REF, "tip": theirs, "written": ours}
    assert tip_of(store) == theirs
    git(root, *corrupt.value.hint.split("`")[1].split()[1:])
    write(again(store), "three")
    assert statements(root) == ["one", "two", "three"]


def make_foreign(store: Store, what: str) -> str:
    """Return an object that is no store: the ref will name it."""
    root = store.repository.root
    if what == "blob":
        return git(root, "hash-object", "-w", "--stdin", stdin=b"a blob")
    if what == "tag":
        git(root, "tag", "-a", "-m", "a tag", "v1")
        return git(root, "rev-parse", "v1")
    if what == "tree":
        return git(root, "rev-parse", "HEAD^{tree}")
    if what == "the code":
        return git(root, "rev-parse", "HEAD")
    return git(root, "commit-tree", "-m", "no seq", f"{REF}^{{tree}}")


@pytest.mark.parametrize("what", ["blob", "tree", "tag", "the code", "a store without a seq"])
@pytest.mark.parametrize("with_log", [True, False])
def test_a_ref_that_names_no_store(store: Store, what: str, with_log: bool) -> None:
    """A ref at a blob, a tree, a tag or a commit of something else is STORE_CORRUPT; nothing is written or moved."""
    root = store.repository.root
    foreign = make_foreign(store, what)
    ref_file(store).write_text(f"{foreign}\n")  # `update-ref` would refuse some of them
    if not with_log:
        store.database.log.path.unlink()
    objects = set(root.glob(".git/objects/??/*"))

    with pytest.raises(StoreCorrupt) as read:
        _ = again(store).snapshot().seq
    with pytest.raises(StoreCorrupt) as written:
        write(again(store), "never")
    with pytest.raises(StoreCorrupt):
        again(store).write_bulk(claims("never"))

    assert read.value.hint and written.value.hint
    assert tip_of(store) == foreign
    assert set(root.glob(".git/objects/??/*")) == objects


def test_a_store_of_the_future(store: Store) -> None:
    """A tree with format/2 is FORMAT_TOO_NEW for reads and writes, and is left alone."""
    root = store.repository.root
    blob = git(root, "hash-object", "-w", "--stdin", stdin=b"memgit store\n")
    entries = git(root, "ls-tree", REF).replace("format", "formal").encode()
    future = git(root, "mktree", stdin=b"100644 blob %s\t2\n" % blob.encode())
    tree = git(root, "mktree", stdin=entries + b"\n040000 tree %s\tformat\n" % future.encode())
    commit = git(root, "commit-tree", "-p", REF, "-m", "later\n\nMemgit-Seq: 9\n", tree)
    git(root, "update-ref", REF, commit)

    acts: list[Callable[[], object]] = [
        lambda: again(store).snapshot(),
        lambda: write(again(store), "never"),
        lambda: again(store).write_bulk(claims("never")),
        lambda: again(store).initialize("wsp_x", "prj_x"),
    ]
    for act in acts:
        with pytest.raises(FormatTooNew, match="format 2"):
            act()

    assert tip_of(store) == commit


@pytest.mark.parametrize("damage", ["empty", "half", "gone"])
def test_a_tip_that_no_log_holds(store: Store, damage: str) -> None:
    """If the newest commit itself is lost and no log holds it, reads and writes say so, and the ref stays."""
    tip = store.tip()
    assert tip is not None
    path = loose_path(store, tip)
    data = path.read_bytes()
    path.unlink()
    if damage != "gone":
        path.write_bytes(b"" if damage == "empty" else data[: len(data) // 2])
    store.database.log.path.unlink()

    acts: list[Callable[[], object]] = [lambda: again(store).snapshot(), lambda: write(again(store), "never")]
    for act in acts:
        with pytest.raises(StoreCorrupt, match=tip):
            act()

    assert again(store).tip() == tip


def test_a_read_only_repository_is_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be written, a lost ref is answered from the log all the same."""
    tip = store.tip()
    ref_file(store).write_bytes(b"")
    reader = again(store)

    def refuse(*arguments: object, **keywords: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("memgit.store.ref_file.replace", refuse)

    assert reader.tip() == tip
    assert len(list(reader.snapshot().files("claims"))) == 2


def test_a_joined_history_is_settled_once(store: Store) -> None:
    """After a ref that was set back has been put right, the next writers find nothing left to do."""
    author = Signature("a", "b@c", 1)
    git(store.repository.root, "update-ref", REF, f"{REF}~1")
    with store._lock.held():
        settled = store.ref.settle(author)
    tip = tip_of(store)

    with store._lock.held():
        assert store.ref.settle(author) == settled == tip


def test_errors_have_a_code_and_a_way_out(store: Store) -> None:
    """Whatever is wrong with the ref, the front doors get one of memgit's errors, with a hint."""
    ref_file(store).unlink()
    ref_file(store).mkdir()
    (ref_file(store) / "below").write_text("0" * 40)

    with pytest.raises(MemgitError) as failed:
        write(again(store), "never")

    assert failed.value.hint


@pytest.mark.parametrize("name", ["refs/memgit/store", "refs/heads/memgit", "refs/a/b/c-d_e.f"])
def test_names_that_can_be_the_authoritys(name: str) -> None:
    """Ordinary ref names are accepted."""
    assert is_ref_name(name)


@pytest.mark.parametrize(
    "name",
    ["store", "refs/x", "refs//x/y", "refs/x/y/", "refs/x/.y", "refs/x/y.", "refs/x/y..z", "refs/x/@{1}", "/refs/x/y"],
)
def test_names_without_the_form_of_a_ref(name: str) -> None:
    """What Git refuses as a ref's name is refused before a path is made of it."""
    assert not is_ref_name(name)


@pytest.mark.parametrize(
    "name",
    ["", "refs/x/y.lock", "refs/x.lock/y", "refs/x/y~1", "refs/x/y:z", "refs/x/*", "refs/x y/z", "refs/x/y\nz"],
)
def test_names_with_what_git_refuses(name: str) -> None:
    """A lock's name, a revision's marks, patterns and white space are not part of a ref's name."""
    assert not is_ref_name(name)
