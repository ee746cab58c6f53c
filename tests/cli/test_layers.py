"""Layers on the command line: where a write goes, what an answer says of it, drafts from first to last."""

from __future__ import annotations

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
