"""Entities become the documents that their text, their revisions and their metadata ask for."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.index.documents import Document, documents_of, matchable
from memgit.records.op import Anchor, Value

from ..retrieval.memory import Memory, name


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """An empty memory; its index is not used here."""
    return Memory(tmp_path)


def documents(memory: Memory, entity_id: str) -> list[Document]:
    """Return the documents of an entity."""
    return list(documents_of(memory.entities[entity_id], memory.read_blob))


def test_a_claim_carries_its_metadata(memory: Memory) -> None:
    """Everything that a filter or an answer needs is on the document."""
    claim = memory.claim(
        "The cache uses Redis.",
        claim_type="decision",
        subject="Cache",
        component="storage",
        markers=("topic:cache",),
        valid_from="2026-01-01",
        anchors=(Anchor(path="src/cache.py", symbol="Cache.get"), Anchor(path="caf%C3%A9", path_encoded=True)),
    )
    entity = memory.entities[claim]
    (document,) = documents(memory, claim)
    assert document == Document(
        entity=claim,
        kind="claim",
        workspace="wsp_test",
        project="prj_here",
        task=None,
        status="active",
        revision=entity.current.id,
        head=True,
        seq=entity.current.seq,
        type="decision",
        component="storage",
        markers=("topic:cache",),
        title="Cache\nstorage",
        body="The cache uses Redis.",
        names=("src/cache.py", "Cache.get"),
        valid_from="2026-01-01",
    )


def test_a_value_is_text_too(memory: Memory) -> None:
    """A claim that is only a value is found by its canonical text."""
    claim = memory.claim("", value=Value(type="number", data="42"))
    assert matchable(memory.entities[claim].current.payload).body == "42"


def test_every_revision_of_a_claim_is_a_document(memory: Memory) -> None:
    """The past can be searched; only heads say so."""
    claim = memory.claim("The port is 80.")
    memory.revise(claim, "The port is 8080.")
    assert [(document.body, document.head) for document in documents(memory, claim)] == [
        ("The port is 80.", False),
        ("The port is 8080.", True),
    ]


def test_both_heads_of_a_fork_are_heads(memory: Memory) -> None:
    """Neither side of a fork is history."""
    claim = memory.claim("The port is 80.")
    memory.revise(claim, "The port is 8080.")
    memory.revise(claim, "The port is 9090.", fork=True)
    assert [document.head for document in documents(memory, claim)] == [False, True, True]


def test_an_artifact_is_described_and_cut(memory: Memory) -> None:
    """The description has no span; the passages are exact bytes and cover the text."""
    artifact = memory.artifact("A line about Zürich.\n" * 300, "Travel notes", kind="note", component="travel")
    description, *passages = documents(memory, artifact)
    assert (description.title, description.body, description.start, description.type) == (
        "Travel notes\ntravel", "", None, "note",
    )  # fmt: skip
    data = memory.data(artifact)
    assert len(passages) > 2
    for passage in passages:
        assert passage.start is not None and passage.end is not None
        assert data[passage.start : passage.end].decode() == passage.body
        assert (passage.title, passage.names, passage.kind) == ("", (), "artifact")
    assert passages[-1].end == len(data)


@pytest.mark.parametrize("data", [b"\x89PNG\x00\xff", b""])
def test_what_is_no_text_is_found_by_its_title(memory: Memory, data: bytes) -> None:
    """Binary and empty artifacts give their description alone."""
    artifact = memory.artifact(data, "Logo", kind="image")
    (document,) = documents(memory, artifact)
    assert (document.title, document.type) == ("Logo", "image")


def test_bytes_that_cannot_be_read_are_left_out(memory: Memory) -> None:
    """A missing blob does not keep the description from being found."""
    artifact = memory.artifact("text", "Notes")
    memory.blobs.clear()
    assert [document.title for document in documents(memory, artifact)] == ["Notes"]


def test_only_heads_of_an_artifact_are_read(memory: Memory) -> None:
    """An old version of a document is not indexed again and again."""
    artifact = memory.artifact("the old text")
    memory.revise(artifact, "the new text")
    assert [document.body for document in documents(memory, artifact) if document.body] == ["the new text"]
    assert len(memory.reads) == 1


def test_an_undone_entity_keeps_its_last_revision(memory: Memory) -> None:
    """What was undone can still be looked for in the past, and says so."""
    claim, artifact = memory.claim("A slip."), memory.artifact("A slip too.")
    memory.end(claim, "void")
    memory.end(artifact, "void")
    for entity_id in (claim, artifact):
        assert {(found.status, found.head) for found in documents(memory, entity_id)} == {("void", False)}


def test_ids_are_well_formed() -> None:
    """The hand-made ids of these tests pass as ids."""
    assert name("clm", 1) == "clm_" + "0" * 25 + "1"
