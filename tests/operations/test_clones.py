"""Two clones of one memory on a machine: a broad look tells each thing once, as this clone has it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.operations.conftest import SCOPE, Memory
from tests.operations.divided import copied

BROAD = {"horizon": "personal", "reason": "comparing"}


@pytest.fixture
def clones(memory: Memory) -> tuple[Memory, Memory]:
    """A memory with a claim, its document and a disagreement, and another clone that also knows something else."""
    document = memory.artifact("Every evening the ledger is sealed by the night shift.", "Sealing")
    evidence = {"artifact_id": document["artifact_id"], "revision_id": document["revision_id"]}
    one = memory.claim("The ledger is sealed by the night shift.", evidence=[evidence])
    two = memory.claim("The ledger is never sealed by anybody.")
    memory.run("relation.put", source=two["claim_id"], target=one["claim_id"], relation="contradicts")
    other = copied(memory)
    other.run("store.init", **SCOPE)  # makes it known on this machine
    other.claim("The ledger is sealed with red wax.")
    return memory, other


def recalled(memory: Memory, **fields: Any) -> list[str]:
    """Return the statements that a recall of the ledger gives."""
    return [claim["statement"] for claim in memory.run("memory.recall", query="ledger sealed", **fields)["claims"]]


def test_each_thing_is_told_once(clones: tuple[Memory, Memory]) -> None:
    """By recall, search, probe, a bundle and the list of conflicts; what only the other clone knows is told too."""
    here, _ = clones
    ambient, broad = recalled(here), recalled(here, **BROAD)
    assert sorted(broad) == sorted([*ambient, "The ledger is sealed with red wax."])
    answer = here.run("memory.recall", query="ledger sealed", **BROAD)
    mine = {claim["claim_id"] for claim in here.run("memory.recall", query="ledger sealed")["claims"]}
    assert not mine & set(answer["origins"]) and len(answer["origins"]) == 1
    assert len(answer["conflicts"]) == 1 and len({item["artifact_id"] for item in answer["artifacts"]}) == 1

    hits = here.run("search", query="ledger sealed", **BROAD)["hits"]
    names = [(hit["claim"] or hit["artifact"]).get("claim_id") or hit["artifact"]["artifact_id"] for hit in hits]
    assert len(names) == len(set(names)) == 4
    leads = here.run("memory.probe", query="who seals the ledger", **BROAD)["leads"]
    told = [lead["claim_id"] or lead["sources"][0]["artifact_id"] for lead in leads]
    assert told and len(told) == len(set(told))
    manifest = here.run("context.build", query="ledger sealed", **BROAD)["manifest"]
    cited = [item["citation"] for item in manifest]
    assert len(cited) == len(set(cited))
    assert len(here.run("conflict.list", **BROAD)["items"]) == 1


def test_what_ended_here_is_not_told_by_a_clone_that_has_not_heard(clones: tuple[Memory, Memory]) -> None:
    """Neither as a claim nor by presence, nor as what to do next."""
    here, other = clones
    for claim in here.run("memory.recall", query="ledger sealed")["claims"]:
        here.run("claim.retract", claim_id=claim["claim_id"], if_revision=claim["revision_id"], reason="over")
    for document in here.run("memory.recall", query="ledger sealed night shift")["artifacts"]:
        here.run("artifact.forget", artifact_id=document["artifact_id"], reason="over")
    query = "ledger sealed night shift"
    assert other.run("memory.recall", query=query)["presence"] == "claims"
    for broad in ({}, BROAD):
        assert here.run("memory.recall", query=query, **broad)["presence"] == "none"
        found = here.run("memory.retrieve", query=query, **broad)
        assert found["recall"]["presence"] == "none" and found["next_action"] not in ("use_claims", "read_artifacts")
        assert "night shift" not in str(found["unqualified_evidence"])
        assert "night shift" not in here.run("context.build", query=query, **broad)["markdown"]


def test_two_clones_elsewhere_are_one(clones: tuple[Memory, Memory], tmp_path: Path) -> None:
    """Also where the asker's own store is another one."""
    directory = tmp_path / "third"
    subprocess.run(["git", "init", "-q", str(directory)], check=True)
    third = Memory(directory)
    third.run("store.init", workspace_id="wsp-third", project_id="prj-third")
    found = recalled(third, **BROAD)
    assert sorted(found) == sorted(recalled(clones[0], **BROAD)) and len(found) == len(set(found))
