"""A stem leads to a text; only the same word, in any of its forms, says that the text answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memgit.index.languages.inflection import is_inflection
from memgit.retrieval.qualification import Match, lexicon, match
from memgit.retrieval.query import analyse_query
from memgit.retrieval.recall import RecallRequest, RecallResult, recall

from .memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty memory."""
    return Memory(tmp_path)


def compared(query: str, text: str) -> Match:
    """Return how a text matches a query."""
    return match(analyse_query(query), lexicon(text))


def ask(memory: Memory, query: str, **fields: Any) -> RecallResult:
    """Return what recall answers."""
    return recall(RecallRequest(query=query, **fields), memory.view())


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("authorization", "Authors sign commits."),
        ("operations", "The operator is on call."),
        ("organization", "Organs are donated."),
        ("universe", "The university pays."),
        ("imports", "Important news come."),
        ("dependency", "It depends on the caller."),
        ("operations universe", "The university has operators."),
        ("université", "L'univers est grand et la mer est belle."),
        ("Freiheit", "Die freien Plätze sind im Haus und nicht hier."),
    ],
)
def test_another_word_with_the_stem_answers_nothing(query: str, text: str) -> None:
    """Not alone, and not beside others of its kind."""
    found = compared(query, text)
    assert found.tier is None
    assert found.withheld == "derivation" or not found.met


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("dependency", "Dependencies are pinned."),
        ("retries", "We retry."),
        ("caching", "The page is cached."),
        ("stopped", "It stops at noon."),
        ("dresses", "A dress a day."),
        ("dying", "The process died."),
        ("boxes", "The box is full."),
        ("APIs", "The API is stable."),
        ("address", "Addresses are checked."),
        ("universités", "Les université de la ville sont là."),
        ("Verordnungen", "Die Verordnung ist neu und gut."),
        ("cambiamos", "Los datos que cambian son de la casa."),
    ],
)
def test_an_inflection_is_the_same_word(query: str, text: str) -> None:
    """Number, tense and participles, in each language with a stemmer."""
    assert compared(query, text).tier == "lexical"


def test_beside_a_word_that_is_met_a_derivation_counts() -> None:
    """`encryption` of the `cache` is what `encrypted` says of it."""
    assert compared("cache encryption", "The cache is encrypted.").tier == "lexical"
    assert compared("is the cache's encryption on", "The cache is encrypted.").tier == "lexical"


def test_forms_of_one_word() -> None:
    """The rules of English, where the stemmer would join more."""
    for one, other in (("setting", "set"), ("uses", "using"), ("tries", "tried"), ("planned", "planning")):
        assert is_inflection(one, other, "en", ""), (one, other)
    for one, other in (("import", "important"), ("local", "locale"), ("operate", "operator")):
        assert not is_inflection(one, other, "en", ""), (one, other)


def test_a_derivation_is_a_candidate_and_says_so(memory: Memory) -> None:
    """It is left out of the answer, is shown where candidates are asked for, and names the word that it is met by."""
    claim = memory.claim("Authors sign commits.")
    memory.artifact("Authors are listed in a file.")
    result = ask(memory, "authorization", max_candidate_claims=2)
    assert (result.presence, result.claims, result.artifacts) == ("none", (), ())
    (near,) = result.candidate_claims
    assert (near.claim_id, near.why.tier, near.why.withheld) == (claim, None, "derivation")
    (met,) = near.why.met_by
    assert (met.term, met.by, met.word, met.where) == ("authorization", "derivation", "authors", "statement")


class TestTypos:
    """Misspelt words lead; alone they answer only where they can mean but one thing."""

    def test_two_slips_that_can_mean_but_one_thing(self, memory: Memory) -> None:
        """Each is an edit from exactly one word of the memory, whatever its forms."""
        claim = memory.claim("Avoid ternary expressions; an expression of three is hard to test.")
        memory.claim("Expansion is planned.")
        (found,) = ask(memory, "ternry expresions").claims
        assert (found.claim_id, found.why.tier) == (claim, "fuzzy")
        assert dict(found.why.guessed) == {"ternry": "ternary", "expresions": "expressions"}

    def test_slips_that_may_mean_two_things_answer_nothing(self, memory: Memory) -> None:
        """A word between two others, and a short one, are candidates."""
        memory.claim("The planter ships a bottle.")
        memory.claim("The planner ships a battle.")
        assert ask(memory, "planer bottel").presence == "none"
        memory.claim("Banners load slowly.")
        assert ask(memory, "baners loat").presence == "none"

    @pytest.mark.parametrize(
        "query", ["expresions", "ternry", "isolated_filesytem", "isolted_filesytem", "docs/testng.md"]
    )
    def test_one_slip_is_a_candidate(self, memory: Memory, query: str) -> None:
        """Also in an identifier, and never an answer; the candidate says how it was read."""
        claim = memory.claim("Avoid ternary expressions; isolated_filesystem helps in testing: see docs/testing.md.")
        result = ask(memory, query, max_candidate_claims=2)
        assert result.presence == "none"
        (near,) = result.candidate_claims
        assert (near.claim_id, near.why.tier) == (claim, None)
        assert [asked for asked, _ in near.why.guessed] == [query]

    def test_digits_of_an_identifier_are_never_read_otherwise(self, memory: Memory) -> None:
        """Another number is another thing."""
        memory.claim("APP-BOUNDARY-101: the engine solves.")
        assert ask(memory, "APP-BOUNDRY-101", max_candidate_claims=1).candidate_claims != ()
        assert ask(memory, "APP-BOUNDRY-102", max_candidate_claims=1).candidate_claims == ()


class TestNames:
    """A function word may be a name; then both sides say so."""

    @pytest.mark.parametrize("query", ["less", "what does `less` do", "“less”"])
    def test_a_function_word_alone_or_quoted_is_a_name(self, memory: Memory, query: str) -> None:
        """It finds the text that quotes it, and none that uses it."""
        claim = memory.claim('Set PAGER="less -R" for manuals.')
        memory.claim("Ask less often.")
        (found,) = ask(memory, query).claims
        assert (found.claim_id, found.why.tier) == (claim, "exact")

    @pytest.mark.parametrize("query", ["the of", "AND", "is it on"])
    def test_several_function_words_ask_nothing(self, memory: Memory, query: str) -> None:
        """Nor does what looks like an operator."""
        memory.claim('Say "the" and "of" and "and" and "on".')
        assert ask(memory, query).warnings == ("the query holds no searchable words",)


def test_many_words_with_the_stem_do_not_hide_the_word(memory: Memory) -> None:
    """However many come before it: more is looked at. So it is with questions, and with documents."""
    claim = memory.claim("Authorization is asked of everybody who comes here, and is given by the owner in writing.")
    document = memory.artifact("In the end authorization is asked of everybody who comes, and is given in writing.")
    for number in range(150):
        memory.claim(f"Author {number}.")
        memory.claim(f"Authorization {number}?")
        memory.artifact(f"Author {number}." * 300, "Author")
    result = ask(memory, "authorization", max_artifact_refs=3)
    assert [found.claim_id for found in result.claims] == [claim]
    assert [found.artifact_id for found in result.artifacts] == [document]
