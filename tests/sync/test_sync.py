"""Two clones and a remote: what one writes, the other has after a sync; nothing conflicts, nothing is lost."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.screening.keys import KINDS
from tests.sync.conftest import STORE, TRACKING, Clone, git

TOKEN = KINDS["github"][0](Random(1)).text


def test_what_one_clone_writes_the_other_has(one: Clone, two: Clone) -> None:
    """A sync in each clone is enough, and the report counts what came and what went."""
    one.claim("second")
    sent = one.sync()
    received = two.sync()

    assert sent["went"] == {"claim.assert": 1} and sent["came"] == {}
    assert received["came"] == {"claim.assert": 1} and received["went"] == {}
    assert two.statements() == ["first", "second"]
    assert one.tip() == two.tip()


def test_what_both_wrote_is_united(one: Clone, two: Clone) -> None:
    """Claims that two clones wrote apart are in both afterwards, in trees that are equal."""
    one.claim("of one")
    two.claim("of two")
    one.sync()
    report = two.sync()
    one.sync()

    assert report["came"] == {"claim.assert": 1} and report["went"] == {"claim.assert": 1}
    assert one.tree() == two.tree()
    assert one.statements() == two.statements() == ["first", "of one", "of two"]
    subject, *_ = one.git("log", "-1", "--format=%s", STORE).splitlines()
    assert subject == "store sync: origin"
    one.git("fsck", "--strict")


def test_two_edits_of_one_claim_are_an_open_case_and_no_failure(one: Clone, two: Clone) -> None:
    """A disagreement never fails a sync: both edits are kept, no text is merged, a case opens, the answer names it."""
    claim = one.first()
    one.revise(claim, "as one sees it")
    two.revise(claim, "as two sees it")
    one.sync()
    report = two.sync()

    assert len(report["conflicts_opened"]) == 1
    assert report["came"] == {"claim.revise": 1}
    case = two.run("conflict.get", case_id=report["conflicts_opened"][0])
    assert case["status"] == "open"
    assert one.sync()["conflicts_opened"] == report["conflicts_opened"]
    assert two.run("claim.get", claim_id=claim)["disputed"] is True


def test_a_sync_with_nothing_to_do_changes_nothing(one: Clone) -> None:
    """A second sync writes no commit, pushes nothing and leaves no pack behind."""
    before = one.git("for-each-ref"), sorted((one.directory / ".git/objects/pack").iterdir())

    report = one.sync()

    assert (report["came"], report["went"], report["pushed"]) == ({}, {}, False)
    assert before == (one.git("for-each-ref"), sorted((one.directory / ".git/objects/pack").iterdir()))


def test_one_command_brings_the_memory_into_a_clone(one: Clone, clone: Callable[..., Clone]) -> None:
    """In a fresh clone `sync` is the only command that is needed, and a write works after it."""
    fresh = clone("fresh")

    report = fresh.sync()

    assert report["began"] and report["came"] == {"claim.assert": 1}
    assert fresh.tip() == one.tip() == fresh.tip(TRACKING)
    fresh.claim("after")
    assert fresh.sync()["went"] == {"claim.assert": 1}


def test_a_clone_and_a_remote_without_memory(hub: Path, clone: Callable[..., Clone]) -> None:
    """Where neither side has a memory, that is said, with the command that begins one."""
    error = clone("empty").refused("sync.run", "STORE_NOT_INITIALIZED")

    assert "git memory init" in error["hint"]


def test_fetch_leaves_the_memory_alone(one: Clone, two: Clone) -> None:
    """A fetch never writes the authority: what came waits in the tracking ref, and is counted."""
    one.claim("second")
    one.sync()
    before = two.tip()

    report = two.run("sync.fetch")

    assert report["came"] == {"claim.assert": 1}
    assert two.tip() == before
    assert two.tip(TRACKING) == one.tip()
    assert two.statements() == ["first"]


def test_pull_pushes_nothing(one: Clone, two: Clone, hub: Path) -> None:
    """A pull unites and leaves the remote as it is."""
    one.claim("of one")
    one.sync()
    two.claim("of two")
    before = git(hub, "rev-parse", STORE)

    two.run("sync.pull")

    assert git(hub, "rev-parse", STORE) == before
    assert two.statements() == ["first", "of one", "of two"]


def test_push_sends_what_is_here_and_never_overwrites(one: Clone, two: Clone, hub: Path) -> None:
    """A push goes through where the remote's memory is contained here; else it is refused, and `sync` is named."""
    one.claim("of one")
    assert one.run("sync.push")["went"] == {"claim.assert": 1}
    two.claim("of two")
    before = git(hub, "rev-parse", STORE)

    error = two.refused("sync.push", "REMOTE_REFUSED")

    assert "git memory sync" in error["hint"]
    assert git(hub, "rev-parse", STORE) == before == one.tip()


def test_who_syncs_is_who_git_says(one: Clone, two: Clone) -> None:
    """The commit that unites two sides is by the user's own Git identity."""
    two.git("config", "user.name", "Somebody Else")
    two.git("config", "user.email", "else@example.invalid")
    one.claim("of one")
    two.claim("of two")
    one.sync()
    two.sync()

    assert two.git("log", "-1", "--format=%an <%ae> %cn <%ce>", STORE) == " ".join(
        ["Somebody Else <else@example.invalid>"] * 2
    )


