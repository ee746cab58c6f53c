"""Derived texts lead to documents and prove nothing: presence, tiers and quotes are those of the stored bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from memgit.index.lexical import open_index
from memgit.records.ids import EntityId
from memgit.records.op import Span
from memgit.retrieval.bundle import build_bundle
from memgit.retrieval.citations import resolve
from memgit.retrieval.probe import CITED_BYTES, ProbeRequest, probe
from memgit.retrieval.recall import RecallRequest, RecallResult, recall
from memgit.retrieval.retrieve import RetrieveRequest, retrieve
from memgit.retrieval.search import SearchHit, SearchRequest, search

from .memory import Memory

TEXT = "Einleitung.\n\nThe shift that works at night closes the book. It takes an hour.\n\nEnd."
QUOTE = "The shift that works at night closes the book."
SUMMARY = "Nocturnal staff finalise the ledger."
QUERY = "nocturnal staff ledger"


@pytest.fixture(params=["whoosh", "tantivy"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Memory:
    """An empty memory with an index of each implementation."""
    return Memory(tmp_path, opened=open_index(tmp_path, request.param))


@pytest.fixture
def document(memory: Memory) -> EntityId:
    """A document."""
    return memory.artifact(TEXT, "Evening work")


def ask(memory: Memory, query: str = QUERY, **fields: Any) -> RecallResult:
    """Return what recall answers."""
    return recall(RecallRequest(query=query, **fields), memory.view())


def find(memory: Memory, query: str = QUERY, **fields: Any) -> tuple[SearchHit, ...]:
    """Return what a search finds."""
    return search(SearchRequest(query=query, **fields), memory.view()).hits


def test_what_only_a_summary_says_is_not_known(memory: Memory, document: EntityId) -> None:
    """Presence is `none` and nothing is shown; asked for candidates, the document comes with its own bytes."""
    memory.derive(document, SUMMARY, QUOTE)
    plain = ask(memory)
    assert (plain.presence, plain.artifacts, plain.candidate_artifacts) == ("none", (), ())
    assert plain.candidates_hint is not None and plain.candidates_hint.artifacts == 1
    asked = ask(memory, max_candidate_artifact_refs=3)
    (near,) = asked.candidate_artifacts
    assert (asked.presence, asked.artifacts) == ("none", ())
    assert near.why is not None and near.why.led_by is not None
    assert (near.why.tier, near.why.met, near.why.led_by.kind) == (None, (), "summary")
    assert near.excerpt == QUOTE == resolve(near.citation, None, memory.view()).text
    assert SUMMARY not in repr(asked)


def test_presence_is_the_same_with_and_without(memory: Memory, document: EntityId) -> None:
    """Whatever a derived text holds: all words of a query, words of its own, a misspelt word, another language."""
    memory.claim("The ledger is balanced weekly.")
    expected = {
        QUERY: "none",
        "shift closes book": "artifacts_only",
        "nigth shift closes the book": "artifacts_only",
        "ledger balanced weekly": "claims",
        "shift book encrypted": "none",
    }

    def told() -> dict[str, tuple[str, int]]:
        answers = {query: ask(memory, query) for query in expected}
        return {query: (answer.presence, len(answer.artifacts)) for query, answer in answers.items()}

    before = told()
    for text in (SUMMARY, "shift book encrypted", "nigth", "Wann schließt die Schicht das Buch?", " ".join(expected)):
        memory.derive(document, text, QUOTE)
    assert told() == before
    assert {query: presence for query, (presence, _) in before.items()} == expected


def test_a_probe_gives_the_exact_places(memory: Memory, document: EntityId) -> None:
    """Each span of the projection, as it is cited there, and where the lead comes from."""
    memory.derive(document, SUMMARY, QUOTE, "It takes an hour.")
    (lead,) = probe(ProbeRequest(query=QUERY), memory.view()).leads
    assert (lead.title, lead.claim_id) == ("Evening work", None)
    assert [source.provenance for source in lead.sources] == ["projection", "projection"]
    texts = [resolve(source.citation, None, memory.view()).text for source in lead.sources]
    assert texts == [QUOTE, "It takes an hour."]


def test_a_long_span_is_cited_up_to_a_bound(memory: Memory) -> None:
    """And between two characters."""
    text = "ö" * 5000
    document = memory.artifact(text)
    memory.derive(document, SUMMARY, text)
    (lead,) = probe(ProbeRequest(query=QUERY), memory.view()).leads
    (source,) = lead.sources
    assert source.end_byte - source.start_byte == CITED_BYTES
    (hit,) = find(memory)
    assert hit.artifact is not None and hit.artifact.excerpt is not None
    assert resolve(hit.artifact.citation, None, memory.view()).text == hit.artifact.excerpt


def test_search_says_who_led_it(memory: Memory, document: EntityId) -> None:
    """The hit has no tier, names the projection, and its terms are told as the projection's."""
    derived = memory.derive(document, "When is the ledger closed by staff?", QUOTE, kind="question")
    (hit,) = find(memory)
    assert hit.artifact is not None and hit.artifact.why is not None and hit.artifact.why.led_by is not None
    assert (hit.artifact.why.led_by.projection_id, hit.artifact.why.led_by.kind) == (derived, "question")
    assert hit.artifact.excerpt == QUOTE
    assert {term.field for term in hit.ranking.terms} == {"projection"}
    assert sum(term.score for term in hit.ranking.terms) == pytest.approx(hit.ranking.lexical_score, abs=1e-5)


