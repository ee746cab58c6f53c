"""The front of the store: beginning one, finding it from wherever one stands, and asking for what it must contain."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.errors import (
    IndexNotReady,
    InvalidRequest,
    NotARepository,
    StoreNotInitialized,
    StoreReadOnly,
)
from memgit.store.repository import discover
from memgit.store.store import Store, StoreOptions
from tests.conftest import MakeRepository
from tests.store.scenario import REF, WriterProcess, claims, fsck, git, new_store, open_store, statements, write


def test_init_makes_one_commit_on_a_ref_of_its_own(repository: MakeRepository) -> None:
    """`init` makes one commit on refs/memgit/store, and touches no other ref, no index and no working tree."""
    path = repository()
    before = git(path, "for-each-ref"), git(path, "status", "--porcelain=v2", "--branch")
    store = open_store(path)

    record = store.initialize("wsp_a", "prj_b")

    assert (record.workspace, record.project) == ("wsp_a", "prj_b")
    assert git(path, "rev-list", "--count", REF) == "1"
    assert store.snapshot().seq == 1
    assert store.snapshot().stores() == [record]
    git(path, "update-ref", "-d", REF)
    assert (git(path, "for-each-ref"), git(path, "status", "--porcelain=v2", "--branch")) == before


def test_init_twice_finds_the_first_store(repository: MakeRepository) -> None:
    """A second `init` answers with the store that exists, whatever names it passes, and writes nothing."""
    path = repository()
    first = open_store(path).initialize("wsp_a", "prj_b")
    tip = git(path, "rev-parse", REF)

    again = open_store(path).initialize("wsp_other", "prj_other")

    assert again == first
    assert git(path, "rev-parse", REF) == tip


def test_init_by_several_processes_at_once_makes_one_store(repository: MakeRepository) -> None:
    """However many processes run `init` at the same time, there is one store, and all of them name it."""
    path = repository()
    writers = [WriterProcess(path, "init", "0", "init") for _ in range(3)]
    for writer in writers:
        writer.await_ready()
    for writer in writers:
        writer.go()

    named = {line for writer in writers for line in writer.finish()}

    assert len(named) == 1
    assert git(path, "rev-list", "--count", REF) == "1"


@pytest.mark.parametrize("kind", ["plain", "bare", "worktree", "submodule", "sha256", "partial", "shallow"])
def test_every_kind_of_repository_holds_a_store(repository: MakeRepository, kind: str) -> None:
    """A store works in each kind of repository, and Git finds nothing wrong with it."""
    path = repository(kind)
    store = new_store(path)

    write(store, "one")
    store.write_bulk(claims("two", "three"))
    write(store, "four")

    assert statements(path) == ["one", "two", "three", "four"]
    assert git(path, "log", "-1", "--format=%s", REF) == "claim assert: four"
    if kind != "partial":  # there, Git would complain about what the origin did not send
        fsck(path)


def test_a_linked_worktree_shares_the_store(repository: MakeRepository) -> None:
    """All working trees of a repository have one store, one lock and one log."""
    path = repository("worktree")
    main = path.with_name(f"{path.name}-origin")
    new_store(main)

    write(open_store(path), "from the worktree")

    assert statements(main) == ["from the worktree"]
    assert open_store(path).repository.state_dir == open_store(main).repository.state_dir


def test_a_submodule_has_a_store_of_its_own(repository: MakeRepository) -> None:
    """A submodule's memory is not that of the repository around it."""
    path = repository("submodule")
    new_store(path)

    assert open_store(path).tip() is not None
    assert open_store(path.parent).tip() is None


def test_any_subdirectory_finds_the_store(repository: MakeRepository) -> None:
    """The store is found from every directory below the working tree's root, and from inside the Git directory."""
    path = repository()
    deep = path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    new_store(path)

    write(open_store(deep), "from below")

    assert statements(path) == statements(path / ".git") == ["from below"]


