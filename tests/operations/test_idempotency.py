"""Idempotency keys: one outcome per request, per workspace, project and task."""

from __future__ import annotations

from tests.operations.conftest import SCOPE, Memory


def test_the_same_request_gives_the_first_outcome(memory: Memory) -> None:
    """A retry writes nothing and returns the ids of the first time."""
    first = memory.envelope("claim.assert", key="k1", claim_type="fact", statement="One")
    tip = memory.tip()
    again = memory.envelope("claim.assert", key="k1", claim_type="fact", statement="One")
    assert again["result"] == first["result"]
    assert again["commit_seq"] == first["commit_seq"]
    assert memory.tip() == tip


def test_a_field_spelled_out_at_its_default_is_the_same_request(memory: Memory) -> None:
    """The request is what was understood, not how it was typed."""
    first = memory.run("claim.assert", key="k", claim_type="fact", statement="One")
    again = memory.run("claim.assert", key="k", claim_type="fact", statement="One", markers=[], subject=None)
    assert again == first


def test_another_request_with_the_key_is_a_conflict(memory: Memory) -> None:
    """A reused key with other input, or for another operation, is refused."""
    memory.run("claim.assert", key="k", claim_type="fact", statement="One")
    assert memory.refused("claim.assert", key="k", claim_type="fact", statement="Two")["code"] == "IDEMPOTENCY_CONFLICT"
    assert memory.refused("remember", key="k", text="One")["code"] == "IDEMPOTENCY_CONFLICT"


def test_keys_live_in_their_scope(memory: Memory) -> None:
    """Another project or task may use the same key."""
    first = memory.run("claim.assert", key="k", claim_type="fact", statement="One")
    other = {**SCOPE, "task_id": "t1"}
    second = memory.run("claim.assert", context=other, key="k", claim_type="fact", statement="One")
    assert second["claim_id"] != first["claim_id"]


def test_a_refused_request_does_not_use_up_its_key(memory: Memory) -> None:
    """Nothing was written, so the key is free."""
    memory.refused("claim.assert", key="k", claim_type="fact", statement=" ")
    memory.run("claim.assert", key="k", claim_type="fact", statement="Fine")


def test_a_key_has_bounds(memory: Memory) -> None:
    """1 to 256 bytes."""
    assert memory.refused("claim.assert", key="k" * 257, claim_type="fact", statement="x")["code"] == "LIMIT_EXCEEDED"
    assert memory.refused("claim.assert", key="", claim_type="fact", statement="x")["code"] == "LIMIT_EXCEEDED"
