"""`blame`: each part of a claim or a document is of the revision that gave it its present form."""

from __future__ import annotations

from typing import Any

import pytest

from memgit.limits import DEFAULT
from tests.operations.conftest import Memory
from tests.operations.divided import forked


def revise(memory: Memory, claim: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Revise a claim."""
    return memory.run("claim.revise", claim_id=claim["claim_id"], if_revision=claim["revision_id"], **fields)


def write(memory: Memory, artifact: dict[str, Any], data: str) -> dict[str, Any]:
    """Revise a document."""
    content = {"type": "text", "data": data}
    return memory.run(
        "artifact.revise", artifact_id=artifact["artifact_id"], if_revision=artifact["revision_id"], content=content
    )


def owners(blamed: dict[str, Any]) -> dict[str, Any]:
    """Return the number of the revision of each field, by name and value where the name repeats."""
    numbers = {name: revision["number"] for name, revision in blamed["revisions"].items()}
    return {
        f"{field['name']} {field['value']}" if field["name"] in ("marker", "evidence") else field["name"]: numbers[
            field["revision"]
        ]
        for field in blamed["fields"]
    }


def pieces(blamed: dict[str, Any], part: str) -> list[tuple[int, str]]:
    """Return the pieces of a text with the numbers of their revisions."""
    return [(blamed["revisions"][one["revision"]]["number"], one["text"]) for one in blamed[part]]


def test_each_field_is_of_the_revision_that_set_it(memory: Memory) -> None:
    """What a revision repeats stays its parent's; markers and evidence are told one by one."""
    document = memory.artifact("proof")
    proof = {"artifact_id": document["artifact_id"], "revision_id": document["revision_id"]}
    one = memory.claim("The port is 8080.", confidence=0.5, markers=["net:port"])
    two = revise(memory, one, confidence=0.9, markers=["net:port", "area:ops"])
    revise(memory, two, statement="The port is 8443.", evidence=[proof])
    blamed = memory.run("blame", entity_id=one["claim_id"])
    citation = f"evidence memoree://artifact/{proof['artifact_id']}@{proof['revision_id']}"
    assert owners(blamed) == {
        "statement": 3,
        "type": 1,
        "confidence": 2,
        "marker net:port": 1,
        "marker area:ops": 2,
        citation: 3,
    }
    assert pieces(blamed, "statement") == [(1, "The port is "), (3, "8443"), (1, ".")]


def test_who_and_where_is_said(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Author, agent, time, commit of the memory, and HEAD and branch of the code."""
    memory.git("commit", "-q", "--allow-empty", "-m", "code")
    monkeypatch.setenv("MEMGIT_AGENT", "helper")
    claim = memory.claim("One")
    (revision,) = memory.run("blame", entity_id=claim["claim_id"])["revisions"].values()
    assert revision["commit"] == memory.tip() and revision["agent"] == "helper"
    assert revision["head"] == memory.git("rev-parse", "HEAD")
    assert revision["branch"] == memory.git("symbolic-ref", "HEAD")


def test_a_value_that_comes_back_is_of_who_brought_it_back(memory: Memory) -> None:
    """Set, changed, set again: the last one set it to its present value."""
    one = memory.claim("A", subject="x")
    two = revise(memory, one, subject="y")
    revise(memory, two, subject="x")
    assert owners(memory.run("blame", entity_id=one["claim_id"]))["subject"] == 3


def test_an_older_revision_can_be_asked(memory: Memory) -> None:
    """As it was then, whatever came later."""
    one = memory.claim("A")
    two = revise(memory, one, statement="B")
    revise(memory, two, statement="C")
    blamed = memory.run("blame", entity_id=one["claim_id"], revision_id=two["revision_id"])
    assert [field["value"] for field in blamed["fields"] if field["name"] == "statement"] == ["B"]
    assert memory.refused("blame", entity_id=one["claim_id"], revision_id="crev_" + "0" * 26)["code"] == "NOT_FOUND"


def test_what_was_undone_is_passed_over(memory: Memory) -> None:
    """A child of a void revision answers for what it kept of it."""
    one = memory.claim("A")
    two = revise(memory, one, statement="B", subject="x")
    revise(memory, two, confidence=0.7)
    memory.run("undo", targets=[two["revision_id"]])
    assert owners(memory.run("blame", entity_id=one["claim_id"])) == {
        "statement": 3,
        "type": 1,
        "subject": 3,
        "confidence": 3,
    }


def test_both_sides_of_a_fork_keep_their_parts(memory: Memory) -> None:
    """A revision that settles a fork owes each word to the side that wrote it."""
    claim = memory.claim("alpha beta gamma")
    heads = forked(memory, claim, "alpha beta gamma ours", "theirs alpha beta gamma")
    settled = memory.run(
        "claim.revise", claim_id=claim["claim_id"], if_revisions=heads, statement="theirs alpha beta gamma ours"
    )
    blamed = memory.run("blame", entity_id=claim["claim_id"])
    assert blamed["revision_id"] == settled["revision_id"]
    texts = {one["revision"]: one["text"].strip() for one in blamed["statement"]}
    assert texts[claim["revision_id"]] == "alpha beta gamma"
    assert {texts[head] for head in heads} == {"ours", "theirs"}


def test_a_document_line_by_line(memory: Memory) -> None:
    """Inserted, changed and kept lines, as `git blame` tells them."""
    one = memory.artifact("first\nsecond\nthird\n")
    two = write(memory, one, "zero\nfirst\nsecond\nthird\n")
    write(memory, two, "zero\nfirst\n2nd\nthird\nfourth\n")
    blamed = memory.run("blame", entity_id=one["artifact_id"])
    assert pieces(blamed, "lines") == [(2, "zero"), (1, "first"), (3, "2nd"), (1, "third"), (3, "fourth")]
    assert owners(blamed)["title"] == 1 and owners(blamed)["digest"] == 3


def test_what_has_no_lines_says_why(memory: Memory) -> None:
    """Bytes have fields alone; a very large document is refused by its limit."""
    made = memory.run(
        "artifact.put",
        kind="image",
        title="A picture",
        media_type="image/png",
        content={"type": "base64", "data": "/////w=="},
    )
    blamed = memory.run("blame", entity_id=made["artifact_id"])
    assert blamed["lines"] == [] and "not text" in blamed["note"] and owners(blamed)["title"] == 1
    large = memory.artifact("x" * 80 + "\n" * (DEFAULT.blame_bytes))
    error = memory.refused("blame", entity_id=large["artifact_id"])
    assert (error["code"], error["details"]["limit"]) == ("LIMIT_EXCEEDED", "blame_bytes")


def test_what_never_changes_is_refused(memory: Memory) -> None:
    """A relation has one author; the log knows them."""
    ends = [memory.claim(text)["claim_id"] for text in ("One", "Two")]
    edge = memory.run("relation.put", source=ends[0], relation="supports", target=ends[1])["relation_id"]
    assert f"git memory log {edge}" in memory.refused("blame", entity_id=edge)["hint"]
    assert memory.refused("blame", entity_id="clm_" + "0" * 26)["code"] == "NOT_FOUND"
