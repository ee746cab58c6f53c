"""Who may read a file stays so: a restore lets in no more than the file did, nor more than what it replaces does."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.checkpoints.modes import Modes, encode_modes, parse_modes
from memgit.checkpoints.trees import EXECUTABLE, FILE
from tests.checkpoints.workplace import Place

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no permissions of this kind")


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    """Whatever the machine's is."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(place: Place, name: str) -> int:
    """Return the permissions of a file."""
    return stat.S_IMODE(os.lstat(place.directory / name).st_mode)


def test_what_was_narrow_comes_back_narrow(place: Place) -> None:
    """Tracked, untracked and executable files and a directory that were removed, also where the umask has changed."""
    modes = {"kept.txt": 0o600, "private/key": 0o640, "tool": 0o700, "read-only": 0o400, "plain": 0o644}
    for name, bits in modes.items():
        place.write(name, name).chmod(bits)
    (place.directory / "private").chmod(0o700)
    before, saved = place.files(), place.checkpoint()
    for name in modes:
        (place.directory / name).unlink()
    (place.directory / "private").rmdir()
    os.umask(0o002)
    place.restore(saved)
    assert {name: mode(place, name) for name in modes} == modes
    assert mode(place, "private") == 0o700
    assert place.files() == before


def test_what_the_umask_made_narrow_stays_so(place: Place) -> None:
    """Nothing is recorded of single files then, and a wider umask does not let others in."""
    os.umask(0o077)
    place.write("mine/secret.txt", "mine\n")
    saved = place.checkpoint()
    (place.directory / "mine/secret.txt").unlink()
    (place.directory / "mine").rmdir()
    os.umask(0o022)
    place.restore(saved)
    assert (mode(place, "mine/secret.txt"), mode(place, "mine")) == (0o600, 0o700)


@pytest.mark.parametrize(
    ("then", "now", "after"),
    [(0o644, 0o600, 0o600), (0o600, 0o644, 0o600), pytest.param(0o644, 0o664, 0o664, marks=pytest.mark.slow)],
)
def test_the_mode_of_what_is_replaced_is_kept(place: Place, then: int, now: int, after: int) -> None:
    """Less what the file had not then."""
    place.write("kept.txt", "then\n").chmod(then)
    saved = place.checkpoint()
    place.write("kept.txt", "now\n").chmod(now)
    place.restore(saved)
    assert mode(place, "kept.txt") == after


def test_a_file_is_at_no_moment_wider(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is made narrow, and not narrowed once the bytes are in it."""
    place.write("key", "bytes").chmod(0o600)
    saved = place.checkpoint()
    (place.directory / "key").unlink()
    made: list[int] = []
    real = os.open

    def opening(path: object, flags: int, mode: int = 0o777, **named: object) -> int:
        if flags & os.O_EXCL and Path(os.fsdecode(path)).name == "file":  # type: ignore[arg-type]
            made.append(mode)
        return real(path, flags, mode, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("memgit.checkpoints.replacing.os.open", opening)
    place.restore(saved)
    assert made == [0o600] and mode(place, "key") == 0o600


def test_modes_are_read_as_they_were_written() -> None:
    """Any bytes in a path; and a snapshot of before there were modes has the usual ones."""
    modes = Modes(0o027, {b"a b\n\xff": 0o400, b"d/": 0o700})
    assert parse_modes(encode_modes(modes)) == modes
    assert parse_modes(b"").of_file(b"any", FILE, None) == (0o666, False)
    assert parse_modes(b"").of_file(b"any", EXECUTABLE, 0o640) == (0o750, True)
