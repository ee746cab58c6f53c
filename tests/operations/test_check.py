"""`check`: a change that touches code which memory is about is refused until somebody has looked. It only reads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.operations.coding import LINES, Code, coded
from tests.operations.conftest import Memory


@pytest.fixture
def code(tmp_path: Path) -> Code:
    """A memory and a file of code, with a branch `change` that begins at main."""
    made = coded(tmp_path / "project")
    made.git("switch", "-q", "-c", "change")
    return made


def checked(code: Memory, **fields: Any) -> dict[str, Any]:
    """Return the report of a check, after seeing that its status fits and that it wrote nothing."""
    refs = code.git("for-each-ref")
    report = code.run("check", **{"since": "main"} | fields)
    assert code.git("for-each-ref") == refs
    assert report["ok"] is (not report["findings"])
    return report


def texts(report: dict[str, Any]) -> list[str]:
    """Return what is to be looked at."""
    return [found["item"]["text"] for found in report["findings"]]


def revise(code: Code, claim: str, statement: str) -> None:
    """Give a claim another text."""
    head = code.run("claim.get", claim_id=claim)["revision_id"]
    code.run("claim.revise", claim_id=claim, if_revision=head, statement=statement)


def test_a_change_that_touches_nothing_is_fine(code: Code) -> None:
    """Other lines, other files, a file that was moved, lines that were moved: nobody needs to look."""
    code.tied("kept", "src/a.py", "20")
    code.write("src/b.py", ["def b(): pass", "def more(): pass"])
    code.commit("before")
    code.git("branch", "-f", "main")
    code.tied("moved", "src/b.py", "1-2")
    code.write("src/a.py", ["# a new first line", *LINES[:-1], "other()"])
    code.git("mv", "src/b.py", "src/c.py")
    code.commit("change")
    report = checked(code)
    assert (report["ok"], report["changed_files"], report["checked"]) == (True, 3, 2)
    assert report["base"] == code.git("rev-parse", "main")


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_change_that_touches_it_fails(code: Code, is_committed: bool) -> None:
    """Changed and removed lines, committed or not."""
    for text, lines in (("changed", "5"), ("removed", "10-12"), ("kept", "20")):
        code.tied(text, "src/a.py", lines)
    lines = [*LINES]
    lines[4] = "def step_5(): return 55"
    del lines[9:12]
    code.write("src/a.py", lines)
    if is_committed:
        code.commit("change")
    report = checked(code, differences=True)
    assert sorted(texts(report)) == ["changed", "removed"]
    assert "+def step_5(): return 55" in report["findings"][0]["anchors"][0]["difference"]


@pytest.mark.parametrize("how", ["confirm", "revise", "retract", "supersede"])
def test_until_somebody_has_looked(code: Code, how: str) -> None:
    """Confirmed, revised, retracted or superseded after the change: it passes."""
    claim = code.tied("Step five is five.", "src/a.py", "5")
    code.change("src/a.py", 5, "def step_5(): return 55")
    code.commit("change")
    assert texts(checked(code)) == ["Step five is five."]
    if how == "confirm":
        code.run("confirm", entity_ids=[claim])
    elif how == "revise":
        revise(code, claim, "Step five is fifty-five.")
    elif how == "retract":
        head = code.run("claim.get", claim_id=claim)["revision_id"]
        code.run("claim.retract", claim_id=claim, if_revision=head, reason="x")
    else:
        new = code.tied("Step five is fifty-five.", "src/a.py", "5")
        code.run("relation.put", source=new, target=claim, relation="supersedes")
    report = checked(code)
    assert report["ok"] and report["settled"] == (1 if how in ("confirm", "revise") else 0)


def test_a_change_after_that_counts_again(code: Code) -> None:
    """What was confirmed and changed once more has not been looked at."""
    claim = code.tied("Step five is five.", "src/a.py", "5")
    code.change("src/a.py", 5, "def step_5(): return 55")
    code.commit("change")
    code.run("confirm", entity_ids=[claim])
    code.change("src/a.py", 5, "def step_5(): return 555")
    code.commit("again")
    assert texts(checked(code)) == ["Step five is five."]


def test_what_was_made_with_the_change_must_hold_its_end(code: Code) -> None:
    """A claim about the change's own code is fine, until a later commit of the change leaves it behind."""
    code.write("src/new.py", ["def new(): return 1", "def more(): pass"])
    code.commit("new code")
    code.tied("New is one.", "src/new.py", "1")
    assert checked(code)["ok"]
    code.change("src/new.py", 1, "def new(): return 2")
    code.commit("left behind")
    assert texts(checked(code)) == ["New is one."]


def test_what_had_drifted_before_is_not_this_changes(code: Code) -> None:
    """Only what the change itself touches; if it changes the same lines once more, it does."""
    code.tied("Step five is five.", "src/a.py", "5")
    code.change("src/a.py", 5, "def step_5(): return 55")
    code.commit("before")
    code.git("branch", "-f", "main")
    code.change("src/a.py", 20, "other()")
    code.commit("change")
    assert checked(code)["ok"]
    code.change("src/a.py", 5, "def step_5(): return 555")
    code.commit("the same lines")
    assert texts(checked(code)) == ["Step five is five."]


