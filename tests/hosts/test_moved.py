"""Repositories whose Git directory is elsewhere, and those that were moved or copied after the installation."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from memgit.hosts.git_hooks.shipped import HOOKS
from memgit.protocol.envelope import answer
from tests.hosts.conftest import Place
from tests.hosts.test_install import states


def with_hooks_path(plain: Place, directory: Path) -> None:
    """Let Git look for hooks in a directory of an absolute path, and install."""
    directory.mkdir(parents=True)
    plain.hook("pre-commit", b"#!/bin/sh\nexit 0\n", directory=directory)
    plain.git("config", "core.hooksPath", str(directory))
    plain.install()


@pytest.mark.parametrize("where", [".git/mine", "ignored"])
def test_uninstalling_follows_a_repository_that_moved(plain: Place, tmp_path: Path, where: str) -> None:
    """With an absolute `core.hooksPath`, the blocks moved with the repository; uninstalling takes them out there."""
    plain.write(".git/info/exclude", "ignored\n")
    with_hooks_path(plain, plain.directory / where)
    assert b">>> memgit" in (plain.directory / where / "pre-commit").read_bytes()
    plain.directory.rename(tmp_path / "elsewhere")
    moved = Place(tmp_path / "elsewhere")
    assert moved.uninstall()
    assert [path.name for path in (moved.directory / where).iterdir()] == ["pre-commit"]
    assert (moved.directory / where / "pre-commit").read_bytes() == b"#!/bin/sh\nexit 0\n"


def test_a_copy_leaves_the_first_repository_alone(hooked: Place, tmp_path: Path) -> None:
    """What is uninstalled in a copy is that of the copy."""
    shutil.copytree(hooked.directory, tmp_path / "copy", symlinks=True)
    copy = Place(tmp_path / "copy")
    assert copy.uninstall()
    assert not copy.hooks.exists()
    assert states(hooked) == {".": {"installed"}}


def test_what_cannot_be_looked_at_is_named(plain: Place, tmp_path: Path) -> None:
    """A directory that is not there, as on another disk, is named by `uninstall`."""
    outside = tmp_path / "disk" / "hooks"
    with_hooks_path(plain, outside)
    shutil.move(tmp_path / "disk", tmp_path / "unplugged")
    result = plain.call("hooks.uninstall")["result"]
    assert isinstance(result, dict)
    assert [text for text in result["left"] if str(outside) in text and "is not there" in text]


@pytest.mark.parametrize("how", ["separate", "link"])
def test_a_git_directory_elsewhere(tmp_path: Path, how: str) -> None:
    """With `--separate-git-dir`, or `.git` as a link, the doctor fires the hooks in the working tree."""
    place = Place(tmp_path / "project")
    place.directory.mkdir()
    separate = ["--separate-git-dir", str(tmp_path / "elsewhere")] if how == "separate" else []
    subprocess.run(["git", "init", "-q", *separate, str(place.directory)], check=True)
    if how == "link":
        (place.directory / ".git").rename(tmp_path / "elsewhere")
        (place.directory / ".git").symlink_to("../elsewhere")
    place.commit("first")
    assert answer({"op": "store.init", "input": {"offline": True}}, place.directory).envelope["ok"]
    place.install()
    place.git("worktree", "add", "-q", str(tmp_path / "linked"))
    for one in (place, Place(tmp_path / "linked")):
        result = one.call("doctor")["result"]
        assert isinstance(result, dict)
        assert [check["text"] for check in result["checks"]] == [
            f"{len(HOOKS)} of {len(HOOKS)} hooks were fired and arrived"
        ] * 2
    result = place.call("hooks.status")["result"]
    assert isinstance(result, dict)
    assert result["worktrees"][0]["worktree"] == str(place.directory)
