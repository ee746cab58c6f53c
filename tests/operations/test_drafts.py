"""Drafts: writes that wait, are shown, shared, fetched, merged, dropped and had back; nothing acknowledged is lost."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memgit.operations.invocation import Invocation
from memgit.store.allowed import AllowedList
from memgit.store.layers import Layers
from memgit.store.private import KEPT_SECONDS
from tests.operations.conftest import Memory
from tests.operations.layering import folded, layers_of
from tests.operations.test_secrets import TOKEN

Clone = Callable[[str], Memory]


@pytest.fixture
def remote(memory: Memory, tmp_path: Path) -> Path:
    """A bare remote that holds the memory so far."""
    path = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", str(path)], check=True)
    memory.git("remote", "add", "origin", str(path))
    memory.run("sync.run")
    return path


@pytest.fixture
def clone(remote: Path, tmp_path: Path) -> Clone:
    """A function that makes another clone with the memory."""

    def make(name: str) -> Memory:
        subprocess.run(["git", "clone", "-q", str(remote), str(tmp_path / name)], check=True, capture_output=True)
        (tmp_path / name / ".memoree.toml").write_bytes((tmp_path / "project" / ".memoree.toml").read_bytes())
        other = Memory(tmp_path / name)
        other.run("sync.run")
        return other

    return make


def test_a_draft_is_merged_as_the_union_of_its_operations(memory: Memory) -> None:
    """The shared state is then the fold of both sets; the draft's ids and seqs stay, and the draft is gone."""
    shared = memory.claim("The port is 80")
    revised = memory.run(
        "claim.revise", claim_id=shared["claim_id"], if_revision=shared["revision_id"], statement="81", draft="d"
    )
    memory.run("remember", text="The cache is warm for ten minutes.", draft="d")
    invocation, layers = layers_of(memory.directory)
    expected = folded(layers, ("shared", "draft:d"))
    invocation.close()
    done = memory.run("draft.merge", name="d")
    assert (done["operations"], done["conflicts_opened"]) == (3, [])
    invocation, layers = layers_of(memory.directory)
    assert folded(layers, ("shared",)) == expected
    assert layers.names() == []
    invocation.close()
    assert memory.run("claim.get", claim_id=shared["claim_id"])["revision_id"] == revised["revision_id"]
    assert memory.run("memory.recall", query="is the cache warm")["claims"][0]["layer"] == "shared"
    assert memory.run("verify")["ok"]
    assert memory.git("rev-list", "--count", "refs/memgit/store") == "3", "one commit a merge"


def test_a_merge_opens_a_case_where_both_sides_changed_one_thing(memory: Memory) -> None:
    """Both edits are kept; `draft.diff` names the case before the merge, and the merge names it too."""
    claim = memory.claim("The port is 80")
    change = {"claim_id": claim["claim_id"], "if_revision": claim["revision_id"]}
    memory.run("claim.revise", **change, statement="The port is 81", draft="d")
    memory.run("claim.revise", **change, statement="The port is 82")
    shown = memory.run("draft.diff", name="d")
    foreseen = {case["id"] for case in shown["diff"]["conflicts"]}
    done = memory.run("draft.merge", name="d")
    assert set(done["conflicts_opened"]) == foreseen
    assert {case["case_id"] for case in memory.run("conflict.list")["items"]} == foreseen


def test_a_key_of_a_draft_is_known_after_its_merge(memory: Memory) -> None:
    """A retry of a write to a draft gives the first outcome after the draft was merged."""
    first = memory.run("remember", text="Once", draft="d", key="k")
    memory.run("draft.merge", name="d")
    assert memory.run("remember", text="Once", draft="d", key="k") == first
    assert memory.run("draft.list")["items"] == []


def test_a_draft_is_dropped_on_purpose_and_can_be_had_back(memory: Memory) -> None:
    """What nobody else has is dropped only with `yes`; the commit is named, and `restore` brings it back."""
    memory.claim("Something", draft="d")
    assert memory.refused("draft.drop", name="d")["code"] == "INVALID_REQUEST"
    done = memory.run("draft.drop", name="d", yes=True)
    error = memory.refused("draft.diff", name="d")
    assert (error["code"], "restore d" in error["hint"]) == ("NOT_FOUND", True)
    assert [kept["commit"] for kept in memory.run("draft.list")["dropped"]] == [done["commit"]]
    back = memory.run("draft.restore", name="d")
    assert (back["commit"], back["operations"]) == (done["commit"], 1)
    assert memory.refused("draft.restore", name="d")["code"] == "INVALID_REQUEST"
    assert memory.refused("draft.restore", name="other")["code"] == "NOT_FOUND"