def test_main_may_go_on(code: Code) -> None:
    """What main did since the branch left it is no part of the change."""
    code.tied("Step five is five.", "src/a.py", "5")
    code.write("src/b.py", ["pass"])
    code.commit("change")
    code.git("switch", "-q", "main")
    code.change("src/a.py", 5, "def step_5(): return 55")
    code.commit("main goes on")
    code.git("switch", "-q", "change")
    report = checked(code)
    assert report["ok"] and report["base"] == code.git("merge-base", "main", "change")


def test_what_is_not_merged_is_left_out(code: Code) -> None:
    """A claim about code that only another branch has is not the change's to look at."""
    code.git("switch", "-q", "-c", "other", "main")
    code.change("src/a.py", 5, "def step_5(): return 50")
    code.commit("other")
    code.tied("Of the other branch.", "src/a.py", "5")
    code.git("switch", "-q", "change")
    code.change("src/a.py", 5, "def step_5(): return 55")
    code.commit("change")
    report = checked(code)
    assert report["ok"] and report["checked"] == 1


def squashed(code: Code) -> str:
    """Learn something on a branch, squash it into main with more, and change that code; return the claim."""
    body = ["def total(order, customer):", "    check(order)", "    return order.total * customer.rate", "# the end"]
    code.git("switch", "-q", "-c", "feature", "main")
    code.write("src/b.py", body)
    code.commit("feature")
    claim = code.tied("The rate is the customer's.", "src/b.py", "1-3")
    code.git("switch", "-q", "main")
    code.git("merge", "-q", "--squash", "feature")
    code.write("src/b.py", [*body, "# with more"])
    code.commit("squashed, with more")
    code.git("switch", "-q", "-C", "change")
    code.change("src/b.py", 3, "    return order.total * customer.rate + 7")
    code.commit("change")
    return claim


def test_what_a_squash_merge_brought_counts(code: Code) -> None:
    """Code that is in the base belongs to this history, whatever became of the commit that it was tied at."""
    claim = squashed(code)
    assert texts(checked(code)) == ["The rate is the customer's."]
    revise(code, claim, "The rate is the customer's, and seven.")
    report = checked(code)
    assert (report["ok"], report["settled"]) == (True, 1)


def test_a_clone_without_the_squashed_branch(code: Code, tmp_path: Path) -> None:
    """As most CI jobs have it: the commit is not here, its code is. Changed code is drifted, not elsewhere."""
    squashed(code)
    clone = Memory(tmp_path / "clone")
    code.git("clone", "-q", "--branch", "main", "--single-branch", code.directory.as_uri(), str(clone.directory))
    clone.git("fetch", "-q", "origin", "+refs/memgit/store:refs/memgit/store", "change:change")
    clone.git("switch", "-q", "change")
    assert texts(checked(clone, since="origin/main")) == ["The rate is the customer's."]
    page = clone.run("stale")
    assert (page["drifted"], page["unmerged"]) == (1, 0)
    assert "[the code has changed since]: The rate" in clone.run("for", paths=["src/b.py"])["text"]


def test_unknown_revisions(code: Code) -> None:
    """An error, with what to do."""
    assert code.refused("check", since="no-such")["code"] == "NOT_FOUND"
    assert code.refused("check", since="main", at="no-such")["code"] == "NOT_FOUND"


def test_a_shallow_clone_says_what_it_cannot_see(code: Code, tmp_path: Path) -> None:
    """The base is named with what to fetch; what is there on both sides is told all the same."""
    code.tied("Step five is five.", "src/a.py", "5"), code.tied("Step nine is nine.", "src/a.py", "9-11")
    code.change("src/a.py", 5, "def step_5(): return 55")
    code.commit("change")
    shallow = Memory(tmp_path / "shallow")
    code.git("clone", "-q", "--depth=1", "--branch", "change", code.directory.as_uri(), str(shallow.directory))
    shallow.git("fetch", "-q", "origin", "+refs/memgit/store:refs/memgit/store")
    error = shallow.refused("check", since="origin/main")
    assert error["code"] == "NOT_FOUND" and "--unshallow" in error["hint"]
    shallow.git("fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main")
    report = checked(shallow, since="origin/main")
    (note,) = report["notes"]
    assert "no common commit" in note and "--unshallow" in note
    assert texts(report) == ["Step five is five."]


def test_code_whose_way_is_cut_off(code: Code, tmp_path: Path) -> None:
    """What neither side of a shallow clone holds is named, and does not fail the check."""
    code.tied("Step five is five.", "src/a.py", "5")
    code.change("src/a.py", 5, "other = [name for name in sorted(names)]")
    code.commit("before")
    code.git("branch", "-f", "main")
    code.change("src/a.py", 20, "more()")
    code.commit("change")
    shallow = Memory(tmp_path / "shallow")
    code.git("clone", "-q", "--depth=2", "--branch", "change", code.directory.as_uri(), str(shallow.directory))
    shallow.git("fetch", "-q", "origin", "+refs/memgit/store:refs/memgit/store")
    report = checked(shallow, since="HEAD~1")
    (note,) = report["notes"]
    assert report["ok"] and "the code of 1 could not be found" in note and "--unshallow" in note


