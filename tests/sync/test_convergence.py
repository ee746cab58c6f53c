"""The property: whatever n clones do, in whatever order they sync, however the network fails, all end equal."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.sync.conftest import SCOPE, STORE, Clone, bare, git

CLONES = 3

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("assert"), st.integers(0, CLONES - 1)),
        st.tuples(st.just("revise"), st.integers(0, CLONES - 1)),
        st.tuples(st.just("retract"), st.integers(0, CLONES - 1)),
        st.tuples(st.sampled_from(["sync", "pull", "fetch", "offline", "cut", "rewind", "delete"]), st.integers(0, 2)),
    ),
    min_size=4,
    max_size=14,
)


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_all_end_equal_and_nothing_is_lost(steps: list[tuple[str, int]]) -> None:
    """Random operations, syncs, failing networks and rewinds of the remote, in three clones: one tree, whole."""
    place = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    try:
        _play(place, steps)
    finally:
        shutil.rmtree(place)


def _play(place: Path, steps: list[tuple[str, int]]) -> None:
    hub = bare(place / "hub.git")
    clones = [_clone(place, hub, f"c{number}") for number in range(CLONES)]
    clones[0].run("store.init", **SCOPE, offline=True)
    first = clones[0].claim("first")
    for clone in clones:
        clone.sync()
    begun = git(hub, "rev-parse", STORE)
    written: set[str] = set()
    for number, (what, index) in enumerate(steps):
        clone = clones[index]
        _step(clone, hub, what, first, number, begun)
        written |= set(clone.git("ls-tree", "-r", "--name-only", STORE).splitlines())
    for clone in [*clones, *clones]:
        clone.sync()

    assert len({clone.tree() for clone in clones}) == 1
    assert written <= set(clones[0].git("ls-tree", "-r", "--name-only", STORE).splitlines())
    assert git(hub, "rev-parse", f"{STORE}^{{tree}}") == clones[0].tree()
    states = [clone.run("claim.get", claim_id=first) for clone in clones]
    assert all(state["heads"] == states[0]["heads"] and state["status"] == states[0]["status"] for state in states)


def _step(clone: Clone, hub: Path, what: str, first: str, number: int, begun: str) -> None:
    if what == "assert":
        clone.claim(f"claim {number}")
    elif what in ("revise", "retract"):
        _change(clone, what, first, number)
    elif what in ("sync", "pull", "fetch"):
        clone.run("sync.run" if what == "sync" else f"sync.{what}")
    elif what == "offline":
        hub.rename(hub.with_name("gone"))
        assert not clone.envelope("sync.run")["ok"]
        hub.with_name("gone").rename(hub)
    elif what == "cut":
        hook = hub / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\nkill -9 $PPID\n")
        hook.chmod(0o755)
        clone.envelope("sync.run")
        hook.unlink()
    elif what == "rewind":
        git(hub, "update-ref", STORE, begun)
    else:
        git(hub, "update-ref", "-d", STORE)


def _change(clone: Clone, what: str, claim: str, number: int) -> None:
    now = clone.run("claim.get", claim_id=claim)
    if now["status"] != "active":
        return
    fields = {"claim_id": claim, "if_revisions": now["heads"]}
    fields |= {"claim_type": "fact", "statement": f"revised {number}"} if what == "revise" else {"reason": "over"}
    clone.run(f"claim.{what}", **fields)


def _clone(place: Path, hub: Path, name: str) -> Clone:
    git(place, "init", "-q", name)
    git(place / name, "remote", "add", "origin", str(hub))
    return Clone(place / name)
