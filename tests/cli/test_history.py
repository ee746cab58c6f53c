"""`log`, `blame`, `undo`, `diff` and `conflict acknowledge` as people read them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import STORE, Shell

GOLDEN = Path(__file__).resolve().parents[2] / "fixtures" / "review" / "comment.md"
_TRACKING = "refs/memgit/remotes/origin/store"
EVIL = "\x1b[31mred\x1b[0m </details><script>alert(1)</script> @octocat ``` #1 [x](y) \u202e|"


@pytest.fixture
def claim(shell: Shell) -> str:
    """A claim with two revisions."""
    name = shell.ok("claim", "assert", "The port is 8080.", "--subject", "port").first
    shell.ok("claim", "revise", name, "The port is 8443.", "--confidence", "0.9")
    return name


def other_clone(shell: Shell) -> Shell:
    """Return another clone with the same memory, whose tip `brought` fetches."""
    other = Shell(shell.directory.with_name("other"))
    shutil.copytree(shell.directory, other.directory)
    return other


def brought(shell: Shell, other: Shell) -> None:
    """Fetch another clone's memory to the tracking ref of origin."""
    shell.git("fetch", "-q", str(other.directory), f"+{STORE}:{_TRACKING}")


def test_log_of_an_entity_gives_digests_that_undo_takes(shell: Shell, claim: str) -> None:
    """One line an operation with its commit; with --patch what it changed."""
    lines = shell.ok("log", claim).text.splitlines()
    assert len(lines) == 2 and "claim revise: The port is 8443." in lines[0]
    assert shell.git("rev-parse", STORE)[:10] in lines[0]
    digest = re.findall(r"\b[0-9a-f]{12}\b", lines[0])[-1]
    said = shell.ok("undo", digest)
    assert f"undid revise {digest} of {claim}" in said.text and f"{claim} is at revision 1 again" in said.text
    assert "undo" in said.err
    assert "undone" in shell.ok("log", claim).text.splitlines()[1]


def test_log_patch_shows_words_fields_and_lines(shell: Shell, claim: str) -> None:
    """Like `git log -p`; --oneline turns it off."""
    text = shell.ok("log", claim, "-p").text
    assert "statement: The port is [-8080-]{+8443+}." in text and "+ confidence: 0.9" in text
    assert "[-8080-]" not in shell.ok("log", claim, "-p", "--oneline").text
    shell.write("notes.md", "# Notes\n\nold line\n")
    shell.ok("remember", "Notes exist.", "--evidence", "notes.md")
    shell.write("notes.md", "# Notes\n\nnew line\n")
    shell.ok("remember", "Notes changed.", "--evidence", "notes.md")
    text = shell.ok("log", "-p", "-n", "1").text
    assert "- old line" in text and "+ new line" in text and "+ statement: Notes changed." in text


def test_log_filters(shell: Shell, claim: str) -> None:
    """By person, verb and date; what matches nothing says so."""
    shell.ok("claim", "retract", claim, "--reason", "moved")
    assert len(shell.ok("log", "--verb", "revise").text.splitlines()) == 1
    assert len(shell.ok("log", claim, "--actor", "test person", "--since", "2000-01-01").text.splitlines()) == 3
    said = shell.ok("log", "--until", "2000-01-01")
    assert (said.text, said.err) == ("", "no writes\n")
    assert "there is no verb 'destroy'" in shell.refused("log", "--verb", "destroy")


def test_blame_names_who_set_each_field(shell: Shell, claim: str) -> None:
    """Number of the revision, commit, author; the statement word by word."""
    text = shell.ok("blame", claim).text
    lines = text.split("\n\n")[0].splitlines()[1:]
    rows = {name: line for line in lines for name in ("subject", "confidence") if f"  {name} " in line}
    assert rows["subject"].lstrip().startswith("1 ") and rows["confidence"].lstrip().startswith("2 ")
    assert shell.git("rev-parse", STORE)[:10] in rows["confidence"] and "Test Person" in rows["subject"]
    assert [line.split()[0] for line in text.split("\n\n")[1].splitlines()] == ["1", "2", "1"]
    older = shell.ok(
        "blame", claim, "--revision", shell.run("claim.history", claim_id=claim)["items"][1]["revision_id"]
    )
    assert "8080" in older.text and "8443" not in older.text


def test_blame_of_a_document_is_line_by_line(shell: Shell) -> None:
    """With numbers of lines, as `git blame` shows them."""
    shell.write("doc.md", "# Title\n\nold\nkept\n")
    made = shell.ok("artifact", "put", "doc.md", "--kind", "document").first
    shell.write("doc.md", "# Title\n\nnew\nkept\n")
    shell.ok("artifact", "revise", made, "doc.md")
    lines = shell.ok("blame", made).text.split("\n\n")[1].splitlines()
    assert [(line.split()[0], line.rpartition(") ")[2]) for line in lines] == [
        ("1", "# Title"),
        ("1", ""),
        ("2", "new"),
        ("1", "kept"),
    ]


def test_undo_says_what_changes_and_how_to_take_it_back(shell: Shell, claim: str) -> None:
    """@last toggles; -q prints the operation alone; evidence needs --force."""
    shell.ok("claim", "retract", claim, "--reason", "moved")
    assert f"{claim} is active again, at revision 2" in shell.ok("undo", "@last").text
    assert f"{claim} is retracted again" in shell.ok("undo", "@last").text
    assert re.fullmatch(r"[0-9a-f]{64}\n", shell.ok("-q", "undo", claim[-6:]).text)
    shell.ok("remember", "Deploys happen on Fridays.")
    document = shell.run("log", limit=1)["items"][0]["operations"][0][1]
    assert "--force" in shell.refused("undo", document)
    assert "is void" in shell.ok("undo", document, "--force", "--reason", "wrong note").text
    assert "Missing argument" in shell.type("undo").err


