"""The writer's lock: one holder at a time, released by the kernel, with a note for what a killed holder leaves."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memgit.errors import Internal, StoreBusy, StoreReadOnly
from memgit.store.lock import WriterLock
from memgit.store.process import is_running, process_start

REF = "refs/memgit/store"
COMMIT = "c" * 40

HOLDER = """
import sys, time
from pathlib import Path
from memgit.store.lock import WriterLock
lock = WriterLock(Path(sys.argv[1]), 5)
with lock.held():
    lock.note_move("refs/memgit/store", "c" * 40)
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path) -> subprocess.Popen[str]:
    """A process that holds the lock and has noted a move."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    """Kill a process, and let the system forget it."""
    process.kill()
    process.communicate()


def aged(path: Path, content: str, seconds: float) -> Path:
    """Make a file that was last changed so many seconds ago."""
    path.write_text(content)
    moment = time.time() - seconds
    os.utime(path, (moment, moment))
    return path


def test_one_holder_at_a_time(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """Who waits longer than its patience gets STORE_BUSY, which names the lock and may be retried."""
    lock = WriterLock(tmp_path, 0.1)
    started = time.monotonic()

    with pytest.raises(StoreBusy) as busy, lock.held():
        pass

    assert 0.1 <= time.monotonic() - started < 5
    assert busy.value.retryable
    assert busy.value.details == {"lock": str(tmp_path / "writer.lock"), "waited_ms": 100}
    end(holder)


def test_the_kernel_releases_the_lock_of_the_dead(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """After SIGKILL the next process has the lock at once, without anybody's help."""
    end(holder)

    with WriterLock(tmp_path, 0.5).held():
        pass


def test_released_on_an_error(tmp_path: Path) -> None:
    """An error inside leaves the lock free, for this process and for others."""
    lock = WriterLock(tmp_path, 0.5)
    with pytest.raises(KeyError), lock.held():
        raise KeyError("x")

    with lock.held(), WriterLock(tmp_path, 0).held_if_free() as held:
        assert not held
    with WriterLock(tmp_path, 0).held_if_free() as held:
        assert held


def test_a_write_inside_a_write_is_a_mistake(tmp_path: Path) -> None:
    """A nested transaction would build on a tip that the outer one is about to replace: it is refused."""
    lock = WriterLock(tmp_path, 0.5)

    with lock.held(), pytest.raises(Internal, match="inside another"), lock.held():
        pass


def test_where_no_lock_can_be_made(tmp_path: Path) -> None:
    """A lock that cannot be made is STORE_READ_ONLY for a writer, and simply not held for a reader."""
    (tmp_path / "state").write_text("a file, not a directory")
    lock = WriterLock(tmp_path / "state", 0.5)

    with pytest.raises(StoreReadOnly, match=r"writer\.lock"), lock.held():
        pass
    with lock.held_if_free() as held:
        assert not held


@pytest.mark.parametrize(
    ("content", "age", "ours"),
    [("", 60, True), (f"{COMMIT}\n", 60, True), ("", 5, False), (f"{COMMIT}\n", 5, False), ("d" * 40, 60, False)],
)
def test_the_ref_lock_of_a_dead_writer(
    tmp_path: Path, holder: subprocess.Popen[str], content: str, age: float, ours: bool
) -> None:
    """Ours: empty or with the noted commit, its writer dead, over 10 s old. Anything else is somebody else's."""
    path = aged(tmp_path / "store.lock", content, age)
    lock = WriterLock(tmp_path, 1)
    assert not lock.is_abandoned(REF, path), "its writer still lives"

    end(holder)

    assert lock.is_abandoned(REF, path) == ours
    assert not lock.is_abandoned("refs/memgit/other", path)


def test_after_a_finished_move_no_lock_is_ours(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    """Once a move is done, what lies in the ref's place is another program's, even if the last writer is dead."""
    end(holder)
    lock = WriterLock(tmp_path, 1)
    path = aged(tmp_path / "store.lock", "", 60)
    assert lock.is_abandoned(REF, path)

    lock.clear_move()

    assert not lock.is_abandoned(REF, path)


@pytest.mark.parametrize("note", ["", "nonsense", "{}", '{"pid": 1, "host": 2}', "[" * 2000])
def test_a_damaged_note(tmp_path: Path, note: str) -> None:
    """A note that cannot be read makes nothing ours."""
    (tmp_path / "writer.json").write_text(note)

    assert not WriterLock(tmp_path, 1).is_abandoned(REF, aged(tmp_path / "store.lock", "", 60))


def test_a_shorter_note_leaves_nothing_of_a_longer_one(tmp_path: Path) -> None:
    """The note is overwritten whole."""
    lock = WriterLock(tmp_path, 1)
    lock.note_move("refs/memgit/a-rather-long-name-of-a-ref", "e" * 64)
    lock.note_move(REF, COMMIT)

    assert not lock.is_abandoned(REF, aged(tmp_path / "store.lock", "", 60)), "we live"
    assert COMMIT in (tmp_path / "writer.json").read_text()
    assert (tmp_path / "writer.json").read_text().endswith("}")


def test_another_machines_note(tmp_path: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """On a shared file system, process ids of another machine mean nothing here."""
    end(holder)
    monkeypatch.setattr(platform, "node", lambda: "another-machine")

    assert not WriterLock(tmp_path, 1).is_abandoned(REF, aged(tmp_path / "store.lock", "", 60))


def test_a_reused_process_id() -> None:
    """A process that only has the id of a dead one is not that one."""
    assert is_running(os.getpid())
    assert is_running(os.getpid(), process_start(os.getpid()))
    if process_start(os.getpid()):
        assert not is_running(os.getpid(), "1")
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    assert not is_running(process.pid)
    assert process_start(process.pid) == ""