def test_a_dropped_draft_does_not_come_back_by_itself(memory: Memory) -> None:
    """Neither the log nor a cache brings back what was dropped; a draft of the same name begins anew."""
    memory.run("remember", text="The first life of the draft", draft="d")
    assert memory.run("memory.recall", query="first life", draft="d")["presence"] == "claims"
    memory.run("draft.drop", name="d", yes=True)
    memory.run("remember", text="Something else entirely", draft="d")
    assert memory.run("memory.recall", query="first life", draft="d")["presence"] == "none"
    assert memory.run("memory.recall", query="something else entirely", draft="d")["presence"] == "claims"
    assert [view["operations"] for view in memory.run("draft.list")["items"]] == [2]


def test_what_was_dropped_long_ago_is_let_go(memory: Memory) -> None:
    """After 30 days a dropped draft is no longer kept; before, it is."""
    memory.claim("Something", draft="d")
    memory.run("draft.drop", name="d", yes=True)
    invocation = Invocation(memory.directory)
    invocation.layers.expire(time.time() + KEPT_SECONDS - 60)
    assert memory.run("draft.list")["dropped"]
    invocation.layers.expire(time.time() + KEPT_SECONDS + 60)
    assert memory.run("draft.list")["dropped"] == []
    invocation.close()


def test_writing_to_a_draft_while_it_is_merged_loses_nothing(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that comes between the union and the end of the draft is merged too."""
    memory.claim("First", draft="d")
    late = Memory(memory.directory)
    publish = Invocation.publish
    written: list[str] = []

    def slow(self: Invocation, layer: str, *given: object, **more: object) -> object:
        done = publish(self, layer, *given, **more)  # type: ignore[arg-type]
        if layer == "shared" and not written:
            written.append("")
            written[0] = late.claim("Second", draft="d")["claim_id"]
        return done

    monkeypatch.setattr(Invocation, "publish", slow)
    assert memory.run("draft.merge", name="d")["operations"] == 2
    assert memory.run("claim.get", claim_id=written[0])["layer"] == "shared"


def test_a_draft_goes_to_the_remote_and_nothing_else_does(memory: Memory, remote: Path, clone: Clone) -> None:
    """`share` makes one ref there and none here; another clone lists, fetches, reads and merges it."""
    memory.run("remember", text="A secret staging host", layer="local")
    memory.run("remember", text="The cache is warm for ten minutes.", draft="d")
    memory.claim("Another draft", draft="other")
    before = memory.git("for-each-ref")
    done = memory.run("draft.share", name="d")
    assert (done["sent"], done["ref"]) == (True, "refs/memgit/drafts/d")
    assert memory.run("draft.share", name="d")["sent"] is False
    assert memory.git("for-each-ref") == before
    there = memory.git("-C", str(remote), "for-each-ref", "--format=%(refname)")
    assert there.splitlines() == ["refs/memgit/drafts/d", "refs/memgit/store"]
    views = {view["name"]: view["shared_with"] for view in memory.run("draft.list")["items"]}
    assert views == {"d": ["origin"], "other": []}

    reader = clone("reader")
    assert [item["name"] for item in reader.run("draft.remote")["items"]] == ["d"]
    before = reader.git("for-each-ref")
    assert reader.run("draft.fetch", name="d")["operations"] == 2
    assert reader.git("for-each-ref") == before
    found = reader.run("memory.recall", query="is the cache warm", draft="d")
    assert found["claims"][0]["layer"] == "draft:d"
    assert reader.run("draft.merge", name="d")["operations"] == 2
    assert reader.run("verify")["ok"]


def test_two_clones_work_on_one_draft(memory: Memory, remote: Path, clone: Clone) -> None:
    """A draft that went on elsewhere is not overwritten: `share` refuses, `fetch` unites, then `share` goes through."""
    memory.claim("Ours", draft="d")
    memory.run("draft.share", name="d")
    other = clone("other")
    other.run("draft.fetch", name="d")
    theirs = other.claim("Theirs", draft="d")
    other.run("draft.share", name="d")
    memory.claim("Ours again", draft="d")
    assert memory.refused("draft.share", name="d")["code"] == "REMOTE_REFUSED"
    memory.run("draft.fetch", name="d")
    memory.run("draft.share", name="d")
    assert memory.run("claim.get", claim_id=theirs["claim_id"], draft="d")["layer"] == "draft:d"
    other.run("draft.fetch", name="d")
    assert [view["operations"] for view in other.run("draft.list")["items"]] == [3]


def test_a_shared_draft_is_dropped_without_asking(memory: Memory, remote: Path) -> None:
    """Somebody else has it, so dropping it loses nothing."""
    memory.claim("Something", draft="d")
    memory.run("draft.share", name="d")
    assert memory.run("draft.drop", name="d")["operations"] == 1


def test_a_draft_that_somebody_else_merged_says_so(memory: Memory, remote: Path, clone: Clone) -> None:
    """Its status is shared and merged, merging it brings nothing; who merged hears who still has it; one removes it."""
    memory.claim("Something", draft="d")
    memory.run("draft.share", name="d")
    assert memory.run("status")["shared_drafts"] == {"draft:d": ["origin"]}
    other = clone("other")
    other.run("draft.fetch", name="d")
    assert other.run("draft.merge", name="d")["left_with"] == ["origin"]
    other.run("sync.run")
    memory.run("sync.run")
    assert memory.run("status")["merged_drafts"] == ["draft:d"]
    assert [view["merged"] for view in memory.run("draft.list")["items"]] == [True]
    assert memory.run("draft.merge", name="d")["operations"] == 0
    gone = other.run("draft.unshare", name="d")
    assert (gone["ref"], bool(gone["commit"])) == ("refs/memgit/drafts/d", True)
    assert other.run("draft.remote")["items"] == []
    assert other.run("draft.unshare", name="d")["commit"] is None


def test_a_draft_that_nobody_else_has_is_not_removed_by_accident(memory: Memory, remote: Path, clone: Clone) -> None:
    """What is neither merged nor in a draft here needs `yes`; what is here stays here and is shared with nobody."""
    memory.claim("Something", draft="d")
    memory.run("draft.share", name="d")
    other = clone("other")
    error = other.refused("draft.unshare", name="d")
    assert (error["code"], error["details"]["field"]) == ("INVALID_REQUEST", "yes")
    memory.run("draft.unshare", name="d")
    assert [view["shared_with"] for view in memory.run("draft.list")["items"]] == [[]]
    memory.run("draft.share", name="d")
    assert other.run("draft.unshare", name="d", yes=True)["commit"]
    assert memory.run("draft.remote")["items"] == []


def test_a_secret_is_not_shared(memory: Memory, remote: Path) -> None:
    """The outgoing range of a draft is screened like that of the store; what somebody let in is believed."""
    memory.run("claim.assert", claim_type="fact", statement=f"Use {TOKEN}", draft="d", allow_flagged=True)
    AllowedList(memory.directory / ".git" / "memgit" / "state").path.unlink()
    assert memory.refused("draft.share", name="d")["code"] == "SECRET_DETECTED"
    assert memory.git("-C", str(remote), "for-each-ref", "refs/memgit/drafts") == ""
    assert memory.run("draft.share", name="d", allow_flagged=True)["sent"]
    memory.run("draft.share", name="d")


@pytest.mark.parametrize("ref", ["refs/heads/evil", "refs/memgit/drafts/d"])
def test_what_is_no_draft_of_this_store_is_refused(memory: Memory, remote: Path, tmp_path: Path, ref: str) -> None:
    """A commit that is no store, and a draft of another store, do not come in."""
    if ref == "refs/heads/evil":
        memory.git("commit", "-q", "--allow-empty", "-m", "evil")
        memory.git("push", "-q", "origin", "HEAD:refs/memgit/drafts/d")
    else:
        (tmp_path / "foreign").mkdir()
        subprocess.run(["git", "init", "-q", str(tmp_path / "foreign")], check=True)
        foreign = Memory(tmp_path / "foreign")
        foreign.run("store.init", workspace_id="w", project_id="p")
        foreign.claim("Foreign")
        foreign.git("push", "-q", str(remote), "refs/memgit/store:refs/memgit/drafts/d")
    error = memory.refused("draft.fetch", name="d")
    assert error["code"] == ("INCOMING_REFUSED" if ref == "refs/heads/evil" else "STORE_UNRELATED")
    assert memory.run("draft.list")["items"] == []


def test_the_layers_of_a_clone_are_not_begun_by_looking(memory: Memory) -> None:
    """Reading, listing and asking for what is not there makes no private repository."""
    memory.run("draft.list")
    memory.run("memory.recall", query="x", layer="shared")
    memory.run("status")
    invocation = Invocation(memory.directory)
    assert Layers(invocation.store).names() == []
    invocation.close()
    assert not (memory.directory / ".git" / "memgit" / "state" / "private.git").exists()


def test_drafts_of_one_name_that_go_within_a_second_are_all_kept(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of three lives of a draft that are dropped at the same second can be had back for 30 days."""
    monkeypatch.setattr("memgit.store.layers.time.time", lambda: 1_900_000_000.0)
    commits = []
    for number in range(3):
        memory.claim(f"Life {number}", draft="d")
        commits.append(memory.run("draft.drop", name="d", yes=True)["commit"])

    assert {kept["commit"] for kept in memory.run("draft.list")["dropped"]} == set(commits)
    for commit in commits:
        assert memory.run("draft.restore", name="d", commit=commit)["commit"] == commit
        memory.run("draft.drop", name="d", yes=True)


def test_a_commit_of_a_draft_that_dropped_files_keeps_them(memory: Memory, remote: Path, clone: Clone) -> None:
    """A draft whose last commit left out what an earlier one added is fetched with all of it, and that is said."""
    claim = memory.claim("Kept all the same", draft="d")
    memory.run("draft.share", name="d")
    private = str(memory.directory / ".git/memgit/state/private.git")
    tip = memory.git("-C", private, "rev-parse", "refs/memgit/drafts/d")
    names = memory.git("-C", private, "ls-tree", tip).splitlines()
    kept = "\n".join(line for line in names if not line.endswith("\tclaims"))
    tree = subprocess.run(
        ["git", "mktree"], cwd=private, input=f"{kept}\n", capture_output=True, text=True, check=True
    ).stdout.strip()
    bad = memory.git("-C", private, "commit-tree", tree, "-p", tip, "-m", "by hand\n\nMemgit-Seq: 99\n")
    memory.git("-C", private, "push", "-q", "--force", str(remote), f"{bad}:refs/memgit/drafts/d")
    reader = clone("reader")

    envelope = reader.envelope("draft.fetch", name="d")

    assert envelope["ok"] and any("dropped files" in text for text in envelope["warnings"])
    assert reader.run("claim.get", claim_id=claim["claim_id"], draft="d")["statement"] == "Kept all the same"


def test_sharing_elects_the_remote_as_a_sync_does(memory: Memory, remote: Path, tmp_path: Path) -> None:
    """The first share chooses the remote that memory goes to and says so; another one is refused afterwards."""
    other = tmp_path / "other.git"
    subprocess.run(["git", "init", "-q", "--bare", str(other)], check=True)
    memory.git("remote", "add", "other", str(other))
    memory.git("config", "--unset", "memgit.remote")
    memory.claim("Something", draft="d")

    assert memory.run("draft.share", name="d", remote="origin")["elected"]
    assert memory.git("config", "memgit.remote") == "origin"
    assert memory.run("draft.share", name="d")["elected"] is False
    assert memory.refused("draft.share", name="d", remote="other")["code"] == "NO_REMOTE"
    assert memory.git("-C", str(other), "for-each-ref") == ""


def test_a_share_that_is_refused_once_is_tried_again(memory: Memory, remote: Path) -> None:
    """A lock that passes does not stop a share; a remote that keeps saying no is offered another way."""
    hook = remote / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntest -e {remote}/once && exit 0; touch {remote}/once; exit 1\n")
    hook.chmod(0o755)
    memory.claim("Something", draft="d")
    assert memory.run("draft.share", name="d")["sent"]
    hook.write_text("#!/bin/sh\nexit 1\n")
    memory.claim("More", draft="d")

    error = memory.refused("draft.share", name="d")

    assert error["code"] == "REMOTE_REFUSED" and "git config remote.origin." in error["hint"]


def test_the_refusal_of_a_secret_speaks_of_the_draft(memory: Memory, remote: Path) -> None:
    """It names the draft, and the command that shares it after a look."""
    memory.run("claim.assert", claim_type="fact", statement=f"Use {TOKEN}", draft="d", allow_flagged=True)
    AllowedList(memory.directory / ".git" / "memgit" / "state").path.unlink()

    error = memory.refused("draft.share", name="d")

    assert "the draft d was not shared" in error["message"]
    assert "git memory draft share d --allow-flagged" in error["hint"]


def test_of_merges_at_once_one_does_it(memory: Memory) -> None:
    """One says how many operations it merged; to the others the draft is gone, and nobody is told to run `init`."""
    for number in range(5):
        memory.claim(f"claim {number}", draft="d")
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: memory.envelope("draft.merge", name="d"), range(4)))
    done = [one["result"]["operations"] for one in answers if one["ok"]]
    assert done == [5]
    for error in (one["error"] for one in answers if not one["ok"]):
        assert error["code"] == "NOT_FOUND" and "draft d" in error["message"] and "init" not in error["hint"], error


def test_a_draft_that_goes_while_it_is_used(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever shares, drops or shows a draft that somebody takes away meanwhile hears that it is gone."""
    for op, fields in (("draft.drop", {"yes": True}), ("draft.diff", {}), ("draft.merge", {})):
        memory.claim("One", draft="d")
        invocation, layers = layers_of(memory.directory)
        draft = layers.private("draft:d")
        monkeypatch.setattr(Layers, "names", lambda _: ["draft:d"])
        assert draft.retire(draft.snapshot().commit_id)
        error = memory.refused(op, name="d", **fields)
        assert error["code"] == "NOT_FOUND" and "draft d" in error["message"], error
        invocation.close()
        monkeypatch.undo()
