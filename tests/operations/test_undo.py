"""`undo`: operations that cancel operations. Nothing is rewritten, an undo can be undone, and what changes is said."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memgit.records.fold import fold
from memgit.records.op import Op
from memgit.records.state import State
from tests.operations.conftest import Memory
from tests.operations.divided import forked, unseen_edit
from tests.records.strategies import World, law, undone, worlds


def undo(memory: Memory, *targets: str, **fields: Any) -> dict[str, Any]:
    """Undo and return what was said."""
    return memory.run("undo", targets=list(targets), **fields)


def history(memory: Memory, entity: str) -> list[dict[str, Any]]:
    """Return the operations of an entity in words, newest first."""
    return [said for entry in memory.run("log", entity_id=entity, limit=100)["items"] for said in entry["said"]]


def shown(state: State) -> dict[str, object]:
    """Return what a state says of its entities, but for the operations themselves."""
    entities = {
        name: (one.status, one.lineage.heads, one.disputed, one.superseded_by, one.open_cases, one.lineage.acknowledged)
        for name, one in state.entities.items()
    }
    relations = {name: one.void for name, one in state.relations.items()}
    return {
        "entities": entities,
        "relations": relations,
        "open": [c.id for c in state.cases.values() if c.status == "open"],
    }


@law
@given(worlds(extra=("break a rule",)), st.integers(0, 10_000))
def test_undoing_the_undo_of_any_operation_restores_the_state(world: World, number: int) -> None:
    """Whatever was undone, in whatever store: the undo of that undo brings everything back."""
    ops = {op.digest: op for clone in world.clones for op in clone.ops.values()}
    before = fold(ops.values())
    notes = {note.digest for one in before.entities.values() for note in one.lineage.ops if not note.void}
    notes |= {note.digest for one in before.relations.values() for note in one.ops if not note.void}
    assume(notes)
    chosen = ops[sorted(notes)[number % len(notes)]]
    first: Op = undone(1 + max(op.seq for op in ops.values()), chosen)
    second = undone(first.seq + 1, first)
    assert shown(fold([*ops.values(), first, second])) == shown(before)


def test_a_retraction_is_taken_back_and_done_again(memory: Memory) -> None:
    """An entity means its last operation that is in force: the retraction, then the undo."""
    claim = memory.claim("The port is 8080.")
    name = claim["claim_id"]
    memory.run("claim.retract", claim_id=name, reason="wrong", if_revision=claim["revision_id"])
    done = undo(memory, name, reason="it was right")
    assert [(one["verb"], one["entity"]) for one in done["cancelled"]] == [("retract", name)]
    assert [(one["change"], one["status"], one["revision_number"]) for one in done["effects"]] == [
        ("restored", "active", 1)
    ]
    assert memory.run("claim.get", claim_id=name)["status"] == "active"
    again = undo(memory, name)
    assert [(one["verb"], one["digest"]) for one in again["cancelled"]] == [("undo", done["cancelled"][0]["undo"])]
    assert memory.run("claim.get", claim_id=name)["status"] == "retracted"
    assert [one["verb"] for one in history(memory, name)] == ["undo", "undo", "retract", "assert"]
    assert [one["reason"] for one in history(memory, name)] == [None, "it was right", "wrong", None]


def test_a_revision_is_taken_back(memory: Memory) -> None:
    """By its id, its digest, its citation: the claim is at the revision before, under its own number."""
    for form in ("revision", "digest", "citation"):
        claim = memory.claim("One")
        name = claim["claim_id"]
        new = memory.run("claim.revise", claim_id=name, if_revision=claim["revision_id"], statement="Two")[
            "revision_id"
        ]
        targets = {
            "revision": new,
            "digest": history(memory, name)[0]["digest"][:10],
            "citation": f"memoree://claim/{name}@{new}",
        }
        (effect,) = undo(memory, targets[form])["effects"]
        assert (effect["change"], effect["revision_id"], effect["revision_number"]) == (
            "revised",
            claim["revision_id"],
            1,
        )
        assert memory.run("claim.get", claim_id=name)["statement"] == "One"


def test_a_commit_is_taken_back_whole(memory: Memory) -> None:
    """`remember` wrote a note and a claim: both go, in one commit, and come back with one undo."""
    made = memory.run("remember", text="Deploys happen on Fridays.")
    commit = memory.tip()
    done = undo(memory, commit[:12])
    assert {(one["verb"], one["entity"]) for one in done["cancelled"]} == {
        ("put", made["artifact_id"]),
        ("assert", made["claim_id"]),
    }
    assert {one["status"] for one in done["effects"]} == {"void"}
    assert memory.git("rev-parse", "refs/memgit/store^") == commit
    back = undo(memory, "@last")
    assert {one["change"] for one in back["effects"]} == {"restored"}
    assert memory.run("claim.get", claim_id=made["claim_id"])["status"] == "active"


def test_a_commit_that_is_void_in_part_is_taken_back_in_the_rest(memory: Memory) -> None:
    """What was undone already is passed over; where nothing is left, that is said."""
    document = {"title": "deploys.md", "content": {"type": "text", "data": "Deploys happen on Fridays."}}
    made = memory.run("remember", text="Deploys happen on Fridays.", document=document)
    commit = memory.tip()
    undo(memory, made["claim_id"])
    assert [one["entity"] for one in undo(memory, commit)["cancelled"]] == [made["artifact_id"]]
    assert "undone already" in memory.refused("undo", targets=[commit])["message"]


def test_last_is_what_this_person_wrote_last(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else's write in between is not mine; an agent's is not its user's."""
    mine = memory.claim("Mine")["claim_id"]
    memory.git("config", "user.email", "other@example.invalid")
    memory.claim("Theirs")
    memory.git("config", "--unset", "user.email")
    monkeypatch.setenv("MEMGIT_AGENT", "helper")
    agents = memory.claim("The agent's")["claim_id"]
    monkeypatch.delenv("MEMGIT_AGENT")
    assert [one["entity"] for one in undo(memory, "@last")["cancelled"]] == [mine]
    monkeypatch.setenv("MEMGIT_AGENT", "helper")
    assert [one["entity"] for one in undo(memory, "@last")["cancelled"]] == [agents]


