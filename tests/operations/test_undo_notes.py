"""What goes with an undone claim: the note that `remember` made for it; and what is said where bytes remain."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.conftest import Memory
from tests.operations.test_secrets import TOKEN

REMAIN = "bytes remain"


def status(memory: Memory, made: dict[str, Any]) -> tuple[str, str]:
    """Return the status of a claim and of its evidence."""
    claim = memory.run("claim.get", claim_id=made["claim_id"])["status"]
    return claim, memory.run("artifact.get", artifact_id=made["artifact_id"])["artifact"]["status"]


def test_a_claim_takes_its_own_note_along_and_brings_it_back(memory: Memory) -> None:
    """Undone by the claim's id, both are void; by the undo of that, both are back; and so again."""
    made = memory.run("remember", text="We pin every dependency.")
    for _ in range(2):
        done = memory.run("undo", targets=[made["claim_id"]])
        assert {one["entity"] for one in done["cancelled"]} == {made["claim_id"], made["artifact_id"]}
        assert status(memory, made) == ("void", "void")
        memory.run("undo", targets=[done["cancelled"][0]["undo"]])
        assert status(memory, made) == ("active", "active")
    assert memory.run("verify")["ok"]


def test_a_note_that_something_else_uses_stays(memory: Memory) -> None:
    """Another claim, a relation, or a revision of the claim that is in force keeps it; so does a document."""
    cited = memory.run("remember", text="Cited twice.")
    locator = {"artifact_id": cited["artifact_id"], "revision_id": cited["artifact_revision_id"]}
    memory.claim("Another", evidence=[locator])
    related = memory.run("remember", text="Related.")
    other = memory.claim("Other")["claim_id"]
    memory.run("relation.put", source=other, target=related["artifact_id"], relation="references")
    document = {"title": "a.md", "content": {"type": "text", "data": "In a file."}}
    kept = memory.run("remember", text="In a file.", document=document)
    for made in (cited, related, kept):
        memory.run("undo", targets=[made["claim_id"]])
        assert status(memory, made) == ("void", "active")
    revised = memory.run("remember", text="Once.")
    memory.run("claim.revise", claim_id=revised["claim_id"], statement="Twice.", if_revision=revised["revision_id"])
    memory.run("undo", targets=[revised["claim_id"]])
    assert status(memory, revised) == ("active", "active")


@pytest.mark.parametrize("verb", ["undo", "claim.retract", "claim.revise", "artifact.forget"])
def test_taking_back_what_looks_like_a_secret_says_that_its_bytes_remain(memory: Memory, verb: str) -> None:
    """Each verb that takes allowed text out of sight says so, also in a clone that did not allow it; else none does."""
    for text, expected in ((f"The key is {TOKEN}", True), ("Nothing secret", False)):
        made = memory.run("remember", text=text, allow_flagged=True)
        for path in memory.directory.rglob("allowed-flagged"):
            path.unlink()
        base = {"claim_id": made["claim_id"], "if_revision": made["revision_id"]}
        fields: dict[str, dict[str, Any]] = {
            "undo": {"targets": [made["claim_id"]]},
            "claim.retract": base | {"reason": "wrong"},
            "claim.revise": base | {"confidence": 0.5, "allow_flagged": True} | {"statement": "The key is kept apart."},
            "artifact.forget": {"artifact_id": made["artifact_id"], "reason": "wrong"},
        }
        envelope = memory.envelope(verb, **fields[verb])
        assert envelope["ok"], envelope
        assert any(REMAIN in warning for warning in envelope["warnings"]) == expected
