"""`stale` lists what has changed or gone, the worst first; `confirm` says that it still holds; `status` counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.operations.coding import LINES, Code, coded
from tests.operations.divided import copied, united


@pytest.fixture
def code(tmp_path: Path) -> Code:
    """A memory and a file of code."""
    return coded(tmp_path / "project")


def listed(page: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the texts and states of a page."""
    return [(found["item"]["text"], found["state"]) for found in page["items"]]


def disturb(code: Code) -> None:
    """Change lines 3 and 5, remove 10 to 12, by a commit."""
    lines = list(LINES)
    lines[2], lines[4] = "def step_3(): return 3 + 0", "def step_5(): return 5 + 0"
    del lines[9:12]
    code.write("src/a.py", lines)
    code.commit("disturbed")


def test_the_worst_first(code: Code) -> None:
    """Gone before drifted; what is unchanged is only counted."""
    for text, lines in (("drifted", "3"), ("gone", "10-12"), ("fresh", "20"), ("also drifted", "5")):
        code.tied(text, "src/a.py", lines)
    disturb(code)
    page = code.run("stale")
    assert listed(page)[0] == ("gone", "gone") and sorted(listed(page)[1:]) == [
        ("also drifted", "drifted"),
        ("drifted", "drifted"),
    ]
    assert [page[name] for name in ("fresh", "drifted", "gone", "unmerged")] == [1, 2, 1, 0]
    assert listed(code.run("stale", state="gone")) == [("gone", "gone")]
    assert listed(code.run("stale", at="HEAD~1")) == []
    assert "difference" not in page["items"][1]["anchors"][0]
    assert "+def step_" in code.run("stale", differences=True)["items"][1]["anchors"][0]["difference"]


def test_pages(code: Code) -> None:
    """A cursor goes on where a page ended, whatever its limit; each item comes once."""
    for number in range(5):
        code.tied(f"claim {number}", "src/a.py", "3")
    disturb(code)
    whole = listed(code.run("stale"))
    found, cursor = [], None
    while True:
        page = code.run("stale", limit=2, **({"cursor": cursor} if cursor else {}))
        found += listed(page)
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == whole and len(whole) == 5
    assert code.refused("stale", cursor="nonsense")["code"] == "INVALID_REQUEST"


def test_what_is_not_merged_is_counted_apart(code: Code) -> None:
    """Code of another branch is not here; that makes no claim stale."""
    code.git("switch", "-q", "-c", "feature")
    code.write("src/feature.py", ["def feature(): pass"])
    code.commit("feature")
    code.tied("of the feature", "src/feature.py", "1")
    code.git("switch", "-q", "main")
    assert (listed(code.run("stale")), code.run("stale")["unmerged"]) == ([], 1)
    assert code.run("status")["code"] == {"fresh": 0, "drifted": 0, "gone": 0, "unmerged": 1}


def test_status_counts_at_head(code: Code) -> None:
    """Nothing where nothing is tied; then the counts, kept until the code or the memory changes."""
    code.claim("tied to nothing")
    assert code.run("status")["code"] is None
    code.tied("drifted", "src/a.py", "3"), code.tied("fresh", "src/a.py", "20")
    fresh = {"fresh": 2, "drifted": 0, "gone": 0, "unmerged": 0}
    assert code.run("status")["code"] == fresh
    code.change("src/a.py", 3, "def step_3(): return 33")
    assert code.run("status")["code"] == fresh  # not committed
    code.commit()
    assert code.run("status")["code"] == {"fresh": 1, "drifted": 1, "gone": 0, "unmerged": 0}
    code.tied("one more", "src/a.py", "20")
    assert code.run("status")["code"]["fresh"] == 2


