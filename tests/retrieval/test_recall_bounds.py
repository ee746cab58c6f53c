"""What a recall looks at is bounded, and said where it is cut; what is not shown is not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.index.lexical import REVISIONS_KEPT
from memgit.retrieval import recall as module
from memgit.retrieval.recall import RecallRequest, recall

from .memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory(tmp_path)


@pytest.mark.parametrize(("refs", "reads"), [(0, 0), (2, 2), (20, 3)])
def test_evidence_that_is_not_shown_is_not_read(memory: Memory, refs: int, reads: int) -> None:
    """Each document once, however many claims cite it, and none beyond what is wanted."""
    documents = [memory.artifact(f"tide and weather {number}", f"Volume {number}") for number in range(3)]
    evidence = tuple(memory.evidence(document) for document in documents for _ in range(4))
    for word in ("amber", "basil", "cedar", "delta"):
        memory.claim(f"The heron ledger stays {word}.", evidence=evidence)
    view = memory.view()
    memory.reads.clear()
    found = recall(RecallRequest(query="heron ledger stays", max_artifact_refs=refs), view)
    assert [len(found.claims), len(found.artifacts)] == [4, reads]
    assert len(memory.reads) == reads


@pytest.mark.parametrize(("revisions", "cut"), [(REVISIONS_KEPT, False), (REVISIONS_KEPT + 4, True)])
def test_a_history_that_is_not_whole_is_said_to_be_cut(memory: Memory, revisions: int, cut: bool) -> None:
    """An index keeps so many revisions of a claim among its hits; what it leaves out may have been meant."""
    claim = memory.claim("The heron ledger stays in room 0.")
    for number in range(1, revisions):
        memory.revise(claim, f"The heron ledger stays in room {number}.")
    view = memory.view()
    found = recall(RecallRequest(query="heron ledger", max_claims=50, include_historical=True), view)
    assert len(found.claims) == REVISIONS_KEPT and found.claims_truncated is cut
    assert recall(RecallRequest(query="heron ledger", max_claims=50), view).claims_truncated is False


def test_where_looking_ends_before_all_was_seen_it_is_said(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Repetitions may fill all that is looked at; then more may qualify than is shown."""
    monkeypatch.setattr(module, "_MOST_PROPOSALS", 64)
    for _ in range(80):
        memory.claim("The heron ledger stays.")
    found = recall(RecallRequest(query="heron ledger stays"), memory.view())
    assert len(found.claims) == 1 and found.claims_truncated
    monkeypatch.undo()
    assert recall(RecallRequest(query="heron ledger stays"), memory.view()).claims_truncated is False
