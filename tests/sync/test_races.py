"""Several clones and processes at once, killed anywhere: all end equal, and no acknowledged write is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sync.conftest import STORE, Clone, git

Make = Callable[..., Clone]


def start(clone: Clone, *words: str) -> subprocess.Popen[bytes]:
    """Start `git memory WORDS` as a process."""
    command = [sys.executable, "-m", "memgit.cli", *words]
    return subprocess.Popen(command, cwd=clone.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finished(process: subprocess.Popen[bytes]) -> dict[str, object]:
    """Wait for a process that printed an envelope."""
    out, err = process.communicate(timeout=120)
    envelope: dict[str, object] = json.loads(out)
    assert envelope["ok"], (envelope, err)
    return envelope


def test_two_clones_that_push_at_once(one: Clone, two: Clone) -> None:
    """Whoever comes second fetches, unites and pushes again: both succeed, and nobody's record vanishes."""
    for number in range(2):
        one.claim(f"one {number}")
        two.claim(f"two {number}")
        for process in [start(side, "sync", "--json") for side in (one, two)]:
            finished(process)

    one.sync()
    two.sync()
    assert one.tree() == two.tree()
    assert len(one.statements()) == 5


def test_somebody_pushes_between_our_look_and_our_push(
    one: Clone, two: Clone, hub: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A push goes through only where the remote is still what was united: nothing newer is overwritten."""
    from memgit.sync.transport import Pushed, Transport

    whole, pending = Transport.push, ["of one", "of one again"]

    def push(self: Transport, *given: object) -> Pushed:
        if pending:
            text = pending.pop()
            one.claim(text)
            one.git("push", "-q", "origin", f"{STORE}:{STORE}")
        return whole(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Transport, "push", push)
    two.claim("of two")

    assert two.sync()["rounds"] == 3

    names = git(hub, "rev-list", STORE).splitlines()
    assert one.tip() in names and two.tip() in names
    assert two.statements() == ["first", "of one", "of one again", "of two"]


@pytest.mark.slow
def test_five_clones_that_push_at_once(one: Clone, clone: Make) -> None:
    """Five at once get through within their attempts."""
    clones = [one, *(clone(f"c{number}") for number in range(4))]
    for side in clones[1:]:
        side.sync()
    for number, side in enumerate(clones):
        side.claim(f"of {number}")
    for process in [start(side, "sync", "--json") for side in clones]:
        finished(process)
    for side in clones:
        side.sync()

    assert len({side.tree() for side in clones}) == 1
    assert len(one.statements()) == 6


def test_two_processes_in_one_clone(one: Clone, two: Clone) -> None:
    """Syncs and writes of several processes in one clone do not disturb one another."""
    one.claim("from one")
    one.sync()
    syncs = [start(two, "sync", "--json") for _ in range(3)]
    for number in range(5):
        two.claim(f"meanwhile {number}")
    for process in syncs:
        finished(process)

    two.sync()
    one.sync()
    assert one.tree() == two.tree()
    assert len(one.statements()) == 7


def test_two_writers_and_a_sync_lose_nothing(one: Clone, two: Clone) -> None:
    """The ref moves by compare-and-swap: what was acknowledged beside a sync is in the store afterwards."""
    one.claim("from one")
    one.sync()
    writers = [start(two, "claim", "assert", f"writer {number}", "--json") for number in range(3)]
    sync = start(two, "sync", "--json")
    for process in [*writers, sync]:
        finished(process)

    assert sorted(two.statements()) == sorted(["first", "from one", "writer 0", "writer 1", "writer 2"])


def test_a_ref_lock_of_git_is_waited_for(one: Clone, two: Clone) -> None:
    """Git's own lock file of the ref is honoured: a sync waits for it and overwrites nothing."""
    one.claim("from one")
    one.sync()
    lock = two.directory / ".git" / f"{STORE}.lock"
    lock.write_text("")
    process = start(two, "sync", "--json")
    time.sleep(1.5)
    assert process.poll() is None
    lock.unlink()

    finished(process)
    assert two.statements() == ["first", "from one"]


@pytest.mark.slow
def test_killed_anywhere(one: Clone, two: Clone, hub: Path) -> None:
    """A sync that is killed at any moment leaves both sides valid; the next one finishes what it began."""
    chooser = random.Random(4)
    written = {"first"}
    for number in range(12):
        for name, side in (("one", one), ("two", two)):
            side.claim(f"{name} {number}")
            written.add(f"{name} {number}")
        one.sync()
        process = start(two, "sync", "--json")
        time.sleep(chooser.uniform(0.2, 1.2))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        git(hub, "fsck", "--connectivity-only")
        two.git("fsck", "--connectivity-only")

    two.sync()
    one.sync()
    assert one.tree() == two.tree()
    assert set(one.statements()) == written


POINTS = (
    "memgit.sync.transport:Transport.fetch",
    "memgit.sync.arrival:Fetcher._judge",
    "memgit.sync.notes:SyncNotes.change",
    "memgit.store.unite:Uniter._attempt",
    "memgit.store.publication:Publisher.publish",
    "memgit.store.publication:Publisher.move",
    "memgit.sync.transport:Transport.push",
    "memgit.sync.exchange:Exchange._note_pushed",
)
_KILLED = """
import importlib, os, sys
from pathlib import Path
from memgit.protocol.envelope import answer
module, _, path = sys.argv[1].partition(":")
holder, _, name = path.partition(".")
kind = getattr(importlib.import_module(module), holder)
whole = getattr(kind, name)
def dying(*given, **named):
    result = whole(*given, **named) if sys.argv[2] == "after" else None
    os.kill(os.getpid(), 9)
setattr(kind, name, dying)
answer({"op": "sync.run", "input": {}}, Path.cwd())
"""


@pytest.mark.parametrize("moment", [pytest.param("before", marks=pytest.mark.slow), "after"])
@pytest.mark.parametrize("point", POINTS)
def test_killed_at_each_step(one: Clone, two: Clone, hub: Path, point: str, moment: str) -> None:
    """Before and after each step of a sync a process may die: nothing is lost, and the next sync goes through."""
    one.claim("of one")
    one.sync()
    two.claim("of two")
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, point, moment], cwd=two.directory, capture_output=True, env=dict(os.environ)
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    git(hub, "fsck", "--connectivity-only")

    two.sync()
    one.sync()

    assert one.tree() == two.tree()
    assert one.statements() == ["first", "of one", "of two"]
    two.git("fsck", "--connectivity-only")


