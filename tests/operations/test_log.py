"""`log`: commits of the store, or the operations of one entity, each once and with the commit that brought it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.conftest import Memory
from tests.operations.divided import copied, forked, united


def entries(memory: Memory, **fields: Any) -> list[dict[str, Any]]:
    """Return one page."""
    found: list[dict[str, Any]] = memory.run("log", **fields)["items"]
    return found


def revise(memory: Memory, claim: dict[str, Any], statement: str, **fields: Any) -> dict[str, Any]:
    """Revise a claim."""
    return memory.run(
        "claim.revise", claim_id=claim["claim_id"], if_revision=claim["revision_id"], statement=statement, **fields
    )


def test_an_entity_has_its_operations_from_a_large_commit_too(memory: Memory) -> None:
    """A commit of more than 20 operations names none of them; the tree does, and the commit is found."""
    folder = memory.directory / "docs"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.md").write_text(f"# Page {number}\n\nText {number}.\n", "utf-8")
    memory.run("import.markdown", directory="docs")
    commit = memory.tip()
    memory.claim("Later")
    name = (
        memory.git("ls-tree", "-r", "--name-only", commit, "artifacts").split("\n")[7].rpartition("/")[2].split(".")[0]
    )
    (entry,) = entries(memory, entity_id=name)
    assert (entry["commit"], entry["operations"]) == (commit, [["artifact.put", name]])
    assert entry["said"][0]["about"].startswith("Page")


def test_a_merged_history_lists_each_operation_once(memory: Memory) -> None:
    """Both sides' revisions with their own commits, the merge with none."""
    claim = memory.claim("One")
    forked(memory, claim)
    merge = memory.tip()
    found = entries(memory, entity_id=claim["claim_id"])
    assert sorted(one["said"][0]["about"] for one in found) == ["One", "Ours", "Theirs"]
    commits = [one["commit"] for one in found]
    assert len(set(commits)) == 3 and merge not in commits
    for entry in found:
        listed = memory.git("diff-tree", "--root", "-r", "--name-only", entry["commit"])
        assert entry["said"][0]["digest"] in listed
    whole = entries(memory, patch=True)
    digests = [said["digest"] for entry in whole for said in entry["said"]]
    assert len(digests) == len(set(digests)) == 3
    assert [entry["said"] for entry in whole if entry["commit"] == merge] == [[]]


def test_a_patch_says_what_changed(memory: Memory) -> None:
    """Of a claim the fields and words, of a document the lines, of a tombstone the reason."""
    claim = memory.claim("The port is 8080.", confidence=0.5)
    new = revise(memory, claim, "The port is 8443.", confidence=None, subject="port")
    memory.run("claim.retract", claim_id=new["claim_id"], if_revision=new["revision_id"], reason="moved")
    retract, revision, first = (one["said"][0] for one in entries(memory, entity_id=claim["claim_id"], patch=True))
    assert retract["reason"] == "moved" and not retract["fields"]
    changed = {field["name"]: (field["old"], field["new"]) for field in revision["fields"]}
    assert changed == {
        "statement": ("The port is 8080.", "The port is 8443."),
        "confidence": ("0.5", None),
        "subject": (None, "port"),
    }
    assert ["-", "8080"] in revision["fields"][0]["pieces"] and ["+", "8443"] in revision["fields"][0]["pieces"]
    assert {field["name"] for field in first["fields"]} == {"statement", "type", "confidence"}


def test_a_document_is_compared_by_lines(memory: Memory) -> None:
    """The patch of a revision is that of its text; bytes that are no text are only named."""
    made = memory.artifact("one\ntwo\nthree\n")
    name = made["artifact_id"]
    new = memory.run(
        "artifact.revise",
        artifact_id=name,
        if_revision=made["revision_id"],
        content={"type": "text", "data": "one\n2\nthree\n"},
    )
    said = entries(memory, entity_id=name, patch=True)[0]["said"][0]
    assert said["content"]["lines"][1:] == [" one", "-two", "+2", " three"]
    memory.run(
        "artifact.revise",
        artifact_id=name,
        if_revision=new["revision_id"],
        media_type="application/octet-stream",
        content={"type": "base64", "data": "//8="},
    )
    assert "not text" in entries(memory, entity_id=name, patch=True)[0]["said"][0]["content"]["note"]


def test_filters_narrow_the_history(memory: Memory) -> None:
    """By person, verb and time; for the whole store and for one entity."""
    claim = memory.claim("One")
    memory.git("config", "user.name", "Second Person")
    new = revise(memory, claim, "Two")
    memory.run("claim.retract", claim_id=new["claim_id"], if_revision=new["revision_id"], reason="over")
    name = claim["claim_id"]
    assert len(entries(memory, actor="second")) == len(entries(memory, actor="SECOND person", entity_id=name)) == 2
    assert [one["operations"][0][0] for one in entries(memory, verb="revise")] == ["claim.revise"]
    assert [one["said"][0]["verb"] for one in entries(memory, verb="claim.retract", entity_id=name)] == ["retract"]
    assert entries(memory, verb="artifact.revise") == []
    assert len(entries(memory, since="2000-01-01")) == 4 and entries(memory, until="2000-01-01") == []
    assert entries(memory, since="2999-01-01", entity_id=name) == []
    moment = entries(memory, entity_id=name)[0]["at"]
    assert len(entries(memory, entity_id=name, until=moment)) == 2
    assert len(entries(memory, entity_id=name, since=moment)) == 1


