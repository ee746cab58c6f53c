"""What a sync does not decide by itself: stores that were begun apart, and purges that one side does not know."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memgit import clock
from memgit.records.codec import PurgeMarker, encode_record
from tests.sync.by_hand import Hand
from tests.sync.conftest import STORE, Clone, git


def purge(clone: Clone, entity: str) -> str:
    """Rewrite a clone's remote memory without one entity, as a purge does; return the new tip."""
    hand = Hand(clone)
    digest, data = encode_record(PurgeMarker(digest="", entities=(entity,), at=clock.now(), reason="a mistake"))
    gone = tuple(
        path
        for path in clone.git("ls-tree", "-r", "--name-only", STORE).splitlines()
        if path.rpartition("/")[2].startswith(entity)
    )
    tree = hand.tree({f"purges/{digest}.yaml": ("100644", hand.blob(data))}, removed=gone)
    return hand.publish(clone.commit(tree, seq=50))


@pytest.fixture
def apart_stores(clone: Callable[..., Clone], one: Clone) -> tuple[Clone, Clone]:
    """Two clones whose memories were begun apart from each other."""
    other = clone("other")
    other.run("store.init", workspace_id="wsp-tests", project_id="prj-other", offline=True)
    other.claim("of the other")
    return one, other


def test_stores_that_were_begun_apart_never_join_in_silence(apart_stores: tuple[Clone, Clone]) -> None:
    """A sync of unrelated memories is refused, both ids are named, and so is the way out."""
    _, other = apart_stores

    error = other.refused("sync.run", "STORE_UNRELATED")

    assert "--join" in error["hint"]
    assert error["details"]["ours"] != error["details"]["theirs"]
    assert "apart" in other.run("sync.status")["obstacle"]


def test_a_join_makes_them_one(apart_stores: tuple[Clone, Clone]) -> None:
    """With `join` both are one memory from then on, in both clones, under the lower id, with the other as its alias."""
    one, other = apart_stores
    ids = sorted(side.run("status")["store_id"] for side in (one, other))

    other.sync(join=True)
    one.sync()

    assert one.tree() == other.tree()
    assert one.run("status")["store_id"] == other.run("status")["store_id"] == ids[0]
    records = one.git("ls-tree", "-r", "--name-only", STORE, "stores/").splitlines()
    alias = [git(one.directory, "show", f"{STORE}:{path}") for path in records]
    assert sum(f"alias_of: {ids[0]}" in text and f"store: {ids[1]}" in text for text in alias) == 1
    one.claim("after")
    assert one.sync()["went"] == {"claim.assert": 1}


def test_both_sides_may_join_at_once(apart_stores: tuple[Clone, Clone], hub: Path, tmp_path: Path) -> None:
    """Two clones that join the same two stores apart from each other write the same record, and end in one tree."""
    one, other = apart_stores
    for name, source in (("a", one), ("b", other)):
        git(tmp_path, "clone", "-q", "--bare", str(source.directory), f"{name}.git")
        git(source.directory, "push", "-q", str(tmp_path / f"{name}.git"), f"{STORE}:{STORE}")
    one.git("remote", "add", "theirs", str(tmp_path / "b.git"))
    other.git("remote", "add", "theirs", str(tmp_path / "a.git"))
    one.run("sync.pull", remote="theirs", elect=True, join=True)
    other.run("sync.pull", remote="theirs", elect=True, join=True)

    assert one.tree() == other.tree()


def test_a_purge_that_arrives_stops_the_sync(one: Clone, two: Clone) -> None:
    """Markers stop a sync: the error says how many entities, which, and by whom."""
    second = two.claim("secret of two")
    two.sync()
    one.sync()
    one.git("config", "user.name", "The Purger")
    purge(one, second)

    error = two.refused("sync.run", "PURGE_PENDING")

    assert second in error["message"] and "1 entity" in error["message"] and "The Purger" in error["message"]
    assert "--accept-purge" in error["hint"]
    assert two.statements() == ["first", "secret of two"]


def test_an_accepted_purge_leaves_no_way_to_the_bytes(one: Clone, two: Clone, hub: Path) -> None:
    """After `accept_purge` no commit of this clone or of the remote leads to what was purged; own new work is kept."""
    second = two.claim("secret of two")
    two.sync()
    one.sync()
    purge(one, second)
    third = two.claim("third, written meanwhile")

    two.sync(accept_purge=True)

    assert two.statements() == ["first", "third, written meanwhile"]
    for place in (two.directory, hub):
        names = git(place, "log", "--format=", "--name-only", "-m", STORE)
        assert second not in names and third in names
        assert "secret" not in git(place, "log", "--format=%B", STORE)
    for log in (two.directory / ".git/memgit/state/log").iterdir():
        assert b"secret of two" not in log.read_bytes()
    two.claim("fourth")
    two.sync()
    assert two.run("verify")["ok"]


def test_a_clone_without_new_work_takes_over_what_is_left(one: Clone, two: Clone) -> None:
    """A clone that wrote nothing of its own has the remote's tip after an accepted purge, and the log is new."""
    second = one.claim("secret of one")
    one.sync()
    two.sync()
    tip = purge(one, second)

    two.sync(accept_purge=True)

    assert two.tip() == tip
    assert two.statements() == ["first"]
    two.claim("goes on")
    assert two.statements() == ["first", "goes on"]


def test_a_remote_that_lacks_our_purge(one: Clone, two: Clone, hub: Path) -> None:
    """Where this clone has purged what the remote still has, nothing is exchanged, and the error says so."""
    before = one.tip()
    second = one.claim("secret")
    one.sync()
    two.sync()
    purge(one, second)
    two.sync(accept_purge=True)
    git(hub, "update-ref", STORE, before)
    two.git("update-ref", "-d", "refs/memgit/remotes/origin/store")
    (two.directory / ".git/memgit/state/sync.json").unlink()

    assert second in two.refused("sync.run", "PURGE_PENDING")["message"]


def test_a_marker_that_names_nonsense_purges_nothing(one: Clone, two: Clone) -> None:
    """A readable marker with names that are no ids is no purge, and nothing stumbles over it."""
    hand = Hand(one)
    digest, data = encode_record(PurgeMarker(digest="", entities=("nonsense", "clm_x", ""), at=clock.now()))
    hand.publish(one.commit(hand.tree({f"purges/{digest}.yaml": ("100644", hand.blob(data))}), one.tip(), seq=9))

    two.sync()

    assert two.statements() == ["first"]
    two.claim("goes on")
    assert two.statements() == ["first", "goes on"]


def test_a_first_clone_asks_nobody_about_old_purges(one: Clone, clone: Callable[..., Clone]) -> None:
    """A clone without memory has nothing to lose: it takes the memory as it is, markers and all."""
    second = one.claim("secret")
    one.sync()
    purge(one, second)

    fresh = clone("fresh")
    fresh.sync()

    assert fresh.statements() == ["first"]
