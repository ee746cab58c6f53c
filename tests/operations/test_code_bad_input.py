"""Odd files and odd repositories: each is answered honestly, nothing of it is a fault, nothing is fetched unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.operations.for_path import notes_for
from memgit.operations.invocation import Invocation
from tests.operations.coding import LINES, Code, coded
from tests.operations.conftest import Memory


@pytest.fixture
def code(tmp_path: Path) -> Code:
    """A memory and a file of code."""
    return coded(tmp_path / "project")


def clone_of(code: Code, directory: Path, *options: str) -> Code:
    """Return a clone with the memory."""
    code.git("clone", "-q", *options, code.directory.as_uri(), str(directory))
    code.git("push", "-q", str(directory), "refs/memgit/store")  # whole, whatever the clone filters
    return Code(directory)


def test_a_file_that_became_binary(code: Code) -> None:
    """It has no lines any more: not fresh, and no failure."""
    claim = code.tied("x", "src/a.py", "5")
    code.write("src/a.py", b"\0\1\2" * 100)
    assert code.word(claim) in ("gone", "drifted")
    code.commit("binary")
    assert code.word(claim) in ("gone", "drifted")
    assert code.run("why", path="src/a.py")["path"] == "src/a.py"
    assert not code.run("check", since="HEAD~1")["ok"]


@pytest.mark.parametrize("is_committed", [False, True])
def test_line_ends(code: Code, is_committed: bool) -> None:
    """CRLF and LF are the same text."""
    claim = code.tied("x", "src/a.py", "5-6")
    code.write("src/a.py", "".join(f"{line}\r\n" for line in LINES))
    if is_committed:
        code.commit("crlf")
    assert code.word(claim) == "fresh"
    assert code.run("check", since="HEAD~1" if is_committed else "HEAD")["ok"]


def test_another_encoding(code: Code) -> None:
    """A text that was written in another encoding is found, and not called unchanged."""
    code.write("src/u.py", ["# größe", "value = 'käse'", "other = 1"])
    code.commit("utf-8")
    claim = code.tied("x", "src/u.py", "2")
    code.write("src/u.py", "# größe\nvalue = 'käse'\nother = 1\n".encode("latin-1"))
    code.commit("latin-1")
    state = code.state(claim, differences=True)
    assert state["state"] == "drifted" and state["anchors"][0]["now"]["start_line"] == 2


def test_no_final_line_end(code: Code) -> None:
    """A last line is the same with and without its end."""
    code.write("src/last.py", "one = 1\ntwo = 2")
    code.commit("without")
    claim = code.tied("x", "src/last.py", "2")
    code.write("src/last.py", "one = 1\ntwo = 2\n")
    assert code.word(claim) == "fresh"


def test_a_file_that_became_a_link(code: Code) -> None:
    """A link is another thing than the file that it replaced."""
    claim = code.tied("x", "src/a.py", "5")
    path = code.directory / "src" / "a.py"
    path.unlink()
    path.symlink_to("/etc/hostname")
    assert code.word(claim) != "fresh"
    code.commit("link")
    assert code.word(claim) != "fresh"
    assert isinstance(code.run("why", path="src/a.py")["items"], list)


def test_a_path_that_became_a_submodule(code: Code, tmp_path: Path) -> None:
    """A submodule at the path of a file: the file is gone."""
    code.write("vendor/lib", ["library = 1", "more = 2"])
    code.commit("a file")
    claim = code.tied("x", "vendor/lib", "1-2")
    other = coded(tmp_path / "library")
    code.git("rm", "-q", "vendor/lib")
    code.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", other.directory.as_uri(), "vendor/lib")
    code.commit("a submodule")
    assert code.word(claim) == "gone"
    assert code.run("for", paths=["vendor/lib"])["untrusted"] == 0


def test_deleted_and_made_again(code: Code) -> None:
    """A file that came back with another text is not the old one, certain."""
    claim = code.tied("x", "src/a.py", "5-7")
    (code.directory / "src" / "a.py").unlink()
    code.commit("deleted")
    assert code.word(claim) == "gone"
    code.write("src/a.py", [f"entirely other text {number}" for number in range(30)])
    code.commit("made again")
    (told,) = code.state(claim)["anchors"]
    assert told["state"] != "fresh" and (told["state"], told["certainty"]) != ("drifted", "certain")


def test_a_partial_clone_says_so_and_fetches_nothing(code: Code, tmp_path: Path) -> None:
    """Old blobs are not here: what can be told without is told, the rest is said, and no object arrives."""
    code.git("config", "uploadpack.allowFilter", "true")
    code.git("config", "uploadpack.allowAnySHA1InWant", "true")
    claim = code.tied("x", "src/a.py", "5")
    code.change("src/a.py", 5, "def step_5(): return 55")
    code.commit("two")
    code.change("src/a.py", 20, "def step_20(): return 2020")
    code.commit("three")
    clone = clone_of(code, tmp_path / "partial", "--filter=blob:none")
    clone.git("config", "remote.origin.url", (tmp_path / "nowhere").as_uri())
    before = clone.git("count-objects", "-v")
    state = clone.state(claim, differences=True)
    (told,) = state["anchors"]
    assert (told["state"], told["certainty"]) == ("gone", "lost")
    assert told["said"] == "an older text of src/a.py is not in this clone"
    assert told["difference"] == "--- a/src/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-def step_5(): return 5\n"
    notes = clone.run("why", path="src/a.py", lines="5")["notes"]
    assert any("not in this clone" in note for note in notes)
    clone.run("stale"), clone.run("check", since="HEAD~2"), clone.run("for", paths=["src/a.py"])
    packs = [line for line in clone.git("count-objects", "-v").splitlines() if "pack" in line]
    assert packs == [line for line in before.splitlines() if "pack" in line]


def test_a_clone_without_old_trees(code: Code, tmp_path: Path) -> None:
    """Nobody can tell there what a change touches: a check does not say that all is well; nothing else fails."""
    code.git("config", "uploadpack.allowFilter", "true")
    code.git("config", "uploadpack.allowAnySHA1InWant", "true")
    claim = code.tied("x", "src/a.py", "9-11")
    code.change("src/a.py", 10, "def step_10(): return 1010")
    code.commit("two")
    code.write("other/b.py", ["pass"])
    code.commit("three")
    clone = clone_of(code, tmp_path / "treeless", "--filter=tree:0")
    clone.git("config", "remote.origin.url", (tmp_path / "nowhere").as_uri())
    error = clone.refused("check", since="HEAD~2")
    assert error["code"] == "NOT_FOUND" and "not in this clone" in error["message"] and "--refetch" in error["hint"]
    (told,) = clone.state(claim)["anchors"]
    assert (told["state"], told["certainty"]) != ("fresh", "certain")
    page = clone.run("stale")
    assert (page["fresh"], page["drifted"] + page["gone"]) == (0, 1)
    clone.run("for", paths=["src/a.py"]), clone.run("why", path="src/a.py")


def test_a_shallow_clone(code: Code, tmp_path: Path) -> None:
    """The commit of the anchor is not here: its text is looked for, and the same bytes are found."""
    claim = code.tied("x", "src/a.py", "5-7")
    code.write("src/a.py", ["# one more", *LINES])
    code.commit("two")
    clone = clone_of(code, tmp_path / "shallow", "--depth=1")
    (told,) = clone.state(claim)["anchors"]
    assert (told["state"], told["certainty"], told["now"]["start_line"]) == ("fresh", "certain", 6)


def test_grafts_and_replaced_commits_do_not_count(code: Code) -> None:
    """History is what the objects say: neither a graft nor a replace ref makes a branch merged."""
    code.git("switch", "-q", "-c", "feature")
    code.write("src/feature.py", ["pass"])
    feature = code.commit("feature")
    claim = str(code.claim("Of the feature.")["claim_id"])
    code.git("switch", "-q", "main")
    head = code.git("rev-parse", "main")
    code.git("replace", "--graft", head, feature)
    assert code.state(claim)["merged"] == "no"
    code.git("replace", "-d", head)
    info = code.directory / ".git" / "info"
    info.mkdir(exist_ok=True)
    (info / "grafts").write_text(f"{head} {feature}\n")
    assert code.state(claim)["merged"] == "no"


def test_while_a_rebase_is_in_progress(code: Code) -> None:
    """HEAD is detached and the tree in conflict: answers are about what is there, and nothing fails."""
    claim = code.tied("x", "src/a.py", "20")
    code.git("switch", "-q", "-c", "feature")
    code.change("src/a.py", 5, "def step_5(): return 55")
    code.commit("ours")
    code.git("switch", "-q", "main")
    code.change("src/a.py", 5, "def step_5(): return 555")
    code.commit("theirs")
    code.git("switch", "-q", "feature")
    assert "conflict" in _failing(code, "rebase", "main").lower()
    assert code.word(claim) == "fresh"
    for operation, fields in (
        ("stale", {}),
        ("check", {"since": "main"}),
        ("why", {"path": "src/a.py", "lines": "20"}),
        ("for", {"paths": ["src/a.py"]}),
        ("confirm", {"entity_ids": [claim]}),
        ("status", {}),
    ):
        code.run(operation, **fields)
    code.git("rebase", "--abort")


def test_sha256_objects(tmp_path: Path) -> None:
    """Where the store is read by Git's plumbing, the same answers are given."""
    code = Code(tmp_path / "project")
    code.directory.mkdir()
    code.git("init", "-q", "--object-format=sha256")
    code.run("store.init", workspace_id="wsp-tests", project_id="prj-tests")
    code.write("src/a.py", LINES)
    code.commit("one")
    claim = code.tied("x", "src/a.py", "5")
    code.change("src/a.py", 5, "def step_5(): return 55")
    code.commit("two")
    assert code.word(claim) == "drifted"
    assert code.run("why", path="src/a.py", lines="5")["items"][0]["item"]["entity_id"] == claim
    assert [found["item"]["entity_id"] for found in code.run("check", since="HEAD~1")["findings"]] == [claim]
    code.run("confirm", entity_ids=[claim])
    assert code.word(claim) == "fresh"


