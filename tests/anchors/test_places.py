"""Anchors wherever Git works: what a clone does not have is said, and never fetched."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.anchors.tracer import Tracer
from memgit.errors import NotFound
from tests.anchors.conftest import Code, function, where

NAMES = ("alpha", "beta", "gamma")
BODY = "".join(function(name) + "\n" for name in NAMES)


def cloned(code: Code, path: Path, *options: str) -> Code:
    """Return a clone through a transport, as over a network."""
    code.git("config", "uploadpack.allowFilter", "true")
    code.git("config", "uploadpack.allowAnySHA1InWant", "true")
    subprocess.run(
        ["git", "clone", "--quiet", *options, code.path.as_uri(), str(path)], check=True, capture_output=True
    )
    return Code(path)


def test_in_a_partial_clone_nothing_is_fetched(code: Code, tmp_path: Path) -> None:
    """An unchanged file needs no old text, a changed one is found by the copy, and what is missing is said."""
    code.commit(a_py=BODY, b_py=BODY.replace("value", "number"), c_py=BODY.replace("inside", "within"))
    places = ("a.py:6-9", "b.py:6-9", "c.py:6-9")
    same, changed, removed = (code.anchor(place) for place in places)
    code.commit(b_py="# head\n" + BODY.replace("value", "number"), c_py="# other\n")
    partial = cloned(code, tmp_path / "partial", "--filter=blob:none")
    before = partial.git("count-objects", "-v")
    shutil.rmtree(code.path)
    found = [partial.locate(anchor) for anchor in (same, changed, removed)]
    assert [(item.state, where(item)) for item in found[:2]] == [("fresh", ("a.py", 6, 9)), ("fresh", ("b.py", 7, 10))]
    assert (found[1].certainty, found[2].state, found[2].certainty) == ("likely", "gone", "lost")
    assert "not in this clone" in found[2].why
    assert partial.git("count-objects", "-v") == before
    with Tracer(partial.repository, is_cached=False) as tracer:
        assert "def beta" in tracer.difference(removed, found[2])
    with pytest.raises(NotFound, match="not in this clone"):
        partial.anchor("b.py:1", "HEAD~")


def test_a_shallow_history_says_where_it_begins(code: Code, tmp_path: Path) -> None:
    """An anchor from before the boundary is found by its text, and where that is not there the answer says why not."""
    code.commit(a_py=BODY, b_py=BODY.replace("value", "number"))
    kept, removed = code.anchor("a.py:6-9"), code.anchor("b.py:6-9")
    code.commit(a_py="# head\n" + BODY, b_py="# other\n")
    shallow = cloned(code, tmp_path / "shallow", "--depth=1")
    found, lost = shallow.locate(kept), shallow.locate(removed)
    assert (found.state, found.reachable, where(found)) == ("fresh", False, ("a.py", 7, 10))
    assert (lost.state, lost.certainty) == ("gone", "lost") and "shallow" in lost.why


def test_objects_of_sha_256_are_followed(kind: Callable[..., Code]) -> None:
    """The back end that libgit2 does not serve gives the same answers."""
    code = kind("sha256")
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.git("mv", "a.py", "b.py")
    code.commit()
    code.commit(b_py="# head\n" + BODY)
    assert len(anchor.blob or "") == 64
    located = code.locate(anchor)
    assert (located.state, located.certainty, where(located)) == ("moved", "certain", ("b.py", 7, 10))
    code.write("b.py", BODY)
    assert where(code.locate(anchor)) == ("b.py", 6, 9)


def test_a_bare_repository_answers_for_its_head(code: Code, tmp_path: Path) -> None:
    """There is no working tree: HEAD counts, for making and for finding."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.commit(a_py="# head\n" + BODY)
    bare = cloned(code, tmp_path / "bare", "--bare")
    assert where(bare.locate(anchor)) == ("a.py", 7, 10)
    assert bare.anchor("a.py:7-10").text == anchor.text
    assert bare.symbol("beta").start_line == 7


def test_inside_a_submodule(kind: Callable[..., Code]) -> None:
    """A submodule is a repository of its own, and its anchors are too."""
    code = kind("submodule")
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.write("a.py", "# head\n" + BODY)
    assert where(code.locate(anchor)) == ("a.py", 7, 10)


def test_an_empty_repository_has_no_answer_and_no_crash(code: Code) -> None:
    """What was anchored elsewhere is gone here, and the reason is that nothing is here."""
    other = Code(code.path.parent / "other")
    subprocess.run(["git", "init", "--quiet", str(other.path)], check=True)
    other.commit(a_py=BODY)
    located = code.locate(other.anchor("a.py:6-9"))
    assert (located.state, located.certainty) == ("gone", "lost") and "no commit yet" in located.why


def test_a_cache_that_is_damaged_or_cannot_be_written_costs_time_only(code: Code) -> None:
    """Rubbish in the cache's place is begun anew; a file in the directory's place is done without."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    cache = code.repository.cache_dir
    cache.mkdir(parents=True)
    file = cache / "anchors-2.sqlite"
    file.write_bytes(b"rubbish" * 1000)
    for _ in range(2):
        with Tracer(code.repository) as tracer:
            assert tracer.locate(anchor).state == "fresh"
    assert file.read_bytes()[:6] == b"SQLite"
    shutil.rmtree(cache)
    cache.write_text("in the way")
    with Tracer(code.repository) as tracer:
        assert tracer.locate(anchor).state == "fresh"


def test_a_present_text_that_is_not_here_is_never_called_unchanged(code: Code, tmp_path: Path) -> None:
    """In a partial clone without a checkout a file that changed cannot be read: nothing is said to be fresh."""
    code.commit(a_py=BODY)
    lines, whole = code.anchor("a.py:6-9"), code.anchor("a.py")
    code.commit(a_py="# head\n" + BODY)
    partial = cloned(code, tmp_path / "partial", "--filter=blob:none", "--no-checkout")
    found = [partial.locate(anchor, "HEAD") for anchor in (lines, whole)]
    assert [(item.state, item.certainty) for item in found] == [("gone", "lost"), ("drifted", "likely")]
    assert "not in this clone" in found[0].why and "not in this clone" in found[1].why
