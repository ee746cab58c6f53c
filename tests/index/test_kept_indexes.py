"""Indexes that stay open: they see what others write, and what is deleted."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from memgit.index.kept_indexes import kept_index
from memgit.index.lexical import Watermark, open_index

MARKS = [Watermark(f"{number:040x}", number) for number in range(4)]


@pytest.mark.parametrize("implementation", ["whoosh", "tantivy"])
def test_a_kept_index_sees_what_others_do(tmp_path: Path, implementation: str) -> None:
    """It is the same object each time, follows another's writes at once, and lets go of what was deleted."""
    if implementation == "tantivy":
        pytest.importorskip("tantivy")
    kept = kept_index(tmp_path / "lexical", implementation)
    assert kept.watermark() is None
    for number in (1, 2, 3):
        other = open_index(tmp_path / "lexical", implementation)
        assert other.apply((), (), MARKS[number], MARKS[number - 1] if number > 1 else None)
        other.close()
        assert kept.watermark() == MARKS[number]
    assert kept_index(tmp_path / "lexical", implementation) is kept
    shutil.rmtree(tmp_path / "lexical")
    assert kept.watermark() is None
    assert kept.apply((), (), MARKS[1], None)
    assert kept.watermark() == MARKS[1]
    kept.close()