def test_a_rewrite_beyond_recognition_in_a_shallow_clone(code: Code, tmp_path: Path) -> None:
    """Where both sides are here, a shallow clone is no excuse."""
    code.tied("Step nine is nine.", "src/a.py", "9-12")
    code.write("src/a.py", [*LINES[:8], *(f"entirely = {number} * 'other text'" for number in range(4)), *LINES[12:]])
    code.commit("change")
    shallow = Memory(tmp_path / "shallow")
    code.write("src/last.py", ["pass"])
    code.commit("more")
    code.git("clone", "-q", "--depth=3", "--branch", "change", code.directory.as_uri(), str(shallow.directory))
    shallow.git("fetch", "-q", "origin", "+refs/memgit/store:refs/memgit/store")
    for one in (code, shallow):
        assert texts(checked(one, since="HEAD~2")) == ["Step nine is nine."]


def test_lines_that_look_like_a_difference(code: Code) -> None:
    """What begins with two dashes or pluses is text like any other."""
    body = [f"local value_{number} = compute({number})" for number in range(10)]
    body[6] = "-- keep the lock while writing"
    code.write("src/q.lua", body)
    code.commit("lua")
    code.tied("The lock is kept.", "src/q.lua", "1-10")
    body[2] = "local value_2 = other(2)"
    code.write("src/q.lua", body)
    code.commit("drifted")
    code.git("branch", "-f", "main")
    del body[6]
    code.write("src/q.lua", body)
    code.commit("change")
    assert texts(checked(code)) == ["The lock is kept."]


@pytest.mark.parametrize("number", [400, 2500])
def test_a_change_far_down_in_a_long_text(code: Code, number: int) -> None:
    """A text that had drifted before is compared as a whole, past what a difference shows of it."""
    body = [f"value_{at} = compute({at}, 'a rather long line of text')" for at in range(3000)]
    code.write("src/long.py", body)
    code.commit("long")
    code.tied("Of the whole file.", "src/long.py")
    body[:200] = [f"other_{at} = compute({at}, 'another rather long line')" for at in range(200)]
    code.write("src/long.py", body)
    code.commit("drifted")
    code.git("branch", "-f", "main")
    assert checked(code)["ok"]
    body[number] = "changed()"
    code.write("src/long.py", body)
    assert texts(checked(code)) == ["Of the whole file."]


def test_what_has_run_out_is_left_out(code: Code) -> None:
    """An expired claim does not fail a check, nor one whose time has not come."""
    code.tied("expired", "src/a.py", "5", valid_until="2020-01-01")
    code.tied("to come", "src/a.py", "5", valid_from="2990-01-01")
    code.tied("current", "src/a.py", "5", valid_from="2020-01-01")
    code.change("src/a.py", 5, "def step_5(): return 55")
    assert texts(checked(code)) == ["current"]


def test_it_works_where_nothing_can_be_written(code: Code) -> None:
    """A CI job may have no right to write into the Git directory: then nothing is kept, and the answer is the same."""
    code.tied("Step five is five.", "src/a.py", "5")
    code.change("src/a.py", 5, "def step_5(): return 55")
    code.commit("change")
    whole = checked(code)
    cache = code.directory / ".git" / "memgit" / "cache"
    subprocess.run(["rm", "-rf", str(cache)], check=True)
    cache.write_text("not a directory")
    assert checked(code) == whole


def test_an_empty_store_and_an_empty_change(code: Code) -> None:
    """Nothing is tied, or nothing changed: fine."""
    assert checked(code)["ok"]
    code.tied("kept", "src/a.py", "20")
    assert checked(code, since="HEAD") | {"base": ""} == {
        "ok": True,
        "base": "",
        "against": "the working tree",
        "changed_files": 0,
        "checked": 0,
        "findings": [],
        "settled": 0,
        "notes": [],
    }


def test_it_needs_none_of_the_heavy_parts(code: Code) -> None:
    """A light install is enough: no index of words, no vectors, no model is loaded."""
    code.tied("Step five is five.", "src/a.py", "5")
    code.change("src/a.py", 5, "def step_5(): return 55")
    code.commit("change")
    script = (
        "import sys, pathlib; from memgit.protocol.envelope import answer\n"
        "found = answer({'op': 'check', 'input': {'since': 'main'}}, pathlib.Path(sys.argv[1])).envelope\n"
        "heavy = {'numpy', 'whoosh', 'tantivy', 'tokenizers', 'wordllama', 'rich'} & set(sys.modules)\n"
        "print(len(found['result']['findings']), sorted(heavy))"
    )
    command = [sys.executable, "-c", script, str(code.directory)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1 []"
