"""`why`: what is known about lines, the closest first, each with its reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memgit.operations.line_blame import LineBlame
from memgit.operations.why import _lines
from tests.operations.coding import LINES, Code, coded
from tests.operations.conftest import Memory


@pytest.fixture
def code(tmp_path: Path) -> Code:
    """A memory and a file of code."""
    return coded(tmp_path / "project")


def known(answer: dict[str, Any]) -> list[str]:
    """Return the texts of an answer, in their order."""
    return [found["item"]["text"] for found in answer["items"]]


def kinds(answer: dict[str, Any], text: str) -> list[str]:
    """Return the kinds of the reasons for one item."""
    return [one["kind"] for found in answer["items"] if found["item"]["text"] == text for one in found["reasons"]]


def test_anchors_the_narrowest_first(code: Code) -> None:
    """What is on the line now: the least lines first, then the whole file; what is on other lines is not there."""
    code.tied("the line", "src/a.py", "10")
    code.tied("many lines", "src/a.py", "1-20")
    code.tied("the file", "src/a.py")
    code.tied("another line", "src/a.py", "12")
    code.commit("two")
    answer = code.run("why", path="src/a.py", lines="10")
    anchored = [text for text in known(answer) if "anchor" in kinds(answer, text)]
    assert anchored == ["the line", "many lines", "the file"]
    assert known(answer)[:3] == anchored and "another line" not in anchored
    reason = answer["items"][0]["reasons"][0]
    assert reason["said"] == "it is about line 10" and reason["anchor"]["state"] == "fresh"


def test_anchors_follow_their_lines(code: Code) -> None:
    """A line is asked for as it is now, committed or not."""
    code.tied("the line", "src/a.py", "10")
    for _ in range(2):
        code.write("src/a.py", ["# one more", *(code.directory / "src" / "a.py").read_text().splitlines()])
        if _ == 0:
            code.commit("moved down")
    answer = code.run("why", path="src/a.py", lines="12")
    assert known(answer)[0] == "the line" and kinds(answer, "the line")[0] == "anchor"
    assert "anchor" not in kinds(code.run("why", path="src/a.py", lines="10"), "the line")


def test_blame_leads_to_what_was_written_then(code: Code) -> None:
    """At the commit that changed a line last, and just before it was made; of other lines, nothing."""
    code.claim("at the first")
    code.change("src/a.py", 5, "def step_5(): return 55")
    commit = code.commit("five is doubled")
    code.claim("at the second")
    code.change("src/a.py", 7, "def step_7(): return 77")
    code.commit("seven")
    answer = code.run("why", path="src/a.py", lines="5")
    assert known(answer) == ["at the second", "at the first"]
    (exact,), (before,) = (found["reasons"] for found in answer["items"])
    assert exact == {
        "kind": "blame",
        "said": f"written at {commit[:10]} (five is doubled), which last changed line 5",
        "commit": commit,
    }
    assert before["said"].startswith("written just before")
    assert known(code.run("why", path="src/a.py", lines="20")) == ["at the first"]


def test_blame_is_asked_once(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known of a file's bytes is not asked again, nor after a commit that leaves the file alone."""
    code.claim("at the first")
    first = code.run("why", path="src/a.py", lines="5")
    monkeypatch.setattr("memgit.operations.line_blame._ask", lambda *_: LineBlame(note="asked"))
    assert code.run("why", path="src/a.py", lines="5") == first
    code.write("src/b.py", ["pass"])
    code.commit("another file")
    assert code.run("why", path="src/a.py", lines="5")["notes"] == []
    code.change("src/a.py", 5, "other()")
    assert code.run("why", path="src/a.py", lines="5")["notes"] == ["asked"]


def test_blame_follows_rewritten_commits(code: Code) -> None:
    """What was written at a commit that was amended since is found at the one that replaced it, once hooks told so."""
    code.change("src/a.py", 5, "def step_5(): return 55")
    old = code.commit("five")
    code.claim("at five")
    code.change("src/a.py", 5, "def step_5(): return 555")
    code.git("commit", "-q", "-a", "--amend", "-m", "five again")
    new = code.git("rev-parse", "HEAD")
    assert "at five" not in known(code.run("why", path="src/a.py", lines="5"))
    state = code.directory / ".git" / "memgit" / "state"
    (state / "rewrites").write_text(f"{old} {new} 2026-01-01T00:00:00Z\n")
    assert known(code.run("why", path="src/a.py", lines="5"))[0] == "at five"


