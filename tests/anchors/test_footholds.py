"""Anchors out of a history: looked for in many versions of a path without comparing what has nothing of them."""

from __future__ import annotations

import pytest

from memgit.anchors import foothold
from tests.anchors.conftest import Code, function, where

BODY = "".join(function(name) + "\n" for name in ("alpha", "beta", "gamma"))


def test_versions_without_the_lines_are_not_compared(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version that holds too few of the telling lines costs no comparison; one that holds them is compared once."""
    code.commit(a_py=function("zero"))
    code.git("checkout", "--quiet", "-b", "side")
    code.commit(a_py=function("first") + function("second"))
    lost = code.anchor("a.py:1-4")
    code.git("checkout", "--quiet", "main")
    for number in range(4):
        code.commit(a_py=function("zero") + f"extra_{number} = {number}\n")
    compared: list[int] = []
    carry = foothold.carry
    monkeypatch.setattr(foothold, "carry", lambda *given: compared.append(1) or carry(*given))
    assert (code.locate(lost).state, code.locate(lost).certainty) == ("gone", "lost")
    assert compared == []
    code.commit(a_py=function("zero") + "# more\n" + function("first").replace("+ 5", "+ 50"))
    located = code.locate(lost)
    assert (located.state, located.certainty, where(located)) == ("drifted", "likely", ("a.py", 6, 9))
    assert compared == [1]
