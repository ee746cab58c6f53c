"""Git config that is kept: when Git is asked again."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.config import kept_git_config
from memgit.config.git_config import read_git_pairs
from memgit.config.kept_git_config import Pairs, kept_git_pairs


class Counted:
    """A reader that counts how often it starts Git."""

    def __init__(self) -> None:
        self.count = 0

    def read(self, git_dir: Path) -> Pairs:
        """Read with Git."""
        self.count += 1
        return read_git_pairs(git_dir)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Counted]:
    """Count, from nothing that is kept."""
    made = Counted()
    monkeypatch.setattr(kept_git_config, "read_git_pairs", made.read)
    monkeypatch.setattr(kept_git_config, "_kept", {})
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "global"))
    yield made


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    """A repository whose configuration is a minute old."""
    subprocess.run(["git", "init", "-q", str(tmp_path / "repository")], check=True)
    config(tmp_path / "repository/.git", "memgit.lockWait", "5")
    return tmp_path / "repository/.git"


def config(git_dir: Path, key: str, value: str, *, age: float = 60) -> None:
    """Write a value, so long ago. (The status change cannot be set back: the tests wait it out by the clock.)"""
    subprocess.run(["git", "config", "--file", str(git_dir / "config"), key, value], check=True)
    when = time.time() - age
    os.utime(git_dir / "config", (when, when))


@pytest.fixture(autouse=True)
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock say that what was changed now was changed long ago."""
    now = time.time
    monkeypatch.setattr("memgit.config.kept_git_config.time.time", lambda: now() + 60)


def test_git_is_started_once(counted: Counted, git_dir: Path) -> None:
    """As long as nothing changes, the first answer is given again, and it is Git's."""
    first = kept_git_pairs(git_dir, git_dir)
    assert ("memgit.lockwait", "5") in first
    assert kept_git_pairs(git_dir, git_dir) == first
    assert counted.count == 1


def test_a_changed_file_is_read_again(counted: Counted, git_dir: Path, tmp_path: Path) -> None:
    """The repository's file and the user's, also one that was not there before."""
    kept_git_pairs(git_dir, git_dir)
    config(git_dir, "memgit.lockWait", "6")
    assert ("memgit.lockwait", "6") in kept_git_pairs(git_dir, git_dir)
    (tmp_path / "global").write_text("[user]\n\tname = Somebody\n")
    assert ("user.name", "Somebody") in kept_git_pairs(git_dir, git_dir)
    assert counted.count == 3


def test_another_environment_is_asked_apart(counted: Counted, git_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git -c` reaches us by variables: they count as a file does."""
    kept_git_pairs(git_dir, git_dir)
    for name, value in (("COUNT", "1"), ("KEY_0", "memgit.lockWait"), ("VALUE_0", "7")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    assert ("memgit.lockwait", "7") in kept_git_pairs(git_dir, git_dir)


def test_what_includes_other_files_is_not_kept(counted: Counted, git_dir: Path) -> None:
    """Their stamps are not known, so Git reads them each time."""
    (git_dir / "more").write_text("[memgit]\n\tlockWait = 8\n")
    config(git_dir, "include.path", "more")
    assert ("memgit.lockwait", "8") in kept_git_pairs(git_dir, git_dir)
    (git_dir / "more").write_text("[memgit]\n\tlockWait = 9\n")
    assert ("memgit.lockwait", "9") in kept_git_pairs(git_dir, git_dir)


def test_what_was_just_written_is_not_kept(counted: Counted, git_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It could change once more within the same tick of the clock and keep its stamp."""
    monkeypatch.setattr("memgit.config.kept_git_config.time.time", lambda: (git_dir / "config").stat().st_ctime)
    kept_git_pairs(git_dir, git_dir)
    kept_git_pairs(git_dir, git_dir)
    assert counted.count == 2


def test_nothing_is_kept_for_ever(counted: Counted, git_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that we do not know of may have changed."""
    kept_git_pairs(git_dir, git_dir)
    known = time.monotonic()
    monkeypatch.setattr("memgit.config.kept_git_config.time.monotonic", lambda: known + 3600)
    kept_git_pairs(git_dir, git_dir)
    assert counted.count == 2
