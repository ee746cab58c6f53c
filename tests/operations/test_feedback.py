"""Feedback is recorded beside the store, without the words that were asked unless somebody says so."""

from __future__ import annotations

from tests.operations.conftest import Memory


def test_a_verdict_is_kept_without_the_query(memory: Memory) -> None:
    """By default only a fingerprint stays; the export has it, and the store is untouched."""
    before = memory.tip()
    kept = memory.run("feedback.record", verdict="helpful", query="how is money stored")
    assert kept["query_kept"] is False and len(kept["fingerprint"]) == 32
    (item,) = memory.run("feedback.export")["items"]
    assert item["fingerprint"] == kept["fingerprint"] and "query" not in item
    assert memory.tip() == before


def test_words_are_kept_on_request(memory: Memory) -> None:
    """`keep_query` keeps them as they were, and means nothing without a query."""
    memory.run("feedback.record", verdict="missing", query="how is money stored", keep_query=True)
    assert memory.run("feedback.export")["items"][0]["query"] == "how is money stored"
    assert memory.refused("feedback.record", verdict="missing", keep_query=True)["code"] == "INVALID_REQUEST"


def test_pages_go_on_where_the_last_one_ended(memory: Memory) -> None:
    """No verdict is repeated or skipped."""
    for _ in range(5):
        memory.run("feedback.record", verdict="wrong")
    first = memory.run("feedback.export", limit=2)
    second = memory.run("feedback.export", limit=10, after=first["next_after"])
    assert (len(first["items"]), len(second["items"]), second["next_after"]) == (2, 3, None)


def test_bad_verdicts_keep_nothing(memory: Memory) -> None:
    """Unknown verdicts, malformed subjects and secrets are refused."""
    assert memory.refused("feedback.record", verdict="nice")["code"] == "INVALID_REQUEST"
    assert memory.refused("feedback.record", verdict="wrong", subject="nothing")["code"] == "INVALID_REQUEST"
    leaked = "AKIA" + "Q3EGRDKCBIVW5WZN"
    assert memory.refused("feedback.record", verdict="wrong", note=leaked)["code"] == "SECRET_DETECTED"
    assert memory.run("feedback.export")["items"] == []


def test_no_verdict_changes_an_order(memory: Memory) -> None:
    """A search answers the same before and after it was judged: nothing learns from use."""
    for place in ("bay", "pier", "harbour"):
        memory.claim(f"The tide at the {place} is high.")
    before = memory.run("search", query="tide high")["hits"]
    for _ in range(3):
        memory.run("feedback.record", verdict="wrong", query="tide high", subject=before[0]["claim"]["claim_id"])
    assert memory.run("search", query="tide high")["hits"] == before
