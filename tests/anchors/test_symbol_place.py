"""An anchor that was made by a symbol follows the definition, not only the lines that it once had."""

from __future__ import annotations

from memgit.anchors.capture import capture
from memgit.anchors.symbol_place import wanted_again
from memgit.anchors.tracer import Tracer
from memgit.anchors.wanted import Wanted
from tests.anchors.conftest import Code, function, where

BODY = function("alpha") + "\n" + function("beta") + "\n" + function("gamma")
LONGER = BODY.replace(function("beta"), function("beta") + "    more = 1\n    return more\n")


def test_statements_that_were_appended_to_a_function_are_drift(code: Code) -> None:
    """Committed or not, in the same file or a renamed one, the place is the whole definition."""
    code.commit(a_py=BODY)
    anchor, lines = code.symbol("beta"), code.anchor("a.py:6-9")
    assert (code.locate(anchor).state, where(code.locate(anchor))) == ("fresh", ("a.py", 6, 9))
    code.write("a.py", LONGER)
    working = code.locate(anchor)
    code.commit()
    committed = code.locate(anchor, "HEAD")
    code.git("mv", "a.py", "b.py")
    code.commit()
    moved = code.locate(anchor, "HEAD")
    for located, path in ((working, "a.py"), (committed, "a.py"), (moved, "b.py")):
        assert (located.state, where(located)) == ("drifted", (path, 6, 11))
    assert (code.locate(lines).state, where(code.locate(lines))) == ("moved", ("b.py", 6, 9))


def test_an_anchor_is_tied_anew_to_the_whole_definition(code: Code) -> None:
    """What is captured again holds the new lines and the symbol, and is fresh."""
    code.commit(a_py=BODY)
    anchor = code.symbol("beta")
    code.commit(a_py="# head\n" + LONGER)
    again = capture(code.repository, wanted_again(anchor, code.locate(anchor))).anchor
    assert (again.symbol, again.start_line, again.end_line) == ("beta", 7, 12)
    assert code.locate(again).state == "fresh"


def test_without_the_old_file_the_copy_says_that_it_was_the_definition(code: Code) -> None:
    """A commit that was amended and collected: an indented method is still followed by its name."""
    body = "class Box:\n" + function("size", "    ")
    code.commit(a_py="# first\n")
    code.commit(a_py=body)
    anchor = code.symbol("Box.size")
    code.commit("--amend", a_py="# head\n" + body + "        # more\n        raise SystemExit\n")
    code.git("reflog", "expire", "--expire=now", "--all")
    code.git("gc", "--quiet", "--prune=now")
    assert (code.locate(anchor).state, where(code.locate(anchor))) == ("drifted", ("a.py", 3, 8))


def test_a_symbol_that_only_names_some_lines_decides_nothing(code: Code) -> None:
    """Lines inside a function, with its name beside them, are followed as lines; so is a name that is gone."""
    code.commit(a_py=BODY)
    part = capture(code.repository, Wanted(path="a.py", start_line=7, end_line=8, symbol="beta")).anchor
    whole = code.symbol("beta")
    code.commit(a_py="# head\n" + LONGER)
    assert (code.locate(part).state, where(code.locate(part))) == ("fresh", ("a.py", 8, 9))
    code.commit(a_py=BODY.replace("def beta", "def zeta"))
    assert where(code.locate(whole)) == ("a.py", 6, 9)


def test_differences_are_of_the_files_that_the_answer_saw(code: Code) -> None:
    """One working tree for an answer and its differences: a file is read once, and a new answer reads it anew."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    with Tracer(code.repository, is_cached=False) as tracer:
        code.write("a.py", LONGER.replace("inside beta", "within beta"))
        located = tracer.locate(anchor)
        first = tracer.difference(anchor, located)
        code.write("a.py", BODY.replace("inside beta", "beside beta"))
        assert "within beta" in first and tracer.difference(anchor, located) == first
        assert "beside beta" in tracer.difference(anchor, tracer.locate(anchor))
