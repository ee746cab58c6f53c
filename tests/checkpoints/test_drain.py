"""From what hooks noted to checkpoints: with the next command, once, in order, and never in anybody's way."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memgit.checkpoints import drain as draining
from memgit.checkpoints.drain import drain
from memgit.checkpoints.events import HookEvent
from memgit.checkpoints.record import Checkpoint
from memgit.checkpoints.recording import record_events
from memgit.checkpoints.retention import Retention
from memgit.checkpoints.rewrites import rewrites
from memgit.store.repository import discover
from tests.checkpoints.workplace import Place, hook_line

NOW = 1_764_000_000.0


@pytest.fixture(autouse=True)
def for_ever(place: Place) -> None:
    """The moments of these tests are long ago."""
    place.git("config", "memgit.checkpointDays", "0")


def commit(place: Place, number: int) -> tuple[str, str]:
    """Commit a change and return HEAD before and after."""
    before = place.git("rev-parse", "HEAD")
    place.write("src/one.txt", f"number {number}\n")
    place.write(f"added/{number}.txt", "x\n")
    place.git("add", ".")
    place.git("commit", "-qm", f"number {number}")
    return before, place.git("rev-parse", "HEAD")


def test_a_commit_is_a_checkpoint_with_the_next_command(place: Place) -> None:
    """HEAD before and after, branch, tree and changed paths; whichever command comes next."""
    before, after = commit(place, 1)
    hook_line(place, "post-commit", before=before, after=after, seconds=NOW)
    place.run("status")
    (item,) = place.run("checkpoint.list")["items"]
    assert (item["cause"], item["before"], item["after"], item["branch"]) == (
        "commit",
        before,
        after,
        "refs/heads/main",
    )
    assert item["tree"] == place.git("rev-parse", "HEAD^{tree}")
    assert item["at"].startswith("2025-11-24T")
    assert item["changed"] == [
        {"status": "A", "path": "added/1.txt"},
        {"status": "M", "path": "src/one.txt"},
    ]
    shown = place.run("checkpoint.diff", id=item["id"])
    assert (shown["before"], shown["after"]) == (before, after) and "+number 1" in shown["patch"]


def test_each_event_once_and_in_order(place: Place) -> None:
    """Several commits, oldest first in the spool, newest first in the list."""
    moves = [commit(place, number) for number in range(3)]
    for number, (before, after) in enumerate(moves):
        hook_line(place, "post-commit", before=before, after=after, seconds=NOW + number)
    for _ in range(2):
        assert [item["after"] for item in place.run("checkpoint.list")["items"]] == [move[1] for move in moves[::-1]]


def test_an_event_that_comes_again_is_recorded_once(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that dies between recording and acknowledging makes no second checkpoint."""
    before, after = commit(place, 1)
    hook_line(place, "post-commit", before=before, after=after, seconds=NOW)
    repository = discover(place.directory)
    with monkeypatch.context() as patch:

        def dying(*_: object) -> None:
            raise KeyboardInterrupt

        patch.setattr("memgit.checkpoints.spool.Taken.done", dying)
        with pytest.raises(KeyboardInterrupt):
            drain(repository, lambda: Retention(days=0))
    assert len(place.archive.kept()) == 1
    place.run("status")
    assert len(place.ids()) == 1


def test_many_changed_paths_are_counted(place: Place) -> None:
    """The first two hundred by name, the rest as a number."""
    before = place.git("rev-parse", "HEAD")
    for number in range(250):
        place.write(f"many/{number:03}.txt", "x\n")
    place.git("add", ".")
    place.git("commit", "-qm", "many")
    hook_line(place, "post-commit", before=before, after=place.git("rev-parse", "HEAD"), seconds=NOW)
    (item,) = place.run("checkpoint.list")["items"]
    assert (len(item["changed"]), item["changed_more"]) == (200, 50)


def test_commits_that_are_gone_leave_a_checkpoint_without_paths(place: Place) -> None:
    """What the hook said is kept, whatever the user's gc did since."""
    hook_line(place, "post-checkout", before="1" * 40, after="2" * 40, seconds=NOW)
    (item,) = place.run("checkpoint.list")["items"]
    assert (item["cause"], item["after"], item.get("changed", [])) == ("checkout", "2" * 40, [])
    assert place.refused("checkpoint.diff", id=item["id"])["code"] == "NOT_FOUND"


