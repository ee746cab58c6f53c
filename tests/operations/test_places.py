"""Where memory works: every kind of repository and directory; where it does not, one clear error."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memgit.protocol.envelope import answer
from tests.operations.conftest import SCOPE, Memory


def git(directory: Path, *arguments: str) -> str:
    """Run git and return what it printed."""
    command = ["git", "-c", "protocol.file.allow=always", *arguments]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True).stdout.strip()


def loop(directory: Path) -> None:
    """Remember, and recall what was remembered."""
    memory = Memory(directory)
    memory.run("remember", text="The loop works everywhere.", claim_type="fact")
    assert memory.run("memory.recall", query="does the loop work everywhere")["presence"] == "claims"
    assert memory.run("verify")["ok"] is True


def test_from_a_subdirectory(memory: Memory) -> None:
    """The memory is the repository's, whichever directory one stands in."""
    below = memory.directory / "a" / "b"
    below.mkdir(parents=True)
    loop(below)


def test_in_a_linked_worktree(memory: Memory, tmp_path: Path) -> None:
    """Worktrees of one repository share one memory, and each stamps its own HEAD."""
    memory.git("commit", "-q", "--allow-empty", "-m", "one")
    memory.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Memory(tmp_path / "linked")
    claim = linked.run("claim.assert", context=SCOPE, claim_type="fact", statement="From the side")
    shown = memory.run("claim.get", claim_id=claim["claim_id"])
    assert (shown["statement"], shown["code"]["branch"]) == ("From the side", "refs/heads/side")
    assert not (tmp_path / "linked" / ".git").is_dir()


def test_in_a_submodule(memory: Memory, tmp_path: Path) -> None:
    """A submodule has a memory of its own."""
    inner = tmp_path / "inner"
    git(tmp_path, "init", "-q", str(inner))
    git(inner, "commit", "-q", "--allow-empty", "-m", "one")
    git(memory.directory, "submodule", "--quiet", "add", str(inner), "sub")
    below = Memory(memory.directory / "sub")
    below.run("store.init", context=None, workspace_id="w", project_id="inner")
    assert (memory.directory / ".git" / "modules" / "sub" / "memgit" / "state").is_dir()
    loop(memory.directory / "sub")


def test_in_a_bare_repository(tmp_path: Path) -> None:
    """A bare repository has no marker; its identity is the store's."""
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    bare = Memory(tmp_path / "bare.git")
    created = bare.run("store.init", **SCOPE)
    assert (created["marker"], created["created"]) == (None, True)
    assert bare.envelope("status")["context"]["resolved_from"] == "store"
    loop(tmp_path / "bare.git")


def test_in_a_sha256_repository(tmp_path: Path) -> None:
    """libgit2 refuses it; plumbing serves it."""
    git(tmp_path, "init", "-q", "--object-format=sha256", "project")
    Memory(tmp_path / "project").run("store.init", **SCOPE)
    loop(tmp_path / "project")


