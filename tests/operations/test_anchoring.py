"""What is written can be tied to code: a file, lines of it, a symbol, a commit. What cannot be tied is refused."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.operations.coding import LINES, Code, coded
from tests.operations.conftest import SCOPE, Memory
from tests.screening.keys import KINDS


@pytest.fixture
def code(tmp_path: Path) -> Code:
    """A memory and a file of code."""
    return coded(tmp_path / "project")


def anchors(code: Memory, claim_id: str) -> list[dict[str, Any]]:
    """Return what a claim is tied to."""
    found: list[dict[str, Any]] = code.run("claim.get", claim_id=claim_id)["anchors"]
    return found


def test_each_write_takes_anchors(code: Code) -> None:
    """`remember`, `claim.assert` and `artifact.put` tie what they write; the anchor holds the place and its text."""
    place = {"path": "src/a.py", "lines": "3-4"}
    remembered = code.run("remember", text="Steps count.", anchors=[place])["claim_id"]
    asserted = code.claim("Steps are pure.", anchors=[place])["claim_id"]
    head = code.git("rev-parse", "HEAD")
    for name in (remembered, asserted):
        (anchor,) = anchors(code, name)
        assert (anchor["path"], anchor["start_line"], anchor["end_line"]) == ("src/a.py", 3, 4)
        assert anchor["text"] == f"{LINES[2]}\n{LINES[3]}\n" and anchor["commit"] == head
    artifact = code.artifact("A design.", anchors=[place])["artifact_id"]
    got = code.run("artifact.get", artifact_id=artifact)["artifact"]
    assert got["anchors"][0]["start_line"] == 3 and got["code_state"]["state"] == "fresh"


def test_a_symbol_a_commit_and_a_whole_file(code: Code) -> None:
    """A symbol is found where it is, a commit can be meant alone, and a path without lines is the whole file."""
    head = code.git("rev-parse", "HEAD")
    claim = code.claim("x", anchors=[{"symbol": "step_7"}, {"commit": "HEAD"}, {"path": "src/a.py"}])["claim_id"]
    symbol, commit, whole = anchors(code, claim)
    assert (symbol["path"], symbol["start_line"], symbol["symbol"]) == ("src/a.py", 7, "step_7")
    assert commit["commit"] == head and "path" not in commit
    assert whole["path"] == "src/a.py" and "start_line" not in whole
    assert [one["state"] for one in code.state(claim)["anchors"]] == ["fresh"] * 3


def test_a_place_can_be_looked_up_in_a_commit(code: Code) -> None:
    """With a commit, the text is what that commit has."""
    old = code.git("rev-parse", "HEAD")
    code.change("src/a.py", 3, "changed()")
    code.commit()
    claim = code.claim("x", anchors=[{"path": "src/a.py", "lines": "3", "commit": old}])["claim_id"]
    assert anchors(code, claim)[0]["text"] == f"{LINES[2]}\n"


def test_paths_count_from_the_request(code: Code) -> None:
    """A relative path counts from the directory of the request, a whole one is taken where it leads into the tree."""
    below = Memory(code.directory / "src")
    for path in ("a.py", "../src/a.py", str(code.directory / "src" / "a.py")):
        claim = below.claim(f"by {path}", anchors=[{"path": path, "lines": "1"}])["claim_id"]
        assert anchors(code, claim)[0]["path"] == "src/a.py"
    for path in ("../x", "/etc/hosts"):
        error = code.refused("claim.assert", claim_type="fact", statement="x", anchors=[{"path": path}])
        assert "outside" in error["message"]


def test_a_revision_takes_anchors_along(code: Code) -> None:
    """Unless it names others, or says that there are none."""
    made = code.claim("Steps count.", anchors=[{"path": "src/a.py", "lines": "3"}])
    claim, revision = made["claim_id"], made["revision_id"]
    revision = code.run("claim.revise", claim_id=claim, if_revision=revision, statement="Steps add up.")["revision_id"]
    assert anchors(code, claim)[0]["start_line"] == 3
    other = [{"path": "src/a.py", "lines": "9"}]
    revision = code.run("claim.revise", claim_id=claim, if_revision=revision, anchors=other)["revision_id"]
    assert [one["start_line"] for one in anchors(code, claim)] == [9]
    code.run("claim.revise", claim_id=claim, if_revision=revision, anchors=[])
    assert anchors(code, claim) == []


def test_a_documents_next_revision_takes_anchors_along(code: Code) -> None:
    """By its id, and by its path: in `remember` and in an import."""
    code.write("docs/policy.md", "# Policy\n\nPin everything.\n")
    put = {"title": "Policy", "kind": "document", "provenance": {"path": "docs/policy.md"}}
    content = {"type": "text", "data": "# Policy\n\nPin.\n"}
    made = code.run("artifact.put", content=content, anchors=[{"path": "src/a.py", "lines": "2"}], **put)
    name = made["artifact_id"]

    def tied() -> int:
        return len(code.run("artifact.get", artifact_id=name)["artifact"]["anchors"])

    content = {"type": "text", "data": "Other."}
    code.run("artifact.revise", artifact_id=name, if_revision=made["revision_id"], content=content)
    assert tied() == 1
    code.run("import.markdown", directory=str(code.directory / "docs"))
    assert tied() == 1
    document = {"title": "Policy", "path": "docs/policy.md", "content": {"type": "text", "data": "Pin it."}}
    assert code.run("remember", text="Pin it.", document=document)["artifact_id"] == name
    assert tied() == 1


def test_anchored_text_passes_the_gate(code: Code) -> None:
    """Code that holds a key does not enter with an anchor; with `allow_flagged` it does."""
    code.write("src/key.py", [f'token = "{KINDS["github"][0](Random(1)).text}"'])
    fields = {"claim_type": "fact", "statement": "x", "anchors": [{"path": "src/key.py", "lines": "1"}]}
    assert code.refused("claim.assert", **fields)["code"] == "SECRET_DETECTED"
    assert code.run("claim.assert", allow_flagged=True, **fields)["claim_id"]


def test_a_repeated_request_gives_its_first_outcome(code: Code) -> None:
    """Also where the file that it names is gone since."""
    fields = {"claim_type": "fact", "statement": "x", "anchors": [{"path": "src/a.py", "lines": "1"}]}
    first = code.run("claim.assert", key="k", **fields)
    (code.directory / "src" / "a.py").unlink()
    assert code.run("claim.assert", key="k", **fields) == first


@pytest.mark.parametrize(
    ("place", "code_of", "words"),
    [
        ({"path": "src/none.py"}, "NOT_FOUND", "not in the working tree"),
        ({"path": "src"}, "INVALID_REQUEST", "directory"),
        ({"path": "."}, "INVALID_REQUEST", "directory"),
        ({"path": "src/a.py", "lines": "30-31"}, "INVALID_REQUEST", "30"),
        ({"path": "src/a.py", "lines": "0"}, "INVALID_REQUEST", "no lines"),
        ({"path": "src/a.py", "lines": "4-3"}, "INVALID_REQUEST", "no lines"),
        ({"path": "src/a.py", "lines": "x"}, "INVALID_REQUEST", "no lines"),
        ({"lines": "3"}, "INVALID_REQUEST", "path"),
        ({}, "INVALID_REQUEST", "anchor"),
        ({"symbol": "nothing_such"}, "NOT_FOUND", "nothing_such"),
        ({"commit": "nothing-such"}, "NOT_FOUND", "nothing-such"),
        ({"path": "image.bin"}, "INVALID_REQUEST", "binary"),
        ({"path": "link.py"}, "INVALID_REQUEST", "symbolic link"),
        ({"path": "vendor/sub"}, "INVALID_REQUEST", "submodule"),
        ({"path": "vendor/sub/file.py"}, "INVALID_REQUEST", "submodule"),
    ],
)
def test_what_cannot_be_tied_is_refused(code: Code, place: dict[str, str], code_of: str, words: str) -> None:
    """Binary files, links, submodules, directories, lines past the end, what is not there: nothing is written."""
    code.write("image.bin", b"\x89PNG\0\0\1")
    os.symlink("src/a.py", code.directory / "link.py")
    sub = code.directory / "vendor" / "sub"
    sub.mkdir(parents=True)
    Memory(sub).git("init", "-q")
    (sub / "file.py").write_text("pass\n")
    error = code.refused("claim.assert", claim_type="fact", statement="x", anchors=[place])
    assert (error["code"], words in error["message"]) == (code_of, True), error


def test_there_is_a_limit(code: Code) -> None:
    """A claim has at most 16 anchors."""
    places = [{"path": "src/a.py", "lines": str(number)} for number in range(1, 18)]
    error = code.refused("claim.assert", claim_type="fact", statement="x", anchors=places)
    assert (error["code"], error["details"]["limit"]) == ("LIMIT_EXCEEDED", "anchors_per_claim")


def test_uncommitted_text_is_tied_and_said(code: Code) -> None:
    """An anchor of a text that no commit has holds the text alone, and the answer says so."""
    code.write("src/new.py", ["fresh = 1"])
    envelope = code.envelope("claim.assert", claim_type="fact", statement="x", anchors=[{"path": "src/new.py"}])
    assert any("not committed" in warning for warning in envelope["warnings"])
    claim = envelope["result"]["claim_id"]
    assert code.word(claim) == "fresh"
    code.commit()
    assert code.word(claim) in ("fresh", "moved")


def test_an_empty_repository(tmp_path: Path) -> None:
    """Where nothing is committed, a file can be tied, and a revision cannot be named."""
    code = Code(tmp_path / "empty")
    code.directory.mkdir()
    code.git("init", "-q")
    code.run("store.init", **SCOPE)
    code.write("a.py", ["one", "two"])
    claim = code.tied("x", "a.py", "2")
    assert code.word(claim) == "fresh"
    assert code.envelope("claim.get", claim_id=claim, at="HEAD")["error"]["code"] == "NOT_FOUND"
    assert code.run("why", path="a.py")["items"][0]["item"]["entity_id"] == claim
    assert code.run("stale")["items"] == []
    assert code.run("status")["code"] is None
    assert code.envelope("check", since="HEAD")["error"]["code"] == "NOT_FOUND"
