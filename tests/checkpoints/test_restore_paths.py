"""Paths that a restore is given, and the directory that it is run in."""

from __future__ import annotations

import pytest

from tests.checkpoints.workplace import KEY, Place


def test_a_path_that_is_nowhere_is_refused(place: Place) -> None:
    """A misspelt one is not `what is there already`; nothing is changed, also at the right ones."""
    place.write("gone.txt", "then\n")
    place.write("secret.env", f"key = {KEY}\n")
    saved = place.checkpoint()
    (place.directory / "gone.txt").unlink()
    place.write("kept.txt", "now\n")
    (place.directory / "empty").mkdir()
    before, known = place.state(), place.ids()
    error = place.refused("checkpoint.restore", id=saved, paths=["kept.txt", "nope", "empty"])
    assert error["code"] == "INVALID_REQUEST" and error["details"] == {"field": "paths", "paths": ["nope", "empty"]}
    assert "nope, empty" in error["message"]
    assert (place.state(), place.ids()) == (before, known)
    for dry in (True, False):
        assert place.restore(saved, paths=["gone.txt"], dry_run=dry)["written"] == 1
    assert place.restore(saved, paths=["gone.txt", "."], dry_run=True)["written"] == 1
    assert place.restore(saved, paths=["secret.env"])["written"] == 0  # known, and left out


@pytest.mark.slow
def test_a_difference_at_a_path_that_is_nowhere_is_refused(place: Place) -> None:
    """So that nothing differs says that there is something."""
    saved = place.checkpoint()
    place.write("kept.txt", "now\n")
    assert "nope" in place.refused("checkpoint.diff", id=saved, paths=["nope", "kept.txt/x"])["message"]
    assert place.run("checkpoint.diff", id=saved, paths=["src"])["paths"] == []
    assert place.run("checkpoint.diff", id=saved, paths=["."])["patch"]


def test_the_current_directory_stays(place: Place) -> None:
    """Where its last file goes, whether paths are named or not; the empty directories beside it go."""
    saved = place.checkpoint()
    for whole in (True, False):
        place.write("here/there/n", "new\n")
        place.write("here/other/n", "new\n")
        inside = Place(place.directory / "here/there")
        answer = inside.restore(saved, **({} if whole else {"paths": ["n", "../other"]}))
        assert answer["removed"] == 2
        assert inside.directory.is_dir() and not (place.directory / "here/other").exists()
        assert inside.run("checkpoint.list")["items"]


@pytest.mark.slow
def test_the_current_directory_does_not_give_way_to_a_file(place: Place) -> None:
    """It is in the way, and named so."""
    place.write("here", "a file then\n")
    saved = place.checkpoint()
    (place.directory / "here").unlink()
    place.write("here/there/n", "now\n")
    error = Place(place.directory / "here/there").refused("checkpoint.restore", id=saved)
    assert "here/ (the current directory)" in error["message"]
    assert place.files()["here/there/n"][1] == b"now\n"
    place.restore(saved)
    assert place.files()["here"][1] == b"a file then\n"
