"""`git memory trust`, and what people see of an author whom they did not name."""

from __future__ import annotations

from tests.cli.conftest import Shell

LABEL = "Ada <ada@example.invalid> (not trusted)"


def as_ada(shell: Shell, *words: str) -> str:
    """Let Ada run a verb in this clone; return what it printed first."""
    shell.git("config", "user.name", "Ada")
    shell.git("config", "user.email", "ada@example.invalid")
    said = shell.ok(*words)
    shell.git("config", "--unset", "user.name")
    shell.git("config", "--unset", "user.email")
    return said.first


def test_an_author_who_is_not_trusted_is_named(shell: Shell) -> None:
    """Recall, search, show and history say by whom a memory is where nobody said that he is trusted, and only there."""
    shell.ok("claim", "assert", "The port is 8080.")
    claim = as_ada(shell, "claim", "assert", "The timeout is 30 seconds.")
    verbs = [("recall", "what", "is", "the", "timeout"), ("search", "timeout"), ("show", claim)]
    verbs += [("claim", "get", claim), ("claim", "history", claim)]
    for verb in verbs:
        assert LABEL in shell.ok(*verb).text, verb
    assert "not trusted" not in shell.ok("recall", "which", "port").text
    said = shell.ok("trust", "add", "ada@example.invalid")
    assert "added (local)" in said.err and said.out == b""
    for verb in verbs:
        assert "not trusted" not in shell.ok(*verb).text, verb
    assert "by  " not in shell.ok("recall", "what", "is", "the", "timeout").text


def test_entries_and_authors_are_listed(shell: Shell) -> None:
    """One line an entry with its source, then one an author with what is known of him."""
    as_ada(shell, "claim", "assert", "The timeout is 30 seconds.")
    fingerprint = "SHA256:" + "A" * 43
    shell.ok("trust", "add", "*@example.org", "--global")
    shell.ok("trust", "add", "ada@example.invalid", "--key", fingerprint)
    lines = shell.ok("trust", "list").text.splitlines()
    blank = lines.index("")
    assert [line.split("\t")[:2] for line in lines[:blank]] == [
        ["test@example.org", "own"],
        ["*@example.org", "global"],
        [f"ada@example.invalid key:{fingerprint}", "local"],
    ]
    assert lines[blank + 1 :] == ["Ada <ada@example.invalid>\twhere the key signed\t1 revision\t0 of 1 commit signed"]
    assert "there already" in shell.ok("trust", "add", "ada@example.invalid", "--key", f"key:{fingerprint}").err
    assert "removed" in shell.ok("trust", "remove", "ada@example.invalid").err
    assert "removed" in shell.ok("trust", "remove", "*@example.org", "--global").err
    assert len(shell.ok("trust", "list").text.splitlines()) == 3


def test_an_address_that_the_memory_does_not_know_is_said(shell: Shell) -> None:
    """It is added all the same, with a note: it may be a mistake in writing."""
    as_ada(shell, "claim", "assert", "The timeout is 30 seconds.")
    for known in ("ada@example.invalid", "*@example.invalid"):
        assert "no author" not in shell.ok("trust", "add", known).err
    for unknown in ("ade@example.invalid", "*@example.com"):
        said = shell.ok("trust", "add", unknown).err
        assert "no author" in said and "added (local)" in said
    assert "no author" not in shell.ok("trust", "add", "eve@example.invalid", "--global").err


def test_a_prompt_says_what_it_leaves_out(shell: Shell) -> None:
    """`context build` leaves out and counts the words of others; asked for, they are labelled."""
    as_ada(shell, "claim", "assert", "The timeout is 30 seconds.")
    said = shell.ok("context", "build", "timeout")
    assert "30 seconds" not in said.text
    assert "1 was left out, by authors whom you do not trust" in said.err and "git memory trust" in said.err
    said = shell.ok("context", "build", "timeout", "--include-untrusted")
    assert "Not trusted, by:" in said.text and "30 seconds" in said.text and "left out" not in said.err


def test_leads_name_whom_nobody_trusts(shell: Shell) -> None:
    """`probe` labels a lead, as recall labels a claim."""
    as_ada(shell, "remember", "The timeout is 30 seconds.")
    assert LABEL in shell.ok("probe", "timeout").text


def test_what_is_no_entry_is_refused(shell: Shell) -> None:
    """A name, an asterisk alone, half a key, an entry that is not there: one error, and nothing changes."""
    for words in (
        ("add", "Ada"),
        ("add", "*"),
        ("add", "ada@example.invalid", "--key", "abc"),
        ("remove", "ada@example.invalid"),
    ):
        shell.refused("trust", *words)
    assert shell.git("config", "--get-all", "memgit.trusted") == ""
    shell.ok("trust", "add", "*", "--everybody")
    assert shell.git("config", "--get-all", "memgit.trusted") == "*"