def test_status_counts_once(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was counted is not counted again."""
    code.tied("fresh", "src/a.py", "20")
    counted = code.run("status")["code"]
    monkeypatch.setattr("memgit.operations.code_trust._counted", None)
    assert code.run("status")["code"] == counted


# Confirm


def test_confirming_makes_anchors_anew(code: Code) -> None:
    """A confirmed claim says the same and is tied to the present text, where that is now."""
    claim = code.tied("Step three counts.", "src/a.py", "3", markers=["kept"], confidence=0.5)
    before = code.run("claim.get", claim_id=claim)
    code.write("src/a.py", ["# one more", *LINES[:2], "def step_3(): return 3 + 0", *LINES[3:]])
    code.commit("drifted")
    (item,) = code.run("confirm", entity_ids=[claim])["items"]
    after = code.run("claim.get", claim_id=claim)
    assert (item["entity_id"], item["text"], item["revision_id"]) == (claim, "Step three counts.", after["revision_id"])
    assert (item["anchors"][0]["before"]["state"], item["anchors"][0]["kept"]) == ("drifted", True)
    assert after["revision_number"] == 2 and after["code_state"]["state"] == "fresh"
    assert (after["anchors"][0]["start_line"], after["anchors"][0]["text"]) == (4, "def step_3(): return 3 + 0\n")
    assert after["anchors"][0]["commit"] == code.git("rev-parse", "HEAD")
    same = ("statement", "claim_type", "markers", "confidence", "evidence")
    assert [before[name] for name in same] == [after[name] for name in same]
    assert listed(code.run("stale")) == []


def test_a_symbol_is_confirmed_as_it_is_defined_now(code: Code) -> None:
    """What was written into a function that a claim is about has to be looked at, and belongs to it once confirmed."""
    body = ["import os", "", "def total(order):", "    return order.total", "", "def other(): pass"]
    code.write("src/b.py", body)
    code.commit("function")
    code.git("branch", "-f", "before")
    claim = code.claim("The total is the order's.", anchors=[{"path": "src/b.py", "symbol": "total"}])["claim_id"]
    label = code.claim("Of one line.", anchors=[{"path": "src/b.py", "lines": "4", "symbol": "total"}])["claim_id"]
    body[4:4] = ["    order.close()", "    audit(order)"]
    for is_committed in (False, True):
        code.write("src/b.py", body)
        if is_committed:
            code.commit("appended")
        (told,) = code.state(claim)["anchors"]
        assert (told["state"], told["now"]["start_line"], told["now"]["end_line"]) == ("drifted", 3, 6)
        assert code.word(label) == "fresh"
        found = code.run("check", since="before")["findings"]
        assert [one["item"]["entity_id"] for one in found] == [claim]
    code.run("confirm", entity_ids=[claim, label])
    (anchor,) = code.run("claim.get", claim_id=claim)["anchors"]
    assert (anchor["symbol"], anchor["start_line"], anchor["end_line"]) == ("total", 3, 6)
    (anchor,) = code.run("claim.get", claim_id=label)["anchors"]
    assert (anchor["symbol"], anchor["start_line"], anchor["end_line"]) == ("total", 4, 4)
    assert code.word(claim) == "fresh" and code.run("check", since="before")["ok"]


def test_what_is_gone_cannot_be_confirmed(code: Code) -> None:
    """It is refused, and nothing of the request is written; `drop_gone` lets such an anchor go."""
    fine, gone = code.tied("fine", "src/a.py", "20"), code.tied("gone", "src/a.py", "10-12")
    disturb(code)
    error = code.refused("confirm", entity_ids=[fine, gone])
    assert error["code"] == "INVALID_REQUEST" and "src/a.py:10-12" in error["message"] and "--anchor" in error["hint"]
    items = code.run("confirm", entity_ids=[fine, gone], drop_gone=True)["items"]
    assert [item["anchors"][0]["kept"] for item in items] == [True, False]
    assert code.run("claim.get", claim_id=gone)["anchors"] == []


def test_documents_and_claims_without_anchors(code: Code) -> None:
    """A document keeps its bytes; a claim without anchors is said again at the present commit."""
    artifact = code.artifact("A design.", anchors=[{"path": "src/a.py", "lines": "3"}])["artifact_id"]
    claim = code.claim("Tied to nothing.")["claim_id"]
    disturb(code)
    code.run("confirm", entity_ids=[artifact, claim])
    got = code.run("artifact.get", artifact_id=artifact)
    assert (got["content"]["data"], got["artifact"]["code_state"]["state"]) == ("A design.", "fresh")
    assert code.run("claim.get", claim_id=claim)["code"]["head"] == code.git("rev-parse", "HEAD")


def test_it_is_a_revision_like_any_other(code: Code) -> None:
    """It stands in the log, is undone, and its claim keeps its layer."""
    claim = code.tied("Step three counts.", "src/a.py", "3")
    local = code.tied("Here only.", "src/a.py", "3", layer="local")
    disturb(code)
    code.run("confirm", entity_ids=[claim])
    code.run("confirm", entity_ids=[local])
    assert code.run("claim.get", claim_id=local)["layer"] == "local"
    assert [entry["operations"][0][0] for entry in code.run("log", entity_id=claim)["items"]] == [
        "claim.revise",
        "claim.assert",
    ]
    assert code.word(claim) == "fresh"
    code.run("undo", targets=[claim])
    assert code.word(claim) == "drifted"


def test_two_who_confirm_at_once(code: Code) -> None:
    """Two clones' confirmations fork, as two revisions do; confirming once more settles it, since both say the same."""
    claim = code.tied("Step three counts.", "src/a.py", "3")
    disturb(code)
    other = copied(code)
    for one in (code, other):
        one.run("confirm", entity_ids=[claim])
    united(code, other)
    assert len(code.run("claim.get", claim_id=claim)["heads"]) == 2
    code.run("confirm", entity_ids=[claim])
    view = code.run("claim.get", claim_id=claim)
    assert (len(view["heads"]), view["disputed"], view["code_state"]["state"]) == (1, False, "fresh")


@pytest.mark.parametrize("wrong", [[], ["clm_nonsense"], ["rel_01jd0000000000000000000000"]])
def test_what_is_no_claim_is_refused(code: Code, wrong: list[str]) -> None:
    """No ids, no id, another kind."""
    assert code.refused("confirm", entity_ids=wrong)["code"] == "INVALID_REQUEST"


def test_what_ended_is_refused(code: Code) -> None:
    """A retracted claim cannot be confirmed, nor one that is not there."""
    made = code.claim("x")
    code.run("claim.retract", claim_id=made["claim_id"], if_revision=made["revision_id"], reason="x")
    assert "retracted" in code.refused("confirm", entity_ids=[made["claim_id"]])["message"]
    assert code.refused("confirm", entity_ids=["clm_01jd0000000000000000000000"])["code"] == "NOT_FOUND"
