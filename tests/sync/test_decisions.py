"""What a sync does not decide by itself: stores that were begun apart, and purges that one side does not know."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memgit import clock
from memgit.records.codec import PurgeMarker, encode_record
from tests.sync.by_hand import Hand
from tests.sync.conftest import STORE, TRACKING, Clone, git


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


@pytest.mark.parametrize("operation", ["sync.run", "sync.pull"])
def test_a_memory_that_holds_nothing_gives_way(one: Clone, clone: Callable[..., Clone], operation: str) -> None:
    """A store that was begun by mistake takes the remote's without a join, and leaves no trace of itself there."""
    other = clone("other")
    other.run("store.init", workspace_id="wsp-tests", project_id="prj-other", offline=True)
    other.run("sync.fetch")
    assert other.run("sync.status")["obstacle"] is None

    envelope = other.envelope(operation)

    assert any("held nothing" in note for note in envelope["result"]["notes"])
    assert any("prj-other" in text for text in envelope["warnings"])  # the marker that `init` wrote
    assert other.tip() == one.tip() and other.statements() == ["first"]
    other.claim("second")
    other.sync()
    one.sync()
    assert one.statements() == ["first", "second"] and one.run("verify")["ok"]
    assert len(one.git("ls-tree", "-r", "--name-only", STORE, "stores/").splitlines()) == 1


@pytest.mark.parametrize("held", ["claim", "local", "draft"])
def test_a_memory_that_holds_something_never_gives_way(one: Clone, clone: Callable[..., Clone], held: str) -> None:
    """One claim is enough, be it of this clone alone or of a draft."""
    other = clone("other")
    other.run("store.init", workspace_id="wsp-tests", project_id="prj-other", offline=True)
    where = {"claim": {}, "local": {"layer": "local"}, "draft": {"draft": "d"}}[held]
    other.run("claim.assert", claim_type="fact", statement="mine", **where)

    other.refused("sync.run", "STORE_UNRELATED")


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


def test_a_join_that_accepts_a_purge_is_remembered(apart_stores: tuple[Clone, Clone]) -> None:
    """Two memories that were begun apart, one of which has purged something, are one with an alias like any others."""
    one, other = apart_stores
    second = one.claim("secret")
    one.sync()
    purge(one, second)
    ids = sorted(side.run("status")["store_id"] for side in (one, other))

    other.sync(join=True, accept_purge=True)
    one.sync(accept_purge=True)

    assert one.tree() == other.tree()
    assert one.run("status")["store_id"] == other.run("status")["store_id"] == ids[0]
    records = other.git("ls-tree", "-r", "--name-only", STORE, "stores/").splitlines()
    assert sum(f"alias_of: {ids[0]}" in git(other.directory, "show", f"{STORE}:{path}") for path in records) == 1
    assert other.statements() == one.statements() == ["first", "of the other"]
    other.git("fsck", "--strict")


@pytest.mark.parametrize("kept", ["an ancestor", "the tip itself"])
def test_a_purge_that_is_none_is_refused(one: Clone, two: Clone, hub: Path, kept: str) -> None:
    """A marker on top of a history that still leads to the bytes is refused: nobody is told that they are gone."""
    second = two.claim("secret of two")
    two.sync()
    one.sync()
    hand = Hand(one)
    digest, data = encode_record(PurgeMarker(digest="", entities=(second,), at=clock.now(), reason="a mistake"))
    paths = one.git("ls-tree", "-r", "--name-only", STORE).splitlines()
    gone = tuple(path for path in paths if kept == "an ancestor" and path.rpartition("/")[2].startswith(second))
    tree = hand.tree({f"purges/{digest}.yaml": ("100644", hand.blob(data))}, removed=gone)
    hand.publish(one.commit(tree, one.tip(), seq=50))
    two.claim("third")

    error = two.refused("sync.run", "INCOMING_REFUSED", accept_purge=True)

    assert second in error["message"] and "history" in error["hint"]
    assert two.statements() == ["first", "secret of two", "third"]


