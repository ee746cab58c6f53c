"""Directories and contexts for the tests of scope; nothing outside `tmp_path` is read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.environment import Environment
from memgit.scope.context import Context

WORKSPACE = "wsp_one"
PROJECT = "prj_one"


@pytest.fixture
def bare_environment(tmp_path: Path) -> Environment:
    """An environment that says nothing, in which searches stop above `tmp_path`."""
    return Environment.read({"GIT_CEILING_DIRECTORIES": str(tmp_path.parent)})


@pytest.fixture
def context() -> Context:
    """A context of the project `prj_one` without a task."""
    return Context(workspace_id=WORKSPACE, project_id=PROJECT, resolved_from="request")


@pytest.fixture
def put_marker() -> Callable[..., Path]:
    """A function that writes marker text into a directory, which it makes."""

    def put(directory: Path, text: str | bytes | None = None, project: str = PROJECT) -> Path:
        directory.mkdir(parents=True, exist_ok=True)
        content = f'workspace_id = "{WORKSPACE}"\nproject_id = "{project}"\n' if text is None else text
        path = directory / ".memoree.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put
