"""What a person does with Git, and the one event that it is."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from memgit.checkpoints import spool
from memgit.environment import Environment
from tests.hosts.conftest import Place


def history(place: Place, count: int, name: str = "f") -> list[str]:
    """Commit so many times and forget what the hooks told; return the commits."""
    commits = [place.commit(f"{name}{number}") for number in range(count)]
    place.events()
    return commits


def test_a_commit_is_one_event(hooked: Place) -> None:
    """A commit has where HEAD was, the commit, the branch and its time, in UTC."""
    before = hooked.git("rev-parse", "HEAD")
    commit = hooked.commit("second")
    (event,) = hooked.events()
    assert (event.kind, event.before, event.after, event.branch) == ("commit", before, commit, "refs/heads/main")
    assert (event.worktree, event.cause, event.runs, event.key != "") == (".", None, 2, True)
    committed = int(hooked.git("log", "-1", "--format=%ct"))
    assert abs(event.at.timestamp() - committed) < 30
    assert hooked.events() == []


def test_an_amended_commit_is_one_event(hooked: Place) -> None:
    """An amend keeps the pair of the old and the new commit (report 23)."""
    old = hooked.git("rev-parse", "HEAD")
    hooked.git("commit", "-q", "--amend", "-m", "better")
    (event,) = hooked.events()
    new = hooked.git("rev-parse", "HEAD")
    assert (event.kind, event.cause, event.before, event.after) == ("commit", "amend", old, new)
    assert event.rewritten == ((old, new),)


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_a_rebase_is_one_event(hooked: Place, backend: str) -> None:
    """Commits that are rebased are one event with all pairs in order, by either back end (reports 20, 23)."""
    count = 8 if backend == "--merge" else 5  # benchmarks/hooks.py has fifty
    hooked.git("checkout", "-q", "-b", "topic")
    old = history(hooked, count)
    hooked.git("checkout", "-q", "main")
    history(hooked, 1, "other")
    hooked.git("checkout", "-q", "topic")
    hooked.events()
    hooked.git("rebase", "-q", backend, "main")
    new = hooked.git("rev-list", "--reverse", f"HEAD~{count}..HEAD").split()
    (event,) = hooked.events()
    assert (event.kind, event.cause, event.before, event.after) == ("rewrite", "rebase", old[-1], new[-1])
    assert event.rewritten == tuple(zip(old, new, strict=True))
    assert event.runs < 5  # the steps say nothing, for the end tells of them


def test_a_rebase_that_stops_is_one_event_in_the_end(hooked: Place) -> None:
    """What a stopped rebase did is held back until it ends, so that it is one event all the same."""
    hooked.write("both", "ours")
    hooked.git("add", "both")
    hooked.git("commit", "-q", "-m", "ours")
    hooked.git("checkout", "-q", "-b", "topic", "HEAD~1")
    (old,) = history(hooked, 1)
    hooked.write("both", "theirs")
    hooked.git("add", "both")
    hooked.git("commit", "-q", "-m", "theirs")
    hooked.events()
    assert hooked.run("git", "rebase", "-q", "main").returncode == 1
    assert hooked.events() == []
    assert not spool.is_waiting(hooked.repository)
    hooked.write("both", "united")
    hooked.git("add", "both")
    hooked.git("-c", "core.editor=true", "rebase", "--continue")
    (event,) = hooked.events()
    assert (event.kind, event.cause, event.branch) == ("rewrite", "rebase", "refs/heads/topic")
    assert event.rewritten[0][0] == old
    assert len(event.rewritten) == 2


def test_a_squash_keeps_what_became_of_each_commit(hooked: Place) -> None:
    """Commits that are squashed to one are each paired with it (report 23)."""
    old = history(hooked, 3)
    environment = {**os.environ, "GIT_SEQUENCE_EDITOR": "sed -i 2,3s/pick/fixup/"}
    hooked.git("rebase", "-q", "-i", "HEAD~3", environment=environment)
    (event,) = hooked.events()
    new = hooked.git("rev-parse", "HEAD")
    assert {(commit, new) for commit in old} <= set(event.rewritten)  # Git names what was in between as well


def test_cherry_picks_and_reverts_are_one_event_each(hooked: Place) -> None:
    """Several picks of one command are one event; two commands are two."""
    picked = history(hooked, 3)
    hooked.git("checkout", "-q", "-b", "side", "HEAD~3")
    hooked.events()
    hooked.git("cherry-pick", *picked)
    commits = hooked.git("rev-list", "--reverse", "HEAD~3..HEAD").split()
    hooked.git("revert", "--no-edit", "HEAD", "HEAD~1")
    events = hooked.events()
    assert [(event.kind, event.cause, event.runs) for event in events] == [
        ("commit", "cherry-pick", 3),
        ("commit", "revert", 2),
    ]
    assert [*events[0].through, events[0].after] == commits


def test_a_bisect_is_one_event(hooked: Place) -> None:
    """A bisect is one event, which has been at each step and ends where it began."""
    commits = history(hooked, 8)
    hooked.git("bisect", "start", commits[-1], commits[0])
    steps = [hooked.git("rev-parse", "HEAD")]
    while not re.search("is the first .?bad", hooked.git("bisect", "good")):
        assert len(steps) < len(commits)
        steps.append(hooked.git("rev-parse", "HEAD"))
        assert hooked.events() == []
    hooked.git("bisect", "reset")
    (event,) = hooked.events()
    assert (event.kind, event.cause, event.before, event.after) == ("checkout", "bisect", commits[-1], commits[-1])
    assert event.through == tuple(steps)
    assert len(steps) > 1


def test_checkouts_in_a_row_are_one_event(hooked: Place) -> None:
    """Checkouts right after each other are one event, and each commit that HEAD was at is kept."""
    commits = history(hooked, 6)
    for commit in commits * 5:
        hooked.git("checkout", "-q", commit)
    (event,) = hooked.events()
    assert (event.kind, event.runs, event.after) == ("checkout", 30, commits[-1])
    assert set(event.through) | {event.after} == set(commits)


def test_a_checkout_of_files_is_no_event(hooked: Place) -> None:
    """`post-checkout` runs for files too; nothing is noted then (report 20)."""
    hooked.git("checkout", "-q", "HEAD", "--", "first.txt")
    hooked.git("restore", "first.txt")
    assert not spool.is_waiting(hooked.repository)


def test_merges_and_pulls(hooked: Place, tmp_path: Path) -> None:
    """A merge is one event with the commits before and after, whether or not it made a commit."""
    hooked.git("checkout", "-q", "-b", "side")
    (side,) = history(hooked, 1)
    hooked.git("checkout", "-q", "main")
    base = hooked.git("rev-parse", "HEAD")
    hooked.events()
    hooked.git("merge", "-q", "side")
    (forwarded,) = hooked.events()
    assert (forwarded.kind, forwarded.before, forwarded.after) == ("merge", base, side)


def test_a_commit_that_skips_the_checks_is_noted(hooked: Place) -> None:
    """`--no-verify` skips `pre-commit`, not the event (report 20)."""
    hooked.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "unchecked")
    (event,) = hooked.events()
    assert (event.kind, event.runs, event.after) == ("commit", 1, hooked.git("rev-parse", "HEAD"))


def test_a_push_names_its_remote_and_no_password(hooked: Place, tmp_path: Path) -> None:
    """A push by a remote's name has the name; one by a URL, which may hold a password, has none."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "there.git")], check=True)
    hooked.git("remote", "add", "team/origin", str(tmp_path / "there.git"))
    hooked.git("push", "-q", "team/origin", "main")
    hooked.git("push", "-q", (tmp_path / "there.git").as_uri(), "main:other")
    assert [(event.kind, event.remote) for event in hooked.events()] == [("push", "team/origin"), ("push", None)]


