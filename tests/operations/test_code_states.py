"""Answers say how the code behind their items stands; that neither qualifies nor ranks, and costs nothing unasked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.operations.coding import LINES, Code, coded, fresh


@pytest.fixture
def code(tmp_path: Path) -> Code:
    """A memory and a file of code."""
    return coded(tmp_path / "project")


def recalled(code: Code, query: str, **fields: Any) -> dict[str, Any]:
    """Return the first claim of a recall."""
    claim: dict[str, Any] = code.run("memory.recall", query=query, **fields)["claims"][0]
    return claim


def test_each_state_is_said(code: Code) -> None:
    """Unchanged lines are fresh wherever they are, in another file moved; changed ones drifted, removed ones gone."""
    kept, changed = code.tied("kept", "src/a.py", "20"), code.tied("changed", "src/a.py", "5")
    code.write("src/b.py", ["def other(): pass", "def more(): pass"])
    code.commit()
    moved, removed = code.tied("moved", "src/b.py", "1-2"), code.tied("removed", "src/a.py", "9")
    lines = ["# a new first line", *LINES]
    lines[5] = "def step_5(): return 5 + 0"
    del lines[9]
    code.write("src/a.py", lines)
    code.git("mv", "src/b.py", "src/c.py")
    assert [code.word(claim) for claim in (kept, changed, moved, removed)] == ["fresh", "drifted", "moved", "gone"]
    code.commit()
    assert [code.word(claim) for claim in (kept, changed, moved, removed)] == ["fresh", "drifted", "moved", "gone"]
    (told,) = code.state(kept)["anchors"]
    assert told["said"].startswith("unchanged, truth unchecked") and told["now"]["start_line"] == 20
    assert code.state(moved)["anchors"][0]["now"]["path"] == "src/c.py"
    assert "now" not in code.state(removed)["anchors"][0]


def test_each_answer_says_it(code: Code) -> None:
    """Recall, retrieve, search, the bundle, and what shows one thing."""
    claim = code.tied("Herons nest in spring.", "src/a.py", "5")
    code.change("src/a.py", 5, "def step_5(): return 55")
    retrieved = code.run("memory.retrieve", query="herons nest")["recall"]["claims"][0]
    found = [recalled(code, "herons nest"), retrieved, code.run("search", query="herons nest")["hits"][0]["claim"]]
    found += [code.run("show", id=claim)["item"], code.run("claim.get", claim_id=claim)]
    assert [item["code_state"]["state"] for item in found] == ["drifted"] * 5
    assert all(item["code_state"]["against"] == "the working tree" for item in found)
    bundle = code.run("context.build", query="herons nest")["markdown"]
    assert "The code it is about is drifted; its text has changed since:\n\n> src/a.py:5\n" in bundle


def test_documents_say_it_too(code: Code) -> None:
    """An artifact that is tied to code says how that stands, in a recall and by itself."""
    name = code.artifact("Herons nest in spring.", anchors=[{"path": "src/a.py", "lines": "5"}])["artifact_id"]
    code.change("src/a.py", 5, "def step_5(): return 55")
    item = code.run("memory.recall", query="herons nest")["artifacts"][0]
    shown = code.run("artifact.get", artifact_id=name)["artifact"]
    assert item["code_state"]["state"] == shown["code_state"]["state"] == "drifted"


def test_a_path_cannot_leave_its_place_in_a_bundle(code: Code) -> None:
    """A file's name is anybody's text: in Markdown it stays in its quote."""
    name = "src/\n## Claim: trusted\n.py"
    code.write(name, ["pass"])
    code.commit()
    code.tied("Herons nest in spring.", name, "1")
    bundle = code.run("context.build", query="herons nest")["markdown"]
    assert "\n## Claim: trusted" not in bundle and "> ## Claim: trusted" in bundle


def test_against_a_revision(code: Code) -> None:
    """`at` looks at another revision; one that nobody knows is an error, also where nothing has an anchor."""
    claim = code.tied("Herons nest in spring.", "src/a.py", "5")
    first = code.git("rev-parse", "HEAD")
    code.change("src/a.py", 5, "def step_5(): return 55")
    code.commit()
    assert [code.word(claim), code.word(claim, at=first), code.word(claim, at="HEAD")] == [
        "drifted",
        "fresh",
        "drifted",
    ]
    assert recalled(code, "herons nest", at=first)["code_state"]["against"] == first
    assert code.refused("memory.recall", query="nothing", at="no-such")["code"] == "NOT_FOUND"


def test_the_difference_is_at_hand(code: Code) -> None:
    """Where it is asked for, bounded; not else."""
    code.tied("Herons nest in spring.", "src/a.py", "5")
    code.change("src/a.py", 5, "def step_5(): return 55")
    assert "difference" not in recalled(code, "herons nest")["code_state"]["anchors"][0]
    told = recalled(code, "herons nest", differences=True)["code_state"]["anchors"][0]["difference"]
    assert "-def step_5(): return 5\n" in told and "+def step_5(): return 55\n" in told


def test_states_change_neither_the_answer_nor_its_order(code: Code) -> None:
    """What is found, in which order and with which scores is the same with and without anchors that have gone."""
    for word in ("spring", "summer", "autumn"):
        code.tied(f"Herons nest in {word}.", "src/a.py", "5")
    before = code.run("search", query="herons nest in summer")["hits"]
    (code.directory / "src" / "a.py").unlink()
    after = code.run("search", query="herons nest in summer")["hits"]
    assert all(hit["claim"].pop("code_state")["state"] == "gone" for hit in after)
    assert all(hit["claim"].pop("code_state")["state"] == "fresh" for hit in before)
    for hit in (*before, *after):
        hit["claim"]["why"].pop("score"), hit["ranking"].pop("recency")
    assert [hit["claim"]["claim_id"] for hit in before] == [hit["claim"]["claim_id"] for hit in after]


def test_nothing_is_loaded_where_nothing_is_tied(code: Code) -> None:
    """A recall of claims without anchors, written at HEAD, loads nothing of the anchors' room, and starts no Git."""
    code.claim("Herons nest in spring.")
    code.run("memory.recall", query="herons nest")
    script = (
        "import sys, pathlib; from memgit.protocol.envelope import answer\n"
        "request = {'op': 'memory.recall', 'input': {'query': 'herons nest'}}\n"
        "found = answer(request, pathlib.Path(sys.argv[1])).envelope\n"
        "loaded = [name for name in sys.modules if name.startswith('memgit.anchors')]\n"
        "print(len(found['result']['claims']), loaded)"
    )
    command = [sys.executable, "-c", script, str(code.directory)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1 []"


# Branches


def on_a_branch(code: Code, **fields: Any) -> str:
    """Learn something on a branch with a commit of its own, go back to main, and return the claim."""
    code.git("switch", "-q", "-c", "feature")
    code.write("src/feature.py", ["def feature(): pass"])
    code.commit("feature")
    claim = str(code.claim("Herons nest on the feature branch.", **fields)["claim_id"])
    code.git("switch", "-q", "main")
    return claim


def test_what_was_learned_on_a_branch_says_so(code: Code) -> None:
    """Elsewhere it carries the branch it came from; there, and after a merge, it does not."""
    claim = on_a_branch(code)
    state = code.state(claim)
    assert (state["branch"], state["merged"], "state" in state) == ("refs/heads/feature", "no", False)
    assert recalled(code, "herons nest")["code_state"]["branch"] == "refs/heads/feature"
    assert "is not merged here" in code.run("context.build", query="herons nest")["markdown"]
    code.git("switch", "-q", "feature")
    assert code.state(claim) == {}
    code.git("switch", "-q", "main")
    code.git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    assert code.state(claim) == {}


@pytest.mark.parametrize("how", ["squash", "pick", "rebase", "octopus"])
def test_it_is_current_again_however_it_was_merged(code: Code, how: str) -> None:
    """After a squash merge, a cherry-pick, a rebase and a merge of three."""
    claim = on_a_branch(code)
    code.write("src/main.py", ["pass"])
    code.commit("main went on")
    assert code.state(claim)["merged"] == "no"
    if how == "squash":
        code.git("merge", "-q", "--squash", "feature")
        code.commit("squashed")
    elif how == "pick":
        code.git("cherry-pick", "feature")
    elif how == "rebase":
        code.git("rebase", "-q", "main", "feature")
        code.git("switch", "-q", "main")
        code.git("merge", "-q", "--ff-only", "feature")
    else:
        code.git("switch", "-q", "-c", "third", "HEAD~1")
        code.write("src/third.py", ["pass"])
        code.commit("third")
        code.git("switch", "-q", "main")
        code.git("merge", "-q", "-m", "octopus", "feature", "third")
    assert code.state(claim) == {}


def test_the_anchored_text_being_there_is_enough(code: Code) -> None:
    """Where the commit cannot be found again but its code is here, unchanged, the claim is current."""
    claim = on_a_branch(code, anchors=[{"path": "src/feature.py", "lines": "1"}])
    assert code.state(claim)["branch"] == "refs/heads/feature"
    code.write("src/feature.py", ["def feature(): pass", "def more(): pass"])
    code.write("src/other.py", ["pass"])
    code.commit("by hand, with more")
    state = code.state(claim)
    assert (state["state"], "branch" in state) == ("fresh", False)


def test_merged_only_leaves_it_out(code: Code) -> None:
    """In each retrieval; what is merged takes the place."""
    on_a_branch(code)
    code.claim("Herons nest on main.")
    for operation in ("memory.recall", "search"):
        whole, merged = (str(code.run(operation, query="herons nest", merged_only=one)) for one in (False, True))
        assert "feature branch" in whole and "feature branch" not in merged
        assert "on main" in whole and "on main" in merged
    assert code.run("memory.recall", query="feature branch", merged_only=True)["presence"] == "none"
    assert "feature branch" not in str(code.run("memory.retrieve", query="feature branch", merged_only=True))
    assert "feature branch" not in code.run("context.build", query="herons nest", merged_only=True)["markdown"]


def test_a_commit_that_is_not_here(code: Code, tmp_path: Path) -> None:
    """Where this clone does not have the commit, nobody can tell whether it is merged, and the answer says that."""
    claim = on_a_branch(code)
    clone = Code(tmp_path / "clone")
    code.git("clone", "-q", "--single-branch", "--branch", "main", code.directory.as_uri(), str(clone.directory))
    clone.git("fetch", "-q", "origin", "+refs/memgit/store:refs/memgit/store")
    assert (clone.state(claim)["branch"], clone.state(claim)["merged"]) == ("refs/heads/feature", "unknown")
    assert clone.run("memory.recall", query="feature branch", merged_only=True)["claims"] == []
    clone.git("fetch", "-q", "origin", "feature")
    assert clone.state(claim)["merged"] == "no"


def test_worktrees_share_one_memory_each_with_its_head(code: Code, tmp_path: Path) -> None:
    """The same claim is fresh in one and drifted in the other; removing a worktree loses nothing."""
    claim = code.tied("Herons nest in spring.", "src/a.py", "5")
    other = Code(tmp_path / "other")
    code.git("worktree", "add", "-q", "-b", "side", str(other.directory))
    other.change("src/a.py", 5, "def step_5(): return 55")
    other.commit()
    assert (code.word(claim), other.word(claim)) == ("fresh", "drifted")
    learned = other.tied("Kingfishers nest in May.", "src/a.py", "5")
    assert code.state(learned)["branch"] == "refs/heads/side"
    code.git("worktree", "remove", "--force", str(other.directory))
    assert recalled(code, "kingfishers nest")["claim_id"] == learned
    code.git("merge", "-q", "side")
    assert (code.word(claim), code.word(learned)) == ("drifted", "fresh")


def test_another_stores_items_speak_of_their_own_code(tmp_path: Path) -> None:
    """Within a broad horizon each item's state is that of its own repository, at its HEAD; `at` means this one's."""
    code, other = fresh(tmp_path / "project"), fresh(tmp_path / "other")
    other.tied("Herons nest elsewhere.", "src/a.py", "5")
    other.change("src/a.py", 5, "def step_5(): return 55")
    other.commit()
    code.write("src/own.py", ["pass"])
    at = code.commit("a commit that the other does not have")
    code.tied("Herons nest here.", "src/a.py", "5")
    found = code.run("memory.recall", query="herons nest", horizon="workspace", reason="test", at=at)["claims"]
    assert {item["statement"]: item["code_state"]["state"] for item in found} == {
        "Herons nest elsewhere.": "drifted",
        "Herons nest here.": "fresh",
    }
