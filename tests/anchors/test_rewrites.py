"""Anchors whose commit is not in the history any more: amended, rebased, squashed, picked, collected."""

from __future__ import annotations

import subprocess

import pytest

from memgit.anchors.capture import Wanted, capture
from memgit.anchors.tracer import Tracer
from tests.anchors.conftest import Code, function, where

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon")
BODY = "".join(function(name) + "\n" for name in NAMES)
NEW = function("new_one")


@pytest.fixture
def branch(code: Code) -> Code:
    """Two branches off one commit: `work` added a function to `a.py`, `main` wrote above it and into `b.py`."""
    code.commit(a_py=BODY)
    code.git("checkout", "--quiet", "-b", "work")
    code.commit(a_py=BODY.replace(function("delta"), NEW + "\n" + function("delta")))
    code.git("checkout", "--quiet", "main")
    code.commit(a_py="# head\n" + BODY, b_py="# b\n")
    code.git("checkout", "--quiet", "work")
    return code


def test_an_amended_commit_is_followed_with_and_without_being_told(code: Code) -> None:
    """The event of the rewrite makes it certain where the amend changed the lines' surroundings."""
    code.commit(a_py="# first\n")
    old = code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    new = code.commit("--amend", a_py="# head\n" + BODY.replace(function("alpha"), ""))
    untold, told = code.locate(anchor), code.locate(anchor, rewrites={old: new})
    assert (untold.reachable, where(untold), where(told)) == (False, ("a.py", 3, 6), ("a.py", 3, 6))
    assert (told.state, told.certainty) == ("fresh", "certain")
    assert untold.certainty in ("certain", "likely")


def test_a_rebased_commit_is_found_by_its_patch(branch: Code) -> None:
    """Without being told: the same change on another base is the same patch."""
    anchor = branch.anchor("a.py:16-19")
    commit = capture(branch.repository, Wanted(commit="work")).anchor
    branch.git("rebase", "--quiet", "main")
    located = branch.locate(anchor)
    assert (located.state, located.reachable, where(located)) == ("fresh", False, ("a.py", 17, 20))
    assert branch.locate(commit).state == "moved"
    assert branch.locate(commit).commit == branch.git("rev-parse", "HEAD")


def test_a_chain_of_rewrites_is_followed(branch: Code) -> None:
    """Old to new to newer, as `post-rewrite` told; a circle in it ends."""
    anchor = branch.anchor("a.py:16-19")
    old = branch.git("rev-parse", "HEAD")
    branch.git("rebase", "--quiet", "main")
    middle = branch.git("rev-parse", "HEAD")
    new = branch.commit("--amend", b_py="# b, amended\n")
    located = branch.locate(anchor, rewrites={old: middle, middle: new})
    assert (located.certainty, where(located)) == ("certain", ("a.py", 17, 20))
    assert branch.locate(anchor, rewrites={old: middle, middle: old}).state == "fresh"


def test_a_squash_merge_and_what_came_after_are_followed(branch: Code) -> None:
    """The branch's commit is nowhere, its lines came in one commit with others, and that was edited since."""
    branch.commit(a_py=(branch.path / "a.py").read_text() + "# more\n")
    anchor = branch.anchor("a.py:16-19")
    branch.git("checkout", "--quiet", "main")
    branch.git("merge", "--squash", "--quiet", "work")
    branch.commit()
    branch.commit(a_py="# above\n" + (branch.path / "a.py").read_text().replace(function("alpha"), ""))
    located = branch.locate(anchor)
    assert (located.state, located.reachable, where(located)) == ("fresh", False, ("a.py", 14, 17))


def test_a_picked_commit_is_found(branch: Code) -> None:
    """A cherry-pick carries the anchor to the other branch."""
    anchor = branch.anchor("a.py:16-19")
    branch.git("checkout", "--quiet", "main")
    assert branch.locate(anchor).state == "gone"
    branch.git("cherry-pick", "work")
    located = branch.locate(anchor)
    assert (located.state, where(located)) == ("fresh", ("a.py", 17, 20))