def test_status_says_how_far_apart_without_the_network(one: Clone, two: Clone, hub: Path) -> None:
    """What is ahead, behind and in conflict is computed from the last fetch, also where the remote is gone."""
    claim = one.first()
    one.revise(claim, "as one sees it")
    two.revise(claim, "as two sees it")
    two.claim("of two")
    one.sync()
    fetched = two.run("sync.status", fetch=True)
    hub.rename(hub.with_name("gone.git"))

    status = two.run("sync.status")

    assert status["ahead"] == {"claim.assert": 1, "claim.revise": 1}
    assert status["behind"] == {"claim.revise": 1}
    assert len(status["conflicts"]) == 1 and status["obstacle"] is None
    assert status["conflicts"] == fetched["conflicts"] and status["fetched_at"]
    hub.with_name("gone.git").rename(hub)
    assert two.sync()["conflicts_opened"] == status["conflicts"]
    after = two.run("sync.status")
    assert (after["ahead"], after["behind"], after["conflicts"]) == ({}, {}, [])


def test_what_is_ignored_is_counted(one: Clone, two: Clone) -> None:
    """An operation that is well-formed by its path and broken inside stays in the tree, is ignored, and counted."""
    path = one.git("ls-tree", "-r", "--name-only", STORE, "claims/").splitlines()[0]
    other = path.replace(path.rpartition("-")[2], f"{'0' * 64}.yaml")
    blob = git(one.directory, "hash-object", "-w", "code.txt")
    index = str(one.directory / ".git/by-hand")
    git(one.directory, "read-tree", STORE, GIT_INDEX_FILE=index)
    git(one.directory, "update-index", "--add", "--cacheinfo", f"100644,{blob},{other}", GIT_INDEX_FILE=index)
    tree = git(one.directory, "write-tree", GIT_INDEX_FILE=index)
    bad = one.commit(tree, one.tip(), seq=9)
    one.git("push", "-q", "origin", f"{bad}:{STORE}")

    report = two.sync()

    assert report["ignored"] == 1 and report["ignored_first"] == [other]
    assert other in two.git("ls-tree", "-r", "--name-only", STORE)
    assert two.statements() == ["first"]


def test_an_invented_identity_is_said(one: Clone, two: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Git does not know the user, a sync that makes a commit says so, as a write does; another does not."""
    one.claim("of one")
    two.claim("of two")
    one.sync()
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")

    assert any("does not know your name" in text for text in two.envelope("sync.run")["warnings"])
    assert two.envelope("sync.run")["warnings"] == []


def test_a_commit_that_is_not_signed_is_said(one: Clone, two: Clone) -> None:
    """Where the user signs and the key is not at hand, a sync says that its commit is not signed, as a write does."""
    one.claim("of one")
    two.claim("of two")
    one.sync()
    two.git("config", "commit.gpgSign", "true")
    two.git("config", "gpg.format", "ssh")
    two.git("config", "user.signingKey", "/nowhere/key")

    assert any("not signed" in text for text in two.envelope("sync.run")["warnings"])


def test_what_this_clone_wrote_meanwhile_did_not_come(one: Clone, two: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    """What came is what the union brought; what other processes of this clone wrote beside the sync is not counted."""
    from memgit.sync.arrival import Fetcher

    one.revise(one.first(), "as one sees it")
    one.sync()
    whole = Fetcher.fetch

    def slow(self: Fetcher, ref: str, *, elsewhere: bool) -> object:
        arrival = whole(self, ref, elsewhere=elsewhere)
        two.claim("meanwhile")
        return arrival

    monkeypatch.setattr(Fetcher, "fetch", slow)

    report = two.sync()

    assert report["came"] == {"claim.revise": 1}
    assert report["went"] == {"claim.assert": 1}


def test_the_second_screen_stands_before_a_sync(one: Clone, two: Clone, hub: Path) -> None:
    """A sync sends nothing that looks like a secret; what came in still did, and a push of code is not held up."""
    one.run("claim.assert", claim_type="fact", statement=f"use {TOKEN}", allow_flagged=True)
    (one.directory / ".git/memgit/state/allowed-flagged").unlink()
    two.claim("of two")
    two.sync()
    before = git(hub, "rev-parse", STORE)

    envelope = one.envelope("sync.run")

    assert envelope["error"]["code"] == "SECRET_DETECTED" and TOKEN not in str(envelope)
    assert git(hub, "rev-parse", STORE) == before
    assert "of two" in one.statements()
    (one.directory / "code.txt").write_text("changed\n", "utf-8")
    one.git("commit", "-qam", "code")
    one.git("push", "-q", "origin", "HEAD:main")
    assert git(hub, "rev-parse", "main") == one.git("rev-parse", "HEAD")
    assert one.sync(allow_flagged=True)["pushed"]


def test_others_write_while_the_network_hangs(one: Clone, hub: Path) -> None:
    """The lock is free while a sync waits for the remote: a write of another process is done meanwhile."""
    mark = hub / "in-hook"
    hook = hub / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {mark}\nwhile test -e {mark}; do sleep 0.05; done\n")
    hook.chmod(0o755)
    one.claim("second")
    command = [sys.executable, "-m", "memgit.cli", "sync"]
    process = subprocess.Popen(command, cwd=one.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        while not mark.exists():
            assert process.poll() is None
            time.sleep(0.02)
        one.claim("meanwhile")
        assert process.poll() is None
    finally:
        mark.unlink(missing_ok=True)

    assert process.wait(30) == 0
    assert one.statements() == ["first", "meanwhile", "second"]
