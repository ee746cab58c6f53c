"""An index of either implementation among other processes, and when its files are cut, deleted or of another time."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from memgit.errors import IndexNotReady
from memgit.index import index_directory, tantivy_schema, whoosh_schema
from memgit.index.documents import Document
from memgit.index.index_directory import LOCK_NAME
from memgit.index.lexical import IndexDamaged, LexicalIndex, Watermark, open_index
from memgit.limits import DEFAULT

from .test_lexical import ask, claim, found, ids, put

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def index(tmp_path: Path, implementation: str) -> Iterator[LexicalIndex]:
    """An index with two claims, the second of which was a write of its own."""
    opened = open_index(tmp_path / "lexical", implementation)
    put(opened, [claim(1, "the cache uses redis")])
    put(opened, [claim(2, "redis is fast")])
    yield opened
    opened.close()


def files(directory: Path) -> list[Path]:
    """Return the index's files but the lock."""
    return [path for path in directory.iterdir() if path.is_file() and not path.name.endswith(".lock")]


def works_again(tmp_path: Path, implementation: str) -> bool:
    """Tell whether an index can be reset and filled."""
    index = open_index(tmp_path / "lexical", implementation)
    index.reset()
    put(index, [claim(3, "redis")])
    answer = found(ask(index, "redis")) == ids("clm", 3)
    index.close()
    return answer


@pytest.mark.parametrize("damage", [b"", b"\x00" * 64, b"no index at all" * 20])
@pytest.mark.parametrize("closed", [True, False])
def test_damaged_files_are_reported(
    index: LexicalIndex, tmp_path: Path, directory: Path, implementation: str, damage: bytes, closed: bool
) -> None:
    """Emptied, zeroed or overwritten, under an open reader too: IndexDamaged, and a reset is all that is needed."""
    assert len(ask(index, "redis")) == 2
    if closed:
        index.close()
    for path in files(directory):
        path.write_bytes(damage)
    with pytest.raises(IndexDamaged):
        index.watermark()
    with pytest.raises(IndexDamaged):
        ask(index, "redis")
    with pytest.raises(IndexDamaged):
        index.apply([claim(4, "redis")], (), Watermark("c", 9), None)
    assert works_again(tmp_path, implementation)


