"""What an answer says of itself is true of what it shows: which words, where, and what stands elsewhere."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from memgit.index.lexical import IndexFilter
from memgit.records.ids import EntityId
from memgit.retrieval.bundle import build_bundle
from memgit.retrieval.nearness import Near
from memgit.retrieval.probe import ProbeRequest, probe
from memgit.retrieval.recall import RecallRequest, RecallResult, recall
from memgit.retrieval.search import SearchRequest, search
from memgit.retrieval.stored import stored_of

from .memory import Memory

FILLER = "Nothing of interest stands in this line of the text.\n" * 12


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty memory."""
    return Memory(tmp_path)


def ask(memory: Memory, query: str, **fields: Any) -> RecallResult:
    """Return what recall answers."""
    return recall(RecallRequest(query=query, **fields), memory.view())


def placed(memory: Memory, path: str, text: str = "Nothing to see.", title: str = "A title") -> str:
    """Keep a document that came from a path."""
    return memory.artifact(text, title, provenance=json.dumps({"path": path}))


class TestWhereWordsStand:
    """`met` holds of what is shown; `elsewhere` of the rest."""

    def test_a_word_outside_the_excerpt_is_not_claimed_for_it(self, memory: Memory) -> None:
        """It qualified the document, and is named apart."""
        memory.artifact(f"Do not add what is not needed.\n{FILLER}A dependency is a burden.", "Rules")
        (shown,) = ask(memory, "add dependency", max_excerpt_bytes=120).artifacts
        assert shown.why is not None and shown.excerpt is not None
        assert (shown.why.met, shown.why.elsewhere, shown.why.missing) == (("add",), ("dependency",), ())
        assert "add" in shown.excerpt and "dependency" not in shown.excerpt

    def test_each_word_says_where_and_how(self, memory: Memory) -> None:
        """By the word as it stands there: in the excerpt, the title, the component."""
        memory.artifact("We pinned it.", "Dependencies", component="builds")
        (shown,) = ask(memory, "pin dependency builds").artifacts
        assert shown.why is not None
        assert [(met.term, met.by, met.word, met.where) for met in shown.why.met_by] == [
            ("pin", "inflection", "pinned", "excerpt"),
            ("dependency", "inflection", "dependencies", "title"),
            ("builds", "same", "builds", "component"),
        ]

    def test_a_claim_says_in_which_field(self, memory: Memory) -> None:
        """Its statement, its subject, what it is anchored to."""
        memory.claim("It uses Redis.", subject="The cache")
        (shown,) = ask(memory, "redis cache").claims
        assert [(met.term, met.where) for met in shown.why.met_by] == [("redis", "statement"), ("cache", "subject")]

    def test_who_shows_both_words_comes_first(self, memory: Memory) -> None:
        """Whatever the scores: a reader looks at excerpts."""
        apart = memory.artifact(f"Add, add, add, and add more.\n{FILLER}Each dependency, dependency.", "Add")
        together = memory.artifact(f"{FILLER}Do not add a dependency.\n{FILLER}", "Rules")
        shown = ask(memory, "add dependency").artifacts
        assert [item.artifact_id for item in shown] == [together, apart]
        assert search(SearchRequest(query="add dependency"), memory.view()).hits != ()

    def test_a_guess_is_shown_in_the_excerpt_of_a_search(self, memory: Memory) -> None:
        """The excerpt is chosen with the word that was meant."""
        memory.artifact(f"It is valid.\n{FILLER}The colors are red and blue.\n{FILLER}", "Output")
        (hit,) = search(SearchRequest(query="valid colours red"), memory.view()).hits
        assert hit.artifact is not None and hit.artifact.excerpt is not None
        assert "colors" in hit.artifact.excerpt
        assert hit.artifact.why is not None and dict(hit.artifact.why.guessed) == {"colours": "colors"}

    def test_a_bundle_says_what_stands_elsewhere(self, memory: Memory) -> None:
        """The reason of a section is true of what the section quotes."""
        memory.artifact(f"Do not add what is not needed.\n{FILLER}A dependency is a burden.", "Rules")
        view = memory.view(trusts=lambda entity, revision: True)
        found = search(SearchRequest(query="add dependency", max_excerpt_bytes=120), view)
        assert "lexical match of add, and of dependency elsewhere in it" in build_bundle(found, (), {}, 4096).markdown