def test_a_branch_that_was_not_merged_is_told_apart(branch: Code) -> None:
    """On another branch the anchor is gone, and says that its commit is not in this history."""
    anchor = branch.anchor("a.py:16-19")
    located = branch.locate(anchor, "main")
    assert (located.state, located.certainty, located.reachable) == ("gone", "lost", False)
    assert "not in this history" in located.why


def test_a_collected_commit_leaves_the_copy(branch: Code) -> None:
    """Where Git has collected commit and blob, the anchored text finds its place, also after an edit."""
    kept, edited = branch.anchor("a.py:16-19"), branch.anchor("a.py:1-4")
    text = (branch.path / "a.py").read_text()
    branch.git("checkout", "--quiet", "main")
    branch.git("branch", "-D", "work")
    branch.commit(a_py="# one\n# two\n" + text.replace("inside alpha", "within alpha"))
    branch.git("reflog", "expire", "--expire=now", "--all")
    branch.git("gc", "--quiet", "--prune=now")
    assert subprocess.run(["git", "cat-file", "-e", kept.commit or ""], cwd=branch.path).returncode != 0
    found = [branch.locate(kept), branch.locate(edited)]
    assert [(item.state, where(item)) for item in found] == [("fresh", ("a.py", 18, 21)), ("drifted", ("a.py", 3, 6))]


def test_nothing_to_go_by_is_lost_and_says_why(code: Code) -> None:
    """A commit that never was here and a text that is nowhere: lost, not gone for certain."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    from msgspec.structs import replace

    foreign = replace(anchor, commit="1" * 40, blob="2" * 40, path="x.py", text=None, text_digest="3" * 64)
    located = code.locate(foreign)
    assert (located.state, located.certainty, located.reachable) == ("gone", "lost", False)
    assert "not in this clone" in located.why


def test_a_rebase_in_progress_is_no_trouble(branch: Code) -> None:
    """In the middle of a conflict HEAD and the working tree are what they are; an anchor can be made there, too."""
    anchor = branch.anchor("a.py:16-19")
    branch.commit(b_py="# another b\n")
    done = subprocess.run(["git", "rebase", "main"], cwd=branch.path, capture_output=True)
    assert done.returncode != 0 and (branch.path / ".git" / "rebase-merge").exists()
    located = branch.locate(anchor)
    assert (located.state, where(located)) == ("fresh", ("a.py", 17, 20))
    assert branch.anchor("a.py:17-20").commit == branch.git("rev-parse", "HEAD")


def test_how_far_a_stamped_commit_is_in_a_history(branch: Code) -> None:
    """In it; carried by a rebase, a pick, an event or a squash; out of it; or unknown here."""
    work = branch.git("rev-parse", "work")
    more = branch.commit(c_py=function("c"))
    base = branch.git("merge-base", "main", "work")

    def reached(target: str, rewrites: dict[str, str] | None = None) -> list[str]:
        with Tracer(branch.repository, rewrites=rewrites or {}, is_cached=False) as tracer:
            found = tracer.reach([base, work, more, "4" * 40], target)
        return [found[commit] for commit in (base, work, more, "4" * 40)]

    assert reached("work") == ["in", "in", "in", "unknown"]
    assert reached("main") == ["in", "out", "out", "unknown"]
    assert reached("main", {work: branch.git("rev-parse", "main")}) == ["in", "carried", "out", "unknown"]
    branch.git("checkout", "--quiet", "main")
    branch.git("merge", "--squash", "--quiet", "work")
    branch.commit()
    assert reached("main") == ["in", "out", "carried", "unknown"]
    branch.git("reset", "--quiet", "--hard", "HEAD~")
    branch.git("cherry-pick", work)
    assert reached("main") == ["in", "carried", "out", "unknown"]
