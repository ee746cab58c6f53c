"""Which entities are tied to a file or to lines of it, as it is now."""

from __future__ import annotations

from memgit.anchors.place_index import PlaceIndex
from memgit.anchors.tracer import Tracer
from tests.anchors.conftest import Code, function

NAMES = ("alpha", "beta", "gamma", "delta")
BODY = "".join(function(name) + "\n" for name in NAMES)


def on(index: PlaceIndex, path: str, *lines: int, target: str | None = None) -> list[tuple[str, str]]:
    """Return owners and states on a place."""
    start, end = lines if lines else (None, None)
    return [(item.tie.owner, item.located.state) for item in index.at(path, start, end, target)]


def test_lines_lead_to_what_is_tied_to_them(code: Code) -> None:
    """By path, by overlapping lines, with what is tied to the whole file; after edits, renames and motions."""
    code.commit(a_py=BODY, b_py="# b\n")
    ties = {name: [code.anchor(f"a.py:{5 * n + 1}-{5 * n + 4}")] for n, name in enumerate(NAMES)}
    ties["whole"] = [code.anchor("a.py"), code.anchor("b.py:1")]
    with Tracer(code.repository) as tracer:
        index = PlaceIndex(tracer)
        assert index.watermark is None
        index.replace(ties, "one")
        assert index.watermark == "one" and len(index.all()) == 6
        assert on(index, "a.py", 9, 11) == [("whole", "fresh"), ("beta", "fresh"), ("gamma", "fresh")]
        assert on(index, "b.py") == [("whole", "fresh")] and on(index, "none.py") == []
        code.commit(a_py="# head\n" + BODY.replace(function("gamma"), ""), c_py=function("gamma"))
        assert on(index, "a.py", 7, 7) == [("whole", "drifted"), ("beta", "fresh")]
        assert on(index, "c.py") == [("gamma", "moved")]
        assert on(index, "a.py", 6, 9, target="HEAD~") == [("whole", "fresh"), ("beta", "fresh")]


def test_the_working_tree_counts(code: Code) -> None:
    """Uncommitted shifts, and lines that another working file gave away, are seen; so is a text never committed."""
    code.commit(a_py=BODY, b_py="# b\n")
    with Tracer(code.repository) as tracer:
        index = PlaceIndex(tracer)
        code.write("a.py", BODY + function("omega"))
        ties = {"beta": [code.anchor("a.py:6-9")], "gamma": [code.anchor("a.py:11-14")]}
        index.replace(ties | {"omega": [code.anchor("a.py:21-24")]}, "one")
        code.write("a.py", "# head\n" + BODY.replace(function("gamma"), "") + function("omega"))
        code.write("b.py", "# b\n" + function("gamma"))
        assert on(index, "a.py", 7, 10) == [("beta", "fresh")]
        assert on(index, "b.py", 3, 3) == [("gamma", "moved")]
        assert [owner for owner, _ in on(index, "a.py")] == ["beta", "omega"]


def test_following_what_changed_equals_telling_all(code: Code) -> None:
    """Owners that are new, revised or ended are taken in one by one, and the rest stays."""
    code.commit(a_py=BODY)
    anchors = [code.anchor(f"a.py:{n}") for n in range(1, 9)]
    with Tracer(code.repository) as tracer:
        index = PlaceIndex(tracer)
        index.replace({"one": anchors[:2], "two": anchors[2:4], "three": anchors[4:5]}, "first")
        index.follow({"two": anchors[5:6], "four": anchors[6:8]}, ["three", "never"], "second")
        followed = index.all()
        index.replace({"one": anchors[:2], "two": anchors[5:6], "four": anchors[6:8]}, "second")
        assert index.all() == followed and index.watermark == "second"


def test_a_new_head_looks_only_at_what_changed(code: Code) -> None:
    """Anchors of files that a commit left alone are taken over: no text of theirs is read."""
    code.commit(a_py=BODY, b_py=BODY.replace("value", "number"))
    with Tracer(code.repository) as tracer:
        index = PlaceIndex(tracer)
        index.replace({"a": [code.anchor("a.py:6-9")], "b": [code.anchor("b.py:6-9")]}, "one")
        assert len(index.located("HEAD")) == 2
        code.commit(a_py="# head\n" + BODY)
    with Tracer(code.repository) as tracer:
        read: list[str] = []
        blob = tracer.history.blob
        tracer.history.blob = lambda oid: read.append(oid) or blob(oid)  # type: ignore[method-assign, func-returns-value]
        found = {item.tie.owner: item.located for item in PlaceIndex(tracer).located("HEAD")}
        assert found["a"].place is not None and found["a"].place.start_line == 7
        assert found["b"].commit == code.git("rev-parse", "HEAD")
        assert code.git("rev-parse", "HEAD:b.py") not in read and code.git("rev-parse", "HEAD:a.py") in read
