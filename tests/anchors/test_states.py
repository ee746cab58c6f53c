"""Fresh, drifted, moved and gone: what each word says, and that none says more."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.anchors.tracer import Tracer
from memgit.errors import NotFound
from tests.anchors.conftest import Code, function, where

BODY = "".join(function(name) + "\n" for name in ("alpha", "beta", "gamma", "delta"))


def test_what_did_not_change_says_no_more_than_that(code: Code) -> None:
    """An unchanged anchor is "unchanged, truth unchecked", whatever else was committed."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.commit(b_py="other\n")
    located = code.locate(anchor)
    assert (located.state, located.certainty, located.why) == ("fresh", "certain", "unchanged, truth unchecked")
    assert where(located) == ("a.py", 6, 9)


def test_lines_that_only_shifted_stay_fresh(code: Code) -> None:
    """What is written above or below an anchor moves it, and does not change it."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.commit(a_py="# one\n# two\n" + BODY + "# end\n")
    located = code.locate(anchor)
    assert (located.state, where(located)) == ("fresh", ("a.py", 8, 11))


def test_a_renamed_file_is_moved_and_unchanged(code: Code) -> None:
    """A pure move carries the new place and stays as fresh as before; so does the file as a whole."""
    code.commit(a_py=BODY)
    lines, whole = code.anchor("a.py:6-9"), code.anchor("a.py")
    code.git("mv", "a.py", "b.py")
    code.commit()
    located = code.locate(lines)
    assert (located.state, located.certainty, located.unchanged) == ("moved", "certain", True)
    assert where(located) == ("b.py", 6, 9) and "unchanged, truth unchecked" in located.why
    assert (code.locate(whole).state, where(code.locate(whole))) == ("moved", ("b.py", None, None))


def test_a_reindentation_is_drift_and_is_still_found(code: Code) -> None:
    """The same words with other blanks are another text in a known place."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.commit(a_py=BODY.replace(function("beta"), "if True:\n" + function("beta", "    ")))
    located = code.locate(anchor)
    assert (located.state, located.certainty, where(located)) == ("drifted", "certain", ("a.py", 7, 10))


def test_an_edit_inside_is_drift_with_the_difference_at_hand(code: Code) -> None:
    """The range grows with what was written into it, and the difference shows the old and the new lines."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.commit(a_py=BODY.replace("    return value_of_beta\n", "    check()\n    return value_of_beta\n"))
    with Tracer(code.repository, is_cached=False) as tracer:
        located = tracer.locate(anchor)
        difference = tracer.difference(anchor, located)
    assert (located.state, located.certainty, where(located)) == ("drifted", "certain", ("a.py", 6, 10))
    assert "+    check()\n" in difference and "-" not in [line[:1] for line in difference.splitlines()[2:]]


def test_a_line_that_was_edited_is_likely(code: Code) -> None:
    """One line that became another one like it is found by likeness, and the answer says so."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:7")
    code.commit(a_py=BODY.replace("argument + 4\n", "argument + 4000\n"))
    located = code.locate(anchor)
    assert (located.state, located.certainty, where(located)) == ("drifted", "likely", ("a.py", 7, 7))


def test_line_ends_change_nothing(code: Code) -> None:
    """A checkout or a commit with CRLF is the same text; so is one without a last line end."""
    code.commit(a_py=BODY)
    anchor, last = code.anchor("a.py:6-9"), code.anchor("a.py:19")
    crlf = BODY.replace("\n", "\r\n").encode()
    code.write("a.py", crlf)
    assert code.locate(anchor).state == "fresh"
    code.commit(a_py=crlf)
    assert code.locate(anchor).state == "fresh"
    code.commit(a_py=BODY.rstrip("\n"))
    assert (code.locate(anchor).state, code.locate(last).state) == ("fresh", "fresh")


def test_removed_lines_are_gone_and_their_end_is_named(code: Code) -> None:
    """The commit that removed them and the last place are in the answer."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    removing = code.commit(a_py=BODY.replace(function("beta"), ""))
    located = code.locate(anchor)
    assert (located.state, located.certainty, located.ended_by) == ("gone", "certain", removing)
    assert located.last is not None and located.last.start_line == 6
    assert located.place is None


def test_a_path_that_came_back_as_something_else_is_not_the_same(code: Code) -> None:
    """A deleted file whose name is used again does not make its anchors fresh."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.git("rm", "--quiet", "a.py")
    code.commit()
    code.commit(a_py="".join(f"something else {n}\n" for n in range(20)))
    located = code.locate(anchor)
    assert located.state == "gone" and located.place is None


def test_a_text_that_came_back_is_likely_at_most(code: Code) -> None:
    """A file that was deleted and written again with the anchored lines is not called the same for certain."""
    code.commit(a_py=BODY)
    anchor = code.anchor("a.py:6-9")
    code.git("rm", "--quiet", "a.py")
    code.commit()
    code.commit(a_py="# new\n" + BODY + "# more\n")
    located = code.locate(anchor)
    assert (located.state, located.certainty, where(located)) == ("fresh", "likely", ("a.py", 7, 10))


def test_equal_copies_are_not_guessed_among(code: Code) -> None:
    """Where lines went to two places alike, none is chosen, and both are named."""
    code.commit(a_py=BODY, b_py="# b\n", c_py="# c\n")
    anchor = code.anchor("a.py:6-9")
    gone = BODY.replace(function("beta"), "")
    code.commit(a_py=gone, b_py="# b\n" + function("beta"), c_py="# c\n" + function("beta"))
    located = code.locate(anchor)
    assert (located.state, located.certainty, located.place) == ("gone", "lost", None)
    assert sorted(place.path for place in located.others) == ["b.py", "c.py"]


def test_a_file_that_became_binary_or_a_link_has_no_lines(code: Code, tmp_path: Path) -> None:
    """Such anchors are gone, without a crash."""
    code.commit(a_py=BODY, b_py=BODY.replace("alpha", "omega"))
    one, other = code.anchor("a.py:6-9"), code.anchor("b.py:1-2")
    (code.path / "b.py").unlink()
    (code.path / "b.py").symlink_to("a.py")
    code.commit(a_py=b"\0\1\2" * 50)
    assert (code.locate(one).state, code.locate(other).state) == ("gone", "gone")


def test_another_encoding_is_drift_in_a_known_place(code: Code) -> None:
    """The bytes are others, so the text is; the place is not lost."""
    text = "# Größe über alles, für jeden sichtbar und lesbar\nsize = 1\nname = 2\n"
    code.commit(a_py=text.encode("latin-1"))
    anchor = code.anchor("a.py:1-2")
    code.commit(a_py=text.encode("utf-8"))
    located = code.locate(anchor)
    assert (located.state, where(located)) == ("drifted", ("a.py", 1, 2))


def test_an_unknown_revision_is_not_found(code: Code) -> None:
    """A target that names no commit is refused, not taken for an empty one."""
    code.commit(a_py=BODY)
    with pytest.raises(NotFound):
        code.locate(code.anchor("a.py:1"), "no-such-branch")
