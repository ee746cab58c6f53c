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
