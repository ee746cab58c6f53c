"""What a restore refuses, what it saves, and what is left when it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from memgit.checkpoints import recording
from memgit.checkpoints import restore as restoring
from tests.checkpoints.workplace import KEY, Place


def test_the_present_state_is_saved_first_and_comes_back(place: Place) -> None:
    """`restore @last` takes a restore back, with what was untracked and staged in between."""
    saved = place.checkpoint()
    before = place.state()
    place.write("kept.txt", "later\n")
    place.write("fresh.txt", "untracked later\n")
    place.git("add", "kept.txt")
    later = place.state()
    answer = place.restore(saved)
    assert place.state() == before
    assert (answer["written"], answer["removed"], answer["index"]) == (1, 1, True)
    assert place.run("checkpoint.show", id=answer["saved"])["checkpoint"]["cause"] == "restore"
    place.restore("@last")
    assert place.state() == later


@pytest.mark.slow
def test_what_is_restored_does_not_go_for_what_is_saved(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only one is kept, the one that is put back is there until it is; and the saved one afterwards."""
    monkeypatch.setattr(recording, "_COLLECT_AFTER", 1)
    place.git("config", "memgit.checkpointKeep", "1")
    place.write("only.txt", "in this one\n")
    saved = place.checkpoint()
    before = place.state()
    (place.directory / "only.txt").unlink()
    later = place.state()
    answer = place.restore(saved)
    assert place.state() == before and answer["saved"] in place.ids()
    place.restore(answer["saved"])
    assert place.state() == later


@pytest.mark.slow
def test_looking_leaves_nothing_for_ever(place: Place) -> None:
    """Differences with the present and dry runs make objects that nobody names; they go after some."""
    saved = place.checkpoint()
    for number in range(12):
        place.write("kept.txt", f"looked at {number}\n")
        if number % 2:
            place.restore(saved, dry_run=True)
        else:
            assert f"+looked at {number}" in place.run("checkpoint.diff", id=saved)["patch"]
    batch = ["git", "cat-file", "--batch-all-objects", "--batch"]
    stored = subprocess.run(batch, cwd=place.archive.repository.common_dir, capture_output=True, check=True).stdout
    assert stored.count(b"looked at") < 10


@pytest.mark.slow
def test_nothing_to_do_saves_nothing(place: Place) -> None:
    """A tree that is as it was needs no second checkpoint."""
    saved = place.checkpoint()
    answer = place.restore(saved)
    assert (answer["saved"], answer["written"], answer["removed"], answer["index"]) == (None, 0, 0, False)
    assert place.ids() == [saved]


def test_a_dry_run_says_it_and_does_nothing(place: Place) -> None:
    """The same counts and paths, and no change of any kind."""
    saved = place.checkpoint()
    place.write("kept.txt", "later\n")
    place.write("fresh.txt", "later\n")
    before = place.state()
    answer = place.restore(saved, dry_run=True)
    assert [(one["status"], one["path"]) for one in answer["paths"]] == [("M", "kept.txt"), ("D", "fresh.txt")]
    assert (answer["saved"], place.state(), place.ids()) == (None, before, [saved])


@pytest.mark.parametrize("then", ["out", pytest.param("out/deep/file", marks=pytest.mark.slow)])
def test_an_ignored_file_in_the_way_stops_everything(place: Place, then: str) -> None:
    """A file, or a directory with ignored files, where the snapshot has something else."""
    place.write(then, "tracked then\n")
    place.write("kept.txt", "then\n")
    saved = place.checkpoint()
    (place.directory / then).unlink()
    if then == "out":
        place.write("out/of.ignored", "mine\n")
    else:
        (place.directory / "out/deep").rmdir()
        (place.directory / "out").rmdir()
        place.write(".gitignore", "*.ignored\nout\n")
        place.write("out", "ignored, and a file now\n")
    place.write("kept.txt", "now\n")
    before, known = place.state(), place.ids()
    error = place.refused("checkpoint.restore", id=saved)
    assert error["code"] == "INVALID_REQUEST" and "out" in error["message"]
    assert (place.state(), place.ids()) == (before, known)
    assert place.restore(saved, dry_run=True)["blocked"]
    place.restore(saved, paths=["kept.txt"])
    assert place.files()["kept.txt"][1] == b"then\n"


def test_files_become_directories_and_links_and_back(place: Place) -> None:
    """Whatever stands at a path is replaced by what stood there, and nothing is written through a link."""
    place.write("a/b/c.txt", "deep\n")
    place.write("d", "a file\n")
    (place.directory / "l").symlink_to("src")
    before = place.state()
    saved = place.checkpoint()
    (place.directory / "a/b/c.txt").unlink()
    (place.directory / "a/b").rmdir()
    (place.directory / "a").rmdir()
    (place.directory / "a").symlink_to("src")
    (place.directory / "d").unlink()
    place.write("d/e/f.txt", "now a directory\n")
    (place.directory / "l").unlink()
    place.write("l/one.txt", "now a directory\n")
    later = place.state()
    place.restore(saved)
    assert place.state() == before
    place.restore("@last")
    assert place.state() == later


