"""`diff`: what one state of the store has and another has not, by any name that a state has."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.operations.conftest import SCOPE, Memory
from tests.operations.divided import copied, fetched, forked, united


def compared(memory: Memory, text: str | None = None, **fields: Any) -> dict[str, Any]:
    """Return an answer; without a range that of what a sync would bring."""
    return memory.run("diff", **({"range": text} if text is not None else {}), **fields)


def changes(answer: dict[str, Any], section: str = "claims") -> dict[str, str]:
    """Return what became of each entity of a section."""
    return {one["id"]: one["change"] for one in answer["diff"][section]}


def test_what_a_sync_would_bring(memory: Memory) -> None:
    """New and ended claims of another clone, with authors, counts and the conflict that would open."""
    known, edited = memory.claim("Known"), memory.claim("Edited")
    other = copied(memory)
    new = other.claim("New")["claim_id"]
    other.run("claim.retract", claim_id=known["claim_id"], if_revision=known["revision_id"], reason="over")
    other.run("claim.retract", claim_id=edited["claim_id"], if_revision=edited["revision_id"], reason="over")
    memory.run("claim.revise", claim_id=edited["claim_id"], if_revision=edited["revision_id"], statement="Edited again")
    theirs = fetched(memory, other)
    answer = compared(memory)
    assert (answer["before"], answer["after"], answer["after_commits"]) == ("@", "origin", [theirs])
    assert changes(answer) == {new: "new", known["claim_id"]: "retracted", edited["claim_id"]: "retracted"}
    (case,) = answer["diff"]["conflicts"]
    assert (case["kind"], case["change"], case["sides"][0]["text"]) == ("tombstone", "opened", "Edited again")
    assert answer["counts"]["operations"] == 3
    assert answer["diff"]["authors"] == {"Other Person <other@example.invalid>": 3}
    united(memory, other)
    (opened,) = memory.run("conflict.list")["items"]
    assert opened["case_id"] == case["id"]
    assert compared(memory)["is_empty"]


def test_nothing_that_only_we_have_is_shown(memory: Memory) -> None:
    """A merge is a union: the other side lacks our claims and takes none away."""
    other = copied(memory)
    ours = memory.claim("Ours")["claim_id"]
    fetched(memory, other)
    assert compared(memory)["is_empty"]
    assert changes(compared(memory, "origin..@")) == {ours: "new"}


def test_states_have_many_names(memory: Memory) -> None:
    """Commits by their beginning, sequence numbers, dates, remotes; an empty side is our tip."""
    memory.claim("One")
    first = memory.tip()
    two = memory.claim("Two")["claim_id"]
    seq = memory.run("log", limit=2)["items"][1]["seq"]
    fetched(memory, memory, "team/memory")
    for name in (first, first[:8], f"seq:{seq}"):
        assert changes(compared(memory, f"{name}..@")) == changes(compared(memory, f"{name}..")) == {two: "new"}
        assert compared(memory, name)["is_empty"]
    assert len(changes(compared(memory, "2000-01-01..@"))) == 2
    assert compared(memory, "2999-01-01..")["is_empty"]
    for name in ("@", "@{team/memory}", "team/memory", "@{remote}"):
        assert compared(memory, f"@..{name}")["is_empty"]
    assert changes(compared(memory, f"{first}..team/memory")) == {two: "new"}


def test_three_dots_leave_out_what_both_have(memory: Memory) -> None:
    """From where they went apart, so that what we have beside it does not matter."""
    claim = memory.claim("Known")
    other = copied(memory)
    other.run("claim.revise", claim_id=claim["claim_id"], if_revision=claim["revision_id"], statement="Theirs")
    memory.run("claim.retract", claim_id=claim["claim_id"], if_revision=claim["revision_id"], reason="over")
    fetched(memory, other)
    assert changes(compared(memory, "@...origin")) == {claim["claim_id"]: "revised"}
    assert compared(memory, "@...origin")["diff"]["conflicts"] == []
    assert len(compared(memory, "@..origin")["diff"]["conflicts"]) == 1


def test_the_past_of_parallel_work_is_a_union(memory: Memory) -> None:
    """Before a merge there was no commit that held both sides; the state at that seq is both of them."""
    claim = memory.claim("One")
    forked(memory, claim, "Ours", "Theirs")
    late = memory.claim("Late")["claim_id"]
    joined = memory.run("log", limit=2)["items"][1]["seq"]
    answer = compared(memory, f"seq:{joined}..@")
    assert changes(answer) == {late: "new"}
    assert len(compared(memory, f"seq:{joined - 1}..@")["after_commits"]) == 1


def test_a_revision_shows_its_fields_and_a_document_its_lines(memory: Memory) -> None:
    """Words of a statement, old and new of a field, lines of a text."""
    claim = memory.claim("The port is 8080.", confidence=0.5)
    document = memory.artifact("one\ntwo\n", title="Ports")
    before = memory.tip()
    memory.run(
        "claim.revise", claim_id=claim["claim_id"], if_revision=claim["revision_id"], statement="The port is 8443."
    )
    memory.run(
        "artifact.revise",
        artifact_id=document["artifact_id"],
        if_revision=document["revision_id"],
        content={"type": "text", "data": "one\n2\n"},
    )
    diff = compared(memory, f"{before}..")["diff"]
    (field,) = diff["claims"][0]["fields"]
    assert (field["name"], field["old"], field["new"]) == ("statement", "The port is 8080.", "The port is 8443.")
    assert diff["artifacts"][0]["content"]["lines"][1:] == [" one", "-two", "+2"]


def test_relations_and_what_they_do(memory: Memory) -> None:
    """The edge with its ends' texts, and the end that it replaced."""
    old, new = memory.claim("Old")["claim_id"], memory.claim("New")["claim_id"]
    before = memory.tip()
    edge = memory.run("relation.put", source=new, relation="supersedes", target=old)["relation_id"]
    answer = compared(memory, f"{before}..")
    assert changes(answer) == {old: "superseded"} and changes(answer, "relations") == {edge: "new"}
    (relation,) = answer["diff"]["relations"]
    assert (relation["source_text"], relation["target_text"]) == ("New", "Old")