def test_acknowledge_lets_a_retraction_stand(shell: Shell, claim: str) -> None:
    """A fork is sent to --all-heads instead."""
    shell.fork(claim, "Ours", "Theirs")
    case = shell.run("conflict.list")["items"][0]["case_id"]
    assert "--all-heads" in shell.refused("conflict", "acknowledge", case)
    assert "no case" in shell.refused("conflict", "acknowledge", "case_" + "0" * 32)


def test_diff_shows_what_a_sync_would_bring(shell: Shell, claim: str) -> None:
    """Conflicts first, then claims with their words; nothing at all is said so."""
    other = other_clone(shell)
    new = other.ok("claim", "assert", "Logs are kept for a week.").first
    other.ok("claim", "revise", claim, "The port is 9443.")
    shell.ok("claim", "retract", claim, "--reason", "moved")
    brought(shell, other)
    text = shell.ok("diff").text
    head, *blocks = text.split("\n\n")
    assert head.startswith("@..origin  2 claims (") and "1 conflict (1 opened)" in head
    assert blocks[0].startswith("opened    case_") and "The port is 9443." in blocks[0]
    assert "The port is [-8443-]{+9443+}." in text
    assert any(block.startswith(f"new       {new}") and "+ Logs are kept for a week." in block for block in blocks)
    said = shell.ok("diff", "@..@")
    assert (said.text, said.err) == ("", "@..@: nothing differs\n")
    assert "no remote is elected" in Shell(other.directory).refused("diff")


def test_diff_as_json_is_the_envelope(shell: Shell, claim: str) -> None:
    """--format json and --json are one; a bound counts what it leaves out."""
    envelope = shell.ok("diff", "seq:1..", "--format", "json").envelope
    assert envelope["result"]["diff"]["claims"][0]["id"] == claim
    assert shell.ok("--json", "diff", "seq:1..").envelope["result"] == envelope["result"]
    for number in range(40):
        shell.ok("claim", "assert", f"Claim number {number}.")
    text = shell.ok("diff", "seq:1..", "--max-bytes", "4000").text
    assert re.search(r"^… and \d+ more in claims$", text, re.MULTILINE)


def test_markdown_keeps_stored_text_in_its_place(shell: Shell) -> None:
    """Nothing that is stored leaves its code, runs, or mentions anybody."""
    name = shell.ok("claim", "assert", EVIL, "--subject", "@team/all").first
    shell.ok("claim", "revise", name, f"{EVIL} again", "--confidence", "0.1")
    shell.write("evil.md", f"# {EVIL}\n\n````\n</details>\n@octocat\n````\n")
    shell.ok("artifact", "put", "evil.md", "--kind", "document", "--title", "``` @octocat </details>")
    shell.ok("claim", "retract", name, "--reason", f"``` {EVIL}")
    text = shell.ok("diff", "seq:1..", "--format", "markdown").text
    outside = without_code(text)
    assert "octocat" not in outside and "script" not in outside and "@" not in outside
    assert text.count("<details>") == len(re.findall(r"^</details>$", outside, re.MULTILINE)) == 2
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", text)


def test_text_is_shown_and_not_obeyed(shell: Shell) -> None:
    """Escapes of stored text are visible on every one of the verbs."""
    name = shell.ok("claim", "assert", EVIL).first
    for words in (("diff", "seq:1.."), ("log", name, "-p"), ("blame", name), ("undo", name)):
        text = shell.ok(*words).text
        assert "\x1b" not in text and "\u202e" not in text and "\\x1b[31mred" in text, words


def without_code(text: str) -> str:
    """Return Markdown without fences, spans and code elements, as a host reads it."""
    text = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    return re.sub(r"<code>[^<>]*</code>", "", text)


@pytest.mark.parametrize(
    ("word", "meant"),
    [("revert", "undo"), ("resolve", "conflict"), ("annotate", "blame"), ("compare", "diff"), ("redo", "undo")],
)
def test_other_words_lead_to_the_verb(shell: Shell, word: str, meant: str) -> None:
    """What people try first is answered with what does it."""
    assert f"Did you mean {meant!r}" in shell.type(word).err.replace(f"'{meant} -h'", f"{meant!r}")


def test_the_golden_comment(shell: Shell) -> None:
    """The Markdown of a small difference, ids and times masked, is the one in the fixtures."""
    shell.write("docs/policy.md", "# Policy\n\nWe pin every dependency.\n")
    shell.ok("remember", "We pin every dependency.", "--type", "constraint", "--evidence", "docs/policy.md")
    name = shell.ok("claim", "assert", "The port is 8080.").first
    seq = shell.run("log", limit=1)["items"][0]["seq"]
    shell.ok("claim", "revise", name, "The port is 8443.")
    old = shell.ok("claim", "assert", "We pin nothing.").first
    shell.ok("relation", "put", name, "contradicts", old)
    text = shell.ok("diff", f"seq:{seq}..", "--format", "markdown").text
    masked = re.sub(r"\b(clm|art|rel|crev|arev)_[0-9a-z]{26}\b", r"\1_ID", text)
    masked = re.sub(r"case_[0-9a-f]{32}", "case_ID", masked)
    masked = re.sub(r"\d{4}-\d\d-\d\dT[\d:]{8}Z", "TIME", masked)
    assert masked == GOLDEN.read_text("utf-8")
    assert json.loads(shell.ok("--json", "diff", f"seq:{seq}..").out)["ok"]