def test_empty_directories_give_way(place: Place) -> None:
    """A directory without files is nothing that would be lost; those that a restore empties go."""
    place.write("here", "a file\n")
    saved = place.checkpoint()
    (place.directory / "here").unlink()
    (place.directory / "here/and/there").mkdir(parents=True)
    place.write("later/deep/x.txt", "x")
    place.restore(saved)
    assert (place.directory / "here").is_file()
    assert not (place.directory / "later").exists()


@pytest.mark.slow
def test_another_repository_in_the_way_is_not_written_to(place: Place) -> None:
    """Where a repository was cloned to in the meantime, nothing is put into it."""
    place.write("lib/code.txt", "ours\n")
    saved = place.checkpoint()
    (place.directory / "lib/code.txt").unlink()
    Place.make(place.directory / "lib")
    assert "lib" in place.refused("checkpoint.restore", id=saved)["message"]
    assert not (place.directory / "lib/code.txt").exists()


def test_a_file_that_looks_like_a_secret_is_not_overwritten_unsaved(place: Place) -> None:
    """What the saved checkpoint would leave out stands in the way, until somebody looked."""
    place.write("config.txt", "harmless\n")
    saved = place.checkpoint()
    place.write("config.txt", f"key = {KEY}\n")
    error = place.refused("checkpoint.restore", id=saved)
    assert "looks like a secret" in error["message"] and "--allow-flagged" in error["hint"]
    assert KEY.encode() in place.files()["config.txt"][1]
    place.restore(saved, allow_flagged=True)
    assert place.files()["config.txt"][1] == b"harmless\n"
    place.restore("@last")
    assert KEY.encode() in place.files()["config.txt"][1]


