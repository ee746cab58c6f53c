"""The lock of the index when its holder is killed, and the time with which an index comes back."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from memgit.checkpoints.index_lock import index_locked
from memgit.errors import StoreBusy
from memgit.store.repository import discover
from tests.checkpoints.workplace import Place

_KILLED = """
import os, signal, sys
from pathlib import Path
from memgit.checkpoints import index_lock
from memgit.store.repository import discover

def then_die(real):
    def dying(*arguments):
        real(*arguments)
        os.kill(os.getpid(), signal.SIGKILL)
    return dying

where = sys.argv[2]
if where == "link":
    os.link = then_die(os.link)
elif where == "note":
    index_lock._write_note = then_die(index_lock._write_note)
elif where == "unlink":
    index_lock._forget = lambda *_: None
with index_lock.index_locked(discover(Path(sys.argv[1]))) as lock:
    if where == "held":
        os.kill(os.getpid(), signal.SIGKILL)
    if where == "unlink":
        index_lock._forget = then_die(lambda *_: None)
"""


def kill(place: Place, where: str) -> None:
    """Let a process take the lock and die there."""
    done = subprocess.run([sys.executable, "-c", _KILLED, place.directory, where])
    assert done.returncode == -signal.SIGKILL


def take(place: Place) -> None:
    """Hold the lock for a moment; afterwards nothing of it is left."""
    with index_locked(discover(place.directory)):
        assert (place.git_dir / "index.lock").exists()
    assert not list(place.git_dir.glob("*index.lock"))
    assert not list((discover(place.directory).state_dir).glob("index-lock*"))


@pytest.mark.parametrize(
    "where",
    ["note", pytest.param("link", marks=pytest.mark.slow), pytest.param("held", marks=pytest.mark.slow), "unlink"],
)
def test_killed_anywhere_the_lock_is_recognised(place: Place, where: str) -> None:
    """Between any two steps: the next one takes it without a person's help."""
    kill(place, where)
    assert (place.git_dir / "index.lock").exists() == (where in ("link", "held"))
    take(place)


@pytest.mark.parametrize(
    "where", [pytest.param("note", marks=pytest.mark.slow), "held", pytest.param("unlink", marks=pytest.mark.slow)]
)
def test_what_a_dead_process_noted_frees_no_lock_of_others(place: Place, where: str) -> None:
    """A lock that somebody else made since is left alone."""
    kill(place, where)
    lock = place.git_dir / "index.lock"
    lock.unlink(missing_ok=True)
    lock.write_bytes(b"")
    for _ in range(2):
        with pytest.raises(StoreBusy), index_locked(discover(place.directory)):
            pass
    assert lock.exists()


@pytest.mark.slow
def test_each_working_tree_has_its_note(place: Place, tmp_path: Path) -> None:
    """What happens in one does not make the lock that was left in another a stranger's."""
    place.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Place(tmp_path / "linked")
    kill(place, "held")
    kill(linked, "held")
    with index_locked(discover(linked.directory)):
        pass
    take(place)


def test_without_hard_links_it_is_a_lock_as_well(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system that has none."""

    def refused(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    take(place)
    (place.git_dir / "index.lock").write_bytes(b"")
    with pytest.raises(StoreBusy), index_locked(discover(place.directory)):
        pass
    assert (place.git_dir / "index.lock").exists()


def test_an_index_comes_back_with_its_time(place: Place) -> None:
    """A file that changed in the moment of the index, by the same size, is seen as changed after a restore, too.

    Git tells such files by the time of the index. With the time of the restore, it would call this one unchanged.
    """
    moment = 1_700_000_000 * 10**9
    place.git("config", "core.trustctime", "false")
    path = place.write("kept.txt", "AAAA\n")
    os.utime(path, ns=(moment, moment))
    place.git("add", "kept.txt")
    path.write_bytes(b"BBBB\n")
    os.utime(path, ns=(moment, moment))
    os.utime(place.git_dir / "index", ns=(moment, moment))
    saved = place.checkpoint()
    (place.git_dir / "index").unlink()
    place.git("read-tree", "HEAD")
    place.restore(saved)
    assert (place.git_dir / "index").stat().st_mtime_ns == moment
    assert place.git("diff-files", "--name-only") == "kept.txt"
