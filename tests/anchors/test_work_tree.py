"""Anchors against the working tree: what is not committed counts, and costs nothing where nothing changed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memgit.anchors.tracer import Tracer
from memgit.anchors.work_tree import WorkTree
from tests.anchors.conftest import Code, function, where

NAMES = ("alpha", "beta", "gamma", "delta")
BODY = "".join(function(name) + "\n" for name in NAMES)


def test_uncommitted_edits_count(code: Code) -> None:
    """Lines written above shift an anchor, an edit inside drifts it, a removal ends it; HEAD still has it."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.write("a.py", "# head\n" + BODY)
    assert where(code.locate(anchor)) == ("a.py", 7, 10)
    code.write("a.py", BODY.replace("    return value_of_beta", "    return 1 + value_of_beta"))
    assert code.locate(anchor).state == "drifted"
    code.write("a.py", BODY.replace(function("beta"), ""))
    located = code.locate(anchor)
    assert (located.state, located.ended_by, located.why) == ("gone", None, "the working tree removed the lines")
    assert code.locate(anchor, "HEAD").state == "fresh"


def test_a_file_that_was_moved_by_hand_is_found(code: Code) -> None:
    """With `git mv`, and without it, when the new file is not tracked yet."""
    code.commit(a_py=BODY, b_py=BODY.replace("value", "number"))
    one, other = code.anchor("a.py:6-9"), code.anchor("b.py:6-9")
    code.git("mv", "a.py", "c.py")
    (code.path / "b.py").rename(code.path / "d.py")
    found = [code.locate(one), code.locate(other)]
    assert [(item.state, where(item)) for item in found] == [("moved", ("c.py", 6, 9)), ("moved", ("d.py", 6, 9))]


def test_code_that_was_moved_by_hand_is_found(code: Code) -> None:
    """Lines that left a file and are in another working file, tracked or not."""
    code.commit(a_py=BODY, b_py="# b\n")
    one, other = code.anchor("a.py:6-9"), code.anchor("a.py:11-14")
    code.write("a.py", BODY.replace(function("beta"), "").replace(function("gamma"), ""))
    code.write("b.py", "# b\n" + function("beta"))
    code.write("new.py", function("gamma"))
    found = [code.locate(one), code.locate(other)]
    assert [(item.state, where(item)) for item in found] == [("moved", ("b.py", 2, 5)), ("moved", ("new.py", 1, 4))]


def test_a_deleted_file_is_gone_and_a_sparse_one_is_not(code: Code) -> None:
    """What a sparse checkout leaves out is as it is committed."""
    code.write("kept/b.py", "# b\n")
    code.write("left/a.py", BODY)
    code.commit()
    anchor = code.anchor("left/a.py:6-9")
    (code.path / "left" / "a.py").unlink()
    assert code.locate(anchor).state == "gone"
    code.git("checkout", "--quiet", "--", ".")
    code.git("sparse-checkout", "set", "kept")
    assert not (code.path / "left" / "a.py").exists()
    assert code.locate(anchor).state == "fresh"


def test_a_text_that_was_never_committed_is_followed_where_it_is(code: Code) -> None:
    """It is fresh in its file, committed later it is still found, and thrown away it is lost."""
    code.commit(a_py=BODY)
    code.write("a.py", "# head\n" + BODY + function("omega"))
    anchor = code.anchor("a.py:22-25")
    assert anchor.blob is None
    assert (code.locate(anchor).state, code.locate(anchor).certainty) == ("fresh", "certain")
    assert (code.locate(anchor, "HEAD").state, code.locate(anchor, "HEAD").certainty) == ("gone", "lost")
    code.git("checkout", "--quiet", "--", ".")
    assert code.locate(anchor).state == "gone"
    code.commit(a_py=BODY + function("omega"))
    code.commit(a_py="# later\n" + BODY + function("omega"))
    assert (code.locate(anchor).state, where(code.locate(anchor))) == ("fresh", ("a.py", 22, 25))


def test_a_large_untracked_file_is_not_read(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where moved lines are looked for, its size is asked first."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.write("a.py", BODY.replace(function("beta"), ""))
    code.write("large.bin", function("beta") + "x\n" * (1 << 20))
    read: list[str] = []
    present = WorkTree.present
    monkeypatch.setattr(WorkTree, "present", lambda tree, path: read.append(path) or present(tree, path))
    assert code.locate(anchor).place is None
    assert "a.py" in read and "large.bin" not in read


def test_each_working_tree_has_its_own_answer(code: Code, tmp_path: Path) -> None:
    """Two working trees of one repository stand elsewhere, share the cache, and do not mix their answers up."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "side"))
    side = Code(tmp_path / "side")
    side.commit(a_py="# head\n" + BODY)
    side.write("a.py", "# one\n# two\n" + BODY)
    with Tracer(code.repository) as one, Tracer(side.repository) as other:
        for _ in range(2):
            assert where(one.locate(anchor)) == ("a.py", 6, 9)
            assert where(other.locate(anchor)) == ("a.py", 8, 11)
            assert where(other.locate(anchor, "HEAD")) == ("a.py", 7, 10)
    code.git("worktree", "remove", "--force", str(tmp_path / "side"))
    assert where(code.locate(anchor)) == ("a.py", 6, 9)


def test_a_working_file_in_another_encoding_is_the_committed_one(code: Code) -> None:
    """Where attributes ask for UTF-16 in the working tree, the file is what its blob says."""
    code.write(".gitattributes", "a.py working-tree-encoding=UTF-16LE eol=lf\n")
    code.write("a.py", BODY.encode("utf-16-le"))
    code.commit()
    anchor = code.anchor("a.py:6-9", "HEAD")
    assert (code.locate(anchor).state, where(code.locate(anchor))) == ("fresh", ("a.py", 6, 9))


def test_without_a_change_git_is_not_started(code: Code, monkeypatch: object) -> None:
    """Answers that are known and files that are as committed need no process: recall asks for twenty at a time."""
    code.commit(a_py=BODY)
    anchors = [code.anchor(f"a.py:{n}") for n in range(1, 9)]
    with Tracer(code.repository) as tracer:
        expected = tracer.locate_all(anchors)
    from pytest import MonkeyPatch

    assert isinstance(monkeypatch, MonkeyPatch)
    with Tracer(code.repository) as tracer:
        monkeypatch.setattr(subprocess, "Popen", None)
        monkeypatch.setattr(subprocess, "run", None)
        assert tracer.locate_all(anchors) == expected
