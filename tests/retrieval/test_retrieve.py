"""Retrieve is recall, and one look further only where nothing qualified."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from memgit.retrieval.citations import resolve
from memgit.retrieval.recall import RecallRequest
from memgit.retrieval.retrieve import (
    PACKET_BYTES,
    PACKET_REFERENCES,
    RetrieveRequest,
    RetrieveResult,
    UnqualifiedEvidence,
    retrieve,
)

from .memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path)


def ask(memory: Memory, query: str, reformulation: str | None = None) -> RetrieveResult:
    """Return the answer to a query."""
    return retrieve(RetrieveRequest(recall=RecallRequest(query=query), reformulation=reformulation), memory.view())


def test_what_qualifies_is_recalled_and_nothing_else_is_done(memory: Memory) -> None:
    """With presence there is no probe and no packet."""
    memory.claim("The ledger closes at noon.")
    found = ask(memory, "ledger closes noon")
    assert (found.recall.presence, found.next_action) == ("claims", "use_claims")
    assert found.probe is None and found.unqualified_evidence == () and found.packet_bytes == 0


def test_documents_alone_are_said_to_be_documents(memory: Memory) -> None:
    """Where only a document qualifies, the caller is sent to read it."""
    memory.artifact("The ledger closes at noon.", "Closing times")
    assert ask(memory, "ledger closes noon").next_action == "read_artifacts"


def test_a_paraphrase_gets_the_evidence_of_near_claims(memory: Memory) -> None:
    """Nothing qualifies, presence says so, and the packet holds exact bytes, labelled unqualified."""
    notice = memory.artifact("Every evening the ledger is sealed by the night shift.", "Sealing")
    claim = memory.claim(
        "The ledger is sealed by the night shift.",
        evidence=(memory.evidence(notice, "the ledger is sealed by the night shift"),),
    )
    found = ask(memory, "Who closes the ledger book after dark?", "Which shift seals the ledger?")
    assert (found.recall.presence, found.next_action) == ("none", "check_evidence_then_recall")
    evidence = found.unqualified_evidence[0]
    assert (evidence.claim_id, evidence.label) == (claim, "unqualified")
    assert resolve(evidence.citation, None, memory.view()).text == evidence.text


def test_raw_documents_never_enter_the_packet(memory: Memory) -> None:
    """A document that no near claim cites is a lead, not evidence."""
    memory.artifact("The ledger is sealed by the night shift.", "Sealing")
    found = ask(memory, "Who watches the ledger after dark in winter?")
    assert (found.unqualified_evidence, found.next_action) == ((), "read_leads")
    assert found.probe is not None and found.probe.leads


def test_a_question_about_the_present_is_routed_to_the_source(memory: Memory) -> None:
    """Dated claims are not hydrated for it."""
    notice = memory.artifact("Events go to the old queue.", "Route")
    memory.claim("Events go to the old queue.", evidence=(memory.evidence(notice),))
    found = ask(memory, "Where do finished payment events go after the migration?")
    assert (found.next_action, found.unqualified_evidence) == ("check_present_source", ())
    assert found.probe is not None and all(lead.claim_id is None for lead in found.probe.leads)


def test_absence_is_reported(memory: Memory) -> None:
    """Where nothing is near, the next action is to say so."""
    memory.claim("The ledger closes at noon.")
    assert ask(memory, "Which provider sends mail?").next_action == "report_absence"


def test_the_packet_is_bounded(memory: Memory) -> None:
    """At most nine references and 12 KiB of JSON, whatever the documents hold."""
    for number in range(8):
        parts = [f"part {part} of the ledger {number} " + '\u00e9"\\' * 150 for part in range(4)]
        document = memory.artifact("\n".join(parts), f"Book {number}")
        memory.claim(f"Rule {number} of the ledger.", evidence=tuple(memory.evidence(document, part) for part in parts))
    found = ask(memory, "What governs our ledger on a winter evening?")
    assert 0 < len(found.unqualified_evidence) <= PACKET_REFERENCES
    size = len(msgspec.json.encode(found.unqualified_evidence))
    assert size <= found.packet_bytes <= PACKET_BYTES
    assert all(isinstance(item, UnqualifiedEvidence) for item in found.unqualified_evidence)