def test_git_dir_names_the_repository(repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """GIT_DIR decides which repository is meant, as for every Git command; a hook exports it."""
    path, other = repository(name="one"), repository(name="other")
    new_store(path)
    monkeypatch.setenv("GIT_DIR", str(path / ".git"))

    write(open_store(other), "by GIT_DIR")

    monkeypatch.delenv("GIT_DIR")
    assert statements(path) == ["by GIT_DIR"]
    assert open_store(other).tip() is None


def test_ceiling_directories_stop_the_search(repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search through parent directories ends where Git's own would."""
    path = repository()
    inner = path / "inner" / "deeper"
    inner.mkdir(parents=True)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(path / "inner"))

    with pytest.raises(NotARepository):
        discover(inner)


@pytest.mark.parametrize("content", ["nonsense", "gitdir: /nowhere/at/all", ""])
def test_a_broken_git_file_is_reported(tmp_path: Path, content: str) -> None:
    """A `.git` file that names no repository is an error that names the file, never a traceback."""
    (tmp_path / ".git").write_text(content)

    with pytest.raises(NotARepository, match=r"\.git"):
        discover(tmp_path)


def test_no_repository(tmp_path: Path) -> None:
    """Outside of every repository the answer is NOT_A_REPOSITORY."""
    with pytest.raises(NotARepository):
        discover(tmp_path)
    with pytest.raises(NotARepository, match="not a directory"):
        discover(tmp_path / "absent")


def test_another_owners_repository_is_left_to_git(repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git's ownership check is honoured: a repository of somebody else is refused unless `safe.directory` names it."""
    if not hasattr(os, "chown") or os.geteuid() != 0:
        pytest.skip("needs to give a directory away")
    path = repository()
    for directory in (path, path / ".git"):
        os.chown(directory, 12345, 12345)

    with pytest.raises(NotARepository) as refused:
        open_store(path)

    assert "safe.directory" in refused.value.message + refused.value.hint
    git(path, "config", "--global", "--add", "safe.directory", str(path))
    assert open_store(path).tip() is None


def test_no_store(repository: MakeRepository) -> None:
    """Without a store a read and a write both answer STORE_NOT_INITIALIZED, and nothing is written."""
    path = repository()
    store = open_store(path)

    with pytest.raises(StoreNotInitialized):
        store.snapshot()
    with pytest.raises(StoreNotInitialized):
        write(store, "too early")
    with pytest.raises(StoreNotInitialized):
        store.write_bulk(claims("too early"))

    assert store.tip() is None
    assert not (path / ".git" / "memgit").exists()


def test_a_store_that_vanishes_is_not_begun_by_a_write(repository: MakeRepository) -> None:
    """A process that outlives the store (the ref and the state were removed) does not begin another one."""
    path = repository()
    store = new_store(path)
    write(store, "one")
    git(path, "update-ref", "-d", REF)
    git(path, "config", "alias.wipe", "!rm -rf .git/memgit/state/log")
    git(path, "wipe")

    with pytest.raises(StoreNotInitialized):
        write(store, "two")
    with pytest.raises(StoreNotInitialized):
        store.write_bulk(claims("three"))

    assert open_store(path).tip() is None


def test_the_state_is_private_and_says_what_it_is(repository: MakeRepository) -> None:
    """What is not derived lies in a directory that only the owner reads, with a note that it must stay."""
    path = repository()
    new_store(path)

    private = path / ".git" / "memgit"
    assert private.stat().st_mode & 0o077 == 0
    assert "Do not delete" in (private / "state" / "README").read_text("utf-8")


def test_the_cache_may_be_deleted_and_the_state_not(repository: MakeRepository) -> None:
    """Nothing of the store itself lives in the cache directory."""
    path = repository()
    store = new_store(path)
    write(store, "one")

    assert not store.repository.cache_dir.exists()


def test_min_commit_is_met_by_ancestry(repository: MakeRepository) -> None:
    """A commit is contained when the tip is it or descends from it; any other is INDEX_NOT_READY, and retryable."""
    path = repository()
    store = new_store(path)
    first = write(store, "one").commit_id
    second = write(store, "two").commit_id
    elsewhere = repository(name="other")
    foreign = write(new_store(elsewhere), "elsewhere").commit_id

    store.require(first)
    store.require(second)
    for absent in (foreign, "0" * 40, git(path, "rev-parse", "HEAD")):
        with pytest.raises(IndexNotReady) as refused:
            store.require(absent)
        assert refused.value.retryable
        assert refused.value.details == {"requested": absent, "observed": second}


def test_min_commit_beside_the_history(repository: MakeRepository) -> None:
    """A commit that exists in this clone, but on a side of its own, is not contained."""
    path = repository()
    store = new_store(path)
    first = write(store, "one").commit_id
    second = write(store, "two").commit_id
    tree = git(path, "rev-parse", f"{second}^{{tree}}")
    beside = git(path, "commit-tree", "-p", first, "-m", "beside\n\nMemgit-Seq: 3\n", tree)

    with pytest.raises(IndexNotReady):
        store.require(beside)
    assert write(store, "three").seq == 4


@pytest.mark.parametrize("text", ["", "HEAD", "abc", "G" * 40, "0" * 41, "../../x"])
def test_min_commit_must_be_a_whole_id(repository: MakeRepository, text: str) -> None:
    """What is not a whole commit id is refused by its form."""
    store = new_store(repository())

    with pytest.raises(InvalidRequest):
        store.require(text)


@pytest.mark.parametrize("ref", ["", "HEAD", "refs/", "refs/memgit", "refs/../../x/y", "refs/a/b.lock", "/refs/a/b"])
def test_a_ref_name_that_git_refuses(repository: MakeRepository, ref: str) -> None:
    """`memgit.ref` is checked before any path is made of it."""
    with pytest.raises(InvalidRequest):
        Store(discover(repository()), StoreOptions(ref=ref))


def test_another_ref(repository: MakeRepository) -> None:
    """A store may live on a branch; its log is its own, so that two refs of one repository do not mix."""
    path = repository()
    new_store(path)
    other = new_store(path, ref="refs/heads/memory")

    write(other, "on a branch")
    write(open_store(path), "on the default ref")

    assert statements(path, ref="refs/heads/memory") == ["on a branch"]
    assert statements(path) == ["on the default ref"]
    git(path, "update-ref", "-d", "refs/heads/memory")
    assert statements(path, ref="refs/heads/memory") == ["on a branch"]


def test_a_directory_that_cannot_be_made(repository: MakeRepository) -> None:
    """Where memgit cannot have its directory, `init` says which one, and nothing is written."""
    path = repository()
    (path / ".git" / "memgit").write_text("in the way")

    with pytest.raises(StoreReadOnly, match="memgit"):
        new_store(path)

    assert open_store(path).tip() is None


def test_every_write_says_where_the_code_stood(repository: MakeRepository) -> None:
    """A write is stamped with HEAD's commit and branch; on an unborn branch and a detached HEAD with what there is."""
    path, empty = repository(), repository("bare")
    head = git(path, "rev-parse", "HEAD")

    born = open_store(path).author().code
    unborn = open_store(empty).author().code
    git(path, "checkout", "--detach")
    detached = open_store(path).author().code

    assert born is not None and (born.head, born.branch) == (head, "refs/heads/main")
    assert unborn is not None and (unborn.head, unborn.branch) == (None, "refs/heads/main")
    assert detached is not None and (detached.head, detached.branch) == (head, None)
