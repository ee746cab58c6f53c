"""Layers on the command line: where a write goes, what an answer says of it, drafts from first to last."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import ID, Shell


def test_a_local_memory_says_so_and_a_shared_one_says_nothing(shell: Shell) -> None:
    """`--local` keeps the shared refs as they are; people see `(local)` behind what is local, in every view."""
    shell.ok("remember", "The shared limit is three.")
    before = shell.refs()
    said = shell.ok("remember", "The local limit is four.", "--local")
    assert shell.refs() == before
    assert "written to the local layer" in said.err
    found = shell.ok("recall", "limit").text
    assert "(local)" in found.partition("The local limit is four.")[0]
    assert "(shared)" not in found
    assert "(local)" not in shell.ok("recall", "limit", "--layer", "shared").text
    assert "(local)" in shell.ok("search", "limit").text
    assert "(local)" in shell.ok("show", said.first).text
    assert "(local)" in shell.ok("claim", "history", said.first).text
    assert "in this clone alone" in shell.ok("status").text


def test_one_place_for_one_write(shell: Shell) -> None:
    """Two of --local, --shared and --draft are wrong usage."""
    assert "one of --local" in shell.refused("remember", "x", "--local", "--shared", status=2)
    assert "one of --local" in shell.refused("remember", "x", "--draft", "a", "--local", status=2)
    shell.refused("remember", "x", "--draft", "A B")


def test_a_draft_from_its_first_write_to_its_merge(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """MEMGIT_DRAFT and --draft mean the same; diff shows what a merge brings, merge brings it."""
    claim = shell.ok("claim", "assert", "The port is 80.").first
    monkeypatch.setenv("MEMGIT_DRAFT", "ports")
    assert "written to the draft ports" in shell.ok("claim", "revise", claim, "The port is 81.").err
    assert "(draft ports)" in shell.ok("show", claim).text
    monkeypatch.delenv("MEMGIT_DRAFT")
    assert "The port is 80." in shell.ok("show", claim).text
    again = shell.ok("claim", "revise", claim, "The port is 82.", "--draft", "ports")
    assert "written to the draft ports" in again.err
    assert "(draft ports)" in shell.ok("recall", "port", "--draft", "ports").text
    assert "2 operations on 1 entity" in shell.ok("draft", "list").text
    for words in ((), ("--format", "markdown")):
        shown = shell.ok("draft", "diff", "ports", *words).text
        assert "The port is" in shown
        assert "80" in shown and "82" in shown
    envelope = shell.ok("draft", "diff", "ports", "--format", "json").envelope
    assert envelope["result"]["counts"]
    assert shell.ok("draft", "merge", "ports").text.startswith("ports  merged: 2 operations")
    assert "The port is 82." in shell.ok("show", claim).text
    assert "is gone" in shell.ok("draft", "list").err


def test_a_draft_is_dropped_and_had_back(shell: Shell) -> None:
    """Dropping needs --yes where nobody else has it, and says how to have it back."""
    shell.ok("remember", "Something", "--draft", "one")
    assert "--yes" in shell.refused("draft", "drop", "one")
    said = shell.ok("draft", "drop", "one", "--yes")
    assert "draft restore one" in said.err
    assert "restore one" in shell.refused("draft", "merge", "one")
    assert shell.ok("draft", "restore", "one").text.startswith("one  2 operations")


def test_promoting_shows_before_it_shares(shell: Shell) -> None:
    """Without --yes nothing is written; with it the shared ids are named, and the answer is one."""
    local = shell.ok("remember", "The staging host is heron.", "--local").first
    before = shell.refs()
    plan = shell.ok("promote", local[-8:])
    assert "The staging host is heron." in plan.text
    assert "nothing was shared" in plan.err
    assert shell.refs() == before
    done = shell.ok("promote", local, "--yes").text
    shared = [line for line in done.splitlines() if line.startswith("shared as ")]
    assert len(shared) == 2
    assert all(ID.search(line) for line in shared)
    found = shell.ok("recall", "staging", "host").text
    assert "(local)" not in found
    assert found.count("The staging host is heron.") >= 1


def test_what_is_local_is_not_named_by_a_shared_write(shell: Shell) -> None:
    """The error names the layer, and the hint how to go on."""
    local = shell.ok("claim", "assert", "Local", "--local").first
    shared = shell.ok("claim", "assert", "Shared").first
    said = shell.refused("relation", "put", shared, "supports", local, "--shared")
    assert "promote" in said
    assert "written to the local layer" in shell.ok("relation", "put", shared, "supports", local).err


def test_every_verb_says_where_it_wrote(shell: Shell) -> None:
    """What went to the shared layer says nothing, though a local layer is there; an undo that shows texts, too."""
    shared = shell.ok("remember", "Shared text").first
    local = shell.ok("remember", "Local text", "--local").first
    drafted = shell.ok("remember", "Drafted text", "--draft", "one").first
    assert "written" not in shell.ok("undo", shared).err
    assert "written" not in shell.ok("undo", shared, "--shared").err
    for claim, place, flags in ((local, "local layer", ()), (drafted, "draft one", ("--draft", "one"))):
        said = shell.ok("undo", claim, *flags)
        assert said.err.count("written to the") == 1 and f"written to the {place}" in said.err
    assert "nothing was shared" in shell.ok("promote", shell.ok("remember", "More", "--local").first).err
    assert "written" not in shell.ok("promote", shell.ok("remember", "Again", "--local").first, "--yes").err


def test_last_shows_what_it_undid_wherever_that_is(shell: Shell) -> None:
    """Without a flag `@last` takes back a draft's write, shows its text and names the draft."""
    shell.ok("remember", "Shared text")
    shell.ok("remember", "Drafted text", "--draft", "one")
    said = shell.ok("undo", "@last")
    assert "Drafted text" in said.text and "Shared text" not in said.text
    assert "written to the draft one" in said.err