def test_each_file_may_be_cut(tmp_path: Path, implementation: str) -> None:
    """Whichever single file is cut in half under an open reader: the answer is right, or IndexDamaged, and no crash."""
    number = 0
    while True:
        place = tmp_path / str(number)
        opened = open_index(place, implementation)
        put(opened, [claim(n, f"the cache uses redis {n}") for n in range(1, 40)])
        put(opened, [claim(40, "redis is fast")])
        assert len(ask(opened, "redis", limit=50)) == 40
        paths = sorted(files(place / ("tantivy" if implementation == "tantivy" else "")))
        if number >= len(paths):
            break
        os.truncate(paths[number], paths[number].stat().st_size // 2)
        try:
            mark = opened.watermark()
            assert mark is not None
            assert len(ask(opened, "redis", limit=50)) == 38 + mark.seq, paths[number].name
        except IndexDamaged:
            opened.reset()
        opened.close()
        number += 1


def test_another_format_is_rebuilt(
    index: LexicalIndex, tmp_path: Path, implementation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an older analysis wrote is not asked with a newer one."""
    index.close()
    for schema in (whoosh_schema, tantivy_schema):
        monkeypatch.setattr(schema, "FORMAT", (1, 999))
    with pytest.raises(IndexDamaged, match="format"):
        index.watermark()
    assert works_again(tmp_path, implementation)


def test_deleting_the_directory_empties_the_index(index: LexicalIndex, tmp_path: Path) -> None:
    """Also under an open reader, and it can be filled again by the same object."""
    assert len(ask(index, "redis")) == 2
    shutil.rmtree(tmp_path / "lexical")
    assert index.watermark() is None
    assert ask(index, "redis") == []
    put(index, [claim(5, "redis")])
    assert found(ask(index, "redis")) == ids("clm", 5)


def test_a_rebuild_elsewhere_is_noticed(index: LexicalIndex, tmp_path: Path, implementation: str) -> None:
    """An object with an open reader sees what another process rebuilt, although generations count anew."""
    assert len(ask(index, "redis")) == 2
    assert works_again(tmp_path, implementation)
    assert found(ask(index, "redis")) == ids("clm", 3)


def test_deleting_it_in_mid_query_harms_nobody(tmp_path: Path, implementation: str) -> None:
    """A thread that deletes and refills beside one that asks: every answer is whole, empty, or IndexDamaged."""
    place, stop, seen = tmp_path / "lexical", threading.Event(), set()
    documents = [claim(number, f"redis number {number}") for number in range(1, 200)]

    def rebuild() -> None:
        index = open_index(place, implementation)
        for _ in range(12):
            shutil.rmtree(place, ignore_errors=True)
            put(index, documents)
        index.close()
        stop.set()

    writer = threading.Thread(target=rebuild)
    writer.start()
    reader = open_index(place, implementation)
    while not stop.is_set():
        with suppress(IndexDamaged):
            seen.add(len(ask(reader, "redis", limit=500)))
    writer.join()
    assert seen <= {0, 199}
    assert len(ask(reader, "redis", limit=500)) == 199
    reader.close()


def test_a_second_writer_waits_and_then_says_so(
    index: LexicalIndex, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """IndexNotReady, which is worth a retry; reading goes on meanwhile."""
    from filelock import FileLock

    monkeypatch.setattr(index_directory, "DEFAULT", replace(DEFAULT, lock_wait_ms=50))
    with FileLock(directory / LOCK_NAME), pytest.raises(IndexNotReady):
        index.apply([claim(3, "redis")], (), Watermark("c", 9), index.watermark())
    assert len(ask(index, "redis")) == 2


def test_readers_see_whole_states_while_others_write(tmp_path: Path, implementation: str) -> None:
    """Every answer belongs to one watermark: its claims are those of one change, never of two."""
    arguments = (tmp_path / "lexical", implementation, 12)
    writers = [SPAWN.Process(target=write_rounds, args=arguments) for _ in range(2)]
    for writer in writers:
        writer.start()
    reader, seen = open_index(tmp_path / "lexical", implementation), set()
    while any(writer.is_alive() for writer in writers):
        rounds = {hit.document.seq for hit in ask(reader, "redis", limit=10)}
        assert len(rounds) <= 1, rounds
        seen |= rounds
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    last = reader.watermark()
    assert last is not None and last.seq == 24
    assert {hit.document.seq for hit in ask(reader, "redis")} == {24}
    assert len(seen) > 1
    reader.close()


def test_death_at_any_moment_leaves_a_whole_state(tmp_path: Path, implementation: str) -> None:
    """SIGKILL while writing: the next reader sees one change, and the next writer goes on."""
    index = open_index(tmp_path / "lexical", implementation)
    for pause in (0.0, 0.004, 0.009, 0.015, 0.03):
        before = index.watermark()
        writer = SPAWN.Process(target=write_rounds, args=(tmp_path / "lexical", implementation, 10_000))
        writer.start()
        while index.watermark() == before:
            time.sleep(0.002)
        time.sleep(pause)
        assert writer.pid is not None
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        mark = index.watermark()
        assert mark is not None and mark != before
        assert {hit.document.seq for hit in ask(index, "redis")} == {mark.seq}
    put(index, [claim(9, "valkey")])
    assert found(ask(index, "valkey")) == ids("clm", 9)
    index.close()


def test_the_table_of_contents_is_whole_from_the_first_moment(tmp_path: Path) -> None:
    """Whoever looks while a tantivy index is made reads all of its contents, or finds none."""
    seen: list[bytes] = []
    places, stop = [tmp_path / str(number) for number in range(20)], threading.Event()

    def look() -> None:
        while not stop.is_set():
            for place in places:
                with suppress(FileNotFoundError):
                    seen.append((place / "meta.json").read_bytes())

    reader = threading.Thread(target=look, daemon=True)
    reader.start()
    for place in places:
        place.mkdir()
        tantivy_schema.create(place)
    stop.set()
    reader.join()
    assert all(json.loads(contents or "0") for contents in set(seen))
    assert not [path for place in places for path in place.glob("meta.json.*")]


def write_rounds(directory: Path, implementation: str, rounds: int) -> None:
    """Write five claims again and again, each time with the seq of the watermark; now and then many at once."""
    index = open_index(directory, implementation)
    done = 0
    while done < rounds:
        base = index.watermark()
        seq = base.seq + 1 if base else 1
        documents: list[Document] = [claim(n, "redis", seq=seq) for n in range(1, 6)]
        if seq % 3 == 0:
            documents += [claim(n, "kafka", seq=seq) for n in range(100, 300)]
        done += index.apply(documents, (), Watermark(f"round {seq}", seq), base)
