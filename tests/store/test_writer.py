"""The writer protocol: what is acknowledged is there, what is refused left nothing, and requests repeat safely."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memgit.errors import IdempotencyConflict, Internal, InvalidRequest, StoreBusy
from memgit.store import packing
from memgit.store.objects import ObjectId
from memgit.store.store import Store
from memgit.store.transaction import Transaction
from memgit.store.writer import Build, RequestKey, Result, Written
from tests.conftest import MakeRepository
from tests.store.scenario import (
    REF,
    claim,
    claims,
    everything,
    fsck,
    git,
    loose_path,
    new_store,
    open_store,
    request_key,
    statements,
    write,
)

Write = Callable[..., Written]


@pytest.fixture(params=["pygit2", "plumbing"])
def store(request: pytest.FixtureRequest, repository: MakeRepository) -> Store:
    """A store without claims, on each back end."""
    return new_store(repository(), backend=request.param)


@pytest.fixture(params=["write", "write_bulk"])
def way(request: pytest.FixtureRequest) -> str:
    """Both ways to write: what holds for one holds for the other."""
    return str(request.param)


def test_what_is_acknowledged_is_there(store: Store, way: str) -> None:
    """The answer names the seq and the commit, and any other process reads the claim from then on."""
    written = getattr(store, way)(claims("one", "two"))

    assert statements(store.repository.root) == ["one", "two"]
    assert git(store.repository.root, "rev-parse", REF) == written.commit_id == store.tip()
    assert written.seq == store.snapshot().seq == 3
    assert not written.replayed
    fsck(store.repository.root)


def test_seqs_only_rise(store: Store) -> None:
    """Each write is above the tip and above the floor that other layers set."""
    author = store.author()
    writer = store._write_access()
    seqs = [
        writer.write(claims("a"), author).seq,
        writer.write(claims("b", "c"), author).seq,
        writer.write(claims("d"), author, seq_floor=100).seq,
        writer.write_bulk(claims("e", "f"), author, seq_floor=50).seq,
        writer.write(claims("g"), author).seq,
    ]

    assert seqs == [2, 4, 101, 103, 104]
    assert statements(store.repository.root) == list("abcdefg")


def test_a_repeated_request_is_written_once(store: Store, way: str) -> None:
    """The same key and the same request give the first outcome back, here and in another process, and write nothing."""
    key = request_key("k", "request")
    first = getattr(store, way)(claims("one"), key)
    before = everything(store)

    for again in (store, open_store(store.repository.root)):
        for repeat in (again.write, again.write_bulk):
            replayed = repeat(never, key)
            assert replayed.replayed
            assert (replayed.result, replayed.seq) == (first.result, first.seq)

    assert everything(store) == before
    assert statements(store.repository.root) == ["one"]


def never(transaction: Transaction) -> Result:
    """A build that must not run."""
    raise AssertionError("a repeated request was built again")


def test_a_key_with_another_request(store: Store, way: str) -> None:
    """A key that stood for another request is IDEMPOTENCY_CONFLICT; nothing is written."""
    getattr(store, way)(claims("one"), request_key("k", "request"))
    before = everything(store)

    with pytest.raises(IdempotencyConflict) as conflict:
        getattr(store, way)(never, request_key("k", "another"))

    assert conflict.value.details == {"operation": "claim.assert", "commit_seq": 2}
    assert everything(store) == before


def test_a_key_is_known_after_packing(repository: MakeRepository) -> None:
    """A receipt is found again however often the store has been packed since."""
    store = new_store(repository(), pack_every=3)
    first = write(store, "one", key="k")
    for number in range(20):
        write(store, f"more {number}")

    assert write(open_store(store.repository.root), "one", key="k").result == first.result


def test_a_write_without_a_key_leaves_no_receipt(store: Store) -> None:
    """Receipts are for keys that a client chose."""
    write(store, "one")
    write(store, "two", key="k")

    assert len(list(store.snapshot().files("receipts"))) == 1


def test_a_transaction_that_stages_nothing(store: Store, way: str) -> None:
    """Nothing staged, nothing written: not even a receipt."""
    before = everything(store)

    written = getattr(store, way)(lambda transaction: {"found": "it was there"}, request_key("k", "r"))

    assert (written.result, written.commit_id) == ({"found": "it was there"}, store.tip())
    assert everything(store) == before


ERRORS: list[BaseException] = [
    InvalidRequest("refused"),
    KeyError("a fault"),
    OSError(errno.ENOENT, "the caller's own file"),
    KeyboardInterrupt(),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_a_build_that_raises(store: Store, way: str, error: BaseException) -> None:
    """What `build` raises passes through as it is, an OSError of the caller's too, and nothing is written."""
    before = everything(store)

    def build(transaction: Transaction) -> Result:
        transaction.put_blob(b"a blob")
        transaction.stage(claim("never"), "never")
        raise error

    with pytest.raises(type(error)) as raised:
        getattr(store, way)(build, request_key("k", "r"))

    assert raised.value is error
    assert everything(store) == before
    getattr(store, way)(claims("next"))
    assert statements(store.repository.root) == ["next"]


