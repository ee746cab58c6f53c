"""What Git's listings pass over is named all the same."""

from __future__ import annotations

import os
import socket

import pytest

from tests.checkpoints.workplace import Place


def left_out(place: Place) -> dict[str, str]:
    """Return what a checkpoint of now leaves out."""
    return {item["path"]: item["reason"] for item in place.run("checkpoint.create")["left_out"]}


def test_pipes_sockets_and_files_called_git_are_named(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever they are, but not where a rule ignores them or in another repository."""
    place.write(".gitignore", "*.ignored\n/build/\n")
    for name in ("pipe", "src/*", "alone/deep/pipe", "p.ignored", "build/pipe", "build/deep/pipe", "inner/pipe"):
        (place.directory / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(place.directory / name)
    monkeypatch.chdir(place.directory)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
    place.write("x/.git", "not a repository\n")
    place.write("x/y", "kept\n")
    place.write("src/.git/HEAD", "no repository that Git would know\n")
    place.write("build/.git", "ignored\n")
    place.git("init", "-q", str(place.directory / "inner"))
    special, git = "neither a file nor a link", "a name that is Git's own"
    assert left_out(place) == {
        "pipe": special,
        "src/*": special,
        "alone/deep/pipe": special,
        "socket": special,
        "x/.git": git,
        "src/.git/": "a repository of its own",
        "inner/": "a repository of its own",
    }


def test_a_directory_that_cannot_be_read_is_named(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in it is not known, and that is said."""
    (place.directory / "closed").mkdir()
    real = os.scandir

    def refusing(path: object) -> object:
        if isinstance(path, bytes) and path.endswith(b"/closed"):
            raise PermissionError(13, "Permission denied")
        return real(path)  # type: ignore[call-overload]

    monkeypatch.setattr("memgit.checkpoints.unlisted.os.scandir", refusing)
    assert left_out(place) == {"closed/": "cannot be read"}


def test_a_pipe_in_the_way_of_a_restore_is_called_one(place: Place) -> None:
    """And not ignored, which only a rule makes a file."""
    place.write("here", "a file\n")
    place.write("there.ignored/file", "x")
    place.git("add", "-f", "there.ignored/file")
    saved = place.checkpoint()
    (place.directory / "here").unlink()
    os.mkfifo(place.directory / "here")
    assert "here (neither a file nor a link)" in place.refused("checkpoint.restore", id=saved)["message"]
    assert place.restore(saved, dry_run=True)["blocked"] == ["here"]


def test_a_repository_in_the_way_is_named_once(place: Place) -> None:
    """By its directory, whatever is in it, where a file or a file below it has to be."""
    place.write("nest/deep/one.txt", "then\n")
    place.write("nest/two.txt", "then\n")
    below = place.checkpoint()
    place.git("clean", "-qfd")
    place.write("nest", "a file then\n")
    above = place.checkpoint()
    (place.directory / "nest").unlink()
    Place.make(place.directory / "nest").write("two.txt", "precious\n")
    for saved in (below, above):
        error = place.refused("checkpoint.restore", id=saved)
        assert error["message"].endswith("nothing was changed: nest/ (a repository of its own)")
        assert error["details"]["blocked"] == ["nest/"]
        assert place.restore(saved, dry_run=True)["blocked"] == ["nest/"]


@pytest.mark.slow
def test_a_repository_below_a_directory_in_the_way_is_named_once(place: Place) -> None:
    """By its own directory."""
    place.write("outer", "a file\n")
    saved = place.checkpoint()
    (place.directory / "outer").unlink()
    Place.make(place.directory / "outer/inner")
    error = place.refused("checkpoint.restore", id=saved, paths=["outer"])
    assert error["details"]["blocked"] == ["outer/inner/"]


def test_what_is_saved_and_not_asked_for_is_not_called_ignored(place: Place) -> None:
    """A link where a directory has to be, which the paths do not name."""
    place.write("a/b.txt", "deep\n")
    saved = place.checkpoint()
    (place.directory / "a/b.txt").unlink()
    (place.directory / "a").rmdir()
    (place.directory / "a").symlink_to("src")
    error = place.refused("checkpoint.restore", id=saved, paths=["a/b.txt"])
    assert "a (not among the paths that are restored)" in error["message"]
