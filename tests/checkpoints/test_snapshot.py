"""What a snapshot holds and leaves out, and what it leaves alone."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.checkpoints.workplace import KEY, Place


def change_everything(place: Place) -> None:
    """Leave something behind of each kind: staged, changed, removed, untracked, ignored, links, modes, odd names."""
    place.write("src/one.txt", "staged\n")
    place.git("add", "src/one.txt")
    place.write("src/one.txt", "staged and changed\n")
    place.write("new/staged.txt", "new\n")
    place.git("add", "new/staged.txt")
    (place.directory / "src/two.txt").unlink()
    place.write("untracked/deep/file.bin", bytes(range(256)))
    place.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    (place.directory / "link").symlink_to("nowhere at all")
    (place.directory / "folder").symlink_to("src")
    place.write("noise.ignored", "ignored\n")
    with open(os.path.join(os.fsencode(place.directory), b"caf\xe9 \xff\n.txt"), "wb") as file:
        file.write(b"a name that is not UTF-8\n")


def test_everything_comes_back_byte_for_byte(place: Place) -> None:
    """Files, modes, links, odd names, untracked files and the index are as they were, and ignored ones untouched."""
    change_everything(place)
    before = place.state()
    saved = place.checkpoint()
    place.git("reset", "-q", "--hard")
    place.git("clean", "-qfd")
    place.write("other.txt", "came later\n")
    place.write("noise.ignored", "ignored, and changed later\n")
    place.restore(saved)
    files, index = before
    assert place.index() == index
    assert place.files() == {**files, "noise.ignored": (0o644, b"ignored, and changed later\n")}


def test_making_one_touches_nothing(place: Place) -> None:
    """No file, no index, no object, no ref of the user's changes."""
    change_everything(place)
    before = place.state(), place.store_files(), place.git("for-each-ref")
    place.checkpoint()
    place.checkpoint()
    assert (place.state(), place.store_files(), place.git("for-each-ref")) == before


def test_it_outlives_gc_and_rewritten_history(place: Place) -> None:
    """What was staged, committed or untracked then is there after the branch is gone and everything is collected."""
    place.write("src/one.txt", "only ever staged\n")
    place.git("add", "src/one.txt")
    place.write("mine.txt", "untracked\n")
    before = place.state()
    saved = place.checkpoint()
    place.git("checkout", "-q", "--orphan", "fresh")
    place.git("rm", "-rqf", ".")
    (place.directory / "mine.txt").unlink()
    place.write("new.txt", "another history\n")
    place.git("add", ".")
    place.git("commit", "-qm", "fresh")
    place.git("branch", "-D", "main")
    place.git("reflog", "expire", "--expire=now", "--all")
    place.git("gc", "-q", "--prune=now")
    place.restore(saved)
    assert place.state() == before
    place.git("fsck", "--strict")
    place.git("gc", "-q", "--prune=now")
    assert "only ever staged" in place.git("show", ":src/one.txt")


@pytest.mark.slow
def test_packed_objects_are_taken_over_too(place: Place) -> None:
    """A repository that was just packed, and one whose packs go later."""
    for name in ("src.txt", "src-more/x", "src0"):  # the order of a tree's entries is not that of their names
        place.write(name, "x\n")
    place.git("gc", "-q")
    before = place.state()
    saved = place.checkpoint()
    subprocess.run(["git", "fsck", "--strict", "--full"], cwd=place.archive.repository.common_dir, check=True)
    place.git("checkout", "-q", "--orphan", "fresh")
    place.git("commit", "-q", "--allow-empty", "-m", "x")
    place.git("rm", "-rqf", ".")
    place.git("branch", "-D", "main")
    place.git("reflog", "expire", "--expire=now", "--all")
    place.git("gc", "-q", "--prune=now")
    place.restore(saved)
    assert place.state() == before


