"""A repository with a memory whose hooks are installed, and Git as a person runs it there."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memgit.checkpoints import spool
from memgit.checkpoints.events import HookEvent
from memgit.hosts.git_hooks import install as installing
from memgit.protocol.envelope import answer
from memgit.store.repository import Repository, discover


class Place:
    """A working tree, and what its hooks tell."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @property
    def repository(self) -> Repository:
        """The repository as memgit sees it."""
        return discover(self.directory)

    @property
    def hooks(self) -> Path:
        """The directory of the hooks where nothing is configured."""
        return self.repository.common_dir / "hooks"

    def run(
        self, *words: str | Path, given: bytes = b"", environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program here and return its outcome."""
        return subprocess.run(
            list(map(str, words)),
            cwd=self.directory,
            input=given,
            capture_output=True,
            timeout=60,
            env={**os.environ} if environment is None else dict(environment),
        )

    def git(self, *words: str, environment: Mapping[str, str] | None = None) -> str:
        """Run a git command that must succeed and return what it printed."""
        done = self.run("git", *words, environment=environment)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def write(self, name: str, text: str) -> Path:
        """Write a file of the working tree."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        return path

    def commit(self, text: str, environment: Mapping[str, str] | None = None) -> str:
        """Commit a file with this text and return the commit."""
        self.write(f"{text}.txt", text)
        self.git("add", f"{text}.txt")
        self.git("commit", "-q", "-m", text, environment=environment)
        return self.git("rev-parse", "HEAD")

    def hook(self, name: str, content: bytes, mode: int = 0o755, directory: Path | None = None) -> Path:
        """Put a hook of the user's into the directory of the hooks."""
        path = (directory or self.hooks) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(mode)
        return path

    def install(self, **options: object) -> installing.Installed:
        """Install the hooks."""
        return installing.install(self.repository, None, push=None, **options)  # type: ignore[arg-type]

    def uninstall(self) -> bool:
        """Uninstall the hooks."""
        return installing.uninstall(self.repository).changed

    def events(self) -> list[HookEvent]:
        """Take and forget what was noted."""
        taken = spool.take(self.repository)
        taken.done()
        assert not taken.notes, taken.notes
        return list(taken.events)

    def warnings(self) -> list[str]:
        """Return what the next command says beside its answer."""
        return list(answer({"op": "status", "input": {}}, self.directory).envelope["warnings"])

    def call(self, op: str, **fields: object) -> dict[str, object]:
        """Run an operation and return its envelope."""
        return answer({"op": op, "input": fields}, self.directory).envelope


MakePlace = Callable[..., Place]


@pytest.fixture(autouse=True)
def own_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test is a machine of its own."""
    monkeypatch.setenv("MEMGIT_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with one commit and a memory, to be copied."""
    directory = tmp_path_factory.mktemp("hosts") / "project"
    subprocess.run(["git", "init", "-q", "--template=", str(directory)], check=True)
    place = Place(directory)
    place.commit("first")
    context = {"workspace_id": "wsp-tests", "project_id": "prj-tests", "marker": False, "offline": True}
    assert answer({"op": "store.init", "input": context}, directory).envelope["ok"]
    return directory


@pytest.fixture
def plain(tmp_path: Path, template: Path) -> Place:
    """A repository with one commit and a memory, without hooks."""
    shutil.copytree(template, tmp_path / "project", symlinks=True)
    return Place(tmp_path / "project")


@pytest.fixture
def hooked(plain: Place) -> Place:
    """The same with the hooks installed."""
    plain.install()
    return plain


def listing(directory: Path) -> dict[str, tuple[int, bytes]]:
    """Return all files below a directory with their modes and bytes; of a symbolic link, where it leads."""
    found = {}
    for path in sorted(directory.rglob("*")):
        if path.is_symlink() or path.is_file():
            content = os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes()
            found[str(path.relative_to(directory))] = (path.lstat().st_mode, content)
    return found
