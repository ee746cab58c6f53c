"""One word stands for another only within narrow rules, and trigrams never hide a pair that the rules accept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.index.english import stem
from memgit.index.similarity import comparable, edit_distance, likeness, shared_trigrams_needed, trigrams

WORDS = st.text(alphabet="abcdeinorst", min_size=3, max_size=12)


@pytest.mark.parametrize(
    ("asked", "written", "expected"),
    [
        ("brwser", "browser", "typo"),
        ("opn", "open", "typo"),
        ("prodution", "production", "typo"),
        ("cahce", "cache", "typo"),
        ("disabld", "disabling", "typo"),
        ("perf", "performance", "abbreviation"),
        ("proj", "project", "abbreviation"),
        ("ccache", "cache", "typo"),
        ("incompatible", "compatible", None),
        ("encrypted", "unencrypted", None),
        ("symmetric", "asymmetric", None),
        ("deduplicated", "duplicated", None),
        ("unutilized", "utilizing", None),
        ("patterns", "antipatterns", None),
        ("зашифрован", "незашифрован", None),
        ("надежный", "ненадежный", None),
        ("state", "stateless", None),
        ("form", "storm", None),
        ("cloud", "could", None),
        ("single", "signal", None),
        ("enabled", "disabled", None),
        ("cat", "car", None),
        ("v2", "v3", None),
        ("utf8", "utf16", None),
        ("open", "open", None),
    ],
)
def test_likeness(asked: str, written: str, expected: str | None) -> None:
    """Each rule, and what none of them covers."""
    assert likeness(asked, written) == expected


@given(WORDS, WORDS)
def test_accepted_pairs_share_enough_trigrams(asked: str, written: str) -> None:
    """An index that proposes by trigrams misses nothing that would be accepted as a typo."""
    if likeness(asked, written) == "typo" and not _differ_in_ending(asked, written):
        assert len(trigrams(asked) & trigrams(written)) >= shared_trigrams_needed(asked)


def _differ_in_ending(asked: str, written: str) -> bool:
    """Tell whether only the stems are near: a misspelt word in another inflection may share fewer."""
    allowed = 2 if len(asked) >= 8 else 1
    return edit_distance(asked, written, allowed) > allowed and (stem(asked), stem(written)) != (asked, written)


@given(WORDS, WORDS)
def test_edit_distance_is_a_distance(left: str, right: str) -> None:
    """Zero only for equals, symmetric, bounded as asked."""
    distance = edit_distance(left, right, 20)
    assert (distance == 0) == (left == right)
    assert distance == edit_distance(right, left, 20)
    assert edit_distance(left, right, 1) == min(distance, 2)


def test_what_cannot_be_compared() -> None:
    """Numbers, codes, other scripts and very short or long words are never approximated."""
    assert not any(map(comparable, ("ab", "123", "e2e", "c++", "缓存", "x" * 40)))
