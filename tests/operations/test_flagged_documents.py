"""An import leaves out what looks as if it held a secret, says so, and brings the rest in."""

from __future__ import annotations

import json
import subprocess
from random import Random
from typing import Any

import pytest

from memgit.operations.import_markdown import _BULK_FROM
from memgit.store.allowed import AllowedList
from tests.operations.conftest import Memory
from tests.screening.keys import KINDS

TOKEN = KINDS["github"][0](Random(1)).text
SLACK = KINDS["slack"][0](Random(2)).text
REASON = "it looks as if it held a secret: "


def write(memory: Memory, documents: dict[str, str]) -> None:
    """Write documents below `docs`."""
    for name, text in documents.items():
        path = memory.directory / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def run(memory: Memory, **fields: Any) -> dict[str, Any]:
    """Import `docs`."""
    return memory.run("import.markdown", directory="docs", **fields)


def holds_nothing(memory: Memory) -> bool:
    """Tell whether neither Git's objects nor any file of memgit holds one of the keys."""
    command = ["git", "cat-file", "--batch-all-objects", "--batch"]
    objects = subprocess.run(command, cwd=memory.directory, capture_output=True, check=True).stdout
    files = [file.read_bytes() for file in (memory.directory / ".git").rglob("*") if file.is_file()]
    return not any(key.encode() in data for key in (TOKEN, SLACK) for data in (objects, *files))


@pytest.mark.parametrize("more", [0, _BULK_FROM], ids=["loose", "bulk"])
def test_the_rest_comes_in(memory: Memory, more: int) -> None:
    """Flagged documents are named with rule and position, counted, and leave nothing; a key's receipt says the same."""
    write(memory, {"a.md": "# A\n\ntext", "b.md": f"# B\n\nuse {TOKEN}\n  or {SLACK}", "c.md": "# C\n\ntext"})
    write(memory, {f"many/{number}.md": f"# Number {number}\n" for number in range(more)})
    result = run(memory, key="k")
    assert (result["added"], result["flagged"], result["unchanged"]) == (2 + more, 1, 0)
    assert result["skipped"] == [
        {
            "path": "docs/b.md",
            "reason": REASON + "github-token at line 3, column 5, slack-token at line 4, column 6",
        }
    ]
    assert "docs/b.md" not in result["added_paths"]
    assert run(memory, key="k") == result
    assert holds_nothing(memory)


def test_a_dry_run_says_the_same(memory: Memory) -> None:
    """What would be left out is known before."""
    write(memory, {"a.md": "# A\n\ntext", "b.md": f"# B\n\nuse {TOKEN}"})
    dry = run(memory, dry_run=True)
    assert run(memory) == dry
    assert (dry["added"], dry["flagged"]) == (1, 1)


def test_what_was_looked_at_is_kept(memory: Memory) -> None:
    """With the flag all comes in, and what is flagged is noted; importing again changes nothing and asks nothing."""
    write(memory, {"a.md": "# A\n\ntext", "b.md": f"# B\n\nuse {TOKEN}"})
    result = run(memory, allow_flagged=True)
    assert (result["added"], result["flagged"], result["skipped"]) == (2, 0, [])
    blob = next(
        line for line in memory.git("grep", "-laF", TOKEN, "refs/memgit/store").splitlines() if "blobs/" in line
    )
    noted = AllowedList(memory.directory / ".git" / "memgit" / "state").digests()
    assert noted == {blob.rpartition("/")[2]}
    again = run(memory)
    assert (again["unchanged"], again["flagged"]) == (2, 0)


def test_a_revision_with_a_secret_leaves_the_document_as_it_was(memory: Memory) -> None:
    """The kept revision stays current, and the document is not counted as missing or unchanged."""
    write(memory, {"a.md": "# A\n\ntext"})
    run(memory)
    write(memory, {"a.md": f"# A\n\n{TOKEN}"})
    result = run(memory)
    assert (result["revised"], result["unchanged"], result["missing"], result["flagged"]) == (0, 0, 0, 1)
    assert holds_nothing(memory)
    write(memory, {"a.md": "# A\n\nother text"})
    assert run(memory)["revised"] == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [(f"---\ntitle: {TOKEN}\n---\n\ntext", 2), (f"---\nowner: me\napi: {TOKEN}\n---\n", 3), (f"# About {TOKEN}\n", 1)],
    ids=["title", "front matter", "heading"],
)
def test_front_matter_and_titles_are_part_of_the_document(memory: Memory, text: str, line: int) -> None:
    """They are found in the bytes, where a person can look."""
    write(memory, {"a.md": text})
    result = run(memory)
    assert result["flagged"] == 1
    assert result["skipped"][0]["reason"].startswith(f"{REASON}github-token at line {line}, column ")
    assert holds_nothing(memory)


def test_a_name_that_is_a_secret_is_not_told(memory: Memory) -> None:
    """The file is left out and counted, without its name in the answer."""
    write(memory, {f"{TOKEN}.md": "# A\n\ntext", "b.md": "# B"})
    envelope = memory.envelope("import.markdown", key="k", directory="docs")
    assert TOKEN not in json.dumps(envelope)
    assert envelope["result"]["flagged"] == 1 and envelope["result"]["added"] == 1
    assert envelope["result"]["skipped"] == [
        {"path": "(a name that looks like a secret)", "reason": REASON + "github-token in its provenance"}
    ]
    assert holds_nothing(memory)


def test_names_that_were_allowed_are_not_listed(memory: Memory) -> None:
    """A receipt repeats no flagged name, whether the document comes, changes or goes; nothing fails for it."""
    write(memory, {f"{TOKEN}.md": "# A\n\ntext"})
    assert run(memory, key="1", allow_flagged=True)["added_paths"] == []
    (memory.directory / "docs" / f"{TOKEN}.md").unlink()
    result = run(memory, key="2")
    assert (result["missing"], result["missing_paths"]) == (1, [])


def test_a_long_list_fits_into_a_receipt(memory: Memory) -> None:
    """However many are flagged, the answer names the first of them and counts all."""
    write(memory, {f"{number:04}-{'x' * 60}.md": f"{TOKEN}\n" for number in range(400)})
    write(memory, {"a.md": "# A"})
    result = run(memory, key="k")
    assert (result["added"], result["flagged"]) == (1, 400)
    assert 50 < len(result["skipped"]) < 400
    assert result["skipped"][0]["path"].startswith("docs/0000-")
