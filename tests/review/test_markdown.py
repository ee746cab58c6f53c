"""A difference as Markdown: within its budget, whatever is in it."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memgit.records.fold import fold
from memgit.review.bounds import bounded
from memgit.review.compare import semantic_diff
from memgit.review.markdown import markdown
from tests.records.strategies import World, asserted, claim_id, law, related, worlds


@law
@given(worlds(), st.integers(1_500, 20_000))
def test_a_comment_stays_within_its_budget(world: World, budget: int) -> None:
    """What does not fit is counted, and each block that was begun is ended."""
    one, two = world.clones[0], world.clones[1]
    brought = [op for digest, op in two.ops.items() if digest not in one.ops]
    diff = semantic_diff(fold(one.ops.values()), fold([*one.ops.values(), *brought]), brought)
    text = markdown(diff, "@..origin", budget)
    assert len(text.encode()) <= budget
    html = [token.content.strip() for token in MarkdownIt("commonmark").parse(text) if token.type == "html_block"]
    assert sum(block.startswith("<details>") for block in html) == html.count("</details>")


def test_what_does_not_fit_is_counted() -> None:
    """Shown and counted together are everything, of a bounded difference too."""
    ops = [asserted(number, number) for number in range(1, 61)]
    diff = semantic_diff(fold([]), fold(ops), ops)
    for found in (diff, bounded(diff, 20_000)):
        text = markdown(found, "@..origin", 9_000)
        left = re.search(r"… and (\d+) more in claims\.", text)
        assert left is not None and text.count("<details>") + int(left[1]) == 60
        assert "| claims | 60 new |" in text


def test_every_budget_is_kept() -> None:
    """What says that something was left out has its room, in each section."""
    ops = [asserted(number, number) for number in range(1, 41)]
    ops += [
        related(40 + number, number, "contradicts", claim_id(number), claim_id(number + 1)) for number in range(1, 40)
    ]
    diff = semantic_diff(fold([]), fold(ops), ops)
    for budget in range(1_000, 30_000, 37):
        assert len(markdown(diff, "@..origin", budget).encode()) <= budget


def test_an_empty_difference_says_so() -> None:
    """There is something to post, and it is short."""
    assert markdown(semantic_diff(fold([]), fold([])), "@..origin") == "## Memory: `@..origin`\n\nNothing differs.\n"