def test_a_store_that_is_not_there_yet_can_be_looked_at(memory: Memory, empty: Memory) -> None:
    """Before the first sync everything is new, without a memory of one's own."""
    memory.claim("One")
    fresh = copied(memory, "fresh")
    tip = fetched(fresh, memory)
    fresh.git("update-ref", "-d", "refs/memgit/store")
    for path in (fresh.directory / ".git" / "memgit" / "state" / "log").iterdir():
        path.unlink()
    answer = compared(fresh, "@..origin")
    assert (answer["before_commits"], answer["after_commits"]) == ([], [tip])
    assert list(changes(answer).values()) == ["new"]
    assert [store["workspace"] for store in answer["diff"]["stores"]] == [SCOPE["workspace_id"]]


def test_a_bound_leaves_out_and_counts(memory: Memory) -> None:
    """As many whole changes as fit; the counts stay whole."""
    before = memory.tip()
    for number in range(30):
        memory.claim(f"Claim number {number}")
    answer = compared(memory, f"{before}..", max_bytes=5_000)
    shown = len(answer["diff"]["claims"])
    assert 0 < shown < 30 and answer["diff"]["left_out"] == {"claims": 30 - shown}
    assert answer["counts"]["claims.new"] == 30
    text = compared(memory, f"{before}..", max_bytes=5_000, format="markdown")["markdown"]
    assert len(text.encode()) <= 5_000
    left = re.search(r"… and (\d+) more in claims\.", text)
    assert left and int(left[1]) + text.count("<details>") == 30


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (None, "INVALID_REQUEST"),
        ("@..nowhere", "NOT_FOUND"),
        ("abcdef12..@", "NOT_FOUND"),
        ("seq:x..@", "INVALID_REQUEST"),
        ("draft:nothing..@", "NOT_FOUND"),
        ("@..@{nowhere}", "NOT_FOUND"),
        ("draft:../x", "INVALID_REQUEST"),
    ],
)
def test_what_names_no_state_is_refused(memory: Memory, text: str | None, code: str) -> None:
    """An error that says which names there are."""
    fields = {"range": text} if text is not None else {}
    error = memory.refused("diff", **fields)
    assert error["code"] == code and error["hint"]
    assert memory.refused("diff", range="@", max_bytes=10)["code"] == "INVALID_REQUEST"


def test_a_new_document_is_shown_by_its_first_lines(memory: Memory) -> None:
    """And whole where that is asked for; what a revision of it changed is shown in any case."""
    lines = [f"line {number}" for number in range(200)]
    text = "\n".join(lines) + "\n"
    document = memory.artifact(text, title="Long")
    (new,) = compared(memory, "seq:1..")["diff"]["artifacts"]
    assert new["content"]["lines"] == [f"+{line}" for line in lines[:8]]
    assert (new["content"]["added"], new["content"]["left_out"]) == (200, 192)
    (whole,) = memory.run("diff", range="seq:1..", full=True)["diff"]["artifacts"]
    assert len(whole["content"]["lines"]) == 200 and whole["content"]["left_out"] == 0
    seq = memory.run("log", limit=1)["items"][0]["seq"]
    memory.run(
        "artifact.revise",
        artifact_id=document["artifact_id"],
        if_revision=document["revision_id"],
        content={"type": "text", "data": "".join(f"{line}!\n" for line in lines[:20]) + text},
    )
    (revised,) = compared(memory, f"seq:{seq}..")["diff"]["artifacts"]
    assert revised["content"]["added"] == 20 and len(revised["content"]["lines"]) > 20


def test_a_draft_is_a_state(memory: Memory) -> None:
    """What merging it would bring, with the conflicts, although its objects live in another repository."""
    claim = memory.claim("The port is 8080.")
    name = claim["claim_id"]
    memory.run(
        "claim.revise", claim_id=name, if_revision=claim["revision_id"], statement="The port is 9443.", draft="ports"
    )
    memory.run("claim.revise", claim_id=name, if_revision=claim["revision_id"], statement="The port is 8443.")
    answer = compared(memory, "draft:ports")
    assert (answer["before"], answer["after"], answer["counts"]["operations"]) == ("@", "draft:ports", 1)
    assert changes(answer) == {name: "disputed"}  # our revision came later and is shown on
    (case,) = answer["diff"]["conflicts"]
    assert (case["kind"], case["change"]) == ("fork", "opened")
    assert {(side["text"], side["arrives"]) for side in case["sides"]} == {
        ("The port is 9443.", True),
        ("The port is 8443.", False),
    }
    assert {side["author"] for side in case["sides"]} == {"Test Person <test@example.org>"}
    assert memory.run("undo", targets=["@last"])["cancelled"][0]["entity"] == name
    assert memory.run("log", entity_id=name, draft="ports")["items"][0]["commit"] is not None
