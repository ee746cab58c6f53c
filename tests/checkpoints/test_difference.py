"""A difference is whole, or says that it is not."""

from __future__ import annotations

import pytest

from tests.checkpoints.workplace import Place, hook_line

FILES = ("src/one.txt", "src/two.txt", "kept.txt")


def changed(place: Place) -> tuple[str, str]:
    """Return two checkpoints between which three files differ."""
    first = place.checkpoint("first")
    for name in FILES:
        place.write(name, f"{name} is another\n")
    return first, place.checkpoint("second")


def remove(place: Place, name: str) -> str:
    """Remove the blob of a file from the archive, and return its id."""
    oid = place.git("hash-object", name)
    (place.archive.objects_dir / oid[:2] / oid[2:]).unlink()
    return oid


@pytest.mark.parametrize("name", [FILES[0], *(pytest.param(name, marks=pytest.mark.slow) for name in FILES[1:])])
def test_a_lost_object_is_named(place: Place, name: str) -> None:
    """Whichever of the changed files it is: no part of the difference passes for the whole."""
    first, second = changed(place)
    oid = remove(place, name)
    error = place.refused("checkpoint.diff", id=first, other=second)
    assert error["code"] == "STORE_CORRUPT" and oid in error["message"]
    others = [one for one in FILES if one != name]
    patch = place.run("checkpoint.diff", id=first, other=second, paths=others)["patch"]
    assert patch.count("diff --git") == 2


def test_a_damaged_object_is_named(place: Place) -> None:
    """One that is there and cannot be read."""
    first, second = changed(place)
    oid = remove(place, "kept.txt")
    (place.archive.objects_dir / oid[:2] / oid[2:]).write_bytes(b"nonsense")
    error = place.refused("checkpoint.diff", id=first, other=second)
    assert error["code"] == "STORE_CORRUPT" and oid in error["message"]


def test_what_an_action_changed_may_be_gone(place: Place) -> None:
    """The files of a checkpoint without a snapshot are the user's: one that is gone there is not found."""
    before = place.git("rev-parse", "HEAD")
    for name in FILES:
        place.write(name, f"{name} is another\n")
    place.git("commit", "-qam", "second")
    hook_line(place, "post-commit", before=before, after=place.git("rev-parse", "HEAD"), seconds=1_764_000_000)
    (item,) = place.run("checkpoint.list")["items"]
    assert place.run("checkpoint.diff", id=item["id"])["patch"].count("diff --git") == 3
    oid = place.git("rev-parse", "HEAD:src/two.txt")
    (place.git_dir / "objects" / oid[:2] / oid[2:]).unlink()
    error = place.refused("checkpoint.diff", id=item["id"])
    assert error["code"] == "NOT_FOUND" and oid in error["message"]


def test_what_was_cut_says_so(place: Place) -> None:
    """A limit is no failure, whatever comes after it; a difference that just fits is whole."""
    first = changed(place)[0]
    place.write("large.txt", "more than a pipe holds\n" * 20_000)
    second = place.checkpoint("third")
    whole = place.run("checkpoint.diff", id=first, other=second)
    size = len(whole["patch"].encode())
    assert place.run("checkpoint.diff", id=first, other=second, max_bytes=size) == whole
    for most in (size - 1, 1000):
        cut = place.run("checkpoint.diff", id=first, other=second, max_bytes=most)
        assert cut["cut"] and whole["patch"].startswith(cut["patch"]) and len(cut["patch"]) <= most
