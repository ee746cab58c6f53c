"""The Whoosh index among other processes, and when its files are damaged, deleted or of another time."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from subprocess import run

import pytest

from memgit.errors import IndexNotReady
from memgit.index import whoosh_index
from memgit.index.documents import Document
from memgit.index.lexical import IndexDamaged, IndexFilter, Watermark
from memgit.index.whoosh_index import LOCK_NAME, WhooshIndex
from memgit.limits import DEFAULT

from .test_lexical import HERE, ask, claim, found, ids, put, words

SPAWN = multiprocessing.get_context("spawn")


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Where the index lives."""
    return tmp_path / "lexical"


@pytest.fixture
def index(directory: Path) -> Iterator[WhooshIndex]:
    """An index with two claims."""
    opened = WhooshIndex(directory)
    put(opened, [claim(1, "the cache uses redis"), claim(2, "redis is fast")])
    yield opened
    opened.close()


def works_again(directory: Path) -> bool:
    """Tell whether an index can be reset and filled."""
    index = WhooshIndex(directory)
    index.reset()
    put(index, [claim(3, "redis")])
    answer = found(ask(index, "redis")) == ids("clm", 3)
    index.close()
    return answer


class TestDamage:
    """Damage is recognised, and a rebuild needs nothing but a reset."""

    @pytest.mark.parametrize("suffix", [".toc", ".seg"])
    @pytest.mark.parametrize("damage", [b"", b"\x00" * 64, b"no index at all" * 20])
    def test_a_damaged_file_is_reported(self, index: WhooshIndex, directory: Path, suffix: str, damage: bytes) -> None:
        """Truncated, zeroed or overwritten: IndexDamaged from whatever reads it first."""
        index.close()
        for path in directory.glob(f"*{suffix}"):
            path.write_bytes(damage)
        with pytest.raises(IndexDamaged):
            index.watermark()
        with pytest.raises(IndexDamaged):
            ask(index, "redis")
        with pytest.raises(IndexDamaged):
            index.apply([claim(4, "redis")], (), Watermark("c", 9), None)
        assert works_again(directory)

    def test_a_missing_segment_is_damage(self, index: WhooshIndex, directory: Path) -> None:
        """Half an index is none."""
        index.close()
        for path in directory.glob("*.seg"):
            path.unlink()
        with pytest.raises(IndexDamaged):
            ask(index, "redis")
        assert works_again(directory)

    def test_another_format_is_rebuilt(
        self, index: WhooshIndex, directory: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What an older analysis wrote is not asked with a newer one."""
        monkeypatch.setattr(whoosh_index.whoosh_schema, "FORMAT", (1, 999))
        with pytest.raises(IndexDamaged, match="format"):
            index.watermark()
        assert works_again(directory)

    def test_deleting_the_directory_empties_the_index(self, index: WhooshIndex, directory: Path) -> None:
        """Also under an open reader, and it can be filled again by the same object."""
        assert len(ask(index, "redis")) == 2
        shutil.rmtree(directory)
        assert index.watermark() is None
        assert ask(index, "redis") == []
        put(index, [claim(5, "redis")])
        assert found(ask(index, "redis")) == ids("clm", 5)

    def test_a_rebuild_elsewhere_is_noticed(self, index: WhooshIndex, directory: Path) -> None:
        """An object with an open reader sees what another process rebuilt, although generations count anew."""
        assert len(ask(index, "redis")) == 2
        assert works_again(directory)
        assert found(ask(index, "redis")) == ids("clm", 3)


class TestProcesses:
    """One writer at a time, readers at any time, and a death at any moment."""

    def test_a_second_writer_waits_and_then_says_so(
        self, index: WhooshIndex, directory: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """IndexNotReady, which is worth a retry; reading goes on meanwhile."""
        from filelock import FileLock

        monkeypatch.setattr(whoosh_index, "DEFAULT", replace(DEFAULT, lock_wait_ms=50))
        with FileLock(directory / LOCK_NAME), pytest.raises(IndexNotReady):
            index.apply([claim(3, "redis")], (), Watermark("c", 9), index.watermark())
        assert len(ask(index, "redis")) == 2

    def test_readers_see_whole_states_while_others_write(self, directory: Path) -> None:
        """Every answer belongs to one watermark: its claims are those of one change, never of two."""
        writers = [SPAWN.Process(target=write_rounds, args=(directory, 12)) for _ in range(2)]
        for writer in writers:
            writer.start()
        reader, seen = WhooshIndex(directory), set()
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

    def test_death_at_any_moment_leaves_a_whole_state(self, directory: Path) -> None:
        """After kill -9 the watermark is not ahead of the data, and the next writer is not in anybody's way."""
        index = WhooshIndex(directory)
        put(index, [claim(n, "redis", seq=1) for n in range(1, 6)])
        for pause in (0.0, 0.004, 0.02, 0.05):
            writer = SPAWN.Process(target=write_rounds, args=(directory, 1000))
            writer.start()
            before = index.watermark()
            deadline = time.monotonic() + 20
            while index.watermark() == before and time.monotonic() < deadline:
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

    def test_what_a_dead_writer_left_is_swept(self, index: WhooshIndex, directory: Path) -> None:
        """Files of a segment that no table of contents names are gone after the next change."""
        (directory / "MAIN_0123456789abcdef.trm").write_bytes(b"left over")
        put(index, [claim(3, "redis")])
        assert not (directory / "MAIN_0123456789abcdef.trm").exists()


def write_rounds(directory: Path, rounds: int) -> None:
    """Write five claims again and again, each time with the seq of the watermark."""
    index = WhooshIndex(directory)
    done = 0
    while done < rounds:
        base = index.watermark()
        seq = base.seq + 1 if base else 1
        documents: list[Document] = [claim(n, "redis", seq=seq) for n in range(1, 6)]
        done += index.apply(documents, (), Watermark(f"round {seq}", seq), base)


def test_the_interface_does_not_import_whoosh() -> None:
    """Start-up is a feature: only an opened index costs the import."""
    script = "import sys, memgit.index.lexical, memgit.retrieval.recall; assert 'whoosh' not in sys.modules"
    run([sys.executable, "-c", script], check=True)


def test_a_query_without_terms_is_answered(tmp_path: Path) -> None:
    """No terms, no hits."""
    index = WhooshIndex(tmp_path)
    put(index, [claim(1, "redis")])
    assert index.query((), IndexFilter(HERE), 10, "score") == ()
    assert index.query(words("redis"), IndexFilter(HERE), 0, "score") == ()
    index.close()