def test_secrets_stay_out_and_are_named(place: Place) -> None:
    """Untracked, changed and staged files that look like secrets are left out, unless somebody looked."""
    place.write("untracked.env", f"key = {KEY}\n")
    place.write("src/one.txt", f"key = {KEY}\n")
    place.write("staged.txt", f"staged = {KEY}\n")
    place.git("add", "staged.txt")
    made = place.run("checkpoint.create")
    left = {item["path"]: item["reason"] for item in made["left_out"]}
    assert left == dict.fromkeys(("src/one.txt", "staged.txt", "untracked.env"), "looks like a secret")
    assert made["checkpoint"]["snapshot"]["left_out"] == 3
    assert KEY.encode() not in everything_in(place)
    place.run("checkpoint.create", allow_flagged=True)
    assert KEY.encode() in everything_in(place)


def everything_in(place: Place) -> bytes:
    """Return the contents of all objects of the archive, without the index files, which hold none."""
    batch = ["git", "cat-file", "--batch-all-objects", "--batch"]
    return subprocess.run(batch, cwd=place.archive.repository.common_dir, capture_output=True, check=True).stdout


def test_a_text_with_a_secret_is_refused(place: Place) -> None:
    """The text of a checkpoint is looked at as any other."""
    error = place.refused("checkpoint.create", text=f"the key is {KEY}")
    assert error["code"] == "SECRET_DETECTED" and KEY not in str(error)
    assert place.ids() == []
    assert place.checkpoint(f"the key is {KEY}", allow_flagged=True)


def test_what_was_left_out_is_never_touched(place: Place) -> None:
    """A file that the snapshot could not hold stays as it is, whatever is restored."""
    place.write("secret.env", f"key = {KEY}\n")
    saved = place.checkpoint()
    place.write("secret.env", f"another = {KEY}\n")
    place.write("kept.txt", "changed\n")
    place.restore(saved)
    assert place.files()["secret.env"][1] == f"another = {KEY}\n".encode()
    place.write("secret.env", "no longer one\n")
    answer = place.restore(saved)
    assert answer["kept"] == ["secret.env"]
    assert place.files()["secret.env"][1] == b"no longer one\n"