def test_last_is_found_without_the_log(memory: Memory) -> None:
    """A clone that packed its log, or is fresh, goes by the history."""
    mine = memory.claim("Mine")["claim_id"]
    shutil.rmtree(memory.directory / ".git" / "memgit" / "state" / "log")
    assert [one["entity"] for one in undo(memory, "@last")["cancelled"]] == [mine]


def test_a_relation_is_taken_back(memory: Memory) -> None:
    """What it superseded is active again, and a contradiction that it made is resolved."""
    old, new = memory.claim("Old")["claim_id"], memory.claim("New")["claim_id"]
    edge = memory.run("relation.put", source=new, relation="supersedes", target=old)["relation_id"]
    effects = {one["entity"]: one["change"] for one in undo(memory, edge)["effects"]}
    assert effects == {edge: "undone", old: "restored"}
    against = memory.run("relation.put", source=new, relation="contradicts", target=old)["relation_id"]
    (case,) = undo(memory, against)["conflicts"]
    assert (case["kind"], case["change"]) == ("contradicts", "resolved")
    (case,) = undo(memory, against)["conflicts"]
    assert case["change"] == "reopened"


def test_what_is_void_already_is_refused_by_name(memory: Memory) -> None:
    """The error names the undo to undo."""
    claim = memory.claim("One")
    done = undo(memory, claim["revision_id"])
    error = memory.refused("undo", targets=[claim["revision_id"]])
    assert error["code"] == "INVALID_REQUEST" and done["cancelled"][0]["undo"][:12] in error["hint"]
    undo(memory, done["cancelled"][0]["undo"])
    assert memory.run("claim.get", claim_id=claim["claim_id"])["status"] == "active"


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("clm_" + "0" * 26, "NOT_FOUND"),
        ("crev_" + "0" * 26, "NOT_FOUND"),
        ("abcdef012345", "NOT_FOUND"),
        ("case_" + "0" * 32, "INVALID_REQUEST"),
        ("the last thing", "INVALID_REQUEST"),
        ("memoree://claim/nonsense", "INVALID_REQUEST"),
        ("src_" + "0" * 26, "NOT_FOUND"),
    ],
)
def test_what_names_nothing_is_refused(memory: Memory, target: str, code: str) -> None:
    """Unknown ids and words are errors that say what may be given."""
    memory.claim("One")
    assert memory.refused("undo", targets=[target])["code"] == code
    assert memory.refused("undo", targets=[])["code"] == "INVALID_REQUEST"