def test_a_damaged_cache_costs_nothing_but_time(code: Code) -> None:
    """Derived files that hold nonsense are made anew."""
    claim = code.tied("x", "src/a.py", "5")
    whole = code.run("why", path="src/a.py", lines="5"), code.run("status")["code"], code.state(claim)
    for path in (code.directory / ".git" / "memgit" / "cache").glob("*-1*.sqlite"):
        path.write_bytes(b"nonsense" * 1000)
    again = code.run("why", path="src/a.py", lines="5"), code.run("status")["code"], code.state(claim)
    assert again == whole


def _failing(code: Memory, *arguments: str) -> str:
    import subprocess

    done = subprocess.run(["git", *arguments], cwd=code.directory, capture_output=True, text=True)
    assert done.returncode != 0
    return done.stdout + done.stderr


def test_names_that_no_file_can_have(code: Code) -> None:
    """A name or a path that is too long is refused by each operation that takes one, as what it is."""
    for name in ("a" * 300, "a/" * 3000 + "b", "é" * 128):
        assert code.refused("for", paths=[name])["code"] == "INVALID_REQUEST"
        assert code.refused("why", path=name)["code"] == "INVALID_REQUEST"
        assert code.refused("remember", text="x", anchors=[{"path": name}])["code"] == "INVALID_REQUEST"


def test_a_name_that_is_not_utf8_is_no_fault(code: Code) -> None:
    """Beside what is known of its directory, a file with such a name is asked about like any other."""
    code.tied("x", "src/a.py", "5")
    invocation = Invocation(code.directory)
    assert "src/caf\\udce9" in notes_for(invocation, ["src/caf\udce9"])
    invocation.close()


def test_what_leaves_a_commit_out_names_none(code: Code) -> None:
    """`^HEAD` is no revision to answer at."""
    code.tied("x", "src/a.py", "5")
    assert code.refused("stale", at="^HEAD")["code"] == "NOT_FOUND"
    assert code.refused("check", since="^HEAD")["code"] == "NOT_FOUND"
