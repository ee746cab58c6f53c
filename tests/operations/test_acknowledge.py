"""`conflict.acknowledge`: a tombstone stands, and nobody lost an edit in silence."""

from __future__ import annotations

from tests.operations.conftest import Memory
from tests.operations.divided import forked, unseen_edit


def test_an_acknowledged_tombstone_case_is_resolved(memory: Memory) -> None:
    """The claim stays retracted; the case leaves the open ones and keeps who looked, when and why."""
    claim = memory.claim("So it is.")
    case = unseen_edit(memory, claim)
    done = memory.run("conflict.acknowledge", case_id=case, reason="about the old service")
    assert (done["case_id"], done["entity_id"]) == (case, claim["claim_id"])
    assert memory.run("conflict.list")["items"] == []
    shown = memory.run("conflict.get", case_id=case)
    assert (shown["status"], [event["event"] for event in shown["events"]]) == ("resolved", ["opened", "resolved"])
    assert memory.run("claim.get", claim_id=claim["claim_id"])["status"] == "retracted"
    (said,) = memory.run("log", entity_id=claim["claim_id"], verb="acknowledge")["items"][0]["said"]
    assert said["reason"] == "about the old service"


def test_it_is_done_once(memory: Memory) -> None:
    """Acknowledging again is refused; a retry with the key is not."""
    case = unseen_edit(memory, memory.claim("So it is."))
    first = memory.run("conflict.acknowledge", case_id=case, key="once")
    assert memory.run("conflict.acknowledge", case_id=case, key="once") == first
    assert "resolved" in memory.refused("conflict.acknowledge", case_id=case)["message"]


def test_other_cases_say_what_resolves_them(memory: Memory) -> None:
    """A contradiction names its relation, a fork its claim."""
    claim = memory.claim("One")
    forked(memory, claim)
    (fork,) = memory.run("conflict.list")["items"]
    error = memory.refused("conflict.acknowledge", case_id=fork["case_id"])
    assert "--all-heads" in error["hint"] and claim["claim_id"] in error["hint"]
    yes, no = memory.claim("On")["claim_id"], memory.claim("Off")["claim_id"]
    edge = memory.run("relation.put", source=yes, relation="contradicts", target=no)["relation_id"]
    case = memory.run("conflict.list")["items"][0]["case_id"]
    error = memory.refused("conflict.acknowledge", case_id=case)
    assert f"git memory undo {edge}" in error["hint"] and "supersedes" in error["hint"]


def test_unknown_and_foreign_cases_are_refused(memory: Memory) -> None:
    """Only a case that is there, from the project that owns it."""
    assert memory.refused("conflict.acknowledge", case_id="case_" + "0" * 32)["code"] == "NOT_FOUND"
    case = unseen_edit(memory, memory.claim("So it is."))
    elsewhere = {"workspace_id": "wsp-tests", "project_id": "prj-other"}
    assert memory.refused("conflict.acknowledge", case_id=case, context=elsewhere)["code"] == "SCOPE_VIOLATION"
