"""Passages are exact views of the stored bytes that leave nothing out."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.index.passages import (
    OVERLAP_BYTES,
    PASSAGE_BYTES,
    boundary_before,
    decode_text,
    is_boundary,
    passages,
)

TEXTS = st.lists(
    st.sampled_from(["a", " ", "\n", "\n\n", "\r\n", ". ", "é", "水", "🚀", "word " * 40, "x" * 700, "水" * 300]),
    max_size=60,
).map("".join)


@given(TEXTS)
def test_passages_cover_the_text(text: str) -> None:
    """Every byte is in a passage, each passage is its own bytes, and each begins after the one before began."""
    data = text.encode()
    reached, begun = 0, -1
    for passage in passages(data):
        assert begun < passage.start <= reached < passage.end
        assert passage.end - passage.start <= PASSAGE_BYTES
        assert reached - passage.start <= OVERLAP_BYTES + 4
        assert data[passage.start : passage.end].decode() == passage.text
        begun, reached = passage.start, passage.end
    assert reached == len(data)


def test_paragraphs_are_not_divided_and_do_not_overlap() -> None:
    """Between paragraphs there is a clean cut."""
    data = ("word " * 300 + "\n\n").encode() * 3
    found = list(passages(data))
    assert [passage.start for passage in found] == [0, 1502, 3004]
    assert all(passage.text.endswith("\n\n") for passage in found)


def test_a_divided_line_stands_whole_in_one_passage() -> None:
    """What a cut between lines divides is repeated."""
    lines = [f"line {number:04d} says something about the weather" for number in range(200)]
    found = list(passages("\n".join(lines).encode()))
    assert len(found) > 3
    for first, second in pairwise(lines):
        assert any(first in passage.text and second in passage.text for passage in found)


def test_the_end_of_the_largest_artifact_is_reached() -> None:
    """A needle at the end of 8 MiB is in the last passage."""
    data = b"ordinary filler text without any news\n" * 220_000 + b"the needle\n"
    *_, last = passages(data[-8 * 1024 * 1024 :])
    assert last.text.endswith("the needle\n")


@pytest.mark.parametrize(
    "data", [b"\xff\xfe", b"PK\x03\x04\x00", b"abc\xc3", "\ud800".encode("utf-8", "surrogatepass")]
)
def test_what_is_no_text(data: bytes) -> None:
    """Bytes that are not UTF-8, or hold a NUL, are no text."""
    assert decode_text(data) is None


def test_boundaries() -> None:
    """An offset inside a code point is no boundary, nor is one outside the text."""
    data = "aé🚀".encode()
    assert [offset for offset in range(-1, 9) if is_boundary(data, offset)] == [0, 1, 3, 7]
    assert [boundary_before(data, offset) for offset in (2, 6, 7)] == [1, 3, 7]