def test_large_and_many_files_are_named(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is beyond the bounds is left out by name, and the rest is kept."""
    from dataclasses import replace

    from memgit.checkpoints import reading
    from memgit.limits import DEFAULT

    limits = replace(DEFAULT, checkpoint_file_bytes=1000, checkpoint_untracked_files=3)
    monkeypatch.setattr(reading, "DEFAULT", limits)
    for name in ("a", "b", "c", "d", "e"):
        place.write(name, name)
    place.write("a", b"x" * 1001)
    left = {item["path"]: item["reason"] for item in place.run("checkpoint.create")["left_out"]}
    assert set(left) == {"a", "d", "e"}
    assert "larger" in left["a"] and "beyond" in left["d"]


def test_bytes_that_git_would_change_are_kept_as_they_are(place: Place) -> None:
    """CRLF files, mixed line ends, filters, encodings, `$Id$`: the disk's own bytes come back."""
    place.git("config", "filter.upper.clean", "tr a-z A-Z")
    place.git("config", "filter.upper.smudge", "cat")
    attributes = ("*.crlf text eol=crlf", "*.auto text=auto", "*.up filter=upper", "*.id ident")
    encoded = "*.u16 text working-tree-encoding=UTF-16LE"
    place.write(".gitattributes", "".join(f"{line}\n" for line in (*attributes, encoded)))
    place.write("a.crlf", b"one\r\ntwo\nthree\r\n")
    place.write("b.auto", b"one\r\ntwo\r\n")
    place.write("c.up", b"mixed Case\n")
    place.write("d.id", b"$Id$\n")
    place.write("e.u16", "Grüße\n".encode("utf-16-le"))
    place.git("add", ".")
    place.git("commit", "-qm", "converted")
    place.write("d.id", b"$Id: something else $\n")
    before = place.state()
    saved = place.checkpoint()
    place.git("rm", "-rqf", ".")
    place.git("clean", "-qfdx")
    place.restore(saved)
    assert place.state() == before
    assert place.files()["a.crlf"][1] == b"one\r\ntwo\nthree\r\n"


@pytest.mark.slow
def test_autocrlf_keeps_the_bytes(place: Place) -> None:
    """With core.autocrlf every file may differ from its blob."""
    place.git("config", "core.autocrlf", "true")
    place.write("windows.txt", b"one\r\ntwo\r\n")
    place.git("add", "windows.txt")
    place.git("commit", "-qm", "crlf")
    before = place.state()
    saved = place.checkpoint()
    (place.directory / "windows.txt").unlink()
    place.restore(saved)
    assert place.state() == before


def test_an_index_with_conflicts_comes_back(place: Place) -> None:
    """All three sides of a merge that stopped, and the file with its markers."""
    place.git("checkout", "-qb", "side")
    place.write("kept.txt", "theirs\n")
    place.git("commit", "-qam", "theirs")
    place.git("checkout", "-q", "main")
    place.write("kept.txt", "ours\n")
    place.git("commit", "-qam", "ours")
    subprocess.run(["git", "merge", "-q", "side"], cwd=place.directory, capture_output=True)
    before, unmerged = place.state(), place.git("ls-files", "-u")
    assert unmerged.count("\n") == 2
    saved = place.checkpoint()
    place.git("merge", "--abort")
    place.git("branch", "-D", "side")
    place.git("reset", "-q", "--hard", "HEAD~1")
    for name in ("ORIG_HEAD", "AUTO_MERGE"):
        (place.git_dir / name).unlink(missing_ok=True)
    place.git("reflog", "expire", "--expire=now", "--all")
    place.git("gc", "-q", "--prune=now")
    place.restore(saved)
    assert {place.git("show", f":{stage}:kept.txt") for stage in (1, 2, 3)} == {"kept", "ours", "theirs"}
    assert place.state() == before
    assert place.git("ls-files", "-u") == unmerged


def test_intended_additions_and_flags_of_the_index_come_back(place: Place) -> None:
    """`add -N`, assume-unchanged with a change, skip-worktree with and without a file."""
    place.write("intended.txt", "not yet added\n")
    place.git("add", "-N", "intended.txt")
    place.git("update-index", "--assume-unchanged", "src/one.txt")
    place.write("src/one.txt", "changed behind Git's back\n")
    place.git("update-index", "--skip-worktree", "src/two.txt", "kept.txt")
    place.write("kept.txt", "private change\n")
    (place.directory / "src/two.txt").unlink()
    before = place.state()
    saved = place.checkpoint()
    place.git("rm", "-q", "--cached", "intended.txt")
    place.write("src/one.txt", "x")
    place.write("kept.txt", "y")
    place.write("intended.txt", "z")
    place.git("gc", "-q", "--prune=now")
    place.restore(saved)
    assert place.state() == before
    assert "intended.txt" in place.git("diff", "--name-only")


@pytest.mark.slow
def test_a_sparse_checkout_stays_sparse(place: Place) -> None:
    """What is outside of the cone is not written, and the index says so still."""
    place.git("sparse-checkout", "set", "--cone", "elsewhere")
    assert not (place.directory / "src").exists()
    before = place.state()
    saved = place.checkpoint()
    place.write("kept.txt", "changed\n")
    place.git("add", "kept.txt")
    place.restore(saved)
    assert place.state() == before
    assert not (place.directory / "src").exists()


@pytest.mark.slow
def test_a_split_index_comes_back(place: Place) -> None:
    """The file that a split index shares is kept, too."""
    place.git("update-index", "--split-index")
    place.write("kept.txt", "staged\n")
    place.git("add", "kept.txt")
    before, listed = place.state(), place.git("ls-files", "-s")
    saved = place.checkpoint()
    place.git("update-index", "--no-split-index")
    place.git("reset", "-q", "--hard")
    for shared in place.git_dir.glob("sharedindex.*"):
        shared.unlink()
    place.restore(saved)
    assert place.state() == before
    assert place.git("ls-files", "-s") == listed


@pytest.mark.slow
def test_submodules_and_other_repositories_are_left_alone(place: Place, tmp_path: Path) -> None:
    """A submodule is a commit, another repository is named; neither is written to."""
    inner = Place.make(tmp_path / "inner")
    place.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.directory), "sub")
    place.git("commit", "-qm", "with a submodule")
    Place.make(place.directory / "nested")
    made = place.run("checkpoint.create")
    assert [(item["path"], item["reason"]) for item in made["left_out"]] == [("nested/", "a repository of its own")]
    place.write("sub/kept.txt", "changed in the submodule\n")
    subprocess.run(["git", "-C", str(place.directory / "sub"), "commit", "-qam", "x"], check=True)
    before = place.files()
    answer = place.restore(made["checkpoint"]["id"])
    assert answer["submodules"] == ["sub"]
    assert place.files() == before


