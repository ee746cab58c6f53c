"""Remotes that say no, that hang, and that were set back: told apart without their words, and nothing here is lost."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sync.by_hand import Hand
from tests.sync.conftest import SCOPE, STORE, TRACKING, Clone, bare, git

BRANCH = "refs/heads/memgit"


def hook(hub: Path, script: str, name: str = "pre-receive") -> None:
    """Give the remote a hook."""
    path = hub / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


ONLY_BRANCHES = """
while read old new ref; do
  case $ref in refs/heads/*|refs/tags/*) ;; *) echo "only these may pass" >&2; exit 1;; esac
done
"""
OTHER_WORDS = ONLY_BRANCHES.replace("only these may pass", "verboten, bitte Branches verwenden")
NAMESPACES: dict[str, Callable[[Path], object]] = {
    "pre-receive": lambda hub: hook(hub, ONLY_BRANCHES),
    "other words": lambda hub: hook(hub, OTHER_WORDS),
    "update": lambda hub: hook(hub, "case $1 in refs/heads/*) ;; *) exit 1;; esac", "update"),
    "hidden refs": lambda hub: git(hub, "config", "receive.hideRefs", "refs/memgit"),
    "silent": lambda hub: hook(hub, ONLY_BRANCHES.replace('echo "only these may pass" >&2; ', "")),
}


@pytest.mark.parametrize("kind", NAMESPACES)
def test_a_server_that_takes_only_branches(hub: Path, clone: Callable[..., Clone], kind: str) -> None:
    """However it says no to `refs/memgit`, the error offers a branch and a remote of its own; the branch then works.

    Another clone finds the branch by itself.
    """
    NAMESPACES[kind](hub)
    one = clone("one")
    one.run("store.init", **SCOPE, offline=True)
    one.claim("first")

    error = one.refused("sync.run", "REMOTE_REFUSED")
    assert f"git config remote.origin.memgitRef {BRANCH}" in error["hint"] and "--elect" in error["hint"]
    assert "a branch like others" in error["hint"]
    one.git("config", "remote.origin.memgitRef", BRANCH)
    assert one.sync()["went"] == {"claim.assert": 1}

    two = clone("two")
    report = two.sync()
    assert report["ref"] == BRANCH and any(BRANCH in text for text in report["notes"])
    assert two.git("config", "remote.origin.memgitRef") == BRANCH
    two.claim("second")
    two.sync()
    one.sync()
    assert one.statements() == ["first", "second"]
    assert git(hub, "for-each-ref", "refs/memgit") == ""


def test_drafts_go_to_branches_too(hub: Path, clone: Callable[..., Clone]) -> None:
    """Where a remote keeps the memory in a branch, a draft is a branch beside it; without, the hint says how."""
    hook(hub, ONLY_BRANCHES)
    one = clone("one")
    one.run("store.init", **SCOPE, offline=True)
    one.run("claim.assert", claim_type="fact", statement="drafted", draft="d")

    assert "remote.origin.memgitRef" in one.refused("draft.share", "REMOTE_REFUSED", name="d")["hint"]
    one.git("config", "remote.origin.memgitRef", BRANCH)
    one.sync()
    assert one.run("draft.share", name="d")["ref"] == "refs/heads/memgit-drafts/d"

    two = clone("two")
    two.sync()
    assert [item["name"] for item in two.run("draft.remote")["items"]] == ["d"]
    two.run("draft.fetch", name="d")
    two.run("draft.merge", name="d")
    assert two.statements() == ["drafted"]


def test_each_remote_has_a_ref_of_its_own(hub: Path, clone: Callable[..., Clone]) -> None:
    """What one remote needs is not done to another, and goes with the remote when it is renamed."""
    hook(hub, ONLY_BRANCHES)
    one = clone("one")
    one.run("store.init", **SCOPE, offline=True)
    one.git("config", "remote.origin.memgitRef", BRANCH)
    one.sync()
    free = bare(hub.with_name("free.git"))
    one.git("remote", "add", "memory", str(free))

    assert one.sync(remote="memory", elect=True)["ref"] == STORE
    assert "heads" not in git(free, "for-each-ref")
    one.git("remote", "rename", "origin", "company")
    assert one.sync(remote="company", elect=True)["ref"] == BRANCH


def test_a_ref_that_holds_no_memory_is_refused(one: Clone) -> None:
    """A wrong name of a ref is said, with the key of Git config that holds it."""
    one.git("config", "remote.origin.memgitRef", "refs/tags/x")

    assert "remote.origin.memgitRef" in one.refused("sync.run", "INVALID_REQUEST")["message"]


def test_somebodys_branch_of_that_name_is_no_memory(one: Clone, clone: Callable[..., Clone], hub: Path) -> None:
    """A branch `memgit` that holds code is neither taken for a memory nor overwritten."""
    git(hub, "update-ref", "-d", STORE)
    code = git(hub, "rev-parse", "refs/heads/main")
    git(hub, "update-ref", BRANCH, code)
    fresh = clone("fresh")
    fresh.run("store.init", **SCOPE)

    assert fresh.sync()["ref"] == STORE
    assert git(hub, "rev-parse", BRANCH) == code


def test_a_server_that_refuses_everything(one: Clone, hub: Path) -> None:
    """Its own words are shown, what is here stays, and what it has still arrives."""
    hook(hub, 'echo "the disk is full" >&2; exit 1')
    one.claim("second")

    error = one.refused("sync.run", "REMOTE_REFUSED")

    assert "the disk is full" in error["message"]
    assert one.run("sync.pull")["came"] == {}
    assert one.statements() == ["first", "second"]


def test_a_hook_that_hangs(one: Clone, hub: Path) -> None:
    """A remote that stays silent is given up after the idle time, and nothing of ours runs on after that."""
    mark = hub / "hung"
    hook(hub, f"touch {mark}; exec sleep 60")
    one.claim("second")
    one.run("config.set", name="networkIdle", value="1")
    begun = time.monotonic()

    error = one.refused("sync.run", "REMOTE_UNAVAILABLE")

    assert mark.exists()
    assert time.monotonic() - begun < 20
    assert "said nothing" in error["message"] and "networkIdle" in error["hint"]
    assert one.statements() == ["first", "second"]
    (hub / "hooks" / "pre-receive").unlink()
    assert one.sync()["went"] == {"claim.assert": 1}


def test_a_remote_that_talks_without_end(one: Clone, hub: Path) -> None:
    """Progress resets the idle time, and the whole exchange is bounded all the same."""
    hook(hub, "while :; do echo still here >&2; sleep 0.2; done")
    one.claim("second")
    one.run("config.set", name="networkTimeout", value="2")
    begun = time.monotonic()

    error = one.refused("sync.run", "REMOTE_UNAVAILABLE")

    assert time.monotonic() - begun < 20 and "took more than 2 s" in error["message"]


def test_a_lock_that_passes(one: Clone, hub: Path) -> None:
    """A refusal that passes by itself, as another push's lock on the ref does, is tried again."""
    mark = hub / "once"
    hook(hub, f"test -e {mark} && exit 0; touch {mark}; exit 1")
    one.claim("second")

    assert one.sync()["went"] == {"claim.assert": 1}


def test_the_remotes_ref_was_set_back(one: Clone, two: Clone, hub: Path) -> None:
    """A force push on the server is noticed and said, loses nothing here, and the next sync restores it."""
    before = one.tip()
    one.claim("second")
    one.sync()
    two.sync()
    git(hub, "update-ref", STORE, before)

    report = two.sync()

    assert any("set back" in text for text in report["notes"])
    assert git(hub, "rev-parse", STORE) == two.tip() == one.tip()
    assert not any("set back" in text for text in two.sync()["notes"])


def test_the_remotes_memory_was_replaced(one: Clone, two: Clone, hub: Path) -> None:
    """A foreign memory in place of ours is refused, not united, and nothing of ours is lost."""
    other = Clone(two.directory.parent / "other")
    git(two.directory.parent, "init", "-q", "other")
    other.run("store.init", workspace_id="w", project_id="p")
    git(other.directory, "push", "-q", "--force", str(hub), f"{STORE}:{STORE}")

    two.refused("sync.run", "STORE_UNRELATED")

    assert two.statements() == ["first"]


def test_the_remotes_ref_was_deleted(one: Clone, two: Clone, hub: Path) -> None:
    """A deleted ref is said, and comes back with the next sync of any clone."""
    git(hub, "update-ref", "-d", STORE)

    report = two.sync()

    assert any("deleted" in text for text in report["notes"])
    assert git(hub, "rev-parse", STORE) == two.tip()


@pytest.mark.parametrize("how", ["deleted", "set back"])
def test_what_was_fetched_and_not_united_survives_a_rewind(one: Clone, two: Clone, hub: Path, how: str) -> None:
    """What the remote had when it was fetched is kept, and united later, although the remote no longer has it."""
    before = one.tip()
    one.claim("only fetched")
    one.sync()
    two.run("sync.fetch")
    git(hub, "update-ref", *(["-d", STORE] if how == "deleted" else [STORE, before]))
    two.run("sync.fetch")
    two.git("gc", "-q", "--prune=now")

    two.sync()

    assert two.statements() == ["first", "only fetched"]
    assert git(hub, "rev-parse", STORE) == two.tip()
    assert two.tip("refs/memgit/remotes/origin/lost") == ""


def test_a_pruned_tracking_ref_costs_nothing(one: Clone, two: Clone) -> None:
    """Another program may delete the tracking ref at any time."""
    two.git("update-ref", "-d", TRACKING)
    one.claim("second")
    one.sync()

    two.sync()

    assert two.statements() == ["first", "second"]


def test_an_unknown_host_and_a_missing_repository(one: Clone) -> None:
    """What cannot be reached is one error with Git's own words; the password of a URL is not among them."""
    one.claim("second")
    for url in ("https://user:geheim@host.invalid/x.git", "/nowhere/at/all.git", "ssh://host.invalid/x"):
        one.git("remote", "set-url", "origin", url)
        error = one.refused("sync.run", "REMOTE_UNAVAILABLE")
        assert "origin" in error["message"] and "geheim" not in str(error)
    assert one.statements() == ["first", "second"]


def test_a_rewind_whose_commit_is_gone_is_said_and_passes(one: Clone, two: Clone, hub: Path) -> None:
    """Where what the remote once had was fetched, not united, and is collected on both sides, the loss is said once."""
    before = one.tip()
    one.claim("only fetched")
    one.sync()
    two.run("sync.fetch")
    git(hub, "update-ref", STORE, before)
    two.git("update-ref", "-d", TRACKING)
    for place in (two.directory, hub):
        git(place, "gc", "-q", "--prune=now")

    notes = two.run("sync.fetch")["notes"]
    two.claim("goes on")
    report = two.sync()

    assert any("set back" in text for text in notes) and any("gone" in text for text in notes)
    assert report["notes"] == [] and report["went"] == {"claim.assert": 1}
    assert two.statements() == ["first", "goes on"]


def test_a_deleted_ref_whose_commit_is_gone_is_said_and_passes(one: Clone, two: Clone, hub: Path) -> None:
    """The same where the remote's ref is deleted altogether."""
    one.claim("only fetched")
    one.sync()
    two.run("sync.fetch")
    git(hub, "update-ref", "-d", STORE)
    two.git("update-ref", "-d", TRACKING)
    for place in (two.directory, hub):
        git(place, "gc", "-q", "--prune=now")

    assert any("deleted" in text and text for text in two.sync()["notes"])
    assert git(hub, "rev-parse", STORE) == two.tip()
    assert two.sync()["notes"] == []


@pytest.mark.parametrize("kept", ["lost", "dropped"])
def test_what_was_noted_and_is_gone_stops_no_sync(one: Clone, two: Clone, kept: str) -> None:
    """A note of a commit that is to be united and that no longer exists is forgotten, not stumbled over."""
    gone = "1234567890" * 4
    path = two.directory / ".git/memgit/state/sync.json"
    notes = json.loads(path.read_text("utf-8"))
    notes["origin"][kept] = gone if kept == "lost" else [gone]
    path.write_text(json.dumps(notes), "utf-8")
    two.claim("goes on")

    assert two.sync()["went"] == {"claim.assert": 1}
    assert gone not in path.read_text("utf-8")


def test_a_memory_that_was_the_remotes_for_a_while(one: Clone, two: Clone, hub: Path) -> None:
    """A foreign memory that stood in the remote's ref once is no part of ours: after it is gone, syncs go on."""
    other = Clone(two.directory.parent / "other")
    git(two.directory.parent, "init", "-q", "other")
    other.run("store.init", workspace_id="w", project_id="p")
    other.claim("foreign")
    git(other.directory, "push", "-q", "--force", str(hub), f"{STORE}:{STORE}")
    two.refused("sync.run", "STORE_UNRELATED")
    git(hub, "update-ref", STORE, two.tip())

    assert any("another memory" in text for text in two.sync()["notes"])
    assert two.sync()["notes"] == []
    assert two.statements() == ["first"]


def test_a_code_branch_of_that_name_leaves_no_trace(one: Clone, clone: Callable[..., Clone], hub: Path) -> None:
    """A look at a branch `memgit` that holds code leaves the tracking ref as it was, so nothing speaks of it later."""
    git(hub, "update-ref", "-d", STORE)
    git(hub, "update-ref", BRANCH, git(hub, "rev-parse", "refs/heads/main"))
    before = one.tip(TRACKING)
    fresh = clone("fresh")
    fresh.run("store.init", **SCOPE)

    for side, expected in ((one, before), (fresh, "")):
        side.run("sync.fetch")
        assert side.tip(TRACKING) == expected
        assert side.run("sync.status")["obstacle"] is None
    assert one.run("diff", range="@..@{origin}")["is_empty"]


def test_the_command_that_sets_a_remote_right(one: Clone, two: Clone, hub: Path) -> None:
    """A refusal names the command that sets the remote's ref back, and the command works."""
    hand = Hand(one)
    good = one.tip()
    hand.publish(one.commit(hand.tree({"README.md": ("100644", hand.blob(b"x"))}), good, seq=9))

    error = two.refused("sync.run", "INCOMING_REFUSED")

    two.git(*error["hint"].split("`")[1].split()[1:])
    assert git(hub, "rev-parse", STORE) == good
    two.claim("second")
    assert two.sync()["went"] == {"claim.assert": 1}


def test_a_remote_that_is_fetched_here_and_pushed_there(one: Clone, two: Clone, hub: Path, tmp_path: Path) -> None:
    """Where the place to push to holds another memory than the place to fetch from, that is said, not a branch."""
    elsewhere = tmp_path / "elsewhere.git"
    git(tmp_path, "clone", "-q", "--mirror", str(hub), str(elsewhere))
    two.claim("elsewhere")
    two.git("push", "-q", str(elsewhere), f"{STORE}:{STORE}")
    one.git("config", "remote.origin.pushurl", str(elsewhere))
    one.claim("second")

    error = one.refused("sync.run", "REMOTE_REFUSED")

    assert "pushed to another" in error["message"] and BRANCH not in error["hint"]


@pytest.mark.parametrize("key", ["url", "pushurl"])
def test_memory_is_pushed_to_one_place(one: Clone, hub: Path, tmp_path: Path, key: str) -> None:
    """A remote whose code goes to several places sends the memory to the first of them and to no other."""
    mirror = tmp_path / "mirror.git"
    git(tmp_path, "init", "-q", "--bare", str(mirror))
    if key == "pushurl":
        one.git("config", "--add", "remote.origin.pushurl", hub.as_uri())
    one.git("config", "--add", f"remote.origin.{key}", str(mirror))
    one.git("config", "remote.origin.proxy", "")
    git(hub, "update-ref", "-d", STORE)
    one.claim("second")

    one.sync()
    one.run("remember", text="A draft too.", draft="d")
    one.run("draft.share", name="d")
    one.git("push", "-q", "origin", "HEAD:main")

    assert git(hub, "rev-parse", STORE) == one.tip()
    assert git(mirror, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
