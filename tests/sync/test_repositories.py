"""Repositories of every kind: memory is fetched whole into each, and the code's own shape stays what it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sync.conftest import SCOPE, STORE, TRACKING, Clone, bare, git

Make = Callable[..., Clone]


@pytest.fixture
def deep(one: Clone) -> Clone:
    """The first clone, with a second commit of code and a longer memory."""
    (one.directory / "code.txt").write_text("more code\n", "utf-8")
    one.git("commit", "-qam", "more code")
    one.git("push", "-q", "origin", "HEAD:main")
    for number in range(5):
        one.claim(f"claim {number}")
    one.sync()
    return one


def history(clone: Clone) -> list[str]:
    """Return the commits of the memory as Git sees them."""
    return clone.git("rev-list", STORE).splitlines()


def test_a_shallow_clone_of_code_has_the_whole_memory(deep: Clone, clone: Make) -> None:
    """Memory is never fetched with a depth: in a shallow clone its history is whole, and the code stays shallow."""
    shallow = clone("shallow", "--depth=1")
    before = (shallow.directory / ".git/shallow").read_text()

    shallow.sync()

    assert history(shallow) == history(deep)
    assert (shallow.directory / ".git/shallow").read_text() == before
    shallow.claim("from the shallow one")
    shallow.sync()
    deep.sync()
    assert deep.statements() == shallow.statements()


def test_memory_that_somebody_made_shallow_is_made_whole(deep: Clone, two: Clone) -> None:
    """A fetch with a depth that took the memory along is healed by the next sync: a common ancestor is found again."""
    two.git("fetch", "-q", "--depth=1", "origin", f"+{STORE}:{TRACKING}", "+refs/heads/main:refs/remotes/origin/main")
    assert len(two.git("rev-list", TRACKING).splitlines()) == 1
    deep.claim("after")
    deep.sync()
    two.claim("meanwhile")

    two.sync()

    assert set(history(deep)) < set(history(two))
    assert two.git("rev-list", "refs/remotes/origin/main").count("\n") == 0, "the code's boundary is none of ours"
    deep.sync()
    assert deep.statements() == two.statements()
    two.git("fsck", "--connectivity-only")


def test_a_clone_with_nothing_but_a_shallow_memory(deep: Clone, clone: Make) -> None:
    """A clone whose memory came with a depth from the start gets the rest of its history with the first sync."""
    fresh = clone("fresh", "--depth=1")
    fresh.git("fetch", "-q", "--depth=1", "origin", f"{STORE}:{STORE}")

    fresh.sync()

    assert history(fresh) == history(deep)


def test_a_partial_clone_has_the_whole_memory(deep: Clone, clone: Make, hub: Path) -> None:
    """Memory is never filtered: a partial clone holds all of its objects, and keeps its filter for the code."""
    git(hub, "config", "uploadpack.allowFilter", "true")
    partial = clone("partial", "--filter=blob:none", "--no-checkout")

    partial.sync()

    missing = partial.git("rev-list", "--objects", "--missing=print", STORE)
    assert "?" not in missing
    assert partial.git("config", "remote.origin.partialclonefilter") == "blob:none"
    assert "?" in partial.git("rev-list", "--objects", "--missing=print", "refs/remotes/origin/main")
    partial.claim("from the partial one")
    partial.sync()
    deep.sync()
    assert deep.statements() == partial.statements()


def test_memory_that_was_fetched_with_a_filter_is_made_whole(deep: Clone, clone: Make, hub: Path) -> None:
    """Where another command brought the memory without its files, the next sync brings them all."""
    git(hub, "config", "uploadpack.allowFilter", "true")
    partial = clone("partial", "--filter=blob:none", "--no-checkout")
    partial.git("fetch", "-q", "origin", f"+{STORE}:{TRACKING}")
    assert "?" in partial.git("rev-list", "--objects", "--missing=print", TRACKING)

    partial.sync()

    assert "?" not in partial.git("rev-list", "--objects", "--missing=print", STORE)
    assert partial.statements() == deep.statements()


def test_a_repository_with_sha256_objects(tmp_path: Path) -> None:
    """Clones of a SHA-256 repository sync as any other."""
    hub = bare(tmp_path / "sha256.git", "--object-format=sha256")
    for name in ("one", "two"):
        git(tmp_path, "init", "-q", "--object-format=sha256", name)
        git(tmp_path / name, "remote", "add", "origin", str(hub))
    one, two = Clone(tmp_path / "one"), Clone(tmp_path / "two")
    one.run("store.init", **SCOPE)
    one.claim("of one")
    one.sync()
    two.sync()
    two.claim("of two")
    one.claim("of one again")
    two.sync()
    one.sync()
    two.sync()

    assert one.tree() == two.tree() and len(one.tip()) == 64
    assert one.statements() == ["of one", "of one again", "of two"]


def test_a_linked_working_tree_and_a_bare_clone(deep: Clone, clone: Make) -> None:
    """A linked working tree shares its repository's memory and sync; a bare clone has both too."""
    deep.git("worktree", "add", "-q", "../linked")
    linked = Clone(deep.directory.parent / "linked")
    linked.claim("from the linked one")
    assert linked.sync()["went"] == {"claim.assert": 1}
    plain = clone("bare.git", "--bare")

    plain.sync()

    assert plain.statements() == deep.statements()


def test_a_mirror_clone(deep: Clone, clone: Make) -> None:
    """A mirror's refspecs send and remove nothing of ours, and what its own updates undo is brought back."""
    mirror = clone("mirror.git", "--mirror")
    mirror.sync()
    mirror.claim("from the mirror")
    assert mirror.sync()["went"] == {"claim.assert": 1}
    mirror.claim("not sent yet")
    mirror.git("remote", "update", "--prune")
    assert mirror.tip() == deep.git("ls-remote", "origin", STORE).split()[0]

    mirror.sync()
    deep.sync()

    assert "not sent yet" in deep.statements()
    refs = deep.git("ls-remote", "origin")
    assert "refs/memgit/remotes" not in refs


def test_a_relative_path_and_a_subdirectory(deep: Clone) -> None:
    """A remote whose path is relative is seen from where Git sees it, wherever the command runs."""
    deep.git("remote", "set-url", "origin", "../hub.git")
    below = deep.directory / "a" / "b"
    below.mkdir(parents=True)
    deep.claim("new")

    assert Clone(below).sync()["went"] == {"claim.assert": 1}


@pytest.mark.slow
def test_a_partial_clone_keeps_few_packs_too(deep: Clone, clone: Make, hub: Path) -> None:
    """Git keeps each pack that a partial clone fetches; ours are united all the same, and the clone stays sound."""
    git(hub, "config", "uploadpack.allowFilter", "true")
    partial = clone("partial", "--filter=blob:none", "--no-checkout")
    for number in range(14):
        deep.claim(f"more {number}")
        deep.sync()
        partial.sync()

    packs = partial.directory / ".git/objects/pack"
    assert len(list(packs.glob("*.pack"))) <= 10
    assert {path.stem for path in packs.glob("*.promisor")} <= {path.stem for path in packs.glob("*.pack")}
    partial.git("gc", "-q", "--prune=now")
    assert partial.tree() == deep.tree() and partial.statements() == deep.statements()
