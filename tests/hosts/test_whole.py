"""An installation, and its end, is whole or not at all: what cannot be done is found out before a hook is touched."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.errors import InvalidRequest, StoreReadOnly
from memgit.hosts.git_hooks import hook_file
from memgit.hosts.git_hooks import install as installing
from memgit.hosts.git_hooks.record import hooks_state
from tests.hosts.conftest import Place, listing


def test_a_refused_installation_changes_no_hook(plain: Place) -> None:
    """One hook that cannot take the block keeps all others as they are, also those that come before it."""
    plain.hook("pre-commit", b"#!/bin/sh\necho mine\n")
    plain.hook("post-commit", b"#!/usr/bin/env python3\n")
    plain.hook("post-commit", b"older\n", directory=plain.hooks / "before-memgit")
    before = listing(plain.hooks)
    with pytest.raises(InvalidRequest, match="before-memgit/post-commit is there already"):
        installing.install(plain.repository, "/program", push=True)
    assert listing(plain.hooks) == before
    assert not (hooks_state(plain.repository) / "push").exists()


def test_an_installation_that_fails_is_taken_back(plain: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file cannot be written in the middle, as on a full disk, the hooks before it are as they were."""
    plain.hook("pre-commit", b"#!/bin/sh\necho mine\n")
    plain.hook("post-commit", b"#!/usr/bin/env python3\n")
    before = listing(plain.hooks)
    put_in = hook_file.put_in

    def fails_later(directory: Path, hook: str) -> bool:
        if hook == "post-merge":
            raise StoreReadOnly("no space left")
        return put_in(directory, hook)

    monkeypatch.setattr(hook_file, "put_in", fails_later)
    with pytest.raises(StoreReadOnly):
        plain.install()
    assert listing(plain.hooks) == before


@pytest.mark.parametrize("what", ["state", "hooks"])
def test_uninstalling_where_nothing_can_be_written(
    hooked: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, what: str
) -> None:
    """Where memgit's own place, or a directory of hooks, is read-only, no hook is touched, and that is said."""
    other = tmp_path / "other"
    other.mkdir()
    hooked.git("config", "core.hooksPath", str(other))
    hooked.install()
    before = listing(hooked.hooks) | listing(other)
    blocked = os.fspath(hooks_state(hooked.repository) if what == "state" else other)
    write = Path.write_bytes

    def refuses(path: Path, data: bytes) -> int:  # the superuser may write anywhere, so that is played
        if os.fspath(path).startswith(blocked):
            raise PermissionError(13, "Permission denied", str(path))
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", refuses)
    with pytest.raises(StoreReadOnly, match="cannot be written"):
        hooked.uninstall()
    assert listing(hooked.hooks) | listing(other) == before
    assert hooked.call("hooks.uninstall")["error"]["code"] == StoreReadOnly.code  # type: ignore[index]


def test_an_empty_hooks_path_is_refused(plain: Place) -> None:
    """An empty `core.hooksPath` is no path to Git, which then runs no hook: nothing is installed anywhere."""
    plain.git("config", "core.hooksPath", "")
    before = listing(plain.directory / ".git" / "hooks")
    with pytest.raises(InvalidRequest, match="is no path to Git: no hook runs here") as refused:
        plain.install(way="files")
    assert "core.hooksPath" in refused.value.hint
    assert listing(plain.directory / ".git" / "hooks") == before
    plain.git("config", "--unset", "core.hooksPath")
    assert plain.install().changed
    plain.git("config", "core.hooksPath", "")
    assert plain.call("hooks.status")["ok"] and plain.call("doctor")["ok"]
    plain.uninstall()
    assert not list((plain.hooks).glob("p*"))
