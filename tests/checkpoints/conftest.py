"""A working tree with a memory."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.checkpoints.workplace import Place


@pytest.fixture(autouse=True)
def own_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test is a machine of its own."""
    monkeypatch.setenv("MEMGIT_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture(scope="session")
def made_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What each test gets a copy of."""
    return Place.make(tmp_path_factory.mktemp("made") / "project").directory


@pytest.fixture
def place(made_place: Path, tmp_path: Path) -> Place:
    """A working tree with one commit and a memory."""
    directory = tmp_path / "project"
    shutil.copytree(made_place, directory, symlinks=True)
    subprocess.run(["git", "update-index", "-q", "--refresh"], cwd=directory, check=True)
    return Place(directory)
