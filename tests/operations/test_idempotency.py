"""Idempotency keys: one outcome per request, per workspace, project and task."""

from __future__ import annotations

from typing import Any

import pytest

from memgit.records.codec import Receipt, canonical_json, digest_of
from memgit.store.repository import discover
from memgit.store.store import Store
from memgit.store.transaction import Transaction
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


def plant(memory: Memory, key: str, result: str) -> None:
    """Write a receipt that no request of this memory left, as a push would bring it."""
    context = memory.run("context.resolve")
    place = [context["workspace_id"], context["project_id"], None]
    request = {"claim_type": "fact", "statement": "Deploy is on Friday."}
    receipt = Receipt(
        digest="",
        operation="claim.assert",
        request=digest_of(canonical_json(["memgit request 1", *place, "shared", "claim.assert", request]).encode()),
        seq=1,
        at="2026-11-30T20:00:00.000000Z",
        result=result,
    )
    name = digest_of(canonical_json(["memgit receipt 1", *place, key]).encode())

    def build(transaction: Transaction) -> dict[str, Any]:
        transaction.put_receipt(name, receipt)
        transaction.adopt([(f"purges/{'0' * 64}.yaml", b"a file, so that there is something to write")], "planted")
        return {}

    store = Store(discover(memory.directory))
    store.write(build)
    store.close()


@pytest.mark.parametrize(
    "result",
    [
        '{"claim_id":"clm_00000000000000000000000000","revision_id":"crev_00000000000000000000000000"}',
        '{"claim_id":"x"}',
        "not json",
        "[1,2]",
        "{}",
        "[" * 100_000,
    ],
)
def test_a_receipt_of_what_nobody_wrote_does_not_count(memory: Memory, result: str) -> None:
    """A write is done although somebody pushed a receipt for its key, and once; `verify` names that receipt."""
    plant(memory, "k1", result)
    done = memory.claim("Deploy is on Friday.", key="k1")
    assert memory.run("claim.get", claim_id=done["claim_id"])["statement"] == "Deploy is on Friday."
    assert memory.claim("Deploy is on Friday.", key="k1") == done
    assert any("does not count" in one["what"] for one in memory.run("verify")["findings"])
