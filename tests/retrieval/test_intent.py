"""Hints about what a query wants: by its words, never about what qualifies."""

from __future__ import annotations

import pytest

from memgit.retrieval.intent import analyse_intent


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Which queue is used currently?", "current_state"),
        ("Where do events go after the migration?", "after_change"),
        ("What did the post-migration job write?", "after_change"),
        ("What did we use previously?", "history"),
        ("Why is it pinned?", "reason"),
        ("How do I rotate the log?", "procedure"),
        ("Which function calls it?", "code"),
    ],
)
def test_words_hint_at_an_intent(text: str, hint: str) -> None:
    """Each kind is told by ordinary words."""
    assert hint in analyse_intent(text, is_question=True).intents


def test_an_ordinary_query_hints_at_nothing() -> None:
    """No hint is made up."""
    assert analyse_intent("pinned dependencies", is_question=False).intents == ()


def test_history_is_no_question_about_the_present() -> None:
    """Who asks how it was before the latest change wants dated notes."""
    assert not analyse_intent(
        "What was used previously, before the latest release?", is_question=True
    ).wants_present_source
    assert analyse_intent("What is used after the upgrade?", is_question=True).wants_present_source


def test_identifiers_and_scripts_are_measured() -> None:
    """Density counts what nobody writes by chance; scripts are shares of letters."""
    found = analyse_intent("APP-BOUNDARY-101 причина", is_question=False)
    assert found.identifier_density == 0.5
    assert set(found.scripts) == {"latin", "cyrillic"} and sum(found.scripts.values()) == pytest.approx(1.0, abs=0.01)
    assert analyse_intent("!!!", is_question=False).identifier_density == 0.0
