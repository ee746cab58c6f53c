"""Anchors carried over a history, step by step: renames, code motion, merges, and histories that lie about parents."""

from __future__ import annotations

from memgit.anchors.tracer import Tracer
from tests.anchors.conftest import Code, function, where

NAMES = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
BODY = "".join(function(name) + "\n" for name in NAMES)


def test_many_steps_add_up(code: Code) -> None:
    """Shifts, a rename, an edit elsewhere and another rename: the place is exact after all of them."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:11-14")
    code.commit(a_py="# head\n" + BODY)
    code.git("mv", "a.py", "b.py")
    code.commit()
    code.commit(b_py="# head\n" + BODY.replace(function("alpha"), "") + "# tail\n")
    code.write("deep/c.py", (code.path / "b.py").read_text().replace("# tail\n", ""))
    code.git("rm", "--quiet", "b.py")
    code.commit()
    located = code.locate(anchor)
    assert (located.state, located.certainty, where(located)) == ("moved", "certain", ("deep/c.py", 8, 11))


def test_a_renamed_directory_takes_its_anchors_along(code: Code) -> None:
    """All files of a directory that was renamed at once are found in the new one."""
    for name in NAMES:
        code.write(f"old/{name}.py", function(name) + BODY)
    code.commit()
    anchors = [code.anchor(f"old/{name}.py:1-4") for name in NAMES]
    code.git("mv", "old", "new")
    code.commit()
    for name in NAMES:
        code.write(f"new/{name}.py", "# new\n" + function(name) + BODY)
    code.commit()
    with Tracer(code.repository, is_cached=False) as tracer:
        found = tracer.locate_all(anchors)
    assert [where(item) for item in found] == [(f"new/{name}.py", 2, 5) for name in NAMES]
    assert {(item.state, item.certainty) for item in found} == {("moved", "certain")}


def test_code_that_moved_to_another_file_is_found_there(code: Code) -> None:
    """Lines removed from one file and added to another at once are moved; a short one goes with its block."""
    code.commit(a_py=BODY, b_py="# b\n" * 3)
    block, line = code.anchor("a.py:6-14"), code.anchor("a.py:12")
    moved = function("beta") + "\n" + function("gamma")
    code.commit(a_py=BODY.replace(moved, ""), b_py="# b\n" * 3 + moved)
    found = [code.locate(block), code.locate(line)]
    assert [(item.state, item.certainty, where(item)) for item in found] == [
        ("moved", "certain", ("b.py", 4, 12)),
        ("moved", "certain", ("b.py", 10, 10)),
    ]


def test_code_that_moved_within_its_file_stays_fresh(code: Code) -> None:
    """A function that went to the end of its file is the same text in the same file."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.commit(a_py=BODY.replace(function("beta") + "\n", "") + function("beta"))
    located = code.locate(anchor)
    assert (located.state, where(located)) == ("fresh", ("a.py", 26, 29))


def test_where_branches_meet_the_one_with_the_lines_counts(code: Code) -> None:
    """One branch renames, the other edits above; another one deletes what a merge keeps."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:11-14")
    code.git("checkout", "--quiet", "-b", "side")
    code.commit(a_py="# head\n" + BODY)
    code.git("checkout", "--quiet", "main")
    code.git("mv", "a.py", "b.py")
    code.commit()
    code.git("merge", "--quiet", "--no-edit", "side")
    assert where(code.locate(anchor)) == ("b.py", 12, 15)
    code.git("checkout", "--quiet", "-b", "without")
    code.commit(b_py="# nothing\n")
    code.git("checkout", "--quiet", "main")
    code.commit(c_py="# c\n")
    code.git("merge", "--quiet", "--no-edit", "-s", "ours", "without")
    assert (code.locate(anchor).certainty, where(code.locate(anchor))) == ("certain", ("b.py", 12, 15))


def test_an_octopus_merge_is_followed(code: Code) -> None:
    """Of three lines of descent each adds its part, and the anchor is where all of them put it."""
    code.commit(a_py=BODY, b_py="# b\n", c_py="# c\n")
    anchor = code.anchor("a.py:11-14")
    for name, files in (
        ("one", {"a_py": "# head\n" + BODY}),
        ("two", {"b_py": "# two\n"}),
        ("three", {"c_py": "# 3\n"}),
    ):
        code.git("checkout", "--quiet", "-b", name, "main")
        code.commit(**files)
    code.git("checkout", "--quiet", "main")
    code.git("merge", "--quiet", "--no-edit", "one", "two", "three")
    assert len(code.git("rev-list", "--parents", "-1", "HEAD").split()) == 4
    located = code.locate(anchor)
    assert (located.certainty, where(located)) == ("certain", ("a.py", 12, 15))


def test_a_reverted_edit_is_fresh_again(code: Code) -> None:
    """What counts is the text that is there, not what happened on the way."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.commit(a_py=BODY.replace("inside beta", "within beta"))
    assert code.locate(anchor).state == "drifted"
    code.commit(a_py=BODY)
    assert code.locate(anchor).state == "fresh"


def test_replace_refs_and_grafts_are_not_believed(code: Code) -> None:
    """A history that this clone only pretends to have does not carry anchors."""
    first = code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    second = code.commit(a_py="# head\n" + BODY)
    other = code.git("commit-tree", f"{first}^{{tree}}", "-m", "a root")
    code.git("replace", second, other)
    (code.path / ".git" / "info").mkdir(exist_ok=True)
    (code.path / ".git" / "info" / "grafts").write_text(f"{second}\n")
    located = code.locate(anchor, "HEAD")
    assert (located.reachable, where(located)) == (True, ("a.py", 7, 10))


def test_earlier_answers_shorten_the_way_and_change_nothing(code: Code) -> None:
    """Answers that go on from an earlier commit's are those that a fresh look gives, for every kind of change."""
    code.commit(a_py=BODY, b_py=BODY.replace("value", "number"))
    anchors = [code.anchor(place) for place in ("a.py:1-4", "a.py:6-9", "a.py:11-14", "b.py:6-9", "b.py", "a.py:20")]
    steps = [
        {"a_py": "# head\n" + BODY},
        {"a_py": "# head\n" + BODY.replace(function("alpha"), "")},
        {"b_py": "# b\n" + BODY.replace("value", "number").replace("inside beta", "within beta")},
        {"c_py": "# c\n"},
        {"a_py": BODY.replace(function("alpha"), "").replace(function("gamma"), ""), "c_py": function("gamma")},
    ]
    with Tracer(code.repository) as kept, Tracer(code.repository, is_cached=False) as fresh:
        for step in steps:
            code.commit(**step)
            assert kept.locate_all(anchors) == fresh.locate_all(anchors)
        assert kept.locate_all(anchors) == fresh.locate_all(anchors)
