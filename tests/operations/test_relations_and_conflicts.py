"""Relations are immutable edges; what they do to their ends is derived, and disagreement is kept in view."""

from __future__ import annotations

import pytest

from tests.operations.conftest import SCOPE, Memory


def relate(memory: Memory, source: str, relation: str, target: str, **fields: object) -> str:
    """Put a relation and return its id."""
    written = memory.run("relation.put", source=source, relation=relation, target=target, **fields)
    return str(written["relation_id"])


@pytest.mark.parametrize("relation", ["derived_from", "supports", "references", "duplicates"])
def test_plain_relations_change_no_lifecycle(memory: Memory, relation: str) -> None:
    """Both ends stay active."""
    one, two = memory.claim("One")["claim_id"], memory.artifact("two")["artifact_id"]
    relate(memory, one, relation, two, metadata={"why": "test"})
    assert memory.run("claim.get", claim_id=one)["status"] == "active"
    listed = memory.run("relation.list", anchor=two)["items"]
    assert [(item["source"], item["relation"], item["metadata"]) for item in listed] == [
        (one, relation, {"why": "test"})
    ]


def test_superseding_ends_the_target(memory: Memory) -> None:
    """The source is the new one."""
    old, new = memory.claim("Old")["claim_id"], memory.claim("New")["claim_id"]
    relate(memory, new, "supersedes", old)
    shown = memory.run("claim.get", claim_id=old)
    assert (shown["status"], shown["superseded_by"]) == ("superseded", [new])
    assert memory.run("claim.get", claim_id=new)["status"] == "active"


def test_a_contradiction_keeps_both_sides_and_opens_one_case(memory: Memory) -> None:
    """Neither side is overwritten; the case freezes both revisions."""
    yes, no = memory.claim("The cache is on"), memory.claim("The cache is off")
    relate(memory, yes["claim_id"], "contradicts", no["claim_id"])
    (case,) = memory.run("conflict.list")["items"]
    assert {side["statement"] for side in case["frozen"]} == {"The cache is on", "The cache is off"}
    assert (case["status"], case["kind"], len(case["events"])) == ("open", "contradicts", 1)
    for side in (yes, no):
        shown = memory.run("claim.get", claim_id=side["claim_id"])
        assert (shown["disputed"], shown["open_conflicts"]) == (True, [case["case_id"]])


def test_revising_a_side_stales_the_case_and_opens_a_fresh_one(memory: Memory) -> None:
    """At most one open case per relation, over both current revisions."""
    yes, no = memory.claim("On"), memory.claim("Off")
    relate(memory, yes["claim_id"], "contradicts", no["claim_id"])
    old = memory.run("conflict.list")["items"][0]["case_id"]
    memory.run("claim.revise", claim_id=no["claim_id"], if_revision=no["revision_id"], statement="Off at night")
    (case,) = memory.run("conflict.list")["items"]
    assert case["case_id"] != old
    assert {side["statement"] for side in case["frozen"]} == {"On", "Off at night"}
    stale = memory.run("conflict.get", case_id=old)
    assert stale["status"] == "stale"
    assert {side["statement"] for side in stale["frozen"]} == {"On", "Off"}
    assert [event["event"] for event in stale["events"]] == ["opened", "staled"]
    assert len(memory.run("conflict.list", include_stale=True)["items"]) == 2


def test_retraction_resolves(memory: Memory) -> None:
    """A side that ended ends the disagreement."""
    yes, no = memory.claim("On"), memory.claim("Off")
    relate(memory, yes["claim_id"], "contradicts", no["claim_id"])
    case = memory.run("conflict.list")["items"][0]["case_id"]
    memory.run("claim.retract", claim_id=no["claim_id"], if_revision=no["revision_id"], reason="measured")
    assert memory.run("conflict.list")["items"] == []
    assert memory.run("conflict.get", case_id=case)["status"] == "resolved"
    assert memory.run("claim.get", claim_id=yes["claim_id"])["disputed"] is False


def test_supersession_resolves(memory: Memory) -> None:
    """A side that was replaced ends the disagreement too."""
    yes, no = memory.claim("On"), memory.claim("Off")
    relate(memory, yes["claim_id"], "contradicts", no["claim_id"])
    relate(memory, yes["claim_id"], "supersedes", no["claim_id"])
    assert memory.run("conflict.list")["items"] == []
    assert memory.run("conflict.list", include_stale=True)["items"][0]["status"] == "resolved"


def test_lists_page_without_splitting_or_repeating(memory: Memory) -> None:
    """Following the cursor visits each edge once, newest first; plain sequence numbers work too."""
    hub = memory.claim("Hub")["claim_id"]
    made = [relate(memory, memory.claim(f"Spoke {n}")["claim_id"], "supports", hub) for n in range(7)]
    seen: list[str] = []
    cursor = None
    while True:
        page = memory.run("relation.list", anchor=hub, limit=3, cursor=cursor)
        seen += [item["relation_id"] for item in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == made[::-1]
    first = memory.run("relation.list", anchor=hub, limit=3)
    rest = memory.run("relation.list", anchor=hub, before_commit_seq=first["next_before_commit_seq"])
    assert [item["relation_id"] for item in rest["items"]] == made[:4][::-1]


def test_direction_and_type_filter(memory: Memory) -> None:
    """Out means that the anchor is the source."""
    one, two, three = (memory.claim(text)["claim_id"] for text in ("One", "Two", "Three"))
    out, into = relate(memory, one, "supports", two), relate(memory, three, "references", one)

    def listed(**fields: object) -> list[str]:
        return [item["relation_id"] for item in memory.run("relation.list", anchor=one, **fields)["items"]]

    assert listed(direction="out") == [out]
    assert listed(direction="in") == [into]
    assert listed(relation="supports") == [out]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"relation": "likes"}, "INVALID_REQUEST"),
        ({"target": "clm_" + "0" * 26}, "NOT_FOUND"),
        ({"target": "rel_" + "0" * 26}, "INVALID_REQUEST"),
        ({"target": "../x"}, "INVALID_REQUEST"),
        ({"metadata": {"a": "x" * 20_000}}, "LIMIT_EXCEEDED"),
    ],
)
def test_relations_that_do_not_fit_are_refused(memory: Memory, change: dict[str, object], code: str) -> None:
    """Unknown types, unknown ends, ends of another kind, oversized metadata."""
    one, two = memory.claim("One")["claim_id"], memory.claim("Two")["claim_id"]
    fields: dict[str, object] = {"source": one, "relation": "supports", "target": two, **change}
    assert memory.refused("relation.put", **fields)["code"] == code