def test_two_worktrees_do_not_mix(hooked: Place, tmp_path: Path) -> None:
    """Actions of two working trees at once are told apart."""
    hooked.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Place(tmp_path / "linked")
    hooked.events()
    for _ in range(2):
        linked.git("checkout", "-q", "--detach")
        hooked.git("checkout", "-q", "--detach")
        linked.git("checkout", "-q", "side")
        hooked.git("checkout", "-q", "main")
    events = hooked.events()
    assert {(event.worktree, event.runs) for event in events} == {(".", 4), ("worktrees/linked", 4)}


AGENTS = [
    {},
    {"MEMGIT_AGENT": "own name"},
    {"MEMGIT_AGENT": "", "CLAUDECODE": "1"},
    {"AI_AGENT": "somebody", "CURSOR_AGENT": "1"},
    {"CURSOR_AGENT": "0", "GEMINI_CLI": "1"},
    {"CODEX_THREAD_ID": "x"},
    {"CODEX_SANDBOX": "FALSE", "CLAUDECODE": "1"},
    {"MEMGIT_AGENT": "line\nand\ttab"},
]


@pytest.mark.parametrize("said", AGENTS)
def test_the_agent_is_who_memgit_says_it_is(hooked: Place, said: dict[str, str]) -> None:
    """The script finds the same agent as `environment.py`, for each way to say it."""
    environment = {**os.environ, **said}
    hooked.git("commit", "-q", "--allow-empty", "-m", "x", environment=environment)
    (event,) = hooked.events()
    assert event.agent == Environment.read(environment).agent


def test_task_and_session_come_from_the_environment(hooked: Place) -> None:
    """The task of MEMOREE_CONTEXT and MEMGIT_SESSION are noted; what cannot be read is nothing."""
    document = '{"v": 1,\n\t"workspace_id": "wsp-a", "project_id": "prj-a", "task_id": "tsk-42"}'
    environment = {**os.environ, "MEMOREE_CONTEXT": document, "MEMGIT_SESSION": "s-1"}
    hooked.git("commit", "-q", "--allow-empty", "-m", "x", environment=environment)
    (event,) = hooked.events()
    assert (event.task, event.session) == ("tsk-42", "s-1")
    for odd in ("{", "x" * 100_000, "[" * 800, '{"task_id": 5}'):
        hooked.git("commit", "-q", "--allow-empty", "-m", "x", environment=environment | {"MEMOREE_CONTEXT": odd})
        (event,) = hooked.events()
        assert (event.kind, event.task, event.session) == ("commit", None, "s-1")


def test_names_that_are_not_utf8(hooked: Place) -> None:
    """A branch whose name is no UTF-8 is noted in a form that can be shown (report 27)."""
    assert hooked.run("git", "checkout", "-q", "-b", os.fsdecode(b"caf\xe9")).returncode == 0
    (event,) = hooked.events()
    assert event.branch == "refs/heads/caf\\xe9"
