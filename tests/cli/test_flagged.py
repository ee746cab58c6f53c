"""What people and scripts are told about a secret, and how they let one in that is none."""

from __future__ import annotations

import json
from random import Random

from tests.cli.conftest import Shell
from tests.screening.keys import KINDS

TOKEN = KINDS["github"][0](Random(1)).text
SLACK = KINDS["slack"][0](Random(2)).text


def test_a_refusal_says_rule_place_and_what_to_do(shell: Shell) -> None:
    """The whole text, exactly; every further place has a line of its own."""
    said = shell.refused("remember", f"Use {TOKEN}\nor {SLACK}")
    assert said.splitlines() == [
        "error: `text` looks as if it held a secret: github-token at line 1, column 5, and 1 more; nothing was written",
        "       also: `text`: slack-token at line 2, column 4",
        "hint: Take it out and try again. If you looked at it and it is no secret, pass `--allow-flagged` "
        "(in a request: `allow_flagged`).",
    ]
    assert TOKEN not in json.dumps(shell.type("--json", "remember", f"Use {TOKEN}").envelope)


def test_each_verb_that_writes_lets_it_in(shell: Shell) -> None:
    """`--allow-flagged`, after a look."""
    shell.write("note.md", f"# Note\n\n{TOKEN}\n")
    assert "document.content" in shell.refused("remember", "One", "--evidence", "note.md")
    claim = shell.ok("remember", f"Use {TOKEN}", "--allow-flagged").first
    shell.refused("claim", "retract", claim, "--reason", TOKEN)
    artifact = shell.ok("artifact", "put", "note.md", "--allow-flagged").first
    shell.ok("artifact", "forget", artifact, "--reason", TOKEN, "--allow-flagged")
    shell.ok("claim", "retract", claim, "--reason", TOKEN, "--allow-flagged")


def test_an_import_says_what_it_leaves_out(shell: Shell) -> None:
    """Files of other formats are counted beside the data."""
    for number in range(3):
        shell.write(f"docs/{number}.rst", "text")
    shell.write("docs/a.md", "# A\n\ntext")
    said = shell.ok("import", "markdown", "docs")
    assert said.text.splitlines()[-1] == "1 new, 0 changed, 0 unchanged"
    assert said.err == "3 other files left out (3 .rst): only Markdown is imported\n"
    shell.write("docs/b.txt", "text")
    assert "4 other files left out (3 .rst, 1 .txt)" in shell.ok("import", "markdown", "docs").err


def test_an_import_ends_with_what_to_do(shell: Shell) -> None:
    """Each document that was left out is named, then what can be done about it; the status is 0, for the rest is in."""
    shell.write("docs/a.md", "# A\n\ntext")
    shell.write("docs/b.md", f"# B\n\n{TOKEN}\n")
    said = shell.ok("import", "markdown", "docs")
    assert said.text.splitlines()[-1] == "1 new, 0 changed, 0 unchanged"
    assert said.err.splitlines() == [
        "left out: docs/b.md: it looks as if it held a secret: github-token at line 3, column 1",
        "1 document seems to hold a secret; what was kept of it before is as it was",
        "hint: take the secret out and import again; or look at it, then pass --allow-flagged",
    ]
    shell.write("docs/c.md", f"# C\n\n{SLACK}\n")
    assert "2 documents seem to hold secrets; what was kept of them" in shell.ok("import", "markdown", "docs").err
    assert shell.ok("import", "markdown", "docs", "--allow-flagged").err == ""
