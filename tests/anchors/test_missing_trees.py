"""A clone that lacks trees of the history says so: what cannot be read is never taken for "no change"."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from memgit.anchors.patches import Patches
from memgit.anchors.tracer import Tracer
from memgit.errors import NotFound
from memgit.store.backend import ObjectMissing
from memgit.store.code_history import CodeHistory
from memgit.store.objects import ObjectId
from tests.anchors.conftest import Code, function, where
from tests.anchors.test_places import cloned

BODY = "".join(function(name) + "\n" for name in ("alpha", "beta", "gamma"))
EDITED = BODY.replace("inside beta", "within beta")


@pytest.fixture
def history(code: Code) -> list[str]:
    """Three commits: a file, an edit in it, another file."""
    return [code.commit(a_py=BODY), code.commit(a_py=EDITED), code.commit(b_py="# b\n")]


def treeless(code: Code, path: Path) -> Code:
    """Return a clone without the trees of old commits, whose origin is out of reach."""
    clone = cloned(code, path, "--filter=tree:0")
    clone.git("config", "remote.origin.url", (path / "nowhere").as_uri())
    return clone


def test_a_drifted_anchor_is_not_fresh_where_trees_are_missing(code: Code, history: list[str], tmp_path: Path) -> None:
    """It is lost, and the answer says what is missing; what is the same file is fresh without any tree."""
    drifted = code.anchor("a.py:6-9", history[0])
    same = code.anchor("a.py:6-9", history[1])
    clone = treeless(code, tmp_path / "clone")
    located = clone.locate(drifted)
    assert (located.state, located.certainty) == ("gone", "lost") and "trees of the history" in located.why
    assert (clone.locate(same).state, clone.locate(same).certainty) == ("fresh", "certain")


def test_what_changed_is_refused_not_empty(code: Code, history: list[str], tmp_path: Path) -> None:
    """The paths between two commits, the changes of one and its patch are missing rather than none."""
    clone = treeless(code, tmp_path / "clone")
    old, new, head = (ObjectId(commit) for commit in history)
    with Tracer(clone.repository, is_cached=False) as tracer, pytest.raises(NotFound, match="trees"):
        tracer.changed_paths(old)
    whole, part = CodeHistory(code.repository), CodeHistory(clone.repository)
    pairs = [(new, head), (old, new)]
    assert [len(found) for found in whole.changes(pairs)] == [1, 1]
    for ask in (
        lambda: list(part.changes(pairs)),
        lambda: part.changed_paths(old, new),
        lambda: part.renames(old, new),
        lambda: part.patch_ids([new]),
        lambda: part.patch_id_between(old, new),
    ):
        with pytest.raises(ObjectMissing):
            ask()
    assert Patches(part, None).of([new]) == {new: ""}
    whole.close()
    part.close()


def test_changes_that_are_here_are_told_before_those_that_are_not(
    code: Code, history: list[str], tmp_path: Path
) -> None:
    """A walk reads as far as the trees go: only ways through what is missing are lost."""
    later = [*history, code.commit(c_py="# c\n"), code.commit(a_py="# head\n" + EDITED)]
    anchors = [code.anchor("a.py:6-9", commit) for commit in (history[0], history[2])]
    clone = treeless(code, tmp_path / "clone")
    clone.git("config", "remote.origin.url", code.path.as_uri())
    for commit in later[1:]:
        clone.git("ls-tree", "-r", commit)  # fetches its trees
        clone.git("cat-file", "-e", f"{commit}:a.py")
    clone.git("config", "remote.origin.url", (tmp_path / "nowhere").as_uri())
    part = CodeHistory(clone.repository)
    told: list[list[str]] = []
    pairs = list(pairwise(later))[::-1]
    with pytest.raises(ObjectMissing):
        for found in part.changes([(ObjectId(old), ObjectId(new)) for old, new in pairs]):
            told.append([change.new_path for change in found])
    part.close()
    assert told == [["a.py"], ["c.py"]]
    assert [clone.locate(anchor).certainty for anchor in anchors] == ["lost", "certain"]


def test_a_branch_whose_changes_are_missing_is_unknown(code: Code, history: list[str], tmp_path: Path) -> None:
    """Nobody can tell whether a history has what cannot be read: neither "carried" nor "out" is said."""
    code.git("checkout", "--quiet", "-b", "side", history[0])
    code.commit(a_py="# side\n" + BODY)
    side = code.commit(c_py="# c\n")
    code.git("checkout", "--quiet", "main")
    found = []
    for where_ in (code, treeless(code, tmp_path / "clone")):
        with Tracer(where_.repository, is_cached=False) as tracer:
            found.append(tracer.reach([side])[side])
    assert found == ["out", "unknown"]


def test_removed_lines_are_not_gone_for_certain_where_copies_cannot_be_looked_for(code: Code, tmp_path: Path) -> None:
    """In a partial clone a file that may hold a copy of what was removed is not here."""
    old = code.commit(a_py=BODY, b_py="# head\n" + function("beta"))
    anchor = code.anchor("a.py:6-9")
    code.commit(a_py=BODY.replace(function("beta"), ""))
    code.commit(b_py="# other\n")
    clone = cloned(code, tmp_path / "clone", "--filter=blob:none")
    clone.git("cat-file", "-e", f"{old}:a.py")
    clone.git("show", f"{old}:a.py")
    clone.git("config", "remote.origin.url", (tmp_path / "nowhere").as_uri())
    located = clone.locate(anchor)
    assert (located.state, located.certainty) == ("gone", "likely") and "in this clone" in located.why


def test_a_whole_fetch_changes_a_kept_answer(code: Code, history: list[str], tmp_path: Path) -> None:
    """What was lost for want of trees is found when they have come, though the target is the same commit."""
    anchor = code.anchor("a.py:6-9", history[0])
    clone = treeless(code, tmp_path / "clone")
    for _ in range(2):
        with Tracer(clone.repository) as tracer:
            assert tracer.locate(anchor).certainty == "lost"
    clone.git("config", "remote.origin.url", code.path.as_uri())
    clone.git("fetch", "--quiet", "--refetch", "--no-filter")
    with Tracer(clone.repository) as tracer:
        located = tracer.locate(anchor)
    assert (located.state, located.certainty, where(located)) == ("drifted", "certain", ("a.py", 6, 9))


def test_unshallowing_changes_a_kept_answer(code: Code, history: list[str], tmp_path: Path) -> None:
    """What was likely for want of history is certain when that has come."""
    anchor = code.anchor("a.py:6-9", history[0])
    clone = cloned(code, tmp_path / "clone", "--depth=1")
    with Tracer(clone.repository) as tracer:
        assert tracer.locate(anchor).certainty != "certain"
    clone.git("fetch", "--quiet", "--unshallow")
    with Tracer(clone.repository) as tracer:
        assert (tracer.locate(anchor).state, tracer.locate(anchor).certainty) == ("drifted", "certain")
