"""What is Whoosh's own: its files, its import, and postings that are read a block at a time."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from subprocess import run

import pytest

from memgit.index import whoosh_postings
from memgit.index.lexical import IndexDamaged, IndexFilter
from memgit.index.whoosh_index import WhooshIndex

from .test_lexical import HERE, ask, claim, found, ids, put, words


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


def test_a_missing_segment_is_damage(index: WhooshIndex, directory: Path) -> None:
    """Half an index is none."""
    index.close()
    for path in directory.glob("*.seg"):
        path.unlink()
    with pytest.raises(IndexDamaged):
        ask(index, "redis")
    index.reset()
    put(index, [claim(3, "redis")])
    assert found(ask(index, "redis")) == ids("clm", 3)


def test_what_a_dead_writer_left_is_swept(index: WhooshIndex, directory: Path) -> None:
    """Files of a segment that no table of contents names are gone after the next change."""
    (directory / "MAIN_0123456789abcdef.trm").write_bytes(b"left over")
    put(index, [claim(3, "redis")])
    assert not (directory / "MAIN_0123456789abcdef.trm").exists()


def test_blocks_hold_what_matchers_give(index: WhooshIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole blocks of this release of Whoosh hold each posting that its matchers give, deleted ones left out."""
    put(index, [claim(number, "redis " * (number % 5 + 1) + "cache") for number in range(1, 3000)])
    put(index, [claim(number, "kafka") for number in range(1, 3000, 7)])
    leaves = [leaf for leaf, _ in index._current_reader().leaf_readers()]

    def read() -> list[dict[int, float]]:
        return [whoosh_postings.postings_of(leaf, "claim_word", word) for leaf in leaves for word in ("redi", "cach")]

    by_blocks = read()
    blocks = whoosh_postings._blocks
    monkeypatch.setattr(whoosh_postings, "_blocks", whoosh_postings._one_by_one)
    assert read() == by_blocks
    assert sum(len(postings) for postings in by_blocks) > 4000
    largest = max(leaves, key=lambda leaf: leaf.doc_count())
    inner, _ = whoosh_postings._unfiltered(largest.postings("claim_word", "redi"))
    assert max(len(numbers) for numbers, _ in blocks(inner)) > 100


def test_the_interface_does_not_import_a_library() -> None:
    """Start-up is a feature: only an opened index costs the import."""
    script = "import sys, memgit.retrieval.recall; assert not {'whoosh', 'tantivy'} & {*sys.modules}"
    run([sys.executable, "-c", script], check=True)


def test_a_query_without_terms_is_answered(tmp_path: Path) -> None:
    """No terms, no hits."""
    index = WhooshIndex(tmp_path)
    put(index, [claim(1, "redis")])
    assert index.query((), IndexFilter(HERE), 10, "score") == ()
    assert index.query(words("redis"), IndexFilter(HERE), 0, "score") == ()
    index.close()
