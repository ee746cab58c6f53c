"""What a probe reads and analyses is bounded, whatever claims cite and however they are written."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from memgit.retrieval import windows
from memgit.retrieval.placing import Placed
from memgit.retrieval.probe import ProbeRequest, probe
from memgit.retrieval.windows import (
    CLAUSES,
    REQUEST_READ_BYTES,
    REQUEST_SCANNED_BYTES,
    WINDOW_BYTES,
    WINDOWS,
    Documents,
    clauses_of,
)

from .memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path)


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of the texts that are analysed."""
    sizes: list[int] = []

    def placed(data: bytes) -> Placed:
        sizes.append(len(data))
        return Placed(data)

    monkeypatch.setattr(windows, "Placed", placed)
    return sizes


def test_a_document_is_read_and_analysed_once(memory: Memory, analysed: list[int]) -> None:
    """However many claims rest on it, and of however many clauses they are."""
    document = memory.artifact("The ledger is kept in the tower. " * 500, "Handbook")
    for number in range(12):
        clauses = ", ".join(f"the keeper {number} counts tide {each}" for each in range(40))
        memory.claim(f"The ledger has rule {number}: {clauses}.", evidence=(memory.evidence(document),))
    view = memory.view()
    memory.reads.clear()
    leads = probe(ProbeRequest(query="ledger rule"), view).leads
    assert sum(lead.claim_id is not None for lead in leads) == 7
    assert len(analysed) == 1
    assert len(memory.reads) <= 2  # once more by the lead to the document itself


def test_a_request_analyses_no_more_than_its_share(memory: Memory, analysed: list[int]) -> None:
    """Beyond it a document is led to by its beginning, which is exact as any other place."""
    for number in range(8):
        text = f"Volume {number}.\n" + "tide and weather are noted here daily. " * 6000
        document = memory.artifact(text + "The ledger ends.", f"Volume {number}")
        memory.claim(f"The ledger has rule {number}.", evidence=(memory.evidence(document),))
    view = memory.view()
    leads = probe(ProbeRequest(query="ledger rule"), view).leads
    assert 0 < sum(analysed) <= REQUEST_SCANNED_BYTES
    assert all(lead.sources for lead in leads)
    assert sum(lead.sources[0].start_byte == 0 for lead in leads) >= 5
    assert all(source.end_byte - source.start_byte <= WINDOW_BYTES for lead in leads for source in lead.sources)


def test_a_request_reads_no_more_than_its_share(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What claims cite beyond it leads nowhere."""
    monkeypatch.setattr(windows, "REQUEST_READ_BYTES", 10_000)
    assert REQUEST_READ_BYTES > 10_000
    documents = [memory.artifact(f"{number} " + "tide " * 600, f"Volume {number}") for number in range(8)]
    view = memory.view()
    memory.reads.clear()
    looking = Documents(view)
    texts = [looking.text(memory.entities[document].current) for document in documents]
    assert [text is not None for text in texts] == [True] * 3 + [False] * 5
    assert len(memory.reads) == 3


def test_a_claim_of_many_clauses_is_read_in_part(memory: Memory) -> None:
    """The whole of it first, then so many."""
    claim = memory.claim("Keys rotate. " + ", ".join(f"zig{number} zag" for number in range(300)))
    found = clauses_of(memory.entities[claim].current)
    assert len(found) == CLAUSES and len(found[0].units) > len(found[1].units)


def test_windows_lie_apart(memory: Memory) -> None:
    """At most three, each exact, none over another."""
    filler = "Nothing of interest stands here. " * 40
    words = ("alpha", "beta", "gamma", "delta", "epsilon")
    document = memory.artifact("".join(f"The {word} is kept. {filler}" for word in words))
    claim = memory.claim(", ".join(f"the {word} is kept" for word in words))
    memory.index()
    looking = Documents(memory.view())
    spans = list(looking.windows(memory.entities[document].current, clauses_of(memory.entities[claim].current)))
    assert len(spans) == WINDOWS
    assert all(end <= start for (_, end), (start, _) in pairwise(sorted(spans)))