def test_a_purge_that_dies_on_the_way(one: Clone, two: Clone) -> None:
    """A process that dies while it accepts a purge leaves the old memory or the new one, and nothing in the log."""
    from tests.sync.test_decisions import purge

    second = two.claim("secret of two")
    two.sync()
    one.sync()
    revision = two.run("claim.get", claim_id=second)["revision_id"]
    change = {"claim_id": second, "claim_type": "fact", "if_revision": revision}
    two.run("claim.revise", **change, statement="secret of two in a draft", draft="d")
    purge(one, second)
    two.claim("third")
    script = _KILLED.replace('"input": {}', '"input": {"accept_purge": True}')
    for point in (
        "memgit.store.write_ahead_log:WriteAheadLog.begin_again",
        "memgit.store.publication:Publisher.move",
        "memgit.store.unite:Uniter.unite",
        "memgit.store.layers:PrivateStore.rewrite",
    ):
        done = subprocess.run([sys.executable, "-c", script, point, "after"], cwd=two.directory, capture_output=True)
        assert done.returncode == -signal.SIGKILL, (point, done.stderr)

    two.sync(accept_purge=True)

    assert two.statements() == ["first", "third"]
    assert second not in two.git("log", "--format=", "--name-only", "-m", STORE)
    for log in (two.directory / ".git/memgit/state/log").iterdir():
        assert b"secret of two" not in log.read_bytes()