def test_a_write_inside_a_write(store: Store) -> None:
    """A build that writes to its own store is a fault, reported at once instead of a deadlock or a lost write."""
    with pytest.raises(Internal):
        store.write(lambda transaction: {"seq": write(store, "inner").seq})

    write(store, "next")
    assert statements(store.repository.root) == ["next"]


def moving(store: Store, times: int) -> Build:
    """Return a build during which another program moves the ref, as often as that."""
    left = [times]

    def build(transaction: Transaction) -> Result:
        assert transaction.snapshot is not None
        if left[0]:
            left[0] -= 1
            root = store.repository.root
            tip, seq = transaction.snapshot.commit_id, transaction.snapshot.seq
            message = f"foreign\n\nMemgit-Seq: {seq}\n"
            commit = git(root, "commit-tree", "-p", tip, "-m", message, f"{tip}^{{tree}}")
            git(root, "update-ref", REF, commit)
        transaction.stage(claim("after the move"), "after the move")
        return {}

    return build


@pytest.mark.parametrize("times", [1, 2])
def test_another_program_moves_the_ref_meanwhile(store: Store, way: str, times: int) -> None:
    """A ref that moved under a write is no error: the write is made again on the new tip, and both are there."""
    tip = store.tip()
    getattr(store, way)(moving(store, times))

    assert statements(store.repository.root) == ["after the move"]
    assert git(store.repository.root, "rev-list", "--count", f"{tip}..{REF}") == str(times + 1)
    assert len(list(store.database.log.entries())) == 2
    fsck(store.repository.root)


def test_a_ref_that_never_rests(store: Store, way: str) -> None:
    """A program that moves the ref every time gets STORE_BUSY from us in the end; nothing of ours is published."""
    with pytest.raises(StoreBusy):
        getattr(store, way)(moving(store, 99))

    assert statements(store.repository.root) == []
    assert len(list(store.database.log.entries())) == 1
    write(store, "next")
    assert statements(store.repository.root) == ["next"]


def test_two_processes_writing_in_turn(store: Store) -> None:
    """A writer that another has overtaken starts from the new tip, whatever it remembers."""
    other = open_store(store.repository.root, backend="pygit2")
    for number in range(6):
        write((store, other)[number % 2], f"claim {number}")

    assert statements(store.repository.root) == [f"claim {number}" for number in range(6)]


