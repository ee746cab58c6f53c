"""Retrieve, probe and context.build over a real store, as a program calls them."""

from __future__ import annotations

from tests.operations.conftest import Memory


def seal(memory: Memory) -> tuple[str, str]:
    """Keep a document and a claim that cites it; return their ids."""
    text = "Every evening the ledger is sealed by the night shift."
    document = memory.artifact(text, "Sealing")
    evidence = {"artifact_id": document["artifact_id"], "revision_id": document["revision_id"]}
    claim = memory.claim("The ledger is sealed by the night shift.", evidence=[evidence])
    return document["artifact_id"], claim["claim_id"]


def test_retrieve_gives_evidence_where_nothing_qualifies(memory: Memory) -> None:
    """Presence stays `none`; the packet's citations resolve to its texts."""
    _, claim = seal(memory)
    found = memory.run(
        "memory.retrieve", query="Who closes the book after dark?", reformulation="which shift seals the ledger"
    )
    assert (found["recall"]["presence"], found["next_action"]) == ("none", "check_evidence_then_recall")
    for item in found["unqualified_evidence"]:
        assert (item["claim_id"], item["label"]) == (claim, "unqualified")
        assert memory.run("citation.get", citation=item["citation"])["content"]["data"] == item["text"]
    assert 0 < found["packet_bytes"] <= 12 * 1024


def test_retrieve_is_recall_where_something_qualifies(memory: Memory) -> None:
    """No leads, no packet."""
    seal(memory)
    found = memory.run("memory.retrieve", query="ledger sealed night shift")
    assert (found["recall"]["presence"], found["next_action"]) == ("claims", "use_claims")
    assert (found["probe"], found["unqualified_evidence"]) == (None, [])


def test_probe_leads_to_exact_places(memory: Memory) -> None:
    """Claims come before raw documents, and each source resolves."""
    document, claim = seal(memory)
    leads = memory.run("memory.probe", query="night shift ledger")["leads"]
    assert [lead["claim_id"] for lead in leads] == [claim, None]
    for lead in leads:
        for source in lead["sources"]:
            assert source["artifact_id"] == document
            assert memory.run("citation.get", citation=source["citation"])["content"]["data"]


def test_context_build_is_bounded_and_cited(memory: Memory) -> None:
    """The bundle holds what qualifies with its evidence, within the bytes that were asked for."""
    _, claim = seal(memory)
    bundle = memory.run("context.build", query="ledger sealed night shift", max_bytes=2048)
    assert bundle["bytes"] == len(bundle["markdown"].encode()) <= 2048
    assert bundle["content_is_untrusted"] is True
    item = next(item for item in bundle["manifest"] if claim in item["citation"])
    assert item["evidence"] and item["evidence"][0] in bundle["markdown"]


def test_what_does_not_qualify_stays_out_of_a_bundle(memory: Memory) -> None:
    """Likeness alone brings nothing into a prompt, unless it is asked for; then it is said."""
    seal(memory)
    query = "Who repairs the ledger binding in winter?"
    assert memory.run("context.build", query=query)["manifest"] == []
    near = memory.run("context.build", query=query, include_unqualified=True)
    assert near["manifest"] and all("not qualified" in item["reason"] for item in near["manifest"])


def test_a_broad_horizon_needs_a_reason(memory: Memory) -> None:
    """None of the three looks further without one."""
    seal(memory)
    for operation in ("memory.retrieve", "memory.probe", "context.build"):
        assert memory.refused(operation, query="ledger", horizon="workspace")["code"] == "INVALID_REQUEST"
        assert memory.run(operation, query="ledger", horizon="workspace", reason="other projects")
