"""Git commands of the user beside us: nothing private leaves, and nothing that was acknowledged is lost."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sync.conftest import STORE, TRACKING, Clone, bare, git


def private_objects(clone: Clone) -> set[str]:
    """Return the objects that only the private repository of a clone has, after making sure that there are some."""
    clone.run("claim.assert", claim_type="fact", statement="for my eyes only", layer="local")
    clone.run("claim.assert", claim_type="fact", statement="not decided yet", draft="d")
    private = clone.directory / ".git/memgit/state/private.git"
    held = set(git(private, "rev-list", "--all", "--objects", "--no-object-names").split())
    return held - set(clone.git("rev-list", STORE, "--objects", "--no-object-names").split())


LEAVING: dict[str, Callable[[Clone, Path], object]] = {
    "push --mirror": lambda one, target: one.git("push", "-q", "--mirror", str(bare(target))),
    "push --all": lambda one, target: one.git("push", "-q", "--all", str(bare(target))),
    "bundle --all": lambda one, target: (
        one.git("bundle", "create", str(target.with_suffix(".bundle")), "--all"),
        git(target.parent, "clone", "-q", "--mirror", str(target.with_suffix(".bundle")), str(target)),
    ),
    "clone --mirror": lambda one, target: git(
        target.parent, "clone", "-q", "--mirror", str(one.directory), str(target)
    ),
    "memory sync": lambda one, target: (
        one.git("remote", "add", "target", str(bare(target))),
        one.sync(remote="target", elect=True),
    ),
}


@pytest.mark.parametrize("way", LEAVING)
def test_nothing_private_leaves(one: Clone, tmp_path: Path, way: str) -> None:
    """No command of Git's that carries every ref, and no sync, takes the local layer, the log or the cache along."""
    private = private_objects(one)
    target = tmp_path / "target.git"

    LEAVING[way](one, target)

    there = git(target, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()
    assert there and private and not private & set(there)
    assert len(git(one.directory / ".git/memgit/state/private.git", "for-each-ref").splitlines()) == 2
    names = git(target, "for-each-ref", "--format=%(refname)")
    assert "local" not in names and "draft" not in names


FETCHES: dict[str, Callable[[Clone], object]] = {
    "all refs, forced": lambda c: c.git("fetch", "-q", "origin", "+refs/*:refs/*", "--update-head-ok"),
    "all refs, pruned": lambda c: c.git("fetch", "-q", "--prune", "origin", "+refs/*:refs/*", "--update-head-ok"),
    "our namespace, forced": lambda c: c.git("fetch", "-q", "origin", "+refs/memgit/*:refs/memgit/*"),
    "our namespace, pruned": lambda c: c.git("fetch", "-q", "--prune", "origin", "+refs/memgit/*:refs/memgit/*"),
    "our ref, forced": lambda c: c.git("fetch", "-q", "origin", f"+{STORE}:{STORE}"),
    "our ref, with a depth": lambda c: c.git("fetch", "-q", "--depth=1", "origin", f"+{STORE}:{STORE}"),
    "into nothing, pruned": lambda c: c.git("fetch", "-q", "--prune", "origin", "+refs/none/*:refs/memgit/*"),
    "the ref is deleted": lambda c: c.git("update-ref", "-d", STORE),
}


@pytest.mark.parametrize("fetch", FETCHES)
def test_a_wild_fetch_destroys_nothing(one: Clone, two: Clone, fetch: str) -> None:
    """A forced or pruning fetch into our refs, with unpublished memories on this side, loses none of them."""
    one.claim("published by one")
    one.sync()
    two.claim("not published yet")
    FETCHES[fetch](two)
    two.git("gc", "-q", "--prune=now")

    two.sync()
    one.sync()

    assert one.statements() == two.statements() == ["first", "not published yet", "published by one"]
    two.git("rev-list", "--objects", STORE)


def test_a_rude_push_into_the_remote_loses_nothing(one: Clone, two: Clone, hub: Path) -> None:
    """One clone overwrites the remote's ref by force; the other clone's next sync brings both sides together."""
    one.claim("of one")
    two.claim("of two")
    one.sync()
    two.git("push", "-q", "--force", "origin", f"{STORE}:{STORE}")

    report = one.sync()
    two.sync()

    assert any("set back" in text for text in report["notes"])
    assert one.statements() == two.statements() == ["first", "of one", "of two"]


def test_gc_between_and_beside_syncs(one: Clone, two: Clone, hub: Path) -> None:
    """`gc --prune=now` on both sides, between any two syncs and while one runs, costs nothing."""
    for number in range(4):
        two.claim(f"two {number}")
        running = subprocess.Popen(["git", "gc", "-q", "--prune=now"], cwd=two.directory, stderr=subprocess.DEVNULL)
        two.sync()
        running.wait()
        git(hub, "gc", "-q", "--prune=now")
        one.sync()
        one.git("gc", "-q", "--prune=now")

    assert one.tree() == two.tree() and len(one.statements()) == 5
    two.git("fsck", "--connectivity-only")


def test_memory_adds_few_refs_and_no_noise(one: Clone, two: Clone) -> None:
    """Two refs in all, however many memories: fetches of code stay as fast, and none of ours is a branch or a tag."""
    for number in range(20):
        one.claim(f"claim {number}")
    one.sync()
    two.sync()

    names = two.git("for-each-ref", "--format=%(refname)", "refs/memgit").splitlines()
    assert names == [TRACKING, STORE]
    shown = two.git("log", "--format=%H", "--branches", "--tags", "--remotes").splitlines()
    assert shown == [two.git("rev-parse", "refs/remotes/origin/main")], "the one commit of code"


def test_a_store_is_small_when_it_is_pushed(one: Clone, hub: Path) -> None:
    """What a push sends is packed: hundreds of records are one pack on the other side and not thousands of files."""
    git(hub, "config", "receive.unpackLimit", "1")
    for number in range(60):
        one.claim(f"claim {number}")
    before = len(list((hub / "objects/pack").glob("*.pack")))
    one.sync()

    assert len(list((hub / "objects/pack").glob("*.pack"))) == before + 1
    size = sum(path.stat().st_size for path in (hub / "objects").rglob("*") if path.is_file())
    assert size < 400_000


def test_a_record_cannot_grow_without_bound(one: Clone, two: Clone) -> None:
    """No list in a record makes the memory huge: a writer's records have a largest size (others': `test_validate`)."""
    markers = [f"area:{'x' * 200}{number}" for number in range(5000)]

    error = one.refused("claim.assert", "LIMIT_EXCEEDED", claim_type="fact", statement="x", markers=markers)

    assert error["details"]["limit"]