def test_what_is_kept_here_is_listed(shell: Shell) -> None:
    """`log --layer local` and `promote` without an id list it; a draft's writes come with --draft; help says so."""
    assert "no local layer" in shell.refused("promote")
    local = shell.ok("remember", "Local text", "--local").first
    shell.ok("remember", "Drafted text", "--draft", "one")
    shell.ok("remember", "Shared text")
    said = shell.ok("log", "--layer", "local").text
    assert "Local text" in said and "(local)" in said and "Shared" not in said
    assert "Local text" in shell.ok("log").text
    assert "Local text" not in shell.ok("log", "--layer", "shared").text
    assert "(draft one)" in shell.ok("log", "--draft", "one").text
    assert "there is no draft two" in shell.refused("log", "--draft", "two")
    listed = shell.ok("promote")
    assert listed.text.split()[0] == local and "Local text" in listed.text and len(listed.text.splitlines()) == 1
    assert "git memory promote ID" in listed.err
    shell.refused("promote", "--yes", status=2)
    assert "git memory log --layer local" in shell.ok("status").text
    shell.ok("promote", local, "--yes")
    assert "already shared as" in shell.ok("promote", local).text
    assert "(not trusted)" not in shell.ok("promote", local).text
    assert shell.ok("promote").text == ""


def test_an_agent_is_named_where_a_write_is(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """In log, blame and recall, and who wrote in the log of a merge; instructions and help tell of the variables."""
    monkeypatch.setenv("MEMGIT_AGENT", "helper")
    claim = shell.ok("remember", "The helper says heron.", "--draft", "one").first
    monkeypatch.delenv("MEMGIT_AGENT")
    shell.ok("draft", "merge", "one")
    merged = shell.ok("log", "-n", "1").text
    assert "draft merge: one" in merged and "by Test Person <test@example.org> (helper)" in merged
    assert "Test Person (helper)" in shell.ok("log", claim).text
    assert "Test Person (helper)" in shell.ok("blame", claim).text
    assert "through helper" in shell.ok("recall", "heron").text
    assert "MEMGIT_AGENT" in shell.ok("log", "-h").text and "MEMGIT_AGENT" in shell.ok("remember", "-h").text
    told = shell.ok("instructions").text
    assert "MEMGIT_AGENT" in told and "MEMGIT_DRAFT" in told


def test_a_draft_that_was_merged_elsewhere_is_taken_away(shell: Shell, tmp_path: Path) -> None:
    """Status and list say that it is shared and merged; a merge says so; `drop --remote` takes it off the remote."""
    hub = tmp_path / "hub.git"
    shell.git("init", "-q", "--bare", str(hub))
    shell.git("remote", "add", "origin", str(hub))
    shell.ok("remember", "Drafted text", "--draft", "one")
    shell.ok("sync")
    shell.ok("draft", "share", "one")
    assert "shared with origin" in shell.ok("status").text
    tip = shell.git("rev-parse", "refs/memgit/store")
    merged = shell.ok("draft", "merge", "one")
    assert "still on origin" in merged.err and "draft drop one --remote" in merged.err
    assert shell.git("rev-parse", "refs/memgit/store") != tip
    shell.ok("draft", "restore", "one")
    assert "merged already" in shell.ok("status").text
    assert "merged already" in shell.ok("draft", "list").text
    assert "was merged already" in shell.ok("draft", "merge", "one").text
    assert "removed from origin" in shell.ok("draft", "drop", "one", "--remote").text
    assert "has no draft one" in shell.ok("draft", "drop", "one", "--remote").err
    assert shell.git("ls-remote", "origin", "refs/memgit/drafts/*") == ""


def test_counts_are_words_of_people(shell: Shell) -> None:
    """`verify` names layers as people do and one as one; `status` says whose counts they are."""
    shell.ok("remember", "Drafted text", "--draft", "one")
    said = shell.ok("verify").text
    assert "1 store," in said and "draft one: 1 artifact, 1 blob, 1 claim" in said and "draft:one" not in said
    status = shell.ok("status").text
    assert "this project" in status and "all projects" in status


def test_an_empty_draft_name_is_refused(shell: Shell) -> None:
    """An unset variable of a script must not send what was meant for a draft to everybody."""
    for words in (("remember", "Words", "--draft", ""), ("recall", "words", "--draft", "")):
        said = shell.type(*words)
        assert said.status == 2 and "--draft needs a name" in said.err
