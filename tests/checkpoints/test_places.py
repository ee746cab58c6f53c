"""The whole loop (init, remember, a hook, a checkpoint, a restore, sync, recall) in every kind of repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.checkpoints.workplace import Place
from tests.conftest import Kind, MakeRepository


def hub_of(place: Place, tmp_path: Path) -> str:
    """Return the name of the remote that memory goes to; an empty one is made where there is none."""
    if place.git("remote"):
        return "origin"
    hub = tmp_path / "hub.git"
    form = place.git("rev-parse", "--show-object-format")
    subprocess.run(["git", "init", "-q", "--bare", f"--object-format={form}", str(hub)], check=True)
    place.git("remote", "add", "hub", str(hub))
    return "hub"


def loop(place: Place, tmp_path: Path) -> None:
    """Go through it; what another clone gets of it is the memory alone."""
    hub = hub_of(place, tmp_path)
    place.run("store.init", workspace_id="wsp-places", project_id="prj-places", marker=False, offline=True)
    place.run("hooks.install")
    place.run("remember", text="The loop works in every place.")
    place.write("work.txt", "committed\n")
    place.git("add", "--sparse", "work.txt")
    place.git("commit", "-qm", "work")
    events = [item for item in place.run("checkpoint.list")["items"] if item["cause"] == "commit"]
    assert [item["after"] for item in events] == [place.git("rev-parse", "HEAD")]
    assert {"status": "A", "path": "work.txt"} in events[0]["changed"]
    place.write("work.txt", "staged\n")
    place.git("add", "--sparse", "work.txt")
    place.write("untracked.txt", "untracked\n")
    before = place.state()
    saved = place.checkpoint("in the middle")
    place.git("reset", "-q", "--hard")
    place.git("clean", "-qfd")
    place.git("reflog", "expire", "--expire=now", "--all")
    place.git("gc", "-q", "--prune=now")
    place.restore(saved)
    assert place.state() == before
    finish(place, hub, tmp_path)


def finish(place: Place, hub: str, tmp_path: Path) -> None:
    """Sync, recall here and in another clone, which has no checkpoint."""
    if hub == "hub" and (place.directory / ".git").exists():
        place.git("push", "-q", hub, "HEAD:refs/heads/main")  # an empty remote tells no object format
    place.run("sync.run", remote=hub)
    assert place.run("memory.recall", query="which place does the loop work in")["presence"] == "claims"
    place.git("clone", "-q", "--bare", place.git("remote", "get-url", hub), str(tmp_path / "other.git"))
    other = Place(tmp_path / "other.git")
    other.run("sync.run", remote="origin")
    assert other.run("memory.recall", query="which place does the loop work in")["presence"] == "claims"
    assert other.ids() == [] and place.ids()


_OTHERS = [pytest.param(kind, marks=pytest.mark.slow) for kind in ("submodule", "shallow")]


@pytest.mark.parametrize("kind", ["worktree", "sha256", *_OTHERS])
def test_the_loop(repository: MakeRepository, tmp_path: Path, kind: Kind) -> None:
    """Where Git has a working tree of any kind, all of it works."""
    place = Place(repository(kind))
    place.write("kept.txt", "kept\n")
    loop(place, tmp_path)


@pytest.mark.slow
def test_the_loop_in_a_partial_clone(repository: MakeRepository, tmp_path: Path) -> None:
    """Blobs that were never fetched are not fetched for a checkpoint either."""
    place = Place(repository("partial"))
    place.git("sparse-checkout", "set", "--no-cone", "/first.txt")
    place.git("checkout", "-q", "main")
    absent = place.git("rev-list", "--objects", "--missing=print", "--all")
    assert "?" in absent
    loop(place, tmp_path)
    assert not (place.directory / "second.txt").exists()
    first = next(line for line in absent.splitlines() if line.startswith("?"))
    assert first in place.git("rev-list", "--objects", "--missing=print", "HEAD~1")


@pytest.mark.slow
def test_the_loop_with_a_configuration_for_each_worktree(repository: MakeRepository, tmp_path: Path) -> None:
    """`extensions.worktreeConfig`, with a working tree that is sparse by its own configuration."""
    main = Place(repository("plain"))
    main.git("config", "extensions.worktreeConfig", "true")
    main.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Place(tmp_path / "linked")
    linked.git("config", "--worktree", "core.autocrlf", "true")
    linked.write("first.txt", b"first\r\n")
    loop(linked, tmp_path)
    assert linked.files()["first.txt"][1] == b"first\r\n"


@pytest.mark.slow
def test_the_loop_in_a_bare_repository(repository: MakeRepository, tmp_path: Path) -> None:
    """There is nothing to snapshot; what hooks note is listed, and memory goes its way.

    Commits, merges, rebases and checkouts need a working tree, so Git runs none of their hooks in a bare repository.
    What is left are `pre-push`, and `post-checkout` where a working tree is linked to it: both are real here.
    """
    bare = Place(repository("bare"))
    hub = hub_of(bare, tmp_path)
    bare.run("store.init", workspace_id="wsp-places", project_id="prj-places", offline=True)
    bare.run("hooks.install")
    bare.run("remember", text="The loop works in every place.")
    commit = bare.git("commit-tree", bare.git("hash-object", "-t", "tree", "-w", "/dev/null"), "-m", "work")
    bare.git("update-ref", "refs/heads/main", commit)
    bare.git("push", "-q", hub, "main")
    envelope = bare.envelope("checkpoint.create", text="bare")
    assert "no snapshot" in envelope["warnings"][0]
    bare.git("worktree", "add", "-q", str(tmp_path / "linked"), "main")
    items = bare.run("checkpoint.list")["items"]
    assert {(item["cause"], item["worktree"]) for item in items} == {
        ("push", "."),
        ("manual", "."),
        ("checkout", "worktrees/linked"),
    }
    assert [item["snapshot"]["files"] for item in items if "snapshot" in item] == []
    finish(bare, hub, tmp_path)


def test_the_loop_with_refs_in_a_reftable(tmp_path: Path) -> None:
    """Where refs are no files, HEAD and branches are what Git says."""
    directory = tmp_path / "reftable"
    made = subprocess.run(["git", "init", "-q", "--ref-format=reftable", str(directory)], capture_output=True)
    if made.returncode != 0:
        pytest.skip("this Git knows no reftable; 2.45 and later do")
    place = Place(directory)
    place.write("kept.txt", "kept\n")
    place.git("add", "kept.txt")
    place.git("commit", "-qm", "first")
    loop(place, tmp_path)
    assert place.run("checkpoint.list", snapshots=True)["items"][-1]["branch"] == "refs/heads/main"
