"""Where an answer could be wrong, it says so: copies, rewritten text, branches that disagree, rewrites not told."""

from __future__ import annotations

import subprocess

import pytest

from memgit.anchors.tracer import Tracer
from memgit.errors import InvalidRequest
from tests.anchors.conftest import Code, function, where

NAMES = ("alpha", "beta", "gamma", "delta")
BODY = "".join(function(name) + "\n" for name in NAMES)


def test_a_text_that_was_edited_to_another_one_is_lost(code: Code) -> None:
    """A line that became another in small steps is not passed off as drifted; where it ended up is named."""
    code.commit(a_py=BODY + "limit = compute_first(alpha, beta)\n" + function("end"))
    anchor = code.anchor("a.py:21")
    for line in ("limit = compute_first(alpha, zz)", "limit = read_it_all(alpha, zz)", "x = read_it_all(qqqq, zz)"):
        code.commit(a_py=BODY + line + "\n" + function("end"))
    located = code.locate(anchor)
    assert (located.state, located.certainty) == ("gone", "lost")
    assert [place.start_line for place in located.others] == [21]


def test_a_removed_text_with_a_copy_left_is_not_gone_for_certain(code: Code) -> None:
    """The commit removed the anchored lines, and lines like them stay: which of the two was meant, nobody can tell."""
    code.commit(a_py=BODY, b_py=function("beta"))
    anchor = code.anchor("a.py:6-9")
    code.commit(a_py=BODY.replace(function("beta"), ""))
    located = code.locate(anchor)
    assert (located.state, located.certainty, located.place) == ("gone", "likely", None)
    assert [place.path for place in located.others] == ["b.py"]


def test_of_equal_places_found_by_text_none_is_chosen(code: Code) -> None:
    """A commit that is unknown here and a text that is there twice: both are named, and neither is the answer."""
    elsewhere = Code(code.path.parent / "elsewhere")
    subprocess.run(["git", "init", "--quiet", str(elsewhere.path)], check=True)
    elsewhere.commit(a_py="# one\n" + function("beta"))
    anchor = elsewhere.anchor("a.py:2-5")
    code.commit(a_py="x\n" + function("beta") + "y\nz\n" + function("beta") + "w\n")
    located = code.locate(anchor)
    assert (located.state, located.certainty) == ("gone", "lost")


def test_branches_that_put_lines_in_different_places_are_in_doubt(code: Code) -> None:
    """Two branches moved a function to two files and a merge kept both: the answer is likely at most."""
    code.commit(a_py=BODY, b_py="# b\n", c_py="# c\n")
    anchor = code.anchor("a.py:6-9")
    rest = BODY.replace(function("beta"), "")
    code.git("checkout", "--quiet", "-b", "side")
    code.commit(a_py=rest, c_py="# c\n" + function("beta"))
    code.git("checkout", "--quiet", "main")
    code.commit(a_py=rest, b_py="# b\n" + function("beta"))
    code.git("merge", "--quiet", "--no-edit", "side")
    assert code.locate(anchor).certainty != "certain"


def test_the_copy_is_compared_where_nothing_else_is_left(code: Code) -> None:
    """A commit that was amended to another text and collected: the anchor's copy finds what it became."""
    code.commit(a_py="# first\n")
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:1-4")
    code.commit("--amend", a_py="# head\n" + BODY.replace("inside alpha", "within alpha"))
    code.git("reflog", "expire", "--expire=now", "--all")
    code.git("gc", "--quiet", "--prune=now")
    located = code.locate(anchor)
    assert (located.state, located.certainty, where(located)) == ("drifted", "likely", ("a.py", 2, 5))


def test_a_rewrite_that_is_told_later_changes_a_kept_answer(code: Code) -> None:
    """An answer for a commit out of the history is not kept beyond what was known of rewrites."""
    code.commit(a_py="# first\n")
    old = code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    new = code.commit("--amend", a_py=BODY.replace("inside beta", "within beta"))
    with Tracer(code.repository) as tracer:
        assert tracer.locate(anchor).certainty == "likely"
    with Tracer(code.repository, rewrites={old: new}) as tracer:
        assert "rewritten as" in tracer.locate(anchor).why or tracer.locate(anchor).certainty == "certain"


def test_a_whole_file_that_was_moved_by_hand_is_found(code: Code) -> None:
    """An anchor to a file as such follows it to an untracked name."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py")
    (code.path / "a.py").rename(code.path / "b.py")
    assert (code.locate(anchor).state, where(code.locate(anchor))) == ("moved", ("b.py", None, None))


def test_a_squash_with_more_in_it_still_carries_the_branch(code: Code) -> None:
    """The squash commit's patch is another one, and each file was in the history as the branch left it."""
    code.commit(a_py="# a\n", b_py="# b\n")
    code.git("checkout", "--quiet", "-b", "work")
    code.commit(a_py=BODY)
    tip = code.commit(a_py="# head\n" + BODY)
    code.git("checkout", "--quiet", "main")
    code.git("merge", "--squash", "--quiet", "work")
    code.commit(b_py="# more\n")
    with Tracer(code.repository, is_cached=False) as tracer:
        assert tracer.reach([tip]) == {tip: "carried"}


def test_a_submodule_is_refused_in_a_revision_too(code: Code) -> None:
    """A gitlink of a commit is no file, and the message says what it is."""
    commit = code.commit(a_py=BODY)
    code.git("update-index", "--add", "--cacheinfo", f"160000,{commit},sub")
    code.git("commit", "--quiet", "-m", "a submodule")
    with pytest.raises(InvalidRequest, match="submodule"):
        code.anchor("sub", "HEAD")