def test_what_qualifies_by_itself_is_not_led(memory: Memory, document: EntityId) -> None:
    """The document's own words count first, however well a derived text fits."""
    memory.derive(document, "night shift closes book", "End.")
    (hit,) = find(memory, "night shift closes book")
    assert hit.artifact is not None and hit.artifact.why is not None
    assert (hit.artifact.why.tier, hit.artifact.why.led_by) == ("lexical", None)
    assert "closes the book" in (hit.artifact.excerpt or "")


def test_many_projections_do_not_hide_the_text(memory: Memory, document: EntityId) -> None:
    """A hundred derived texts of a document leave its own passages where they are."""
    for number in range(100):
        memory.derive(document, f"night shift closes book {number}", "End.")
    (hit,) = find(memory, "night shift closes book")
    assert hit.artifact is not None and hit.artifact.why is not None and hit.artifact.why.tier == "lexical"
    assert ask(memory, "night shift closes book").presence == "artifacts_only"


def test_led_documents_do_not_crowd_out_what_is_known(memory: Memory) -> None:
    """However many documents derived texts lead to, recall sees the one that says it, in a long text."""
    filler = " ".join(f"word{number}" for number in range(200))
    document = memory.artifact(f"{QUOTE} {filler}", "Evening work")
    for number in range(100):
        other = memory.artifact(f"Something else {number}.", "Other")
        memory.derive(other, "night shift closes book", f"Something else {number}.")
    result = ask(memory, "night shift closes book")
    assert [artifact.artifact_id for artifact in result.artifacts] == [document]
    bundle = search(SearchRequest(query="night shift closes book", qualified_only=True, limit=1), memory.view())
    assert [hit.artifact.artifact_id for hit in bundle.hits if hit.artifact] == [document]


def test_a_bundle_takes_none_unless_asked(memory: Memory, document: EntityId) -> None:
    """Asked for what does not qualify, it says what led there."""
    memory.derive(document, SUMMARY, QUOTE)
    view = memory.view(trusts=lambda entity, revision: True)
    assert search(SearchRequest(query=QUERY, qualified_only=True), view).hits == ()
    bundle = build_bundle(search(SearchRequest(query=QUERY), view), (), {}, 4096)
    assert "led to by the summary" in bundle.markdown and "not qualified" in bundle.markdown
    assert QUOTE in bundle.markdown and SUMMARY not in bundle.markdown


def test_retrieve_takes_no_bytes_through_a_projection(memory: Memory, document: EntityId) -> None:
    """It gives a lead; the packet of evidence is what claims cite."""
    memory.derive(document, SUMMARY, QUOTE)
    found = retrieve(RetrieveRequest(recall=RecallRequest(query=QUERY)), memory.view())
    assert (found.recall.presence, found.unqualified_evidence, found.next_action) == ("none", (), "read_leads")


@pytest.mark.parametrize("change", ["dropped", "void", "revised", "forgotten", "withdrawn", "elsewhere"])
def test_a_stale_index_leads_nowhere(memory: Memory, document: EntityId, change: str) -> None:
    """What was dropped or undone, or whose document moved on or is gone, is not followed, though an index has it."""
    derived = memory.derive(document, SUMMARY, QUOTE)
    index = memory.index()
    known = memory.projections[derived]
    if change in ("dropped", "void"):
        memory.projections[derived] = replace(known, **{change: True})
    elif change == "revised":
        memory.revise(document, "Other words.")
    elif change == "elsewhere":
        other = memory.artifact("Other words.", "Another")
        payload = replace(known.payload, artifact=other, revision=memory.entities[other].current.id)
        memory.projections[derived] = replace(known, payload=payload)
    else:
        memory.end(document, "forgotten" if change == "forgotten" else "withdrawn")
    view = memory.view(index=index)
    assert search(SearchRequest(query=QUERY), view).hits == ()
    assert probe(ProbeRequest(query=QUERY), view).leads == ()
    found = [hit.artifact.title for hit in search(SearchRequest(query=QUERY), memory.view()).hits if hit.artifact]
    assert found == (["Another"] if change == "elsewhere" else [])


def test_a_binary_document_is_cited_whole(memory: Memory) -> None:
    """A description of an image leads to it; there is nothing to quote."""
    image = memory.artifact(b"\x89PNG\x00\xff" * 100, "Picture", kind="image", media_type="image/png")
    derived = memory.derive(image, "A heron at dusk.")
    payload = replace(memory.projections[derived].payload, spans=(Span(0, 6),))
    memory.projections[derived] = replace(memory.projections[derived], payload=payload)
    (hit,) = find(memory, "heron dusk")
    assert hit.artifact is not None and hit.artifact.excerpt is None and "#" not in hit.artifact.citation
