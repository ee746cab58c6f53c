"""Clones of one remote, each with its own memory, and remotes of every kind that a person meets."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memgit.protocol.envelope import answer

STORE = "refs/memgit/store"
TRACKING = "refs/memgit/remotes/origin/store"
SCOPE = {"workspace_id": "wsp-tests", "project_id": "prj-tests"}


def git(directory: Path, *arguments: str, check: bool = True, **variables: str) -> str:
    """Run git in a directory and return what it printed."""
    done = subprocess.run(
        ["git", *arguments],
        cwd=directory,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **variables},
    )
    assert done.returncode == 0 or not check, done.stderr
    return done.stdout.strip()


class Clone:
    """One clone, as a person and their programs use it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def envelope(self, op: str, **fields: Any) -> dict[str, Any]:
        """Return the whole answer to a request."""
        return answer({"op": op, "input": fields}, self.directory).envelope

    def run(self, op: str, **fields: Any) -> dict[str, Any]:
        """Return the result of a request that must succeed."""
        envelope = self.envelope(op, **fields)
        assert envelope["ok"], envelope["error"]
        result: dict[str, Any] = envelope["result"]
        return result

    def refused(self, op: str, code: str, **fields: Any) -> dict[str, Any]:
        """Return the error of a request that must fail with this code and leave the memory as it is."""
        before = self.tip()
        envelope = self.envelope(op, **fields)
        assert not envelope["ok"], envelope
        error: dict[str, Any] = envelope["error"]
        assert error["code"] == code, error
        assert error["message"] and error["hint"]
        assert self.tip() == before
        return error

    def sync(self, **fields: Any) -> dict[str, Any]:
        """Sync, which must succeed."""
        return self.run("sync.run", **fields)

    def claim(self, statement: str) -> str:
        """Assert a claim and return its id."""
        return str(self.run("claim.assert", claim_type="fact", statement=statement)["claim_id"])

    def first(self) -> str:
        """Return the id of the claim with the least path, which is the first one where there is one."""
        return self.git("ls-tree", "-r", "--name-only", STORE, "claims/").split("\n")[0].split("/")[-1].split(".")[0]

    def revise(self, claim: str, statement: str) -> None:
        """Revise a claim as it is now."""
        current = self.run("claim.get", claim_id=claim)["revision_id"]
        self.run("claim.revise", claim_id=claim, claim_type="fact", statement=statement, if_revision=current)

    def statements(self) -> list[str]:
        """Return the statements of all active claims, sorted."""
        names = self.git("ls-tree", "-r", "--name-only", STORE, "claims/").splitlines()
        ids = sorted({name.rpartition("/")[2].partition(".")[0] for name in names})
        claims = [self.run("claim.get", claim_id=one) for one in ids]
        return sorted(one["statement"] for one in claims if one["status"] == "active")

    def tip(self, ref: str = STORE) -> str:
        """Return what a ref names, or nothing."""
        return git(self.directory, "for-each-ref", "--format=%(objectname)", ref)

    def tree(self) -> str:
        """Return the id of the memory's tree."""
        return git(self.directory, "rev-parse", f"{STORE}^{{tree}}")

    def git(self, *arguments: str, check: bool = True) -> str:
        """Run git here and return what it printed."""
        return git(self.directory, *arguments, check=check)

    def commit(self, tree: str, *parents: str, seq: int | None = None, message: str | None = None) -> str:
        """Make a commit that no memgit wrote; with `seq`, with the trailer that a memory's commit has."""
        text = message if message is not None else f"by hand\n\nMemgit-Seq: {seq}\n"
        options = [word for parent in parents for word in ("-p", parent)]
        return git(self.directory, "commit-tree", tree, *options, "-m", text)


def bare(path: Path, *options: str) -> Path:
    """Make a bare repository."""
    git(path.parent, "init", "-q", "--bare", *options, str(path))
    return path


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep each test's registry to itself."""
    monkeypatch.setenv("MEMGIT_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def hub(tmp_path: Path) -> Path:
    """A bare repository that everybody pushes to."""
    return bare(tmp_path / "hub.git")


@pytest.fixture
def clone(tmp_path: Path, hub: Path) -> Callable[..., Clone]:
    """A function that clones the hub (or another URL) under a name, with the options of `git clone`."""

    def make(name: str, *options: str, url: str | None = None) -> Clone:
        git(tmp_path, "clone", "-q", *options, url or hub.as_uri(), name)
        return Clone(tmp_path / name)

    return make


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hub with code and a memory of one claim, and two clones of it; each test gets a copy, which is faster."""
    place = tmp_path_factory.mktemp("template")
    hub = bare(place / "hub.git")
    for name in ("one", "two"):
        git(place, "clone", "-q", "hub.git", name)
        git(place / name, "remote", "set-url", "origin", "../hub.git")
        if name == "one":
            _begin(Clone(place / name), hub)
        Clone(place / name).sync()
    return place


def _begin(clone: Clone, hub: Path) -> None:
    (clone.directory / "code.txt").write_text("code\n", "utf-8")
    clone.git("add", ".")
    clone.git("commit", "-qm", "code")
    clone.git("push", "-q", "origin", "HEAD:main")
    git(hub, "symbolic-ref", "HEAD", "refs/heads/main")
    clone.run("store.init", **SCOPE, offline=True, marker=False)
    clone.claim("first")


@pytest.fixture
def one(template: Path, hub: Path) -> Clone:
    """The first clone: one commit of code and a memory of one claim, both pushed."""
    shutil.rmtree(hub)
    shutil.copytree(template / "hub.git", hub)
    return _copied(template / "one", hub)


@pytest.fixture
def two(one: Clone, template: Path, hub: Path) -> Clone:
    """The second clone, which has fetched the memory."""
    return _copied(template / "two", hub)


def _copied(source: Path, hub: Path) -> Clone:
    made = Clone(hub.with_name(source.name))
    shutil.copytree(source, made.directory)
    config = made.directory / ".git" / "config"
    config.write_text(config.read_text("utf-8").replace("../hub.git", hub.as_uri()), "utf-8")
    return made