class TestPaths:
    """The path that a document came from names it exactly."""

    @pytest.mark.parametrize(
        "query",
        ["docs/guide/testing.md", "guide/testing.md", "testing.md", "./docs/guide/testing.md", "Docs/Guide/TESTING.md"],
    )
    def test_a_document_is_found_by_its_path(self, memory: Memory, query: str) -> None:
        """The whole of it, and its ends after a slash; the answer shows the path and says that it was met."""
        document = placed(memory, "docs/guide/testing.md")
        placed(memory, "docs/guide/testing.rst")
        (shown,) = ask(memory, query).artifacts
        assert (shown.artifact_id, shown.path) == (document, "docs/guide/testing.md")
        assert shown.why is not None and shown.why.tier == "exact"
        assert [met.where for met in shown.why.met_by] == ["path"]
        first = search(SearchRequest(query=query), memory.view()).hits[0]
        assert first.artifact is not None and first.artifact.artifact_id == document

    @pytest.mark.parametrize(
        "query", ["guide", "testing", "ide/testing.md", "guide/testing", "docs/testing.md", "esting.md"]
    )
    def test_parts_of_a_path_are_no_words(self, memory: Memory, query: str) -> None:
        """A directory, half of a name and another path do not qualify it."""
        placed(memory, "docs/guide/testing.md")
        assert ask(memory, query).presence == "none"

    def test_names_that_only_a_path_has(self, memory: Memory) -> None:
        """A hidden file, one without an ending in its directory, one with a blank."""
        hidden, bare = placed(memory, "docs/.gitignore"), placed(memory, "./tools/Makefile.am")
        assert [item.artifact_id for item in ask(memory, "docs/.gitignore").artifacts] == [hidden]
        assert [item.artifact_id for item in ask(memory, "tools/Makefile.am").artifacts] == [bare]

    def test_a_bundle_and_a_lead_show_the_path(self, memory: Memory) -> None:
        """Quoted, since it is anybody's text."""
        placed(memory, "docs/x.md\n# obey", "The tide is high.", "Tides")
        view = memory.view(trusts=lambda entity, revision: True)
        found = search(SearchRequest(query="tide high"), view)
        assert "> Tides\n> docs/x.md\n> # obey\n" in build_bundle(found, (), {}, 4096).markdown
        (lead,) = probe(ProbeRequest(query="tide ebb"), view).leads
        assert lead.path == "docs/x.md\n# obey"


def test_what_binds_comes_before_what_was_observed(memory: Memory) -> None:
    """At equal scores, also where the observation is newer; among candidates, too."""
    decision = memory.claim("tide_table is the source.", claim_type="decision")
    observation = memory.claim("tide_table is the problem.", claim_type="observation")
    shown = ask(memory, "tide_table").claims
    assert [claim.claim_id for claim in shown] == [decision, observation]
    assert [claim.claim_id for claim in ask(memory, "tide_tabel", max_candidate_claims=2).candidate_claims] == [
        decision,
        observation,
    ]


def test_a_note_of_what_a_claim_used_to_say_is_not_shown(memory: Memory) -> None:
    """Its own words of before would speak against it; a document stays, whatever it says."""
    note = memory.artifact("The pager is less.", provenance='{"origin":"remember"}')
    document = memory.artifact("Pagers: less, more.", "Pagers")
    claim = memory.claim("The pager is less.", evidence=(memory.evidence(note), memory.evidence(document)))
    assert [item.artifact_id for item in ask(memory, "the pager").artifacts] == [document, note]
    memory.revise(claim, "The pager is more.")
    assert [item.artifact_id for item in ask(memory, "the pager").artifacts] == [document]
    leads = probe(ProbeRequest(query="pager colour"), memory.view()).leads
    assert note not in {source.artifact_id for lead in leads for source in lead.sources if lead.claim_id is not None}


def test_what_is_near_in_meaning_alone_is_quoted(memory: Memory) -> None:
    """A hit that shares no word with the query shows the passage that is near, and claims no word for it."""
    document = memory.artifact("The harbour closes at noon.", "Ports")
    entity = memory.entities[EntityId(document)]

    class Similar:
        def nearest(self, question: str, where: IndexFilter, limit: int) -> tuple[Near, ...]:
            return (Near(stored_of(entity, entity.current, 0, 27), 0.9),)

        def of(self, question: str, entities: Collection[EntityId], where: IndexFilter) -> Mapping[EntityId, float]:
            return {}

    (hit,) = search(SearchRequest(query="cuándo cierra"), memory.view(nearness=Similar)).hits
    assert hit.artifact is not None and hit.artifact.why is not None
    assert (hit.artifact.excerpt, hit.artifact.start_byte) == ("The harbour closes at noon.", 0)
    assert (hit.artifact.why.tier, hit.artifact.why.met) == (None, ())
