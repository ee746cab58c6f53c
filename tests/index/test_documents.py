"""Entities become the documents that their text, their revisions and their metadata ask for."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from memgit.index.documents import HISTORY_BYTES, HISTORY_REVISIONS, Document, documents_of, matchable
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
        at=entity.current.at,
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


def test_an_artifact_has_a_bounded_past(memory: Memory) -> None:
    """Of the newest earlier revisions, texts as far as they fit and titles of some more; what is older is not read."""
    artifact = memory.artifact("the first text")
    for number in range(HISTORY_REVISIONS + 2):
        memory.revise(artifact, f"text {number} " + "x" * (HISTORY_BYTES // 4))
    found = documents(memory, artifact)
    revisions = memory.entities[artifact].lineage.revisions
    now, past = ([each for each in found if each.head is is_head] for is_head in (True, False))
    assert {document.revision for document in now} == {revisions[-1].id}
    described = [document.revision for document in past if document.start is None]
    assert described == [revision.id for revision in revisions[-2 : -2 - HISTORY_REVISIONS : -1]]
    assert {document.revision for document in past if document.start is not None} == set(described[:3])
    assert len(memory.reads) == 4


def test_a_small_earlier_text_is_kept_behind_a_large_one(memory: Memory) -> None:
    """What does not fit leaves room for what does."""
    artifact = memory.artifact("the first text")
    memory.revise(artifact, "x " * HISTORY_BYTES)
    memory.revise(artifact, "the new text")
    assert [document.body for document in documents(memory, artifact) if document.body] == [
        "the new text",
        "the first text",
    ]


def test_derived_texts_are_documents_of_their_artifact(memory: Memory) -> None:
    """With the first of the bytes that they name; only while they stand, and only of what is current."""
    artifact = memory.artifact("One thing. Another thing.")
    derived = memory.derive(artifact, "Two things.", "Another", "One")
    memory.derive(artifact, "Nothing.", "One")
    dropped = list(memory.projections)[-1]
    memory.projections[dropped] = msgspec.structs.replace(memory.projections[dropped], dropped=True)
    (found,) = [each for each in memory.documents(memory.entities[artifact]) if each.projection is not None]
    assert (found.projection, found.body, found.title) == (derived, "Two things.", "")
    assert (found.entity, found.kind, found.start, found.end) == (artifact, "artifact", 11, 18)
    memory.revise(artifact, "Another thing altogether.")
    assert [each for each in memory.documents(memory.entities[artifact]) if each.projection is not None] == []


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
