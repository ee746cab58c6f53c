"""Lost texts are looked for together, and each is found as if it had been looked for alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memgit.anchors.line_search import LineSearch
from memgit.anchors.tracer import Tracer
from memgit.store.code_history import CodeHistory
from memgit.store.objects import ObjectId
from tests.anchors.conftest import Code, function

NAMES = [f"name{number}" for number in range(12)]


def test_many_lines_cost_one_search(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit that removed the text of many anchors is searched once for what it left of them."""
    kept = {f"{name}_py": function(f"kept_in_{name}") for name in NAMES}
    code.commit(**{file: text + function(file[:-3]) for file, text in kept.items()}, copy_py=function(NAMES[3]))
    anchors = [code.anchor(f"{name}.py:5-8") for name in NAMES]
    code.commit(**kept)
    asked: list[list[str]] = []
    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda command, **given: asked.append(command) or run(command, **given))
    with Tracer(code.repository, is_cached=False) as tracer:
        found = tracer.locate_all(anchors, "HEAD")
    assert {item.state for item in found} == {"gone"}
    assert [[place.path for place in item.others] for item in found if item.others] == [["copy.py"]]
    assert sum("grep" in command for command in asked) == 1


def test_lines_lead_to_their_files(code: Code) -> None:
    """Each line to its own files, whatever the names are; a line within another one counts."""
    code.write("odd: name\nwith a line end.py", function("alpha"))
    code.write("sub/b.py", "    " + function("alpha") + function("beta"))
    commit = ObjectId(code.commit())
    alpha, beta = code.anchor("sub/b.py:1-4"), code.anchor("sub/b.py:5-8")
    history = CodeHistory(code.repository)
    search = LineSearch(history)
    search.look_for([alpha, beta], commit)
    assert search.paths(alpha, commit) == ["odd: name\nwith a line end.py", "sub/b.py"]
    assert search.paths(beta, commit) == ["sub/b.py"] and search.is_whole(commit)
    history.close()


def test_a_search_that_could_not_read_everything_says_so(code: Code, tmp_path: Path) -> None:
    """In a partial clone without a checkout nothing was found because nothing is here."""
    commit = ObjectId(code.commit(a_py=function("alpha")))
    anchor = code.anchor("a.py:1-4")
    code.git("config", "uploadpack.allowFilter", "true")
    clone = ["git", "clone", "--quiet", "--no-checkout", "--filter=blob:none", code.path.as_uri(), str(tmp_path / "c")]
    subprocess.run(clone, check=True)
    history = CodeHistory(Code(tmp_path / "c").repository)
    search = LineSearch(history)
    assert search.paths(anchor, commit) == [] and not search.is_whole(commit)
    history.close()
