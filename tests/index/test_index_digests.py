"""An index of either implementation says nothing from files that are not as they were written."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.index import index_digests, tantivy_opening
from memgit.index.index_check import check_indexes
from memgit.index.index_digests import NAME, read_list
from memgit.index.lexical import IndexDamaged, LexicalIndex, open_index

from .test_lexical import ask, claim, put

POSIX = pytest.mark.skipif(os.name == "nt", reason="flock, limits of a process, mounts")
IN_A_CHILD = """
import resource, signal, sys
from pathlib import Path
from memgit.errors import StoreReadOnly
from memgit.index.lexical import open_index
from tests.index.test_lexical import claim, put
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
said = []
for limit in (0, 3000, 8000):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    index = open_index(Path(sys.argv[1]) / str(limit), sys.argv[2])
    try:
        put(index, [claim(n, f"redis cache {n} word{n}") for n in range(1, 300)])
        said.append("written")
    except StoreReadOnly:
        said.append("refused")
    except Exception as error:
        said.append(repr(error))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(said)
"""


@pytest.fixture
def index(tmp_path: Path, implementation: str) -> Iterator[LexicalIndex]:
    """An index of two commits."""
    opened = open_index(tmp_path / "lexical", implementation)
    put(opened, [claim(1, "the cache uses redis")])
    put(opened, [claim(number, f"redis number {number}") for number in range(2, 200)])
    opened.close()
    yield opened
    opened.close()


def again(tmp_path: Path, implementation: str) -> LexicalIndex:
    """Return the index as another process opens it."""
    return open_index(tmp_path / "lexical", implementation)


def flip(path: Path, place: float) -> None:
    """Change one bit of a file, at a share of its length, without cutting it."""
    with path.open("r+b") as file:
        offset = int(place * path.stat().st_size)
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 4]))


def test_a_flipped_bit_in_any_file_is_noticed(
    index: LexicalIndex, tmp_path: Path, directory: Path, implementation: str
) -> None:
    """Whichever file and wherever in it: IndexDamaged before any answer, and `check_indexes` names the file."""
    listed = read_list(directory)
    assert listed is not None and len(listed.files) > 2
    for name in (*listed.files, NAME):
        for place in (0.0, 0.3, 0.6, 0.99):
            flip(directory / name, place)
            with pytest.raises(IndexDamaged):
                again(tmp_path, implementation).watermark()
            assert [fault.where.rpartition("/")[2] for fault in check_indexes(tmp_path).faults] == [name]
            flip(directory / name, place)
    assert check_indexes(tmp_path).faults == ()
    assert len(ask(again(tmp_path, implementation), "redis", limit=500)) == 199


def test_a_bit_that_flips_under_an_open_reader_is_noticed(
    index: LexicalIndex, directory: Path, implementation: str
) -> None:
    """A process that goes on for days sees that a file was written anew."""
    assert len(ask(index, "redis", limit=500)) == 199
    listed = read_list(directory)
    assert listed is not None
    largest = max(listed.files, key=lambda name: listed.files[name].size)
    flip(directory / largest, 0.5)
    with pytest.raises(IndexDamaged):
        ask(index, "redis", limit=500)


def test_a_flipped_bit_among_the_recent_documents_takes_them_back(tmp_path: Path) -> None:
    """What belongs to no commit of tantivy yet is read from the commits again, never half."""
    index = open_index(tmp_path / "lexical", "tantivy")
    first = put(index, [claim(1, "redis")])
    put(index, [claim(2, "redis")])
    recent = tmp_path / "lexical" / "tantivy" / "recent.msgpack"
    for place in (0.0, 0.5, 0.99):
        flip(recent, place)
        assert again(tmp_path, "tantivy").watermark() == first
        assert [fault.where for fault in check_indexes(tmp_path).faults] == [
            f"{tmp_path.name}/lexical/tantivy/recent.msgpack"
        ]
        flip(recent, place)
    index.close()


def test_a_writer_that_died_before_its_list_costs_nothing(
    index: LexicalIndex, tmp_path: Path, directory: Path, implementation: str
) -> None:
    """The new commit is read; what the old list names is still checked; the next writer lists the rest."""
    old = (directory / NAME).read_bytes()
    put(index, [claim(number, "valkey", seq=7) for number in range(200, 500)])
    (directory / NAME).write_bytes(old)
    index.close()
    reader = again(tmp_path, implementation)
    assert len(ask(reader, "valkey", limit=500)) == 300
    put(reader, [claim(900, "valkey")])
    reader.close()
    assert (directory / NAME).read_bytes() != old
    assert check_indexes(tmp_path).faults == ()


def test_a_large_index_is_read_where_it_was_touched(
    index: LexicalIndex, tmp_path: Path, directory: Path, implementation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above the bound the size and the time that the writer noted are enough; a wholesale check still reads it all."""
    monkeypatch.setattr(index_digests, "READ_WHOLE", 0)
    monkeypatch.setattr(index_digests, "digest_of_file", lambda path: pytest.fail(f"{path} was read"))
    assert again(tmp_path, implementation).watermark() is not None
    monkeypatch.undo()
    monkeypatch.setattr(index_digests, "READ_WHOLE", 0)
    listed = read_list(directory)
    assert listed is not None
    victim = next(name for name in listed.files if name != listed.contents)
    status = (directory / victim).stat()
    flip(directory / victim, 0.99)
    with pytest.raises(IndexDamaged):
        again(tmp_path, implementation).watermark()
    os.utime(directory / victim, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert [fault.where.rpartition("/")[2] for fault in check_indexes(tmp_path).faults] == [victim]


def test_a_folder_in_a_files_place_is_damage_and_goes(
    index: LexicalIndex, tmp_path: Path, directory: Path, implementation: str
) -> None:
    """Whichever file: the index answers, or a reset makes it usable again; the other implementation's folder stays."""
    neighbour = tmp_path / "lexical" / "tantivy"
    neighbour.mkdir(exist_ok=True)
    names = [path.name for path in directory.iterdir() if path.is_file() and path.name != "write.lock"]
    for name in names:
        (directory / name).unlink(missing_ok=True)
        (directory / name).mkdir(exist_ok=True)
        (directory / name / "inside").touch()
        opened = again(tmp_path, implementation)
        try:
            put(opened, [claim(number, "redis") for number in range(1000, 1200)])
        except IndexDamaged:
            opened.reset()
            put(opened, [claim(number, "redis") for number in range(1000, 1200)])
        assert len(ask(opened, "redis", limit=500)) >= 200, name
        opened.reset()
        opened.close()
        assert neighbour.is_dir()


@POSIX
def test_a_held_lock_of_tantivys_does_not_stop_a_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that never lets go of it costs a bounded wait; a commit that would need it is refused, not stuck."""
    import fcntl

    from memgit.errors import IndexNotReady

    monkeypatch.setattr(tantivy_opening, "_LOCK_SECONDS", 0.05)
    index = open_index(tmp_path / "lexical", "tantivy")
    put(index, [claim(1, "redis")])
    index.close()
    answers: list[object] = []

    def work() -> None:
        answers.append(len(ask(index, "redis")))
        put(index, [claim(2, "redis")])
        answers.append(len(ask(index, "redis")))
        try:
            put(index, [claim(number, "redis") for number in range(10, 300)])
        except IndexNotReady:
            answers.append("busy")

    with (tmp_path / "lexical" / "tantivy" / ".tantivy-meta.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(60)
        assert answers == [1, 2, "busy"]
    put(index, [claim(number, "redis") for number in range(10, 300)])
    assert len(ask(index, "redis", limit=500)) == 292
    index.close()


def test_what_cannot_be_locked_is_read_through_links(tmp_path: Path) -> None:
    """On a read-only file system tantivy cannot write its lock; the index that is there answers, new commits too."""
    index = open_index(tmp_path / "lexical", "tantivy")
    put(index, [claim(1, "redis")])
    index.close()
    lock = tmp_path / "lexical" / "tantivy" / ".tantivy-meta.lock"
    lock.unlink()
    lock.mkdir()  # as good as a file that cannot be opened, for root too
    reader = again(tmp_path, "tantivy")
    assert len(ask(reader, "redis")) == 1
    lock.rmdir()
    put(index, [claim(number, "redis") for number in range(10, 300)])
    lock.unlink()
    lock.mkdir()
    assert len(ask(reader, "redis", limit=500)) == 291
    reader.close()
    index.close()


@POSIX
def test_a_full_disk_is_said_as_what_it_is(tmp_path: Path, implementation: str) -> None:
    """From the first file on, or in the middle of a commit: StoreReadOnly, so that a read can go on in memory."""
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", IN_A_CHILD, str(tmp_path), implementation],
        capture_output=True, text=True, check=True, cwd=root, env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    assert done.stdout.strip() == "['refused', 'refused', 'refused']", done.stdout
