"""Git config is read with Git's own rules in one call, and written only with values that were checked."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.config.git_config import parse_git_config, read_git_config, set_value, unset_value
from memgit.errors import InvalidRequest, NotARepository, StoreBusy, StoreReadOnly


@pytest.fixture
def variables(tmp_path: Path) -> dict[str, str]:
    """An environment whose only user configuration is a file of the test."""
    return {
        "PATH": os.environ["PATH"],
        "SYSTEMROOT": os.environ.get("SYSTEMROOT", ""),
        "HOME": str(tmp_path / "home"),
        "GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
    }


@pytest.fixture
def git(tmp_path: Path, variables: dict[str, str]) -> Callable[..., str]:
    """A function that runs `git` in the repository of the test."""
    repository = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", str(repository)], env=variables, check=True)

    def run(*arguments: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(repository), *arguments], env=variables, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    return run


@pytest.fixture
def git_dir(git: Callable[..., str]) -> Path:
    return Path(git("rev-parse", "--absolute-git-dir"))


def test_the_repository_wins_over_the_user(git: Callable[..., str], git_dir: Path, variables: dict[str, str]) -> None:
    """Keys come in lower case, the last value counts, and other sections are not read."""
    git("config", "--global", "memgit.durability", "fast")
    git("config", "--global", "memgit.lockWait", "5")
    git("config", "memgit.durability", "safe")
    git("config", "--add", "memgit.durability", "balanced")
    git("config", "other.key", "x")
    assert read_git_config(git_dir, variables) == {"memgit.durability": "balanced", "memgit.lockwait": "5"}


def test_outside_a_repository_the_user_alone_counts(
    git: Callable[..., str], variables: dict[str, str], monkeypatch: pytest.MonkeyPatch, git_dir: Path
) -> None:
    """Without a Git directory the one around the process is not read either."""
    git("config", "--global", "memgit.durability", "fast")
    git("config", "memgit.durability", "safe")
    monkeypatch.chdir(git_dir.parent)
    assert read_git_config(None, variables) == {"memgit.durability": "fast"}


def test_nothing_set_is_empty(git_dir: Path, variables: dict[str, str]) -> None:
    """Absence is a value."""
    assert read_git_config(git_dir, variables) == {}


def test_a_hooks_variables_do_not_mislead(git_dir: Path, variables: dict[str, str], git: Callable[..., str]) -> None:
    """A leaked GIT_DIR changes nothing, and `git -c` reaches us."""
    git("config", "memgit.durability", "safe")
    leaked = {**variables, "GIT_DIR": "/somewhere/else", "GIT_CONFIG": "/etc/hostname"}
    assert read_git_config(git_dir, leaked) == {"memgit.durability": "safe"}
    command_line = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "memgit.durability",
        "GIT_CONFIG_VALUE_0": "fast",
    }
    assert read_git_config(git_dir, leaked | command_line) == {"memgit.durability": "fast"}


def test_output_of_every_form_is_parsed() -> None:
    """Values with line ends, without a value, empty, and with bytes that are not UTF-8."""
    output = b"memgit.a\nx\ny\0memgit.b\0memgit.c\n\0memgit.d\n\xff\0"
    assert parse_git_config(output) == {"memgit.a": "x\ny", "memgit.b": "true", "memgit.c": "", "memgit.d": "\ufffd"}
    assert parse_git_config(b"") == {}


def test_broken_git_config_is_reported(git_dir: Path, variables: dict[str, str]) -> None:
    """Git's own words, with the file and the line."""
    (git_dir / "config").write_text("[core\n")
    with pytest.raises(InvalidRequest, match="bad config line 1"):
        read_git_config(git_dir, variables)


def test_a_missing_git_is_reported(git_dir: Path, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A GUI without a PATH gets a sentence."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(NotARepository, match="not on the PATH"):
        read_git_config(git_dir, variables | {"PATH": "/nowhere"})


def test_set_writes_where_it_was_asked_to(git: Callable[..., str], git_dir: Path, variables: dict[str, str]) -> None:
    """Into the repository by default, into the user's file on request; several values become one."""
    git("config", "--add", "memgit.lockWait", "1")
    git("config", "--add", "memgit.lockWait", "2")
    assert set_value("lock-wait", " 250 ", git_dir, variables=variables).name == "lockWait"
    assert git("config", "--local", "--get-all", "memgit.lockWait") == "250"
    set_value("durability", "safe", git_dir, for_user=True, variables=variables)
    set_value("color", "never", None, for_user=True, variables=variables)
    assert git("config", "--global", "memgit.durability") == "safe"
    assert "memgit.durability" not in git("config", "--local", "--list")


def test_unset_says_whether_it_was_there(git: Callable[..., str], git_dir: Path, variables: dict[str, str]) -> None:
    """Removing what is not there is no failure."""
    set_value("durability", "safe", git_dir, variables=variables)
    assert unset_value("durability", git_dir, variables=variables) is True
    assert unset_value("durability", git_dir, variables=variables) is False
    assert read_git_config(git_dir, variables) == {}


def test_a_wrong_set_writes_nothing(git_dir: Path, variables: dict[str, str]) -> None:
    """An unknown name, a wrong value, a part of the context: refused before Git is started."""
    before = (git_dir / "config").read_bytes()
    for name, text in [("durabilty", "safe"), ("durability", "x"), ("ref", "HEAD"), ("remote", "-x"), ("horizon", "x")]:
        with pytest.raises(InvalidRequest):
            set_value(name, text, git_dir, variables=variables)
    with pytest.raises(InvalidRequest) as caught:
        set_value("workspace_id", "w", git_dir, variables=variables)
    assert ".memoree.toml" in caught.value.hint
    assert (git_dir / "config").read_bytes() == before


def test_a_place_that_is_not_there(variables: dict[str, str]) -> None:
    """Without a repository there is nothing local to write to."""
    with pytest.raises(NotARepository):
        set_value("durability", "safe", None, variables=variables)


def test_a_locked_config_is_busy_and_left_alone(git_dir: Path, variables: dict[str, str]) -> None:
    """Another Git's lock is contention: retryable, and the lock stays."""
    (git_dir / "config.lock").touch()
    with pytest.raises(StoreBusy, match="locked") as caught:
        set_value("durability", "safe", git_dir, variables=variables)
    assert caught.value.retryable
    assert (git_dir / "config.lock").exists()


def test_a_config_that_cannot_be_written(tmp_path: Path, variables: dict[str, str]) -> None:
    """No directory to write into is reported as read-only."""
    missing = variables | {"GIT_CONFIG_GLOBAL": str(tmp_path / "gone" / "gitconfig")}
    with pytest.raises(StoreReadOnly):
        set_value("durability", "safe", None, for_user=True, variables=missing)