def test_only_paths(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named files and directories, as the directory of the request sees them; the index stays."""
    place.write("src/one.txt", "then\n")
    place.write("kept.txt", "then\n")
    saved = place.checkpoint()
    place.write("src/one.txt", "now\n")
    place.write("src/more.txt", "now\n")
    place.write("kept.txt", "now\n")
    place.git("add", "kept.txt")
    index = place.index()
    Place(place.directory / "src").restore(saved, paths=["."])
    files = place.files()
    assert (files["src/one.txt"][1], files["kept.txt"][1]) == (b"then\n", b"now\n")
    assert "src/more.txt" not in files and place.index() == index
    assert place.refused("checkpoint.restore", id=saved, paths=["../outside"])["details"]["field"] == "paths"


@pytest.mark.slow
def test_head_and_branch_are_not_moved(place: Place) -> None:
    """It is said where HEAD is and where it was."""
    saved = place.checkpoint()
    first = place.git("rev-parse", "HEAD")
    place.git("checkout", "-qb", "side")
    place.write("kept.txt", "on the side\n")
    place.git("commit", "-qam", "side")
    second = place.git("rev-parse", "HEAD")
    answer = place.restore(saved)
    assert (answer["head"], answer["head_then"]) == (second, first)
    assert (answer["branch"], answer["branch_then"]) == ("refs/heads/side", "refs/heads/main")
    assert place.git("rev-parse", "HEAD") == second and place.git("symbolic-ref", "HEAD") == "refs/heads/side"


@pytest.mark.parametrize("name", ["MERGE_HEAD", pytest.param("rebase-merge", marks=pytest.mark.slow)])
def test_not_in_the_middle_of_something(place: Place, name: str) -> None:
    """A merge or a rebase that is under way is respected, unless somebody asks."""
    saved = place.checkpoint()
    place.write("kept.txt", "x\n")
    (place.git_dir / name).mkdir() if name.startswith("rebase") else (place.git_dir / name).write_text("0" * 40)
    error = place.refused("checkpoint.restore", id=saved)
    assert "under way" in error["message"] and "--under-way" in error["hint"]
    assert place.restore(saved, under_way=True)["written"] == 1


@pytest.mark.slow
def test_a_lock_of_the_index_is_respected(place: Place) -> None:
    """Somebody else's `index.lock` stops it before anything is done, and is left alone."""
    saved = place.checkpoint()
    place.write("kept.txt", "x\n")
    lock = place.git_dir / "index.lock"
    lock.write_bytes(b"")
    error = place.refused("checkpoint.restore", id=saved)
    assert error["code"] == "STORE_BUSY" and str(lock) in error["message"]
    assert lock.exists() and place.files()["kept.txt"][1] == b"x\n" and place.ids() == [saved]
    lock.unlink()
    place.restore(saved)
    assert not lock.exists()


def test_a_file_written_meanwhile_is_not_lost(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an editor writes between the saving and the replacing stops the restore, and stays."""
    saved = place.checkpoint()
    place.write("kept.txt", "now\n")
    real = restoring.keep_snapshot

    def writing(*arguments: object, **named: object) -> object:
        made = real(*arguments, **named)  # type: ignore[arg-type]
        place.write("kept.txt", "written by an editor\n")
        return made

    monkeypatch.setattr(restoring, "keep_snapshot", writing)
    error = place.refused("checkpoint.restore", id=saved)
    assert error["code"] == "STORE_BUSY" and "kept.txt" in error["message"]
    assert place.files()["kept.txt"][1] == b"written by an editor\n"
    assert not (place.git_dir / "index.lock").exists()


_KILLED = """
import os, signal, sys
from pathlib import Path
from memgit.checkpoints import replacing
from memgit.checkpoints.index_lock import IndexLock
from memgit.protocol.envelope import answer

left = int(sys.argv[3])

def step(real):
    def counted(*arguments, **named):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **named)
    return counted

replacing.Replacing._replace = step(replacing.Replacing._replace)
replacing.Replacing._remove = step(replacing.Replacing._remove)
IndexLock.write = step(IndexLock.write)
answer({"op": "checkpoint.restore", "input": {"id": sys.argv[2]}}, Path(sys.argv[1]))
"""


@pytest.mark.parametrize("steps", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_killed_on_the_way_a_second_run_does_the_rest(place: Place, steps: int) -> None:
    """Nothing is lost, no lock stays, and the state before the first run can be had back."""
    for number in range(3):
        place.write(f"file{number}.txt", "then\n")
    place.git("add", "file0.txt")
    before = place.state()
    saved = place.checkpoint()
    for number in range(3):
        place.write(f"file{number}.txt", "now\n")
    place.write("gone.txt", "now\n")
    place.git("add", ".")
    later = place.state()
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(_KILLED), place.directory, saved, str(steps)])
    assert done.returncode == -signal.SIGKILL
    assert (place.git_dir / "index.lock").exists() and place.state() != before
    first = place.ids()[0]
    assert first != saved
    place.restore(saved)
    assert place.state() == before
    assert not (place.git_dir / "index.lock").exists()
    place.restore(first)
    assert place.state() == later


@pytest.mark.slow
def test_an_index_that_nobody_can_complete_is_refused(place: Place) -> None:
    """A staged secret was not kept: after the user's gc only the files can come back."""
    place.write("staged.txt", f"key = {KEY}\n")
    place.git("add", "staged.txt")
    place.write("kept.txt", "then\n")
    saved = place.checkpoint()
    place.git("rm", "-q", "--cached", "staged.txt")
    (place.directory / "staged.txt").unlink()
    place.git("gc", "-q", "--prune=now")
    place.write("kept.txt", "now\n")
    error = place.refused("checkpoint.restore", id=saved)
    assert "staged.txt" in error["message"] and "--no-index" in error["hint"]
    assert place.files()["kept.txt"][1] == b"now\n"
    place.restore(saved, index=False)
    assert place.files()["kept.txt"][1] == b"then\n"


@pytest.mark.slow
def test_of_another_working_tree_only_when_asked(place: Place, tmp_path: Path) -> None:
    """Each working tree has its own; `@last` is of this one."""
    place.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = Place(tmp_path / "linked")
    here, there = place.checkpoint("here"), linked.checkpoint("there")
    error = place.refused("checkpoint.restore", id=there)
    assert "worktrees/linked" in error["message"] and "--elsewhere" in error["hint"]
    assert place.restore("@last")["id"] == here
    assert linked.restore("@last")["id"] == there
    linked.write("kept.txt", "linked\n")
    taken = linked.checkpoint()
    place.restore(taken, elsewhere=True)
    assert place.files()["kept.txt"][1] == b"linked\n"


def test_a_bare_repository_has_nothing_to_restore(tmp_path: Path) -> None:
    """It has checkpoints, which know where HEAD was."""
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "bare.git")], check=True)
    bare = Place(tmp_path / "bare.git")
    bare.run("store.init", workspace_id="w", project_id="p")
    envelope = bare.envelope("checkpoint.create", text="bare")
    assert envelope["ok"] and "no snapshot" in envelope["warnings"][0]
    assert "bare" in bare.refused("checkpoint.restore", id="@last")["message"]


def test_a_read_only_directory_stops_it_with_one_error(place: Place) -> None:
    """What cannot be changed is named, and the saved checkpoint is there."""
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    saved = place.checkpoint()
    place.write("src/one.txt", "now\n")
    (place.directory / "src").chmod(0o555)
    try:
        error = place.refused("checkpoint.restore", id=saved)
    finally:
        (place.directory / "src").chmod(0o755)
    assert error["code"] == "STORE_BUSY" and "one.txt" in error["message"]
    assert len(place.ids()) == 2
