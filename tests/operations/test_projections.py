"""Projections: derived texts that are bound to exact bytes and end with a word."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.conftest import Memory

TEXT = "Größe: deploy on Tuesdays, never on Fridays."


@pytest.fixture
def document(memory: Memory) -> dict[str, Any]:
    """A document."""
    return memory.artifact(TEXT, "Calendar")


def derive(memory: Memory, document: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return the fields of a projection of the document."""
    named = {"artifact_id": document["artifact_id"], "revision_id": document["revision_id"]}
    return {
        **named,
        "kind": "question",
        "text": "When do we ship?",
        "spans": [{"start_byte": 9, "end_byte": 28}],
        **fields,
    }


def test_a_projection_names_exact_bytes(memory: Memory, document: dict[str, Any]) -> None:
    """Its citations resolve, and the same again is the same projection."""
    made = memory.run("projection.put", **derive(memory, document))
    assert memory.run("projection.put", **derive(memory, document)) == {**made, "existed": True}
    (item,) = memory.run("projection.list", artifact_id=document["artifact_id"])["items"]
    assert (item["kind"], item["text"]) == ("question", "When do we ship?")
    read = memory.run("citation.get", citation=item["citations"][0])
    assert read["content"]["data"] == TEXT.encode()[9:28].decode()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"spans": []}, "INVALID_REQUEST"),
        ({"spans": [{"start_byte": 0, "end_byte": 1}] * 17}, "LIMIT_EXCEEDED"),
        ({"spans": [{"start_byte": 5, "end_byte": 5}]}, "CITATION_ERROR"),
        ({"spans": [{"start_byte": 0, "end_byte": 4000}]}, "CITATION_ERROR"),
        ({"spans": [{"start_byte": 3, "end_byte": 9}]}, "CITATION_ERROR"),
        ({"text": " "}, "INVALID_REQUEST"),
        ({"kind": "guess"}, "INVALID_REQUEST"),
        ({"revision_id": "arev_00000000000000000000000000"}, "NOT_FOUND"),
        ({"artifact_id": "art_00000000000000000000000000"}, "NOT_FOUND"),
    ],
)
def test_bad_projections_write_nothing(
    memory: Memory, document: dict[str, Any], fields: dict[str, Any], code: str
) -> None:
    """Spans that name no bytes, blank texts and unknown documents are refused."""
    assert memory.refused("projection.put", **derive(memory, document, **fields))["code"] == code


def test_a_dropped_projection_is_gone_and_can_be_made_again(memory: Memory, document: dict[str, Any]) -> None:
    """Dropping ends it once; it stays visible where history is asked for."""
    made = memory.run("projection.put", **derive(memory, document))["projection_id"]
    assert memory.run("projection.drop", projection_id=made, reason="stale")["changed"] is True
    assert memory.run("projection.drop", projection_id=made)["changed"] is False
    named = {"artifact_id": document["artifact_id"]}
    assert memory.run("projection.list", **named)["items"] == []
    assert len(memory.run("projection.list", **named, include_dropped=True)["items"]) == 1
    assert memory.run("projection.put", **derive(memory, document))["projection_id"] != made


def test_another_project_may_not_derive_here(memory: Memory, document: dict[str, Any]) -> None:
    """Writing stays in the scope of the document."""
    elsewhere = {"workspace_id": "wsp-tests", "project_id": "prj-other"}
    error = memory.refused("projection.put", context=elsewhere, **derive(memory, document))
    assert error["code"] == "SCOPE_VIOLATION"


QUERY = "ship weekday calendar"


def leads(memory: Memory, **fields: Any) -> list[list[str]]:
    """Return the citations of what a probe leads to."""
    found = memory.run("memory.probe", query=QUERY, **fields)["leads"]
    return [
        [source["citation"] for source in lead["sources"] if source["provenance"] == "projection"] for lead in found
    ]


