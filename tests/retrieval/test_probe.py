"""A probe gives leads: exact places, in two kinds that lend each other nothing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from msgspec.structs import replace

from memgit.errors import InvalidRequest, LimitExceeded
from memgit.retrieval.citations import resolve
from memgit.retrieval.probe import DEPTH, RAW_FLOOR, ProbeRequest, probe
from memgit.retrieval.windows import WINDOW_BYTES, WINDOWS

from .memory import ELSEWHERE, Memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path)


def test_a_claim_leads_to_the_bytes_that_it_cites(memory: Memory) -> None:
    """The source is the exact evidence of a near claim, under the title of its document."""
    notice = memory.artifact("Header.\nThe ledger closes at noon.\nFooter.", "Closing times")
    claim = memory.claim(
        "The ledger closes at noon.", evidence=(memory.evidence(notice, "The ledger closes at noon."),)
    )
    view = memory.view()
    found = probe(ProbeRequest(query="When is the ledger shut?"), view)
    lead = found.leads[0]
    assert (lead.claim_id, lead.title) == (claim, "Closing times")
    assert resolve(lead.sources[0].citation, None, view).text == "The ledger closes at noon."
    assert lead.sources[0].provenance == "claim_evidence" and found.qualified is False


def test_claims_and_raw_documents_are_separate_leads(memory: Memory) -> None:
    """A document that a claim cites appears again by itself, with its own window and its own score."""
    notice = memory.artifact("The ledger closes at noon.", "Closing times")
    memory.claim("The ledger closes at noon.", evidence=(memory.evidence(notice),))
    leads = probe(ProbeRequest(query="ledger closing"), memory.view()).leads
    assert [lead.claim_id is None for lead in leads] == [False, True]
    assert leads[1].sources[0].provenance == "artifact_window"


def test_raw_documents_keep_two_places(memory: Memory) -> None:
    """However many claims are near, two raw documents are shown where there are so many."""
    for number in range(12):
        note = memory.artifact(f"ledger note {number}", f"Note {number}")
        memory.claim(f"The ledger has rule {number}.", evidence=(memory.evidence(note),))
    leads = probe(ProbeRequest(query="ledger rule"), memory.view()).leads
    assert len(leads) == DEPTH.most
    assert sum(lead.claim_id is None for lead in leads) == RAW_FLOOR
    assert [lead.claim_id is None for lead in leads] == sorted(lead.claim_id is None for lead in leads)


def test_a_whole_document_is_cut_to_windows_by_clauses(memory: Memory) -> None:
    """Evidence without a span gives at most three windows that do not overlap, each small and exact."""
    filler = "Nothing of interest stands here. " * 40
    text = f"The archive is kept in Lisbon. {filler}The index is rebuilt weekly. {filler}Keys rotate monthly. {filler}"
    document = memory.artifact(text, "Handbook")
    memory.claim(
        "The archive is kept in Lisbon, the index is rebuilt weekly, keys rotate monthly, and nothing else.",
        evidence=(memory.evidence(document),),
    )
    view = memory.view()
    sources = probe(ProbeRequest(query="archive index keys"), view).leads[0].sources
    spans = sorted((source.start_byte, source.end_byte) for source in sources)
    assert 2 <= len(spans) <= WINDOWS
    assert all(end - start <= WINDOW_BYTES for start, end in spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    for source in sources:
        assert resolve(source.citation, None, view).text == text[source.start_byte : source.end_byte]


def test_two_wordings_are_looked_for(memory: Memory) -> None:
    """A reformulation adds what the original's words do not reach, and loses nothing of it."""
    first = memory.artifact("billing queue", "A")
    second = memory.artifact("invoice topic", "B")
    one = memory.claim("The billing queue is red.", evidence=(memory.evidence(first),))
    two = memory.claim("The invoice topic is blue.", evidence=(memory.evidence(second),))
    leads = probe(ProbeRequest(query="invoice topic", original_query="billing queue"), memory.view()).leads
    assert {lead.claim_id for lead in leads} >= {one, two}


def test_scope_lifecycle_and_sight_hold(memory: Memory) -> None:
    """Nothing out of scope or ended is led to, nor evidence that the asker may not see."""
    away = memory.artifact("ledger", "Elsewhere", scope=ELSEWHERE)
    memory.claim("The ledger is away.", scope=ELSEWHERE, evidence=(memory.evidence(away),))
    memory.claim("The ledger cites what is away.", evidence=(memory.evidence(away),))
    gone = memory.claim("The ledger was green.")
    memory.end(gone, "retracted")
    assert probe(ProbeRequest(query="ledger"), memory.view()).leads == ()


def test_raw_only_withholds_claims_and_what_they_rest_on(memory: Memory) -> None:
    """For a present state, dated claims and their sources are left out; other documents stay."""
    old = memory.artifact("Events go to the old queue.", "Old route")
    memory.claim("Events go to the old queue.", evidence=(memory.evidence(old),))
    fresh = memory.artifact("Notice: events go to the new queue.", "New route")
    leads = probe(ProbeRequest(query="events queue", raw_only=True), memory.view()).leads
    assert [source.artifact_id for lead in leads for source in lead.sources] == [fresh]


def test_bounds(memory: Memory) -> None:
    """The depth is bounded, and a blank query refused."""
    memory.claim("Something.")
    view = memory.view()
    with pytest.raises(LimitExceeded):
        probe(ProbeRequest(query="x", depth=9), view)
    with pytest.raises(InvalidRequest):
        probe(ProbeRequest(query="  "), view)
    assert probe(ProbeRequest(query="?!"), view).leads == ()


def test_evidence_that_cites_nothing_leads_nowhere(memory: Memory) -> None:
    """A span past the end, as only another program writes it, gives no lead and costs no time."""
    notice = memory.artifact("The ledger closes at noon.", "Closing times")
    whole = memory.evidence(notice)
    for start, end in ((2**52, 2**53 - 1), (5, 2**53 - 1)):
        memory.claim("The ledger closes at noon.", evidence=(replace(whole, start=start, end=end),))
    leads = probe(ProbeRequest(query="ledger noon"), memory.view()).leads
    assert [lead.claim_id for lead in leads] == [None]
