"""`git memory checkpoint` as a person types it."""

from __future__ import annotations

import re

import pytest

from tests.cli.conftest import Shell

CHK = re.compile(r"chk_[0-7][0-9a-hjkmnp-tv-z]{25}")


@pytest.fixture
def work(shell: Shell) -> Shell:
    """A repository with a memory and a commit."""
    shell.write("file.txt", "then\n")
    shell.git("add", ".")
    shell.git("commit", "-qm", "first")
    return shell


def test_from_a_text_to_a_restore_and_back(work: Shell) -> None:
    """The id comes first, a restore says what it did, what was saved and where HEAD is."""
    said = work.ok("checkpoint", "before", "the", "change")
    saved = said.first
    assert CHK.fullmatch(saved) and "file" in said.text and said.err == ""
    listed = work.ok("checkpoint", "list")
    assert listed.first == saved and "before the change" in listed.text
    assert "1 checkpoint, " in listed.err and "on the disk" in listed.err
    work.write("file.txt", "now\n")
    work.write("new.txt", "now\n")
    assert "+now" in work.ok("checkpoint", "diff", saved).text
    assert "+now" not in work.ok("checkpoint", "diff", saved, "new.txt").text.partition("+++ b/new.txt")[0]
    dry = work.ok("checkpoint", "restore", "@last", "--dry-run")
    assert "1 file would be put back, 1 would be removed" in dry.text
    done = work.ok("checkpoint", "restore", saved)
    assert "1 file put back, 1 removed" in done.text and "M  file.txt" in done.text and "D  new.txt" in done.text
    assert CHK.search(done.err) and "HEAD" not in done.err
    assert (work.directory / "file.txt").read_text() == "then\n"
    assert "is what is there already" in work.ok("checkpoint", "restore", saved).text
    work.ok("checkpoint", "restore", "@last")
    assert (work.directory / "new.txt").read_text() == "now\n"
    assert "dropped" in work.ok("checkpoint", "drop", saved[4:20]).text
    work.ok("checkpoint", "drop", "--all")
    assert "there is no checkpoint" in work.ok("checkpoint", "list").err


def test_words_and_verbs_are_told_apart(work: Shell) -> None:
    """Without words one is made; a first word that is no verb is text; `create` and `--` make any word text."""
    assert CHK.fullmatch(work.ok("checkpoint").first)
    assert CHK.fullmatch(work.ok("checkpoint", "--session", "s-1").first)
    assert CHK.fullmatch(work.ok("checkpoint", "-q", "some words").first)
    assert CHK.fullmatch(work.ok("checkpoint", "create", "list").first)
    assert CHK.fullmatch(work.ok("checkpoint", "--", "drop").first)
    texts = [item.get("text") for item in work.run("checkpoint.list")["items"]]
    assert sorted(str(text) for text in texts) == ["None", "None", "drop", "list", "some words"]
    assert "list" in work.ok("checkpoint", "-h").text and "Examples:" in work.ok("checkpoint", "create", "-h").text
    assert "needs" not in work.ok("checkpoint", "--json", "list").err
    assert work.ok("checkpoint", "--json", "x").envelope["result"]["checkpoint"]["text"] == "x"


def test_what_is_wrong_is_said(work: Shell) -> None:
    """Nothing to restore, an unknown id, drop without ids, a text that is too long."""
    assert "there is no checkpoint" in work.refused("checkpoint", "restore", "@last")
    assert "checkpoint list" in work.refused("checkpoint", "show", "chk_7zzz")
    work.refused("checkpoint", "drop", status=2)
    work.refused("checkpoint", "drop", "x", "--all", status=2)
    assert "checkpoint_text_bytes" in str(work.call("checkpoint.create", text="x" * 5000))
    assert "is not a name" in work.refused("checkpoint", "--cause", "two words")


def test_what_was_left_out_is_named(work: Shell) -> None:
    """On standard error, by path and reason, when it is made and when it is shown."""
    work.write("secret.env", "key = AKIA" + "QWERTYUIOP234567\n")
    work.write("odd\x1b[31m.env", "key = AKIA" + "QWERTYUIOP234567\n")
    for said in (work.ok("checkpoint"), work.ok("checkpoint", "show", "@last")):
        assert "left out: secret.env (looks like a secret)" in said.err
        assert "\x1b" not in said.err and "QWERTY" not in said.err
    assert work.ok("checkpoint", "--allow-flagged").err == ""


def test_head_that_moved_is_named(work: Shell) -> None:
    """Where it is, and where it was."""
    work.ok("checkpoint")
    work.git("checkout", "-qb", "side")
    work.write("file.txt", "on the side\n")
    said = work.ok("checkpoint", "restore", "@last").err
    assert "HEAD is not moved" in said and "(side)" in said and "(main)" in said


def test_show_names_what_is_known(work: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """Branch, commit, session and agent, each on a line."""
    monkeypatch.setenv("MEMGIT_AGENT", "helper")
    monkeypatch.setenv("MEMGIT_SESSION", "s-9")
    work.ok("checkpoint", "first line\nsecond line", "--cause", "session-end")
    said = work.ok("checkpoint", "show", "@last").text
    for part in ("session-end", "second line", "refs/heads/main", "s-9", "helper", "snapshot"):
        assert part in said


def test_meant_words_lead_here(work: Shell) -> None:
    """`git memory restore` and `git memory stash` are told what to type."""
    assert "checkpoint restore" in work.type("restore").err
    assert "checkpoint" in work.type("stash").err


def test_only_a_note_replaces_the_sessions_note(work: Shell) -> None:
    """`--note` keeps a note beside the snapshot; a label leaves it alone, and a refused one keeps nothing."""
    said = work.ok("checkpoint", "green", "--session", "s-1", "--note", "Next: the slow test.")
    assert CHK.fullmatch(said.first) and "the note of s-1 waits" in said.err
    work.ok("checkpoint", "a label", "--session", "s-1")
    assert "Next: the slow test." in work.ok("pending", "show", "s-1").text
    before = work.run("checkpoint.list")["total"]
    assert "65536" in work.refused("checkpoint", "--session", "s-1", "--note", "x" * 70_000)
    assert work.run("checkpoint.list")["total"] == before
