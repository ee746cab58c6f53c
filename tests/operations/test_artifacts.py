"""Artifacts: stable identity, immutable revisions, bytes that come back as they went in."""

from __future__ import annotations

import base64

import pytest

from memgit.limits import DEFAULT
from tests.operations.conftest import SCOPE, Memory


def put_bytes(memory: Memory, data: bytes) -> dict[str, str]:
    """Put binary content."""
    content = {"type": "base64", "data": base64.b64encode(data).decode()}
    return memory.run(
        "artifact.put", kind="image", title="Bytes", media_type="application/octet-stream", content=content
    )


@pytest.mark.parametrize("data", [b"", b"\0\r\n\xff\xfe", bytes(range(256)) * 400, "é\r\n\n \t".encode()], ids=range(4))
def test_binary_content_round_trips(memory: Memory, data: bytes) -> None:
    """What is stored is what was sent, byte for byte."""
    written = put_bytes(memory, data)
    content = memory.run("artifact.get", artifact_id=written["artifact_id"])["content"]
    assert base64.b64decode(content["data"]) == data


def test_text_content_round_trips(memory: Memory) -> None:
    """Text keeps its line ends, its trailing blanks and its form of Unicode."""
    text = "e\u0301 é\r\ntab\t \n\nlast line without an end"
    content = memory.run("artifact.get", artifact_id=memory.artifact(text)["artifact_id"])["content"]
    assert content == {"type": "text", "data": text}


def test_revisions_are_immutable_and_addressable(memory: Memory) -> None:
    """Revising adds; the old revision still reads as it was."""
    first = memory.artifact("one", title="T")
    second = memory.run(
        "artifact.revise",
        artifact_id=first["artifact_id"],
        if_revision=first["revision_id"],
        content={"type": "text", "data": "two"},
    )
    assert memory.run("artifact.get", artifact_id=first["artifact_id"])["content"]["data"] == "two"
    old = memory.run("artifact.get", artifact_id=first["artifact_id"], revision_id=first["revision_id"])
    assert (old["content"]["data"], old["artifact"]["is_current"]) == ("one", False)
    history = memory.run("artifact.history", artifact_id=first["artifact_id"])["items"]
    assert [item["revision_id"] for item in history] == [second["revision_id"], first["revision_id"]]


def test_a_stale_revision_is_refused(memory: Memory) -> None:
    """REVISION_CONFLICT, and nothing is written."""
    first = memory.artifact("one")
    update = {"artifact_id": first["artifact_id"], "if_revision": first["revision_id"]}
    memory.run("artifact.revise", **update, content={"type": "text", "data": "two"})
    error = memory.refused("artifact.revise", **update, content={"type": "text", "data": "three"})
    assert error["code"] == "REVISION_CONFLICT"


def test_one_blob_serves_many(memory: Memory) -> None:
    """Equal bytes are stored once, whoever names them."""
    first, second = memory.artifact("same bytes"), memory.artifact("same bytes", title="Another")
    assert first["digest"] == second["digest"]
    listed = memory.git("ls-tree", "-r", "--name-only", "refs/memgit/store", "blobs/")
    assert len(listed.splitlines()) == 1


def test_forgetting_is_a_tombstone_and_erases_nothing(memory: Memory) -> None:
    """The answer says so, and the revision can still be read."""
    first = memory.artifact("one")
    answer = memory.run("artifact.forget", artifact_id=first["artifact_id"], reason="obsolete")
    assert answer["physically_erased"] is False
    shown = memory.run("artifact.get", artifact_id=first["artifact_id"])
    assert (shown["artifact"]["status"], shown["content"]["data"]) == ("forgotten", "one")
    assert (
        memory.refused("artifact.forget", artifact_id=first["artifact_id"], reason="again")["code"] == "INVALID_REQUEST"
    )


def test_an_artifact_over_the_limit_is_refused(memory: Memory) -> None:
    """LIMIT_EXCEEDED, by the decoded size."""
    content = {"type": "text", "data": "x" * (DEFAULT.artifact_bytes + 1)}
    error = memory.refused("artifact.put", kind="log", title="Large", content=content)
    assert (error["code"], error["details"]["limit"]) == ("LIMIT_EXCEEDED", "artifact_bytes")


def test_the_largest_artifact_is_accepted(memory: Memory) -> None:
    """8 MiB exactly fits."""
    data = b"x" * DEFAULT.artifact_bytes
    written = put_bytes(memory, data)
    assert memory.run("artifact.get", artifact_id=written["artifact_id"])["artifact"]["size"] == len(data)


@pytest.mark.parametrize(
    "fields",
    [
        {"content": {"type": "base64", "data": "no base64!"}},
        {"content": {"type": "hex", "data": "00"}},
        {"content": {"type": "base64", "data": "/w=="}, "media_type": "text/plain"},
        {"content": {"type": "text", "data": "x"}, "media_type": "words"},
        {"content": {"type": "text", "data": "x"}, "title": " "},
        {"content": {"type": "text", "data": "x"}, "title": "two\nlines"},
        {"content": "x"},
        {},
    ],
)
def test_content_that_does_not_fit_is_refused(memory: Memory, fields: dict[str, object]) -> None:
    """Each wrong form is one clear error."""
    whole = {"kind": "document", "title": "T", **fields}
    assert memory.refused("artifact.put", **whole)["code"] == "INVALID_REQUEST"


def test_foreign_projects_read_but_do_not_write(memory: Memory) -> None:
    """SCOPE_VIOLATION for revise and forget from another project."""
    first = memory.artifact("one")
    other = {"workspace_id": SCOPE["workspace_id"], "project_id": "elsewhere"}
    assert memory.run("artifact.get", context=other, artifact_id=first["artifact_id"])["content"]["data"] == "one"
    error = memory.refused("artifact.forget", context=other, artifact_id=first["artifact_id"], reason="x")
    assert error["code"] == "SCOPE_VIOLATION"


def test_provenance_is_kept(memory: Memory) -> None:
    """Free-form provenance comes back as it was given; an oversized one is refused."""
    provenance = {"path": "a.md", "nested": [1, 2.5, None, {"no": "yes"}]}
    written = memory.artifact("x", provenance=provenance)
    assert memory.run("artifact.get", artifact_id=written["artifact_id"])["artifact"]["provenance"] == provenance
    error = memory.refused(
        "artifact.put", kind="d", title="T", content={"type": "text", "data": "x"}, provenance={"a": "x" * 20_000}
    )
    assert error["code"] == "LIMIT_EXCEEDED"