def test_what_the_remote_lost_before_a_purge_is_taken_without_it(one: Clone, two: Clone, hub: Path) -> None:
    """A state that was fetched, lost by the remote, and is older than our purge, gives the rest of what it holds."""
    before = one.tip()
    second = one.claim("secret")
    one.sync()
    two.sync()
    one.claim("only fetched")
    one.sync()
    two.run("sync.fetch")
    fetched = two.tip(TRACKING)
    one.git("update-ref", STORE, two.tip())
    (one.directory / ".git/memgit/state/log/refs%2Fmemgit%2Fstore").unlink()
    tip = purge(one, second)
    path = two.directory / ".git/memgit/state/sync.json"
    kept = path.read_bytes()
    two.sync(accept_purge=True)
    assert two.statements() == ["first", "only fetched"]

    two.git("update-ref", STORE, tip)
    (two.directory / ".git/memgit/state/log/refs%2Fmemgit%2Fstore").unlink()
    git(hub, "update-ref", STORE, tip)
    two.git("update-ref", "refs/memgit/remotes/origin/lost", fetched)
    path.write_bytes(kept)
    two.sync()

    assert two.statements() == ["first", "only fetched"]
    assert second not in two.git("log", "--format=", "--name-only", "-m", STORE)
    assert before not in two.git("rev-list", STORE).splitlines()


def test_a_purge_does_not_leave_through_a_draft(one: Clone, two: Clone, hub: Path) -> None:
    """An accepted purge reaches the local layer, the drafts, those that were dropped, and their logs and objects."""
    second = two.claim("secret of two")
    two.sync()
    one.sync()
    two.run(
        "claim.revise",
        claim_id=second,
        claim_type="fact",
        statement="secret in a draft",
        draft="d",
        if_revision=two.run("claim.get", claim_id=second)["revision_id"],
    )
    two.run("remember", text="What the draft says besides.", draft="d")
    two.run("draft.share", name="d")
    two.run(
        "claim.revise",
        claim_id=second,
        claim_type="fact",
        statement="secret kept back",
        draft="gone",
        if_revision=two.run("claim.get", claim_id=second)["revision_id"],
    )
    two.run("draft.drop", name="gone", yes=True)
    two.run("remember", text="The staging host is heron.", layer="local")
    purge(one, second)

    envelope = two.envelope("sync.run", accept_purge=True)

    assert envelope["ok"], envelope
    assert any("draft drop d --remote" in text for text in envelope["result"]["notes"])
    private = two.directory / ".git/memgit/state/private.git"
    for oid in git(private, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split():
        assert "secret" not in git(private, "cat-file", "-p", oid), oid
    for log in (two.directory / ".git/memgit/state/log").iterdir():
        assert b"secret" not in log.read_bytes()
    assert two.run("draft.list")["items"][0]["operations"] == 2
    assert two.run("memory.recall", query="what does the draft say besides", draft="d")["claims"]
    assert two.run("memory.recall", query="which staging host")["claims"]
    assert two.run("verify")["ok"]

    two.run("draft.drop", name="d", yes=True)
    back = two.run("draft.restore", name="d")
    assert back["operations"] == 2
    assert two.refused("draft.share", "REMOTE_REFUSED", name="d")["message"], "the remote's own still leads there"
    assert two.refused("draft.fetch", "PURGE_PENDING", name="d")["message"]
    git(hub, "update-ref", "-d", "refs/memgit/drafts/d")
    two.run("draft.share", name="d")
    assert second not in git(hub, "log", "--format=", "--name-only", "-m", "refs/memgit/drafts/d")
    assert two.run("draft.merge", name="d")["operations"] == 2


def test_a_draft_that_leads_to_what_is_purged_does_not_come_back(one: Clone, two: Clone) -> None:
    """A draft that was shared before a purge is not fetched after it, by a clone that has none of that name."""
    second = one.claim("secret of one")
    one.sync()
    two.sync()
    one.run(
        "claim.revise",
        claim_id=second,
        claim_type="fact",
        statement="secret in a draft",
        draft="d",
        if_revision=one.run("claim.get", claim_id=second)["revision_id"],
    )
    one.run("draft.share", name="d")
    purge(one, second)
    two.sync(accept_purge=True)

    error = two.refused("draft.fetch", "PURGE_PENDING", name="d")

    assert "draft drop d --remote" in error["hint"]
    assert two.run("draft.list")["items"] == []