def test_an_end_is_not_its_own_other_end(memory: Memory) -> None:
    """A relation has two ends."""
    one = memory.claim("One")["claim_id"]
    assert memory.refused("relation.put", source=one, relation="supports", target=one)["code"] == "INVALID_REQUEST"


def test_both_ends_must_be_ours(memory: Memory) -> None:
    """SCOPE_VIOLATION where one end belongs to another project."""
    other = {"workspace_id": SCOPE["workspace_id"], "project_id": "elsewhere"}
    ours, theirs = memory.claim("Ours")["claim_id"], memory.claim("Theirs", context=other)["claim_id"]
    error = memory.refused("relation.put", source=ours, relation="supports", target=theirs)
    assert error["code"] == "SCOPE_VIOLATION"


def test_a_pin_shows_the_artifact_but_not_its_graph(memory: Memory) -> None:
    """A pinned foreign artifact may be an anchor; the edges of its own project stay out of sight."""
    other = {"workspace_id": SCOPE["workspace_id"], "project_id": "elsewhere"}
    artifact = memory.artifact("theirs", context=other)["artifact_id"]
    claim = memory.claim("Theirs", context=other)["claim_id"]
    memory.run("relation.put", context=other, source=claim, relation="references", target=artifact)
    pinned = {**SCOPE, "pins": [artifact]}
    assert memory.run("relation.list", context=pinned, anchor=artifact)["items"] == []
    broad = memory.run(
        "relation.list", context=pinned, anchor=artifact, horizon="workspace", reason="looking for its use"
    )
    assert len(broad["items"]) == 1


def test_broad_views_need_a_reason_and_are_echoed(memory: Memory) -> None:
    """A horizon holds for one request and is said in its answer."""
    assert memory.refused("conflict.list", horizon="workspace")["code"] == "INVALID_REQUEST"
    assert memory.refused("conflict.list", horizon="galaxy", reason="x")["code"] == "INVALID_REQUEST"
    echoed = memory.envelope("conflict.list", horizon="workspace", reason="audit")["context"]
    assert (echoed["horizon"], echoed["broadened"]) == ("workspace", True)
    assert memory.envelope("conflict.list")["context"]["broadened"] is False


def test_any_pair_of_revisions_stays_addressable(memory: Memory) -> None:
    """A case is a function of its relation and two revisions, whether or not they were ever current together."""
    yes, no = memory.claim("On"), memory.claim("Off")
    old = no["revision_id"]
    new = memory.run("claim.revise", claim_id=no["claim_id"], if_revision=old, statement="Off at night")["revision_id"]
    relation = relate(memory, yes["claim_id"], "contradicts", no["claim_id"])

    def case(target: str) -> dict[str, object]:
        return memory.run(
            "conflict.get", relation_id=relation, source_revision_id=yes["revision_id"], target_revision_id=target
        )

    assert case(new) == memory.run("conflict.get", case_id=memory.run("conflict.list")["items"][0]["case_id"])
    assert (case(old)["status"], case(old)["events"]) == ("stale", [])
    assert memory.refused("conflict.get")["code"] == "INVALID_REQUEST"
    wrong = {"relation_id": relation, "source_revision_id": old, "target_revision_id": old}
    assert memory.refused("conflict.get", **wrong)["code"] == "NOT_FOUND"


def test_a_task_cannot_end_what_others_see(memory: Memory) -> None:
    """A task's claim may not supersede a project-wide one: elsewhere nothing would be left to see."""
    task = {**SCOPE, "task_id": "task-a"}
    ours, theirs = memory.claim("For all"), memory.claim("For the task", context=task)
    fields = {"source": theirs["claim_id"], "relation": "supersedes", "target": ours["claim_id"]}
    assert memory.refused("relation.put", context=task, **fields)["code"] == "SCOPE_VIOLATION"
    memory.run("relation.put", context=task, **{**fields, "source": ours["claim_id"], "target": theirs["claim_id"]})


def test_the_same_edge_is_put_once(memory: Memory) -> None:
    """A second put of an equal edge answers with the first, and writes nothing."""
    one, two = memory.claim("One")["claim_id"], memory.claim("Two")["claim_id"]
    fields = {"source": one, "relation": "supports", "target": two}
    first, tip = memory.run("relation.put", **fields), memory.tip()
    again = memory.run("relation.put", **fields)
    assert (again["relation_id"], again["existed"], memory.tip()) == (first["relation_id"], True, tip)


def test_supersession_does_not_run_in_circles(memory: Memory) -> None:
    """What is superseded, directly or through others, cannot supersede in turn."""
    names = [memory.claim(text)["claim_id"] for text in ("One", "Two", "Three")]
    relate(memory, names[1], "supersedes", names[0])
    relate(memory, names[2], "supersedes", names[1])
    fields = {"source": names[0], "relation": "supersedes", "target": names[2]}
    assert memory.refused("relation.put", **fields)["code"] == "INVALID_REQUEST"
