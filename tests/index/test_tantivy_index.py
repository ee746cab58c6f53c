"""What is tantivy's own: the file of recent documents, and choosing it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.errors import InvalidRequest
from memgit.index import tantivy_recent
from memgit.index.lexical import ScopeFilter, open_index
from memgit.index.tantivy_index import TantivyIndex
from memgit.index.tantivy_recent import NAME, read_recent
from memgit.index.whoosh_index import WhooshIndex

from .test_lexical import ask, claim, found, ids, put


@pytest.fixture
def index(tmp_path: Path) -> Iterator[TantivyIndex]:
    """An index with one committed claim."""
    opened = TantivyIndex(tmp_path)
    put(opened, [claim(1, "redis and zebras")])
    yield opened
    opened.close()


def meta(tmp_path: Path) -> bytes:
    """Return tantivy's table of contents, which each commit replaces."""
    return (tmp_path / "meta.json").read_bytes()


def test_stored_documents_lie_in_small_blocks(index: TantivyIndex, tmp_path: Path) -> None:
    """A query reads documents from all over the index: what is decompressed for each is small, after commits too."""
    put(index, [claim(number, "redis") for number in range(2, tantivy_recent.MOST + 4)])
    assert b'"docstore_blocksize": 1024' in meta(tmp_path)


def test_single_writes_wait_for_no_disk(index: TantivyIndex, tmp_path: Path) -> None:
    """Up to MOST documents are written without a commit; then one takes them all."""
    committed = meta(tmp_path)
    for number in range(2, tantivy_recent.MOST + 2):
        put(index, [claim(number, "redis")])
    assert meta(tmp_path) == committed
    put(index, [claim(900, "redis")])
    assert meta(tmp_path) != committed
    recent = read_recent(tmp_path)
    assert recent is not None and recent.documents == ()
    assert len(ask(index, "redis", limit=500)) == tantivy_recent.MOST + 2


@pytest.mark.parametrize("damage", [b"", b"\x00" * 40, None])
def test_a_damaged_file_takes_back_what_it_held(index: TantivyIndex, tmp_path: Path, damage: bytes | None) -> None:
    """Without the file the index is at its last commit, and its watermark says so; what is missing is indexed again."""
    first = index.watermark()
    put(index, [claim(1, "valkey"), claim(2, "redis")])
    (tmp_path / NAME).write_bytes(damage) if damage is not None else (tmp_path / NAME).unlink()
    for each in (index, TantivyIndex(tmp_path)):
        assert each.watermark() == first
        assert found(ask(each, "redis valkey")) == ids("clm", 1)
    put(index, [claim(1, "valkey"), claim(2, "redis")])
    assert set(found(ask(index, "redis valkey"))) == set(ids("clm", 1, 2))


def test_a_file_of_another_commit_is_not_believed(index: TantivyIndex, tmp_path: Path) -> None:
    """A writer that dies between its commit and the new file leaves the old file; the commit alone counts."""
    put(index, [claim(2, "redis")])
    old = (tmp_path / NAME).read_bytes()
    mark = put(index, [claim(number, "redis", seq=7) for number in range(1, 200)])
    (tmp_path / NAME).write_bytes(old)
    assert index.watermark() == mark
    assert {hit.document.seq for hit in ask(index, "redis", limit=500)} == {7}


def test_words_outlive_the_document_that_brought_them(index: TantivyIndex) -> None:
    """A second document may hold a word that the first, now replaced, had added to the vocabulary."""
    put(index, [claim(2, "giraffe")])
    put(index, [claim(3, "giraffe")])
    put(index, [claim(2, "nothing")])
    assert index.similar_words("girafe", ScopeFilter()) == ("giraffe",)
    put(index, [claim(number, "redis") for number in range(10, 300)])
    assert index.similar_words("girafe", ScopeFilter()) == ("giraffe",)


def test_auto_takes_tantivy_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is chosen by what is installed; asked for by name, its absence is said."""
    assert isinstance(open_index(tmp_path, "auto"), TantivyIndex)
    monkeypatch.setattr("memgit.index.lexical.find_spec", lambda name: None)
    assert isinstance(open_index(tmp_path, "auto"), WhooshIndex)
    monkeypatch.setitem(sys.modules, "memgit.index.tantivy_index", None)
    with pytest.raises(InvalidRequest, match="not installed"):
        open_index(tmp_path, "tantivy")


def test_both_live_in_one_directory(tmp_path: Path) -> None:
    """Changing the setting rebuilds one index and harms the other not at all."""
    for implementation, text in (("whoosh", "one"), ("tantivy", "other")):
        index = open_index(tmp_path, implementation)
        index.reset()
        put(index, [claim(1, text)])
        index.close()
    assert len(ask(open_index(tmp_path, "whoosh"), "one")) == 1
