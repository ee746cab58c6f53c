"""`remember` and `import.markdown`: evidence first, exact spans, one commit, and only what changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.limits import DEFAULT
from tests.operations.conftest import Memory


def bytes_of(memory: Memory, result: dict[str, object]) -> str:
    """Return the text that a remembered claim cites."""
    claim = memory.run("claim.get", claim_id=result["claim_id"])
    (evidence,) = claim["evidence"]
    return str(memory.run("citation.get", citation=evidence["citation"])["content"]["data"])


def test_the_text_itself_becomes_the_evidence(memory: Memory) -> None:
    """A note is kept as an artifact, and the claim cites all of it, in one commit."""
    before = int(memory.git("rev-list", "--count", "refs/memgit/store"))
    result = memory.run("remember", text="Ümläute work: 100 %", claim_type="decision", subject="text")
    assert bytes_of(memory, result) == "Ümläute work: 100 %"
    assert int(memory.git("rev-list", "--count", "refs/memgit/store")) == before + 1


def document(data: str, **fields: object) -> dict[str, object]:
    """Return a document for `remember`."""
    return {"title": "Policy", "content": {"type": "text", "data": data}, "path": "docs/policy.md", **fields}


def test_a_document_is_cited_where_it_says_so(memory: Memory) -> None:
    """The span is the quote's, or the text's own where the document holds it once, or the whole revision."""
    data = "# Policy\n\nPin every dependency. Review each month.\n"
    quoted = memory.run("remember", text="We pin", document=document(data, quote="Pin every dependency."))
    assert bytes_of(memory, quoted) == "Pin every dependency."
    literal = memory.run("remember", text="Review each month.", document=document(data))
    assert bytes_of(memory, literal) == "Review each month."
    whole = memory.run("remember", text="Something else", document=document(data))
    assert (whole["start_byte"], whole["end_byte"]) == (None, None)


def test_the_same_document_is_kept_once_and_revised_when_it_changes(memory: Memory) -> None:
    """A path is one artifact; unchanged bytes reuse the revision; the older claim still cites the older bytes."""
    first = memory.run("remember", text="Old rule.", document=document("Old rule."))
    again = memory.run("remember", text="Also.", document=document("Old rule."))
    changed = memory.run("remember", text="New rule.", document=document("New rule."))
    assert (again["artifact_id"], again["reused_artifact"]) == (first["artifact_id"], True)
    assert changed["artifact_id"] == first["artifact_id"]
    assert changed["artifact_revision_id"] != first["artifact_revision_id"]
    assert (bytes_of(memory, first), bytes_of(memory, changed)) == ("Old rule.", "New rule.")


@pytest.mark.parametrize("quote", ["absent", "twice"])
def test_a_quote_must_be_there_once(memory: Memory, quote: str) -> None:
    """A missing and an ambiguous quote are refused, and nothing is written, not even the document."""
    error = memory.refused("remember", text="x", document=document("twice and twice", quote=quote))
    assert error["code"] == "INVALID_REQUEST"


@pytest.fixture
def documents(memory: Memory) -> Path:
    """A directory of documents in the working tree."""
    directory = memory.directory / "docs"
    (directory / "sub").mkdir(parents=True)
    (directory / "a.md").write_text("---\ntitle: Alpha\ntags: [one, two]\n---\n# Ignored\n\nText.\n")
    (directory / "sub" / "b.md").write_text("# Beta *b*\n\n```\n# no heading\n```\n## Part\n")
    (directory / "c.txt").write_text("not Markdown")
    return directory


def imported(memory: Memory) -> dict[str, object]:
    """Import the documents."""
    return memory.run("import.markdown", directory="docs")


def test_each_document_becomes_an_artifact(memory: Memory, documents: Path) -> None:
    """Bytes are kept; title, tags, front matter and headings are described; the path names it."""
    assert imported(memory)["added_paths"] == ["docs/a.md", "docs/sub/b.md"]
    hits = memory.run("search", query="Alpha Beta", kinds=["artifact"])["hits"]
    found = {hit["artifact"]["title"]: hit["artifact"] for hit in hits}
    alpha = memory.run("artifact.get", artifact_id=found["Alpha"]["artifact_id"])
    assert alpha["content"]["data"] == (documents / "a.md").read_text()
    assert alpha["artifact"]["markers"] == ["tag:one", "tag:two"]
    assert alpha["artifact"]["provenance"]["front_matter"] == {"title": "Alpha", "tags": ["one", "two"]}
    beta = memory.run("artifact.get", artifact_id=found["Beta *b*"]["artifact_id"])["artifact"]
    assert beta["provenance"]["headings"] == ["# Beta *b*", "## Part"]


def test_importing_again_changes_only_what_changed(memory: Memory, documents: Path) -> None:
    """No commit without a change; a changed file is one revision; a vanished one is named and left alone."""
    imported(memory)
    tip = memory.tip()
    again = imported(memory)
    assert (again["added"], again["revised"], again["unchanged"], memory.tip()) == (0, 0, 2, tip)
    (documents / "a.md").write_text("# Alpha\n\nNew text.\n")
    (documents / "sub" / "b.md").unlink()
    changed = imported(memory)
    assert (changed["revised_paths"], changed["missing_paths"]) == (["docs/a.md"], ["docs/sub/b.md"])


def test_a_dry_run_writes_nothing(memory: Memory, documents: Path) -> None:
    """It says what would be added."""
    tip = memory.tip()
    result = memory.run("import.markdown", directory="docs", dry_run=True)
    assert (result["added"], memory.tip()) == (2, tip)


def test_what_cannot_be_imported_is_named(memory: Memory, documents: Path) -> None:
    """Bytes that are not UTF-8, an oversized file, an empty one, broken front matter; links are not followed."""
    (documents / "latin.md").write_bytes(b"caf\xe9")
    (documents / "empty.md").write_text(" \n")
    (documents / "large.md").write_bytes(b"x" * (DEFAULT.artifact_bytes + 1))
    (documents / "alias.md").write_text("---\na: &x 1\nb: *x\n---\ntext\n")
    (documents / "link.md").symlink_to(documents / "a.md")
    (documents / ".hidden").mkdir()
    (documents / ".hidden" / "h.md").write_text("hidden")
    result = imported(memory)
    reasons = {item["path"]: item["reason"] for item in result["skipped"]}  # type: ignore[attr-defined]
    assert set(reasons) == {"docs/latin.md", "docs/empty.md", "docs/large.md", "docs/alias.md"}
    assert "UTF-8" in reasons["docs/latin.md"]
    assert result["added_paths"] == ["docs/a.md", "docs/alias.md", "docs/sub/b.md"]


def test_what_is_no_markdown_is_counted(memory: Memory) -> None:
    """Files of other formats are left out and counted by kind; hidden files, directories and links are not."""
    directory = memory.directory / "manual"
    (directory / "deep" / ".hidden").mkdir(parents=True)
    for name in ("a.rst", "b.RST", "deep/c.txt", "LICENSE", "d.md", ".hidden", "deep/.hidden/e.rst", "f." + "x" * 20):
        (directory / name).write_text("text\n") if name != ".hidden" else None
    (directory / "link.rst").symlink_to(directory / "a.rst")

    result = memory.run("import.markdown", directory="manual")

    assert (result["added"], result["others"]) == (1, 5)
    assert result["other_kinds"] == {".rst": 2, ".txt": 1, "": 2}


def test_a_large_import_is_one_commit_and_one_pack(memory: Memory) -> None:
    """Many documents take the bulk path: only the commit and its root are loose too, as the log has them."""
    directory = memory.directory / "docs"
    directory.mkdir()
    for number in range(150):
        (directory / f"{number}.md").write_text(f"# Document {number}\n\nText {number}.\n")
    before = int(memory.git("rev-list", "--count", "refs/memgit/store"))
    loose = int(memory.git("count-objects").split()[0])
    assert imported(memory)["added"] == 150
    assert int(memory.git("rev-list", "--count", "refs/memgit/store")) == before + 1
    assert int(memory.git("count-objects").split()[0]) <= loose + 2
    assert imported(memory)["unchanged"] == 150


def test_a_directory_that_is_not_there_is_refused(memory: Memory) -> None:
    """One clear error."""
    assert memory.refused("import.markdown", directory="nowhere")["code"] == "INVALID_REQUEST"


def test_a_retry_of_a_large_import_gives_its_first_outcome(memory: Memory) -> None:
    """However many documents: the receipt stays small enough to be read back, and verify is clean."""
    directory = memory.directory / "docs"
    directory.mkdir()
    for number in range(800):
        (directory / f"{'long name ' * 10}{number}.md").write_text(f"# Document {number}\n")
    first = memory.run("import.markdown", key="k", directory="docs")
    assert (first["added"], len(first["added_paths"]) < 800) == (800, True)
    assert memory.run("import.markdown", key="k", directory="docs") == first
    assert memory.run("verify")["ok"] is True


def test_a_note_does_not_outlive_its_claim(memory: Memory) -> None:
    """What was retracted, revised or superseded is not found again through the note that was its evidence."""
    one = memory.run("remember", text="The heron dives at noon.")
    identity = {"claim_id": one["claim_id"], "if_revision": one["revision_id"]}
    assert memory.run("memory.recall", query="heron dives")["presence"] == "claims"
    revised = memory.run("claim.revise", **identity, statement="The kingfisher dives at noon.")
    assert memory.run("memory.recall", query="heron dives")["presence"] == "none"
    memory.run("claim.retract", claim_id=one["claim_id"], if_revision=revised["revision_id"], reason="wrong")
    assert memory.run("memory.recall", query="kingfisher dives")["presence"] == "none"
    assert memory.run("search", query="heron kingfisher dives")["hits"] == []


def test_directories_elsewhere_need_a_prefix_of_their_own(memory: Memory, documents: Path, tmp_path: Path) -> None:
    """Nothing from outside can pass for a document of the project, or overwrite one."""
    other = tmp_path / "other" / "docs"
    other.mkdir(parents=True)
    (other / "a.md").write_text("# Somebody else's\n")
    imported(memory)
    for directory in (str(other), ".."):
        assert memory.refused("import.markdown", directory=directory)["details"]["field"] == "prefix"
    taken = memory.run("import.markdown", directory=str(other), prefix="handbook")
    assert (taken["added_paths"], taken["missing"]) == (["handbook/a.md"], 0)
    for prefix in ("../docs", "a//b", "./a"):
        assert memory.refused("import.markdown", directory=str(other), prefix=prefix)["code"] == "INVALID_REQUEST"


def test_a_claim_that_cites_a_whole_document_says_so(memory: Memory) -> None:
    """A statement that the document does not hold is kept with a warning; with a quote, or in a note, there is none."""
    data = "Pin every dependency."
    for fields, expected in (
        ({"document": document(data)}, 1),
        ({"document": document(data, quote="Pin")}, 0),
        ({"document": document(data, path="other.md"), "text": data}, 0),
        ({}, 0),
    ):
        envelope = memory.envelope("remember", **{"text": "We pin.", **fields})
        assert envelope["ok"]
        assert len([one for one in envelope["warnings"] if "cites all of it" in one]) == expected, fields


@pytest.mark.parametrize("text", ["# Sealing\n\nThe ledger is sealed.\n", "# Sealing\n\nOther words.\n"])
def test_an_import_leaves_out_what_was_forgotten(memory: Memory, tmp_path: Path, text: str) -> None:
    """Whatever it says now; it is counted and named, and comes back where that is asked for."""
    page = tmp_path / "pages" / "seal.md"
    page.parent.mkdir()
    page.write_text("# Sealing\n\nThe ledger is sealed.\n")
    asked = {"directory": str(page.parent), "prefix": "pages"}
    assert memory.run("import.markdown", **asked)["added_paths"] == ["pages/seal.md"]
    (known,) = memory.run("memory.recall", query="ledger sealed")["artifacts"]
    memory.run("artifact.forget", artifact_id=known["artifact_id"], reason="private")
    page.write_text(text)
    again = memory.run("import.markdown", **asked)
    assert (again["added"], again["unchanged"], again["forgotten"]) == (0, 0, 1)
    assert [item["path"] for item in again["skipped"]] == ["pages/seal.md"]
    assert memory.run("memory.recall", query="sealing")["presence"] == "none"
    assert memory.run("import.markdown", **asked, readmit=True)["added"] == 1
    assert memory.run("import.markdown", **asked)["unchanged"] == 1