def test_evidence_that_came_from_the_file(code: Code) -> None:
    """The document that was kept of this very file, and what cites it, come last."""
    code.write("docs/policy.md", ["We pin everything."])
    document = {"title": "Policy", "path": "docs/policy.md", "content": {"type": "text", "data": "We pin everything."}}
    code.run("remember", text="We pin everything.", document=document)
    code.commit("policy")
    answer = code.run("why", path="docs/policy.md", lines="1")
    assert known(answer) == ["We pin everything.", "Policy"] or known(answer) == ["Policy", "We pin everything."]
    assert "evidence" in kinds(answer, "We pin everything.") and kinds(answer, "Policy") == ["evidence"]


def test_a_revision_is_asked(code: Code) -> None:
    """`at` asks for the lines that a revision has."""
    code.tied("the line", "src/a.py", "10")
    code.write("src/a.py", ["# one more", *LINES])
    code.commit("moved")
    first = known(code.run("why", path="src/a.py", lines="10", at="HEAD~1"))
    assert first[0] == "the line"
    answer = code.run("why", path="src/a.py", lines="11", at="HEAD")
    assert known(answer)[0] == "the line" and answer["against"] == code.git("rev-parse", "HEAD")
    assert code.refused("why", path="src/a.py", at="no-such")["code"] == "NOT_FOUND"


def test_what_ended_is_not_there(code: Code) -> None:
    """Retracted and superseded claims, and those of other projects, are no answer."""
    gone, old = code.tied("retracted", "src/a.py", "5"), code.tied("superseded", "src/a.py", "5")
    new = code.tied("new", "src/a.py", "5")
    code.tied("elsewhere", "src/a.py", "5", context={"workspace_id": "wsp-tests", "project_id": "prj-other"})
    head = code.run("claim.get", claim_id=gone)["revision_id"]
    assert len(known(code.run("why", path="src/a.py", lines="5"))) == 3
    code.run("claim.retract", claim_id=gone, if_revision=head, reason="x")
    code.run("relation.put", source=new, target=old, relation="supersedes")
    assert known(code.run("why", path="src/a.py", lines="5")) == ["new"]


def test_it_is_bounded(code: Code) -> None:
    """The limit says how many are left out: of what the context shows, each once, however many anchors it has."""
    for number in range(4):
        anchors = [{"path": "src/a.py", "lines": lines} for lines in ("5", "5-6", "4-5", "1-9")]
        code.claim(f"claim {number}", anchors=anchors)
    code.tied("elsewhere", "src/a.py", "5", context={"workspace_id": "wsp-tests", "project_id": "prj-other"})
    code.claim("tied to nothing, and written at the commit of the line")
    for limit in (1, 2, 4, 9):
        answer = code.run("why", path="src/a.py", lines="5", limit=limit)
        assert (len(answer["items"]), answer["more"]) == (min(limit, 5), max(0, 5 - limit))


def test_what_is_not_merged_says_so(code: Code) -> None:
    """What was written on a branch that the history does not have carries its name; the rest carries none."""
    code.tied("of main", "src/a.py", "5")
    code.git("switch", "-q", "-c", "feature")
    code.change("src/a.py", 9, "def step_9(): return 99")
    code.commit("feature")
    code.tied("of the feature", "src/a.py", "1-9")
    code.git("switch", "-q", "main")
    answer = code.run("why", path="src/a.py", lines="5")
    told = {found["item"]["text"]: (found["branch"], found["merged"]) for found in answer["items"]}
    assert told == {"of main": (None, None), "of the feature": ("refs/heads/feature", "no")}


