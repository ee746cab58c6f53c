"""An excerpt is exact, short, and shows why something was found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memgit.retrieval.excerpt import excerpt_span
from memgit.retrieval.query import analyse_query

PIECES = st.lists(
    st.sampled_from(["needle", "thread", " ", "\n", ". ", "hay", "é", "水水", "🚀", "x" * 90, "-"]), max_size=120
).map("".join)


@given(PIECES, st.integers(16, 300))
def test_an_excerpt_is_bounded_and_valid(text: str, most: int) -> None:
    """Never longer than asked for, never in the middle of a code point."""
    data = text.encode()
    start, end = excerpt_span(data, analyse_query("needle thread"), most)
    assert 0 <= start <= end <= len(data)
    assert end - start <= most
    data[start:end].decode()


@given(st.integers(0, 400), st.integers(0, 400), st.integers(40, 300))
def test_the_found_words_are_shown(before: int, after: int, most: int) -> None:
    """Wherever they stand."""
    text = "hay " * before + "the needle and the thread" + " hay" * after
    start, end = excerpt_span(text.encode(), analyse_query("needle thread"), most)
    assert "needle and the thread" in text[start:end]


def test_the_densest_place_is_shown() -> None:
    """Two words together beat one alone, and the first of equals is taken."""
    text = "needle alone.\n" + "hay " * 200 + "\nA needle and a thread.\n" + "hay " * 200 + "\nthread and needle again"
    start, end = excerpt_span(text.encode(), analyse_query("needle thread"), 60)
    assert text[start:end].startswith("A needle and a thread.")


def test_a_short_text_is_shown_whole() -> None:
    """Without the blanks around it."""
    assert excerpt_span(b"\n  all of it \n", analyse_query("nothing"), 320) == (3, 12)
    assert excerpt_span(b"", analyse_query("nothing"), 320) == (0, 0)


def test_it_begins_at_a_natural_place() -> None:
    """At a line, a sentence or a word, with some context before the match."""
    text = "One line.\nAnother line with much in it. Then the needle follows here. " + "hay " * 100
    start, _ = excerpt_span(text.encode(), analyse_query("needle"), 64)
    assert text[start:].startswith("Then the needle")