@pytest.fixture
def derived(memory: Memory, document: dict[str, Any]) -> dict[str, Any]:
    """A projection of the document that says what the document does not."""
    text = "Which weekday do we ship? See the release calendar."
    made: dict[str, Any] = memory.run("projection.put", **derive(memory, document, text=text))
    return made


def test_a_projection_leads_to_exact_bytes_and_qualifies_nothing(
    memory: Memory, document: dict[str, Any], derived: dict[str, Any]
) -> None:
    """Recall stays `none`; candidates, probe and search show the document's own bytes and say what led there."""
    recalled = memory.run("memory.recall", query=QUERY, max_candidate_artifact_refs=3)
    assert (recalled["presence"], recalled["artifacts"]) == ("none", [])
    (near,) = recalled["candidate_artifacts"]
    assert near["why"]["led_by"] == {"projection_id": derived["projection_id"], "kind": "question"}
    assert near["excerpt"] == TEXT.encode()[9:28].decode()
    ((citation,),) = leads(memory)
    assert memory.run("citation.get", citation=citation)["content"]["data"] == near["excerpt"]
    (hit,) = memory.run("search", query=QUERY)["hits"]
    assert hit["artifact"]["why"]["led_by"]["kind"] == "question"
    assert memory.run("context.build", query=QUERY)["manifest"] == []
    (item,) = memory.run("context.build", query=QUERY, include_unqualified=True)["manifest"]
    assert "led to by the question" in item["reason"]


def test_the_index_follows_what_becomes_of_a_projection(
    memory: Memory, document: dict[str, Any], derived: dict[str, Any]
) -> None:
    """Dropped, undone, made again, or its document revised: each time the next look sees it."""
    assert len(leads(memory)) == 1
    memory.run("projection.drop", projection_id=derived["projection_id"])
    assert leads(memory) == []
    text = "Which weekday do we ship? See the release calendar."
    memory.run("projection.put", **derive(memory, document, text=text))
    assert len(leads(memory)) == 1
    memory.run("undo", targets=[memory.tip()])
    assert leads(memory) == []
    memory.run("undo", targets=[memory.tip()])
    assert len(leads(memory)) == 1
    memory.run(
        "artifact.revise", artifact_id=document["artifact_id"], if_revision=document["revision_id"],
        content={"type": "text", "data": "Deploy daily."},
    )  # fmt: skip
    assert leads(memory) == []


def test_a_forgotten_document_takes_its_projections_along(
    memory: Memory, document: dict[str, Any], derived: dict[str, Any]
) -> None:
    """It hides what was derived from it."""
    memory.run("artifact.forget", artifact_id=document["artifact_id"], reason="wrong")
    assert leads(memory) == [] and memory.run("search", query=QUERY)["hits"] == []


def test_a_projection_counts_where_it_is_kept(memory: Memory, document: dict[str, Any]) -> None:
    """One of the local layer leads where that layer is in sight."""
    text = "Which weekday do we ship? See the release calendar."
    memory.run("projection.put", layer="local", **derive(memory, document, text=text))
    assert len(leads(memory)) == 1
    assert leads(memory, layer="shared") == []


def test_words_that_only_a_projection_holds_change_no_answer(
    memory: Memory, document: dict[str, Any], derived: dict[str, Any]
) -> None:
    """A misspelt word that stands in a derived text is still misspelt."""
    memory.claim("The production gateway limits every request.")
    query = "prodution gateway limits request"
    before = memory.run("memory.recall", query=query)["presence"]
    memory.run("projection.put", **derive(memory, document, text="prodution"))
    assert before == memory.run("memory.recall", query=query)["presence"] == "claims"


def test_the_past_knows_no_later_projection(memory: Memory, document: dict[str, Any]) -> None:
    """As of before it was made, it leads nowhere."""
    before = memory.tip()
    text = "Which weekday do we ship? See the release calendar."
    memory.run("projection.put", **derive(memory, document, text=text))
    made = memory.tip()
    assert leads(memory, as_of=before) == [] and len(leads(memory, as_of=made)) == 1
