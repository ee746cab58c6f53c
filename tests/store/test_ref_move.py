"""Moving the authority: within the wait for Git's own locks, and never by removing one that is not ours."""

from __future__ import annotations

import os
import platform
import threading
import time
from pathlib import Path

import msgspec
import pytest

from memgit.errors import StoreBusy
from memgit.store.lock import Owner
from memgit.store.store import Store
from tests.conftest import MakeRepository
from tests.store.scenario import REF, WriterProcess, fsck, git, new_store, open_store, statements, write

DEAD = 2**22 + 1  # above every process id that Linux gives out


@pytest.fixture
def store(repository: MakeRepository) -> Store:
    """A store whose writers wait half a second."""
    return new_store(repository(), lock_wait_ms=500)


def leave_lock(store: Store, content: str, age: float) -> Path:
    """Leave a lock on the ref, as old as that."""
    path = store.repository.common_dir / f"{REF}.lock"
    path.write_text(content)
    moment = time.time() - age
    os.utime(path, (moment, moment))
    return path


def leave_note(store: Store, commit: str, pid: int = DEAD) -> None:
    """Leave the note of a writer that was about to move the ref."""
    note = Owner(pid, platform.node(), "", REF, commit)
    (store.repository.state_dir / "writer.json").write_bytes(msgspec.json.encode(note))


@pytest.mark.parametrize("content", ["", "c" * 40 + "\n"])
def test_our_own_left_behind_is_removed(store: Store, content: str) -> None:
    """A dead writer's lock on the ref, empty or with its commit, over 10 s old, stops nobody."""
    path = leave_lock(store, content, 11)
    leave_note(store, "c" * 40)

    write(store, "after the dead")

    assert not path.exists()
    assert statements(store.repository.root) == ["after the dead"]


@pytest.mark.parametrize(
    ("content", "age", "pid"),
    [
        ("d" * 40 + "\n", 3600, DEAD),  # another commit than the noted one
        ("", 3600, os.getpid()),  # the noted process lives
        ("", 5, DEAD),  # too young
    ],
    ids=["another commit", "a living process", "too young"],
)
def test_anybody_elses_is_reported_and_left_alone(store: Store, content: str, age: float, pid: int) -> None:
    """Any other lock is waited for, then reported with its path and age; it stays, and nothing is written."""
    path = leave_lock(store, content, age)
    leave_note(store, "c" * 40, pid)
    tip = store.tip()
    started = time.monotonic()

    with pytest.raises(StoreBusy) as busy:
        write(store, "never")

    assert 0.5 <= time.monotonic() - started < 5
    assert busy.value.details["lock"] == str(path)
    assert age <= float(str(busy.value.details["age_s"])) < age + 30
    assert str(path) in busy.value.hint
    assert path.read_text() == content
    path.unlink()
    assert open_store(store.repository.root).tip() == tip
    write(store, "later")
    assert statements(store.repository.root) == ["later"]


def test_a_foreign_lock_without_any_note(store: Store) -> None:
    """An empty lock that no writer of ours noted belongs to another program, however old it is."""
    write(store, "one")
    path = leave_lock(store, "", 3600)

    with pytest.raises(StoreBusy):
        write(store, "two")

    assert path.exists()


def test_a_foreign_lock_after_a_writer_that_ended_well(store: Store) -> None:
    """A writer that finished its move and ended leaves no claim on what another program leaves in the ref's place."""
    writer = WriterProcess(store.repository.root, "w", "1")
    writer.await_ready()
    writer.go()
    assert len(writer.finish()) == 1
    path = leave_lock(store, "", 3600)

    with pytest.raises(StoreBusy):
        write(store, "never")

    assert path.exists()


def test_a_lock_that_goes_away_in_time(store: Store) -> None:
    """Contention within the wait is nobody's business: the write goes through."""
    path = leave_lock(store, "", 0)
    timer = threading.Timer(0.2, path.unlink)
    timer.start()

    write(store, "patient")

    timer.join()
    assert statements(store.repository.root) == ["patient"]


def test_a_writer_killed_while_it_holds_the_ref(repository: MakeRepository) -> None:
    """The real thing: a writer dies after libgit2 has made the lock file; the next one gets past it after 10 s."""
    path = repository()
    store = new_store(path)
    writer = WriterProcess(path, "w", "1", "memgit.store.pygit2_backend:Pygit2Backend.move_ref:before")
    writer.await_ready()
    writer.go()
    assert writer.finish() == []
    leave_lock(store, "", 11)  # what libgit2 would have left: the process died just before

    write(store, "next")

    assert statements(path) == ["w 0", "next"]
    fsck(path)


def test_a_reader_does_not_wait_for_a_lock(store: Store) -> None:
    """A read that would put a lost ref back leaves that to others while Git holds the ref's lock."""
    write(store, "one")
    tip = store.tip()
    git(store.repository.root, "update-ref", "-d", REF)
    path = leave_lock(store, "", 0)
    started = time.monotonic()

    assert open_store(store.repository.root).tip() == tip

    assert time.monotonic() - started < 0.4
    assert path.exists()


def test_beside_pack_refs(store: Store) -> None:
    """`git pack-refs` takes the ref's lock again and again; no write fails for it and none is lost."""
    root = store.repository.root
    stop = threading.Event()

    def pack_refs() -> None:
        while not stop.is_set():
            git(root, "pack-refs", "--all", check=False)

    packer = threading.Thread(target=pack_refs)
    packer.start()
    try:
        for number in range(60):
            write(store, f"claim {number}")
    finally:
        stop.set()
        packer.join()

    assert statements(root) == [f"claim {number}" for number in range(60)]