def test_a_gc_between_the_objects_and_the_ref(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git gc --prune=now` takes what nothing reaches yet; the write puts it back and goes through."""
    move_ref = type(store.backend).move_ref
    runs = [3]

    def collect_first(backend: Any, *arguments: Any) -> None:
        if runs[0]:
            runs[0] -= 1
            git(store.repository.root, "gc", "--quiet", "--prune=now")
        move_ref(backend, *arguments)

    monkeypatch.setattr(type(store.backend), "move_ref", collect_first)
    write(store, "one")

    assert statements(store.repository.root) == ["one"]
    assert open_store(store.repository.root).database.healed == 0
    fsck(store.repository.root)


def test_a_prune_that_spares_the_commit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A prune may take trees and blobs and come too late for the commit: then the ref moves, and the write puts them
    back before it answers, so that the user's own Git commands never see the gap."""
    move_ref = type(store.backend).move_ref

    def prune_first(backend: Any, name: str, new: ObjectId, old: ObjectId | None) -> None:
        for entry in store.database.log.entries():
            for oid, kind, *_ in entry.objects:
                if kind != "commit":
                    loose_path(store, oid).unlink(missing_ok=True)
        move_ref(backend, name, new, old)

    monkeypatch.setattr(type(store.backend), "move_ref", prune_first)
    written = write(store, "one")
    monkeypatch.undo()

    tree = git(store.repository.root, "rev-parse", f"{written.commit_id}^{{tree}}")
    assert git(store.repository.root, "cat-file", "-t", tree) == "tree"
    assert statements(store.repository.root) == ["one"]


@pytest.mark.parametrize("kinds", [("blob",), ("blob", "tree", "commit")], ids=["blobs", "everything"])
@pytest.mark.parametrize("who", ["the same process", "another process"])
def test_a_prune_that_ends_after_the_write(store: Store, who: str, kinds: tuple[str, ...]) -> None:
    """A prune that began before a write may take its objects after it: the next write, whoever makes it, puts back
    all of them, also those that it does not read, so that the user's next `git gc` finds a whole history."""
    write(store, "before")
    written = write(store, "taken")
    for oid, kind, *_ in list(store.database.log.entries())[-1].objects:
        if kind in kinds:
            loose_path(store, oid).unlink()
    time.sleep(0.1)

    write(store if who == "the same process" else open_store(store.repository.root), "after")

    fsck(store.repository.root)
    git(store.repository.root, "gc", "--quiet", "--prune=now")
    assert git(store.repository.root, "cat-file", "-t", written.commit_id) == "commit"
    assert statements(store.repository.root) == ["before", "taken", "after"]


def test_a_gc_that_loses_a_packed_base(store: Store) -> None:
    """A process whose view of the packs is out of date finds what another process has packed and removed."""
    for number in range(5):
        write(store, f"claim {number}")
        git(store.repository.root, "repack", "-ad", "-q")
        git(store.repository.root, "prune", "--expire=now")

    assert statements(store.repository.root) == [f"claim {number}" for number in range(5)]


def test_durable_writes_sync_the_log_before_the_ref(
    repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With durability `safe` the log is on the disk before the ref moves, and the objects are too."""
    store = new_store(repository(), sync=True)
    events: list[str] = []
    fsync = os.fsync

    def note(descriptor: int) -> None:
        events.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc")
    move_ref = type(store.backend).move_ref
    monkeypatch.setattr(os, "fsync", note)
    monkeypatch.setattr(
        type(store.backend), "move_ref", lambda *arguments: (events.append("ref"), move_ref(*arguments))[1]
    )

    write(store, "one")

    assert str(store.database.log.path) in events[: events.index("ref")]
    assert sum("/objects/" in event for event in events[: events.index("ref")]) >= 7


def test_packing_that_fails_does_not_fail_the_write(
    repository: MakeRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write is acknowledged before packing begins: no trouble of packing may be reported as the write's."""
    store = new_store(repository(), pack_every=1)
    faults = [OSError(28, "full"), StoreBusy("git hangs"), Internal("no git")]

    def refuse(*arguments: object) -> bool:
        raise faults.pop()

    monkeypatch.setattr(packing, "pack_log", refuse)
    for number in range(3):
        store._writer = None
        write(store, f"claim {number}")

    assert not faults
    assert statements(store.repository.root) == [f"claim {number}" for number in range(3)]


def test_a_key_is_a_digest(store: Store) -> None:
    """Keys reach the tree only as digests, so no key can name a path."""
    hostile = RequestKey(request_key("../../x", "r").key_digest, "r" * 64, "claim.assert")

    store.write(claims("one"), hostile)

    assert all(".." not in path for path, _ in store.snapshot().files())