def test_pages_of_one_entity_visit_each_operation_once(memory: Memory) -> None:
    """The cursor follows the operations; filters hold on every page."""
    claim = memory.claim("0")
    for number in range(1, 7):
        claim = revise(memory, claim, str(number))
    seen, cursor = [], None
    while True:
        page = memory.run("log", entity_id=claim["claim_id"], limit=2, cursor=cursor, verb="revise")
        seen += [one["said"][0]["about"] for one in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == ["6", "5", "4", "3", "2", "1"]


def test_all_layers_in_sight_are_one_history(memory: Memory) -> None:
    """Newest first by the one sequence, each with its layer; a draft that is named comes in, one that is not there is
    refused; local alone and shared alone can be asked for. Pages visit each write once.
    """
    memory.claim("Shared one")
    memory.claim("Local", layer="local")
    memory.claim("Drafted", draft="one")
    memory.claim("Shared two")

    def seen(**fields: Any) -> list[tuple[str, str]]:
        """Return subject and layer of the claims that the log lists."""
        found = [(entry["subject"], entry["layer"]) for entry in entries(memory, **fields)]
        return [one for one in found if one[0].startswith("claim")]

    two, drafted = ("claim assert: Shared two", "shared"), ("claim assert: Drafted", "draft:one")
    local, one = ("claim assert: Local", "local"), ("claim assert: Shared one", "shared")
    assert seen() == [two, local, one]
    assert seen(draft="one") == [two, drafted, local, one]
    assert seen(layer="shared") == [two, one]
    assert seen(layer="local") == [local]
    assert seen(layer="local", draft="one") == [drafted, local]
    assert memory.refused("log", draft="none")["code"] == "NOT_FOUND"
    pages, cursor = [], None
    while True:
        page = memory.run("log", limit=1, draft="one", **({"cursor": cursor} if cursor else {}))
        pages += [entry["subject"] for entry in page["items"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert pages[:4] == [two[0], drafted[0], local[0], one[0]]
    assert len(pages) == 5


def test_a_patch_of_a_private_write_is_against_what_is_shared(memory: Memory) -> None:
    """A local revision of a shared claim tells what it changed."""
    claim = memory.claim("The port is 80.")
    revise(memory, claim, "The port is 81.", layer="local")
    entry = memory.run("log", layer="local", patch=True, limit=1)["items"][0]
    assert [(one["name"], one["old"], one["new"]) for one in entry["said"][0]["fields"]] == [
        ("statement", "The port is 80.", "The port is 81.")
    ]
    found = memory.run("log", entity_id=claim["claim_id"])["items"]
    assert [item["layer"] for item in found] == ["local", "shared"]
    found = memory.run("log", entity_id=claim["claim_id"], layer="local")["items"]
    assert [item["layer"] for item in found] == ["local"]


def test_a_merge_names_who_wrote(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commit of a draft's merge is the merger's, and says whose the operations are; `actor` finds both."""
    monkeypatch.setenv("MEMGIT_AGENT", "helper")
    memory.claim("Drafted", draft="one")
    monkeypatch.delenv("MEMGIT_AGENT")
    memory.run("draft.merge", name="one")
    (entry,) = memory.run("log", limit=1)["items"]
    assert (entry["actor"], entry["authors"]) == (
        "Test Person <test@example.org>",
        ["Test Person <test@example.org> (helper)"],
    )
    assert [one["subject"] for one in entries(memory, actor="helper")] == ["draft merge: one"]


def test_what_is_undone_or_ignored_is_marked(memory: Memory) -> None:
    """An operation that does not count is listed all the same, and says why."""
    claim = memory.claim("One")
    new = revise(memory, claim, "Two")
    memory.run("undo", targets=[new["revision_id"]])
    undo, revision, first = (one["said"][0] for one in entries(memory, entity_id=claim["claim_id"]))
    assert (undo["void"], revision["void"], first["void"]) == (False, True, False)
    assert undo["cancels"] == [revision["digest"]]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"entity_id": "clm_" + "0" * 26}, "NOT_FOUND"),
        ({"entity_id": "nonsense"}, "INVALID_REQUEST"),
        ({"verb": "destroy"}, "INVALID_REQUEST"),
        ({"since": "some other day"}, "INVALID_REQUEST"),
        ({"limit": 0}, "INVALID_REQUEST"),
        ({"cursor": "?"}, "INVALID_REQUEST"),
    ],
)
def test_what_cannot_be_asked_is_refused(memory: Memory, fields: dict[str, Any], code: str) -> None:
    """Unknown ids, verbs and times are errors, not empty pages."""
    memory.claim("One")
    assert memory.refused("log", **fields)["code"] == code


def test_an_operation_that_came_by_a_replay_is_found(memory: Memory) -> None:
    """Its seq says nothing about the commit that holds it: the trees do."""
    other = copied(memory)
    theirs = other.claim("Theirs")
    for number in range(5):
        memory.claim(f"Ours {number}")
    united(memory, other)
    tree = memory.git("rev-parse", "refs/memgit/store^{tree}")
    message = "store join\n\nMemgit-Seq: 6\n"
    single = memory.git("commit-tree", tree, "-p", "refs/memgit/store^1", "-m", message)
    memory.git("update-ref", "refs/memgit/store", single)
    shutil_log = memory.directory / ".git" / "memgit" / "state" / "log"
    for file in shutil_log.iterdir():
        file.unlink()
    (entry,) = entries(memory, entity_id=theirs["claim_id"])
    assert entry["commit"] == single
