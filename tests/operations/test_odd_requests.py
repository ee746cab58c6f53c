"""Requests for what cannot be: refused with what is wrong, or answered with a word about it; never silently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memgit.store.ref_file import is_ref_name
from tests.operations.conftest import Memory

UNKNOWN = "clm_01hzzzzzzzzzzzzzzzzzzzzzzz"


@pytest.mark.parametrize("name", ["x" * 5000, "x" * 300, "@{" + "x" * 180 + "/" + "y" * 300 + "}", "é" * 3000])
def test_a_name_that_no_file_system_takes_names_no_state(memory: Memory, name: str) -> None:
    """However long: NOT_FOUND, and the message holds the beginning of it."""
    memory.claim("The relay is replaced every nine weeks.")
    error = memory.refused("memory.recall", query="relay", as_of=name)
    assert error["code"] == "NOT_FOUND"
    assert len(error["message"]) < 200


def test_a_ref_is_no_longer_than_a_file_may_be() -> None:
    """A part of 255 bytes is the most that file systems take, and the lock beside it has a longer name."""
    assert is_ref_name("refs/memgit/" + "x" * 200)
    assert not is_ref_name("refs/memgit/" + "x" * 201)
    assert not is_ref_name("refs" + "/memgit" * 200)


@pytest.mark.parametrize("as_of", ["0001-01-01", "9999-12-31T23:59:59-14:00", "seq:0"])
def test_a_past_that_cannot_be_is_said_as_what_it_is(memory: Memory, as_of: str) -> None:
    """Beyond the calendar's years or before the first commit: refused by name."""
    error = memory.refused("memory.recall", query="relay", as_of=as_of)
    assert error["code"] == "INVALID_REQUEST"
    assert "years 1000 and 9999" in error["message"] or "before the first commit" in error["message"]


@pytest.mark.parametrize(("fields", "code"), [({"depth": -1}, "INVALID_REQUEST"), ({"depth": 9}, "LIMIT_EXCEEDED")])
def test_a_bound_holds_whatever_is_found(memory: Memory, fields: dict[str, Any], code: str) -> None:
    """Where something qualifies nothing is probed, and the depth is judged all the same."""
    memory.claim("The relay is replaced every nine weeks.")
    for query in ("relay replaced", "nothing of the kind"):
        assert memory.refused("memory.retrieve", query=query, **fields)["code"] == code


def test_a_sequence_below_the_first_is_refused(memory: Memory) -> None:
    """`min_commit_seq` is no index from the end."""
    assert memory.refused("search", query="relay", min_commit_seq=-1)["code"] == "INVALID_REQUEST"


def test_types_that_nothing_can_have_are_not_passed_over(memory: Memory) -> None:
    """Nothing found is an answer, with a word about the filter that nothing could pass; right ones need no word."""
    memory.claim("The relay is replaced every nine weeks.")
    ask = {"query": "relay replaced"}
    odd: list[dict[str, Any]] = [
        {"kinds": []},
        {"types": ["bogus"]},
        {"kinds": ["claim"], "types": ["bogus"]},
        {"kinds": ["artifact"], "types": ["fact"]},
    ]
    for fields in odd:
        envelope = memory.envelope("search", **ask, **fields)
        assert envelope["result"]["hits"] == [] and len(envelope["warnings"]) == 1, fields
    sound = memory.envelope("search", **ask, types=["fact", "decision"])
    assert sound["warnings"] == [] and len(sound["result"]["hits"]) == 1


def test_a_verdict_is_about_something_that_is_there(memory: Memory) -> None:
    """An id, a citation and its revision are looked up."""
    claim = memory.claim("The relay is replaced every nine weeks.")
    memory.run("feedback.record", verdict="wrong", subject=claim["claim_id"])
    memory.run(
        "feedback.record", verdict="wrong", subject=f"memoree://claim/{claim['claim_id']}@{claim['revision_id']}"
    )
    for subject in (UNKNOWN, f"memoree://claim/{claim['claim_id']}@crev_{UNKNOWN[4:]}"):
        assert memory.refused("feedback.record", verdict="wrong", subject=subject)["code"] == "NOT_FOUND"


def test_damaged_verdicts_are_counted(memory: Memory) -> None:
    """The export says how many lines it left out."""
    memory.run("feedback.record", verdict="helpful")
    (file,) = Path(memory.directory).rglob("feedback.jsonl")
    file.write_bytes(file.read_bytes() + b'no verdict\n{"at": 1}\n')
    envelope = memory.envelope("feedback.export")
    assert len(envelope["result"]["items"]) == 1
    assert any("2 lines" in warning for warning in envelope["warnings"])


@pytest.mark.parametrize("marker", ["session:other", "Turn:7", "speaker:somebody", "role:x", "time:2026-01-01"])
def test_a_session_says_itself_which_it_is(memory: Memory, marker: str) -> None:
    """A marker that would contradict the session's own is refused; another is kept."""
    turns = [{"text": "Hello there."}]
    assert memory.refused("session.ingest", session="one", turns=turns, markers=[marker])["code"] == "INVALID_REQUEST"
    memory.run("session.ingest", session="one", turns=turns, markers=["topic:greeting"])


def test_a_reformulation_that_would_be_answered_is_not_reported_as_absence(memory: Memory) -> None:
    """Presence is that of the words that were asked; the next action says that the others find it."""
    memory.claim("The tachyon relay is replaced every nine weeks.")
    asked = {"query": "faster exchange schedule", "reformulation": "tachyon relay replaced"}
    found = memory.run("memory.retrieve", **asked)
    assert (found["recall"]["presence"], found["next_action"]) == ("none", "recall_reformulation")
    other = memory.run("memory.retrieve", query=asked["query"], reformulation="nothing of the kind")
    assert other["next_action"] == "report_absence"


def test_digits_of_a_citation_are_plain(memory: Memory) -> None:
    """Full-width digits are another text, not the same citation."""
    artifact = memory.artifact("Some text.\n")
    citation = f"memoree://artifact/{artifact['artifact_id']}@{artifact['revision_id']}"
    assert memory.run("citation.get", citation=f"{citation}#0-4")
    assert memory.refused("citation.get", citation=f"{citation}#\uff10-\uff14")["code"] == "INVALID_REQUEST"