def test_a_short_beginning_of_several_is_refused(memory: Memory) -> None:
    """Four characters may begin two digests: nothing is guessed."""
    claim = memory.claim("One")
    for number in range(40):
        claim = memory.run(
            "claim.revise",
            claim_id=claim["claim_id"],
            if_revision=claim["revision_id"],
            statement=f"Statement {number}",
        )
    shared = claim["revision_id"][:10]
    assert "begins several" in memory.refused("undo", targets=[shared])["message"]


def test_the_end_of_an_id_may_look_like_a_digest(memory: Memory) -> None:
    """Where no operation and no commit begins so, six characters of an id name it, whatever they are."""
    entity = next(
        name
        for number in range(2_000)
        if not set((name := memory.claim(f"Claim {number}")["claim_id"])[-6:]) - set("0123456789abcdef")
    )
    (cancelled,) = undo(memory, entity[-6:])["cancelled"]
    assert (cancelled["entity"], cancelled["verb"]) == (entity, "assert")
    assert memory.refused("undo", targets=["0" * 12])["code"] == "NOT_FOUND"


def test_another_project_is_out_of_reach(memory: Memory) -> None:
    """Only where the entity lives may it be changed."""
    claim = memory.claim("One")["claim_id"]
    elsewhere = {"workspace_id": "wsp-tests", "project_id": "prj-other"}
    assert memory.refused("undo", targets=[claim], context=elsewhere)["code"] == "SCOPE_VIOLATION"


def test_if_revision_is_honoured(memory: Memory) -> None:
    """Somebody who looked at another revision is told; it goes with one claim or artifact alone."""
    claim = memory.claim("One")
    name, old = claim["claim_id"], claim["revision_id"]
    new = memory.run("claim.revise", claim_id=name, if_revision=old, statement="Two")["revision_id"]
    assert memory.refused("undo", targets=[name], if_revision=old)["code"] == "REVISION_CONFLICT"
    other = memory.claim("Other")["claim_id"]
    assert memory.refused("undo", targets=[name, other], if_revision=new)["code"] == "INVALID_REQUEST"
    assert undo(memory, name, if_revision=new)["effects"][0]["revision_id"] == old


def test_evidence_of_a_live_claim_stays(memory: Memory) -> None:
    """Unless it is forced, or the claim goes too, or has moved on."""
    made = memory.run("remember", text="Deploys happen on Fridays.")
    error = memory.refused("undo", targets=[made["artifact_id"]])
    assert error["details"]["cited_by"] == [made["claim_id"]] and "--force" in error["hint"]
    assert undo(memory, made["artifact_id"], force=True)["effects"][0]["status"] == "void"
    undo(memory, made["artifact_id"])
    undo(memory, made["artifact_id"], made["claim_id"])
    assert memory.run("claim.get", claim_id=made["claim_id"])["status"] == "void"


def test_a_key_undoes_once(memory: Memory) -> None:
    """A retry gives the first outcome and does not redo."""
    claim = memory.claim("One")["claim_id"]
    first = memory.run("undo", targets=[claim], key="once")
    tip = memory.tip()
    assert memory.run("undo", targets=[claim], key="once") == first
    assert memory.tip() == tip


def test_an_undo_that_makes_a_fork_says_so(memory: Memory) -> None:
    """Taking back the revision that settled a fork opens the case again."""
    claim = memory.claim("One")
    name = claim["claim_id"]
    heads = forked(memory, claim)
    memory.run("claim.revise", claim_id=name, if_revisions=heads, statement="Both")
    done = undo(memory, name)
    assert [(case["kind"], case["change"]) for case in done["conflicts"]] == [("fork", "reopened")]
    assert "forked" in done["effects"][0]["sentence"]


def test_an_acknowledgement_can_be_taken_back(memory: Memory) -> None:
    """The fold counts an acknowledgement until it is undone; then the case is open again."""
    claim = memory.claim("So it is.")
    case = unseen_edit(memory, claim)
    memory.run("conflict.acknowledge", case_id=case)
    (opened,) = undo(memory, claim["claim_id"])["conflicts"]
    assert (opened["case_id"], opened["change"]) == (case, "reopened")


def test_a_receipt_does_not_repeat_the_text(memory: Memory) -> None:
    """What somebody takes back, a secret perhaps, is not written once more."""
    claim = memory.claim("The vault opens with a sesame seed.")["claim_id"]
    memory.run("undo", targets=[claim], key="once")
    added = memory.git("diff", "--name-only", "refs/memgit/store^", "refs/memgit/store").split("\n")
    assert any(path.startswith("receipts/") for path in added)
    assert not any("sesame" in memory.git("show", f"refs/memgit/store:{path}") for path in added)
