"""A claim outlives its evidence: what has ended or is out of sight is cited, and its text is shown nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.conftest import SCOPE, Memory

WORDS = "Every evening the ledger is sealed by the night shift."
ELSEWHERE = {**SCOPE, "project_id": "prj-elsewhere"}


def rests_on(memory: Memory, document: dict[str, Any], **context: Any) -> None:
    """Assert a claim with a document as its evidence."""
    evidence = {"artifact_id": document["artifact_id"], "revision_id": document["revision_id"]}
    memory.claim("The ledger has a seal.", evidence=[evidence], **context)


def bundle(memory: Memory, **fields: Any) -> str:
    """Return the Markdown of what is known of the claim."""
    return str(memory.run("context.build", query="ledger seal", **fields)["markdown"])


def forget(memory: Memory, document: dict[str, Any]) -> None:
    """A person ends it."""
    memory.run("artifact.forget", artifact_id=document["artifact_id"], reason="private")


def supersede(memory: Memory, document: dict[str, Any]) -> None:
    """Another document takes its place."""
    newer = memory.artifact("Nobody knows any more.", "Sealing, again")
    memory.run("relation.put", source=newer["artifact_id"], target=document["artifact_id"], relation="supersedes")


def undo(memory: Memory, document: dict[str, Any]) -> None:
    """The write is undone."""
    memory.run("undo", targets=[document["artifact_id"]], force=True)


@pytest.mark.parametrize("end", [forget, supersede, undo])
def test_a_bundle_quotes_nothing_that_has_ended(memory: Memory, end: Any) -> None:
    """The claim stands with its citation; the bytes of what was forgotten, superseded or undone do not."""
    document = memory.artifact(WORDS, "Sealing")
    rests_on(memory, document)
    assert f"> {WORDS}" in bundle(memory)
    end(memory, document)
    for fields in ({}, {"include_untrusted": True}):
        shown = bundle(memory, **fields)
        assert "The ledger has a seal." in shown and document["revision_id"] in shown
        assert "night shift" not in shown


def test_a_bundle_quotes_nothing_that_a_source_lost(memory: Memory) -> None:
    """A withdrawn item is hidden here as it is in recall."""
    source = memory.run("source.register", kind="wiki", name="pages")["source_id"]
    item = {"source_id": source, "external_id": "7"}
    content = {"type": "text", "data": WORDS}
    document = memory.run("source.ingest", **item, external_revision="1", title="Sealing", content=content)
    rests_on(memory, document)
    assert "night shift" in bundle(memory)
    memory.run("source.withdraw", **item)
    assert "night shift" not in bundle(memory)


def test_a_bundle_quotes_nothing_out_of_sight(memory: Memory) -> None:
    """A pin lets a claim rest on another project's document; whoever has no pin reads the citation alone."""
    document = memory.artifact(WORDS, "Sealing", context=ELSEWHERE)
    pinned = {**SCOPE, "pins": [document["artifact_id"]]}
    rests_on(memory, document, context=pinned)
    assert "night shift" in bundle(memory, context=pinned)
    shown = bundle(memory)
    assert "The ledger has a seal." in shown and document["revision_id"] in shown
    assert "night shift" not in shown


@pytest.mark.parametrize("end", [forget, undo])
def test_the_packet_of_a_retrieve_holds_nothing_that_has_ended(memory: Memory, end: Any) -> None:
    """Neither do leads."""
    document = memory.artifact(WORDS, "Sealing")
    rests_on(memory, document)
    query = "who may break the ledger seal after midnight"
    assert memory.run("memory.retrieve", query=query)["unqualified_evidence"]
    end(memory, document)
    found = memory.run("memory.retrieve", query=query)
    assert found["unqualified_evidence"] == []
    sources = [source["artifact_id"] for lead in found["probe"]["leads"] for source in lead["sources"]]
    assert document["artifact_id"] not in sources
