"""A name of a file that looks like a secret is kept no more than a content that does."""

from __future__ import annotations

import os
import subprocess

import pytest

from memgit.checkpoints.names import flagged_names, hidden
from tests.checkpoints.workplace import KEY, Place

REASON = "its name looks like a secret"


def everything_in(place: Place) -> bytes:
    """Return the contents of all objects of the archive, index files and lists included."""
    batch = ["git", "cat-file", "--batch-all-objects", "--batch"]
    return subprocess.run(batch, cwd=place.archive.repository.common_dir, capture_output=True, check=True).stdout


def test_a_name_like_a_token_is_not_kept_anywhere(place: Place) -> None:
    """Untracked, staged, intended, a directory's, a repository's, a pipe's: left out, and named without it."""
    for name in (f"{KEY}", f"one-{KEY}/x", f"staged-{KEY}.txt", f"intended-{KEY}"):
        place.write(name, "harmless\n")
    place.git("add", f"staged-{KEY}.txt")
    place.git("add", "-N", f"intended-{KEY}")
    place.git("init", "-q", str(place.directory / f"repository-{KEY}"))
    os.mkfifo(place.directory / f"pipe-{KEY}")
    before = place.state()
    envelope = place.envelope("checkpoint.create")
    left = {item["path"]: item["reason"] for item in envelope["result"]["left_out"]}
    hidden_name = "[not shown]"
    shown = ("", "one-", "staged-", "intended-", "repository-", "pipe-")
    assert {path.partition(hidden_name)[0] for path in left} == set(shown)
    assert set(left.values()) == {REASON} and KEY not in str(envelope)
    assert envelope["result"]["checkpoint"]["snapshot"]["left_out"] == 6
    assert KEY.encode() not in everything_in(place)
    assert place.state() == before
    place.run("checkpoint.create", allow_flagged=True)
    assert KEY.encode() in everything_in(place)


def test_a_name_that_was_left_out_is_never_touched(place: Place) -> None:
    """Neither its file nor that it is staged goes, whatever is restored, also once somebody looked."""
    place.write(KEY, "mine\n")
    saved = place.checkpoint()
    place.write("kept.txt", "changed\n")
    place.git("add", "kept.txt")
    place.restore(saved, allow_flagged=True)
    assert place.files()[KEY][1] == b"mine\n" and place.files()["kept.txt"][1] == b"kept\n"
    place.git("add", KEY)
    place.write("kept.txt", "changed\n")
    place.git("add", "kept.txt")
    before = place.state()
    error = place.refused("checkpoint.restore", id=saved)
    assert f"[not shown] ({REASON})" in error["message"] and KEY not in str(error)
    assert place.state() == before
    place.restore(saved, index=False)
    assert place.files()["kept.txt"][1] == b"kept\n" and KEY in place.git("ls-files")


@pytest.mark.slow
def test_a_name_in_the_way_is_not_repeated(place: Place) -> None:
    """An error does not show what a snapshot may not hold."""
    place.write(f"{KEY}/x", "looked at\n")
    saved = place.checkpoint(allow_flagged=True)
    (place.directory / KEY / "x").unlink()
    (place.directory / KEY).rmdir()
    place.write(KEY, "mine\n")
    error = place.refused("checkpoint.restore", id=saved)
    assert REASON in error["message"] and KEY not in str(error)


@pytest.mark.slow
def test_a_name_of_the_history_stays(place: Place) -> None:
    """What a commit has is not taken out of the snapshot, also where it is changed and staged."""
    place.write(KEY, "committed\n")
    place.git("add", KEY)
    place.git("commit", "-qm", "a bad name")
    place.write(KEY, "changed\n")
    place.git("add", KEY)
    before = place.state()
    saved = place.checkpoint()
    place.git("rm", "-qf", KEY)
    place.restore(saved)
    assert place.state() == before


@pytest.mark.slow
def test_a_split_index_is_kept_without_the_name(place: Place) -> None:
    """Also where an earlier file, which the index shares, has it."""
    place.write(KEY, "harmless\n")
    place.git("add", KEY)
    place.git("update-index", "--split-index")
    place.write("kept.txt", "staged\n")
    place.git("add", "kept.txt")
    before = place.state(), sorted(path.name for path in place.git_dir.iterdir())
    saved = place.checkpoint()
    assert KEY.encode() not in everything_in(place)
    assert before == (place.state(), sorted(path.name for path in place.git_dir.iterdir()))
    place.git("rm", "-q", "--cached", KEY)
    place.git("reset", "-q")
    place.restore(saved)
    assert place.git("diff", "--cached", "--name-only") == "kept.txt"


def test_usual_names_are_not_flagged() -> None:
    """Digests, ids and names that speak of secrets are none; the same name is always hidden alike."""
    usual = [b"dist/app.d41d8cd98f00b204e9800998ecf8427e.js", b"src/auth/password_reset.py", b".env", b"id_rsa.pub"]
    usual += [b"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855.json", b"\xff\xfe\n", b"a\nb"]
    assert flagged_names(usual) == frozenset() and [hidden(name) for name in usual] == usual
    assert flagged_names([b"a/" + KEY.encode() + b"/b", b"a"]) == {b"a/" + KEY.encode() + b"/b"}
    assert hidden(b"\xff/" + KEY.encode() + b".txt") == b"\xff/[not shown].txt"