@pytest.mark.slow
def test_an_unborn_branch_has_checkpoints(tmp_path: Path) -> None:
    """Before the first commit, with and without an index."""
    directory = tmp_path / "young"
    subprocess.run(["git", "init", "-q", str(directory)], check=True)
    place = Place(directory)
    place.run("store.init", workspace_id="w", project_id="p", marker=False)
    place.write("a.txt", "a\n")
    bare = place.checkpoint()
    before = place.state()
    assert before[1] is None
    place.git("add", "a.txt")
    staged, with_index = place.checkpoint(), place.state()
    place.write("a.txt", "b\n")
    place.restore(bare)
    assert place.state() == before
    place.restore(staged)
    assert place.state() == with_index


@pytest.mark.slow
def test_a_file_that_was_written_in_the_same_moment_is_not_taken_for_clean(place: Place) -> None:
    """Git's own rule for such entries holds for the copy of the index, too."""
    moment = 1_700_000_000 * 10**9
    place.git("config", "core.trustctime", "false")
    place.git("config", "core.checkStat", "minimal")
    path = place.write("racy.txt", "aaaa\n")
    os.utime(path, ns=(moment, moment))
    place.git("add", "racy.txt")
    path.write_text("bbbb\n")
    os.utime(path, ns=(moment, moment))
    os.utime(place.git_dir / "index", ns=(moment, moment))
    assert place.git("--no-optional-locks", "diff", "--name-only") == "racy.txt"
    saved = place.checkpoint()
    before = place.files()
    path.write_text("cccc\n")
    place.restore(saved)
    assert place.files() == before


def test_special_and_unreadable_files_do_not_stop_it(place: Place) -> None:
    """A pipe that nobody writes to is not opened; what cannot be read is named."""
    os.mkfifo(place.directory / "pipe")
    place.write("locked.txt", "x").chmod(0)
    begun = time.monotonic()
    made = place.run("checkpoint.create")
    assert time.monotonic() - begun < 60
    if os.geteuid() != 0:
        assert [item["path"] for item in made["left_out"]] == ["locked.txt"]


def test_a_user_configuration_that_would_run_programs_runs_none(place: Place, tmp_path: Path) -> None:
    """No hook, no file system monitor, no external diff."""
    mark = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch '{mark}'\n")
    script.chmod(0o755)
    hook = place.git_dir / "hooks" / "post-index-change"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(script.read_text())
    hook.chmod(0o755)
    place.git("config", "core.fsmonitor", str(script))
    place.git("config", "diff.external", str(script))
    mark.unlink(missing_ok=True)
    saved = place.checkpoint()
    place.write("kept.txt", "changed\n")
    place.run("checkpoint.diff", id=saved)
    place.restore(saved)
    assert not mark.exists()
