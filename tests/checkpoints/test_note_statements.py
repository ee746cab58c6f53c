"""What a note's text states: one statement per item or paragraph, exact bytes, no kind that the text does not say."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.checkpoints.note_statements import statements

LINES = (
    "# Heading", "## Decisions", "Decision:", "**Constraint:** bold", "- item", "  - below", "1. first", "2) second",
    "text", "  more", "", "", "Other:", "```", "~~~", "---", "===", "- Decision: both", "Fact: é語", "\tindented",
    "* ", "-", "> quoted", "- [ ] open", "\r", "🪶",
)  # fmt: skip


def said(text: str) -> list[tuple[str, str]]:
    """Return the kinds and texts of a note's statements."""
    return [(statement.claim_type, statement.text) for statement in statements(text, None, 50)[0]]


@given(
    lines=st.lists(st.sampled_from(LINES), max_size=30), end=st.sampled_from(["\n", "\r\n"]), most=st.integers(1, 60)
)
def test_each_statement_cites_exactly_what_it_says(lines: list[str], end: str, most: int) -> None:
    """Whatever the text: spans are in order, apart, of whole characters, and their words are the statement's."""
    text = end.join(lines)
    data = text.encode()
    found, left_out = statements(text, None, most)
    spans = sorted([(item.start, item.end) for item in found] + [(item.start, item.end) for item in left_out])
    assert all(before[1] <= after[0] for before, after in pairwise(spans))
    for statement in found:
        quoted = data[statement.start : statement.end].decode()
        assert statement.text.split() == quoted.split()
        assert statement.text == statement.text.strip() and "\n" not in statement.text
    assert len(found) <= most
    assert (found, left_out) == statements(text, None, most)


@given(text=st.text(max_size=300))
def test_any_text_is_taken(text: str) -> None:
    """Nothing that stands in a note fails."""
    found, _ = statements(text, None, 50)
    assert all(text.encode()[item.start : item.end].decode().split() == item.text.split() for item in found)


def test_one_statement_per_item_with_its_further_lines() -> None:
    """Bullets and numbers, nested ones too; what stands around a list is not stated."""
    text = "Where we are:\n\n- First\n  goes on\nlazily\n* Second\n  1. Below\n  2) Also\n\nAfter it.\n"
    observations = ["First goes on lazily", "Second", "Below", "Also"]
    assert said(text) == [("observation", each) for each in observations]


def test_one_statement_per_paragraph_where_there_is_no_list() -> None:
    """Sections count apart: a list in one leaves the paragraphs of another."""
    assert said("One\ntwo.\n\nThree.\n") == [("observation", "One two."), ("observation", "Three.")]
    assert said("Before.\n\n# List\n- Item\n\nAround.\n# After\nBehind.") == [
        ("observation", "Before."),
        ("observation", "Item"),
        ("observation", "Behind."),
    ]


@pytest.mark.parametrize("kind", ["fact", "decision", "constraint", "preference", "procedure", "observation"])
@pytest.mark.parametrize(
    "form",
    ["{}: X", "- {}: X", "**{}:** X", "**{}**: X", "## {}s\n- X", "{}s:\n- X", "{}:\nX", "{}\n===\nX", "# {}: X"],
)
def test_a_kind_is_what_the_text_itself_says(kind: str, form: str) -> None:
    """As a heading, a label above or a label in front, in any case; the label is no part of the statement."""
    for name in (kind, kind.title(), kind.upper()):
        assert said(form.format(name)) == [(kind, "X")]


@pytest.mark.parametrize(
    "text",
    [
        "We decided to use X.",
        "- The decision was X",
        "Decisive: X",
        "Decisions:\n- A\n\nOther:\n- X",
        "## Decisions\n- A\n## Next\n- X",
        "Decision: A\n- X",
        "Decision:\nA\n\nX",
        "Decisions:\n\nOther:\n\n- X",
        "Decisions:\n- A\n\nThen this happened.\n\n- X",
        "My decision: X",
        "## Decisions we did not take\n- X",
    ],
)
def test_no_kind_is_guessed(text: str) -> None:
    """Words in a sentence, headings of other things, and what stands behind the end of a label are observations."""
    kinds = {words: kind for kind, words in said(text)}
    assert all(kind == "observation" for words, kind in kinds.items() if "X" in words)
    assert any("X" in words for words in kinds)


def test_code_and_headings_are_evidence_alone() -> None:
    """A list inside of a fence is none; an open fence reaches to the end."""
    assert said("# Title\n```sh\n- rm -rf\n```\n- Real\n~~~\n- not\n") == [("observation", "Real")]
    assert said("# Only a title\n\n```\ncode\n```\n---\n") == []


def test_what_is_left_out_is_said() -> None:
    """Repetitions, what exceeds the bound, and what the truncation cut in the middle."""
    found, left_out = statements("- One\n- one\n- Two\n- Three\n", None, 2)
    assert [item.text for item in found] == ["One", "Two"]
    assert [item.reason for item in left_out] == ["the note says it before", "a note makes at most 2 claims"]
    text = "- Whole\n- Cut in the mid"
    found, left_out = statements(text + "\n[truncated: the note had 9000 bytes]", len(text), 50)
    assert [item.text for item in found] == ["Whole"]
    assert [item.reason for item in left_out] == ["the truncation cut it off"]