def test_in_a_partial_clone(tmp_path: Path) -> None:
    """A blob-less clone has a memory of its own, and nothing is fetched for it."""
    origin = tmp_path / "origin"
    git(tmp_path, "init", "-q", str(origin))
    (origin / "file").write_text("text")
    git(origin, "add", "file")
    git(origin, "commit", "-q", "-m", "one")
    git(origin, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{origin}", "partial")
    Memory(tmp_path / "partial").run("store.init", **SCOPE)
    loop(tmp_path / "partial")


def test_outside_a_repository(tmp_path: Path) -> None:
    """NOT_A_REPOSITORY, for every operation that needs one."""
    for op in ("status", "claim.get", "store.init"):
        fields = {"claim_id": "clm_" + "0" * 26} if op == "claim.get" else {}
        error = Memory(tmp_path).envelope(op, **fields)["error"]
        assert error["code"] == "NOT_A_REPOSITORY"


def test_capabilities_need_no_repository(tmp_path: Path) -> None:
    """What describes the program works anywhere."""
    assert answer({"op": "capabilities"}, tmp_path).envelope["result"]["program"] == "git-memgit"


def test_before_init(empty: Memory) -> None:
    """Without a store: no context, or with one STORE_NOT_INITIALIZED."""
    assert empty.envelope("claim.assert", claim_type="fact", statement="x")["error"]["code"] == "NO_AMBIENT_CONTEXT"
    for op, fields in (("claim.assert", {"claim_type": "fact", "statement": "x"}), ("status", {}), ("verify", {})):
        error = empty.envelope(op, context=SCOPE, **fields)["error"]
        assert error["code"] == "STORE_NOT_INITIALIZED"
    assert not (empty.directory / ".git" / "memgit" / "state").exists()


def test_init_without_a_marker_leaves_nothing_in_the_working_tree(empty: Memory) -> None:
    """The identity is in the store."""
    empty.run("store.init", marker=False, **SCOPE)
    assert empty.git("status", "--porcelain") == ""
    envelope = empty.envelope("status")
    assert (envelope["context"]["project_id"], envelope["context"]["resolved_from"]) == ("prj-tests", "store")


def test_init_twice_changes_nothing(memory: Memory) -> None:
    """The second answer is the first store."""
    tip = memory.tip()
    again = memory.run("store.init")
    assert (again["created"], again["project_id"], memory.tip()) == (False, SCOPE["project_id"], tip)


def test_a_broken_marker_is_an_error_and_not_ignored(memory: Memory) -> None:
    """A malformed nearest marker never falls through to another source."""
    (memory.directory / ".memoree.toml").write_text("workspace_id = ")
    assert memory.refused("status")["code"] == "INVALID_REQUEST"


@pytest.mark.parametrize("ref", ["refs/heads/main", "HEAD", "refs/memgit/../x", "store"])
def test_a_ref_that_is_not_ours_is_refused(memory: Memory, ref: str) -> None:
    """`memgit.ref` cannot be pointed at nonsense; a branch of the user's is not a store."""
    memory.git("commit", "-q", "--allow-empty", "-m", "one")
    memory.git("config", "memgit.ref", ref)
    error = memory.envelope("claim.assert", claim_type="fact", statement="x")["error"]
    assert error["code"] in ("INVALID_REQUEST", "STORE_CORRUPT")


def test_a_ref_at_a_foreign_tree_or_a_blob_is_one_clear_error(memory: Memory) -> None:
    """STORE_CORRUPT, and the ref is left as it is."""
    memory.git("commit", "-q", "--allow-empty", "-m", "one")
    foreign = memory.git("rev-parse", "HEAD")
    memory.git("update-ref", "refs/memgit/store", foreign)
    error = memory.envelope("claim.assert", claim_type="fact", statement="x")["error"]
    assert (error["code"], memory.tip()) == ("STORE_CORRUPT", foreign)


@pytest.mark.skipif(os.name == "nt", reason="POSIX permissions")
def test_reading_works_where_nothing_can_be_written(memory: Memory) -> None:
    """Without a writable cache the answer is computed in memory, and says so."""
    memory.claim("One")
    import shutil

    shutil.rmtree(memory.directory / ".git" / "memgit" / "cache", ignore_errors=True)
    (memory.directory / ".git" / "memgit" / "cache").write_text("no directory can be made here")
    envelope = memory.envelope("status")
    assert envelope["ok"]
    assert any("cannot be written" in warning for warning in envelope["warnings"])
    assert memory.run("memory.recall", query="One")["presence"] in ("claims", "none")


def test_a_store_from_the_future_is_refused(memory: Memory) -> None:
    """FORMAT_TOO_NEW for reads and writes."""
    rows = memory.git("ls-tree", "refs/memgit/store").splitlines()
    blob = memory.git("hash-object", "-w", "--stdin")
    done = subprocess.run(
        ["git", "mktree"],
        cwd=memory.directory,
        input=f"100644 blob {blob}\t2\n",
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [row for row in rows if not row.endswith("\tformat")] + [f"040000 tree {done.stdout.strip()}\tformat"]
    tree = subprocess.run(
        ["git", "mktree"],
        cwd=memory.directory,
        input="\n".join(rows) + "\n",
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    commit = memory.git("commit-tree", tree, "-p", "refs/memgit/store", "-m", "x\n\nMemgit-Seq: 9")
    memory.git("update-ref", "refs/memgit/store", commit)
    for op, fields in (("claim.assert", {"claim_type": "fact", "statement": "x"}), ("status", {})):
        assert memory.refused(op, **fields)["code"] == "FORMAT_TOO_NEW"


def test_a_ref_that_another_program_set_back_is_brought_forward(memory: Memory) -> None:
    """`git update-ref`, or a fetch with a wild refspec, loses nothing: the next read restores it, and says so."""
    memory.claim("Kept")
    older = memory.tip()
    claim = memory.claim("Acknowledged, and then set back")["claim_id"]
    assert memory.run("claim.get", claim_id=claim)["status"] == "active"
    memory.git("update-ref", "refs/memgit/store", older)
    envelope = memory.envelope("claim.get", claim_id=claim)
    assert envelope["result"]["statement"] == "Acknowledged, and then set back"
    assert any("set the memory's ref back" in warning for warning in envelope["warnings"])
    assert memory.envelope("claim.get", claim_id=claim)["warnings"] == []


def test_a_marker_around_the_repository_is_said(memory: Memory) -> None:
    """A repository inside another's working tree takes the outer project's ids, and hears so; with ids of its own it
    gets a marker of its own.
    """
    inner = Memory(memory.directory / "inner")
    subprocess.run(["git", "init", "-q", str(inner.directory)], check=True)
    envelope = inner.envelope("store.init", marker=False)
    assert envelope["result"]["project_id"] == SCOPE["project_id"]
    assert any("lies outside this repository" in one for one in envelope["warnings"])
    assert inner.envelope("store.init")["warnings"] == []
    other = Memory(memory.directory / "other")
    subprocess.run(["git", "init", "-q", str(other.directory)], check=True)
    envelope = other.envelope("store.init", workspace_id="wsp-own", project_id="prj-own")
    assert (envelope["warnings"], envelope["result"]["marker_written"]) == ([], True)
    assert other.envelope("status")["context"]["project_id"] == "prj-own"