def test_commits_that_blame_is_to_ignore(code: Code) -> None:
    """The user's list counts, whatever is asked for; where it is not there, as Git wants it, that is said."""
    code.claim("at the first")
    code.change("src/a.py", 5, "def step_5():    return 5")
    formatted = code.commit("formatted")
    code.claim("at the second")
    code.git("config", "blame.ignoreRevsFile", ".git-blame-ignore-revs")
    (note,) = code.run("why", path="src/a.py", lines="5", at="HEAD")["notes"]
    assert note.endswith("`blame.ignoreRevsFile` names a file that is not here: .git-blame-ignore-revs")
    code.write(".git-blame-ignore-revs", [formatted])
    code.commit("a list")
    for fields in ({"at": "HEAD"}, {}):
        answer = code.run("why", path="src/a.py", lines="5", **fields)
        assert (known(answer), answer["notes"]) == (["at the first"], [])


def test_another_layer_is_seen_where_it_is_in_sight(code: Code) -> None:
    """The local layer and a draft's anchors come with their layers, and stay away without."""
    code.tied("shared", "src/a.py", "5")
    code.tied("local", "src/a.py", "5", layer="local")
    code.tied("drafted", "src/a.py", "5", draft="idea")
    asked = {"path": "src/a.py", "lines": "5"}
    for _ in range(2):
        assert sorted(known(code.run("why", **asked))) == ["local", "shared"]
        assert sorted(known(code.run("why", draft="idea", **asked))) == ["drafted", "local", "shared"]
        assert known(code.run("why", layer="shared", **asked)) == ["shared"]


def test_a_draft_that_ties_a_claim_anew(code: Code) -> None:
    """Its place counts where the draft is in sight, and the shared one where it is not."""
    made = code.claim("shared", anchors=[{"path": "src/a.py", "lines": "5"}])
    other = {"draft": "idea", "anchors": [{"path": "src/a.py", "lines": "9"}]}
    code.run("claim.revise", claim_id=made["claim_id"], if_revision=made["revision_id"], **other)

    def anchored(line: str, **fields: str) -> bool:
        return "anchor" in kinds(code.run("why", path="src/a.py", lines=line, **fields), "shared")

    for _ in range(2):
        assert (anchored("5"), anchored("9")) == (True, False)
        assert (anchored("5", draft="idea"), anchored("9", draft="idea")) == (False, True)


@pytest.mark.parametrize(
    ("fields", "code_of"),
    [
        ({"path": ""}, "INVALID_REQUEST"),
        ({"path": "src"}, "INVALID_REQUEST"),
        ({"path": "../x"}, "INVALID_REQUEST"),
        ({"path": "src/a.py", "lines": "0"}, "INVALID_REQUEST"),
        ({"path": "src/a.py", "limit": 0}, "INVALID_REQUEST"),
    ],
)
def test_what_is_no_place_is_refused(code: Code, fields: dict[str, Any], code_of: str) -> None:
    """Directories, paths outside, lines that are none."""
    assert code.refused("why", **fields)["code"] == code_of


def test_a_file_that_nobody_knows(code: Code) -> None:
    """An untracked file, one that is not there, a binary one: nothing is known, and why blame says nothing is said."""
    code.write("new.py", ["pass"])
    assert code.run("why", path="new.py") | {"against": ""} == {
        "path": "new.py",
        "start_line": None,
        "end_line": None,
        "against": "",
        "items": [],
        "more": 0,
        "notes": ["the file is not committed, so blame knows nothing of it"],
    }
    assert code.run("why", path="none.py")["notes"] == ["there is no such file now"]
    code.write("image.bin", b"\0\1\2")
    code.commit("image")
    assert code.run("why", path="image.bin", lines="1")["items"] == []


def test_in_a_bare_repository(code: Code, tmp_path: Path) -> None:
    """Without a working tree, HEAD counts."""
    code.tied("the line", "src/a.py", "10")
    bare = Memory(tmp_path / "bare.git")
    code.git("clone", "-q", "--mirror", code.directory.as_uri(), str(bare.directory))
    answer = bare.run("why", path="src/a.py", lines="10")
    assert known(answer)[0] == "the line" and answer["against"] == code.git("rev-parse", "HEAD")


def test_lines_in_words() -> None:
    """Neighbours are one range; many ranges are cut."""
    assert _lines([3]) == "line 3"
    assert _lines([3, 4, 5, 9]) == "lines 3-5, 9"
    assert _lines(range(1, 40, 2)).endswith("15 and 12 more places")