def test_rewritten_commits_are_kept(place: Place) -> None:
    """The pairs of an amend, for whoever holds the old commit."""
    old = place.git("rev-parse", "HEAD")
    place.git("commit", "-q", "--amend", "-m", "other")
    new = place.git("rev-parse", "HEAD")
    hook_line(place, "post-commit", before=old, after=new, seconds=NOW, cause="amend")
    hook_line(place, "post-rewrite", before=None, after=new, seconds=NOW, argument="amend", pairs=f"{old}:{new}")
    place.run("status")
    assert rewrites(discover(place.directory)) == {old: new}
    (item,) = place.run("checkpoint.list")["items"]
    assert (item["during"], item["rewritten"], item["runs"]) == ("amend", 1, 2)


def test_a_read_does_not_wait_for_the_lock(place: Place) -> None:
    """While somebody makes a checkpoint, a read leaves the spool to the next command."""
    before, after = commit(place, 1)
    hook_line(place, "post-commit", before=before, after=after, seconds=NOW)
    with place.archive.held():
        begun = time.monotonic()
        assert place.envelope("memory.recall", query="anything")["warnings"] == []
        assert time.monotonic() - begun < 10  # the lock would be waited for 15 s
        assert place.archive.kept() == []
        listed = place.run("checkpoint.list")
        assert (listed["items"], listed["waiting"]) == ([], True)  # nothing is recorded, which is not: there is nothing
        assert "not recorded yet" in place.refused("checkpoint.show", id="@last")["message"]
    listed = place.run("checkpoint.list")
    assert (len(listed["items"]), listed["waiting"]) == (1, False)


def test_what_cannot_be_recorded_stays_and_is_said(place: Place) -> None:
    """A command goes on as if nothing was, with one warning; later it is recorded."""
    before, after = commit(place, 1)
    hook_line(place, "post-commit", before=before, after=after, seconds=NOW)
    block = place.archive.repository.common_dir
    block.write_text("a file where the archive should be")
    envelope = place.envelope("status")
    assert envelope["ok"] and len(envelope["warnings"]) == 1 and "stays where it is" in envelope["warnings"][0]
    block.unlink()
    assert place.envelope("status")["warnings"] == []
    assert len(place.ids()) == 1


def test_nothing_waiting_costs_nothing(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a line in the spool no lock is taken and no process is started."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError("nothing was waiting")

    monkeypatch.setattr(draining, "drain", never)
    monkeypatch.setattr(draining, "Archive", never)
    place.run("status")
    (discover(place.directory).state_dir / "spool").mkdir()
    place.run("status")
    assert drain(discover(place.directory), Retention) == []


def test_of_a_flood_the_latest_are_kept(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """More actions than one drain records: the latest, and it is said."""
    monkeypatch.setattr(draining, "_EVENTS", 3)
    for number in range(5):
        hook_line(place, "post-merge", before=f"{number:040x}", after=f"{number + 1:040x}", seconds=NOW + number * 100)
    envelope = place.envelope("status")
    assert "2 older actions" in envelope["warnings"][0]
    assert len(place.ids()) == 3


def test_events_leave_no_garbage(place: Place) -> None:
    """Each drain replaces what the one before left of the ref's commit, and retention what is too old."""
    place.git("config", "memgit.checkpointKeep", "2")
    for number in range(6):
        hook_line(place, "post-merge", before=f"{number:040x}", after=f"{number + 1:040x}", seconds=NOW + number * 100)
        place.run("status")
    assert len(place.ids()) == 2
    loose = [path for path in place.archive.objects_dir.glob("??/*") if path.is_file()]
    assert len(loose) == 2 * 2 + 2


def test_each_worktree_is_named(place: Place, tmp_path: Path) -> None:
    """What a hook saw in a linked working tree says so."""
    place.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Place(tmp_path / "linked")
    before, after = commit(linked, 1)
    hook_line(linked, "post-commit", before=before, after=after, seconds=NOW, worktree="worktrees/linked")
    (item,) = place.run("checkpoint.list")["items"]
    assert item["worktree"] == "worktrees/linked" and item["after"] == after


def test_an_action_that_went_on_replaces_what_was_kept_for_it(place: Place) -> None:
    """A rebase that is given a second time, with more of its steps and a later moment, is one checkpoint."""
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    event = HookEvent(kind="rewrite", at=moment, worktree=".", after="1" * 40, key="one", runs=2)
    later = replace(event, at=moment + timedelta(hours=1), after="2" * 40, runs=5)
    archive = place.archive
    for one in (event, replace(event, key="two"), later):
        with archive.held():
            record_events(archive, [one], Retention(days=0))
    records = archive.records(archive.kept())
    assert [one.runs for one in records if isinstance(one, Checkpoint)] == [5, 2]
