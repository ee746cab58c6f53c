"""Where lines of one version are in the next, against a model that knows each line by name."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memgit.anchors import line_likeness
from memgit.anchors.line_likeness import Line
from memgit.anchors.line_map import carry
from memgit.anchors.text import Text, line_key, says_something, telling
from memgit.store.line_diff import Hunk, hunks


def text(lines: list[str]) -> Text:
    """Return lines as a text."""
    return Text("".join(f"{line}\n" for line in lines).encode())


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[str], list[str], int, int]:
    """Return unique lines, the same after removals and insertions, and a range of the old ones."""
    old = [f"unique line {n}" for n in range(draw(st.integers(4, 30)))]
    kept = [line for line in old if draw(st.integers(0, 5))]
    new: list[str] = []
    for at, line in enumerate(kept):
        new += [f"inserted before {at}: {n}" for n in range(draw(st.sampled_from([0, 0, 0, 1, 3])))]
        new.append(line)
    start = draw(st.integers(0, len(old) - 2))
    return old, new, start, draw(st.integers(start + 1, len(old)))


@given(edits())
def test_a_range_is_where_its_lines_are(case: tuple[list[str], list[str], int, int]) -> None:
    """Exactly from the first line that is left to the last, whatever was removed and inserted; none left is None."""
    old_lines, new_lines, start, end = case
    old, new = text(old_lines), text(new_lines)
    carried = carry(old, new, start, end, hunks(old.data, new.data))
    left = [new_lines.index(line) for line in old_lines[start:end] if line in new_lines]
    if not left:
        assert carried is None or carried.kept == 0
        return
    assert carried is not None
    assert carried.start <= left[0] and carried.end >= left[-1] + 1
    assert carried.kept == len(left) / (end - start)
    if carried.kept == 1:
        assert (carried.start, carried.end) == (left[0], left[-1] + 1)
        assert carried.is_same == (new_lines[left[0] : left[-1] + 1] == old_lines[start:end])


def test_hunks_are_half_open_ranges() -> None:
    """An insertion has no old lines, a removal no new ones, and each end is where the next line begins."""
    assert hunks(b"a\nb\nc\n", b"a\nc\nd\n") == [Hunk(1, 2, 1, 1), Hunk(3, 3, 2, 3)]
    assert hunks(b"", b"a\n") == [Hunk(0, 0, 0, 1)]
    assert hunks(b"a\n", b"a\n") == []


@example("abcab", "abc()")
@given(st.text("ab (ü名", max_size=14), st.text("ab (ü名", max_size=14))
def test_the_likeness_of_lines_is_that_of_a_whole_comparison(old: str, new: str) -> None:
    """The bounds that save comparisons change no answer: the ratio, or None exactly where it is too low."""
    old, new = old.strip(" "), new.strip(" ")
    ratio = SequenceMatcher(None, old, new, autojunk=False).ratio()
    assert Line.of(new.encode()).likeness(Line.of(old.encode())) == (ratio if ratio >= 0.6 else None)


def test_lines_with_little_in_common_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The costly comparison is only for lines that share enough characters in the same order."""
    monkeypatch.setattr(line_likeness, "SequenceMatcher", None)
    assert Line.of(b"abcdefgh").likeness(Line.of(b"hgfedcba")) is None
    assert Line.of(b"abcdefgh").likeness(Line.of(b"ijklmnop")) is None


def test_what_a_line_says() -> None:
    """Blanks and bytes of an encoding are no part of a line's key; brackets and blank lines say nothing."""
    assert line_key(b"\tif  x:") == line_key(b"    if x:")
    assert line_key("名前".encode()) != line_key("別名".encode())
    assert [says_something(line) for line in (b"}", b"", b"x()", b"pass")] == [False, False, False, True]
    assert telling([b"}", b"return 1", b""]) == [1] and telling([b"}", b"{"]) == [0, 1]
