"""What every test stands on: nothing of the caller's machine or configuration, and repositories of each kind.

The environment is pinned before a test module is imported, because some modules read it then.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import settings

Kind = Literal["plain", "bare", "worktree", "submodule", "sha256", "partial", "shallow"]
MakeRepository = Callable[..., Path]

_GIT_CONFIG = """\
[user]
\tname = Test Person
\temail = test@example.org
[init]
\tdefaultBranch = main
[protocol "file"]
\tallow = always
[gc]
\tauto = 0
[maintenance]
\tauto = false
[commit]
\tgpgSign = false
"""
_KEPT = ("MEMGIT_EVAL",)  # where the evaluation corpora are
_PREFIXES = ("GIT_", "MEMGIT_", "MEMOREE_", "XDG_")
_NAMES = ("AI_AGENT", "CLAUDECODE", "CODEX_SANDBOX", "CODEX_THREAD_ID", "CURSOR_AGENT", "EMAIL", "GEMINI_CLI", "PAGER")
_MEMORY = Path("/dev/shm")
_MEMORY_BYTES = 1 << 30
_own: list[Path] = []  # what this run made outside pytest's own directories


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Pin the environment, and Hypothesis: no deadline on a busy machine, the same examples on every run in CI."""
    _pin_environment()
    _choose_directory(config)
    settings.register_profile("memgit", deadline=None, database=None, derandomize=bool(os.environ.get("CI")))
    settings.load_profile("memgit")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the slow tests out unless `-m` says something about them, or a test is named outright."""
    if config.option.markexpr or any("::" in argument for argument in config.args):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    config.hook.pytest_deselected(items=slow)
    items[:] = [item for item in items if item not in slow]


def pytest_unconfigure() -> None:
    """Remove what the run made outside pytest's own directories."""
    for path in _own:
        shutil.rmtree(path, ignore_errors=True)


def _choose_directory(config: pytest.Config) -> None:
    """Test in memory where there is room: thousands of small files cost a slow disk minutes. `--basetemp` overrides."""
    if config.option.basetemp is not None or not os.access(_MEMORY, os.W_OK):
        return
    if shutil.disk_usage(_MEMORY).free > _MEMORY_BYTES:
        _own.append(_MEMORY / f"memgit-tests-{os.getpid()}")
        config.option.basetemp = str(_own[-1])


def _pin_environment() -> None:
    leaked = [name for name in os.environ if name.startswith(_PREFIXES) or name in _NAMES]
    for name in (name for name in leaked if name not in _KEPT):
        del os.environ[name]
    home = Path(tempfile.mkdtemp(prefix="memgit-tests-home-"))
    _own.append(home)
    (home / ".gitconfig").write_text(_GIT_CONFIG, "utf-8")
    os.environ |= {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "GIT_CONFIG_GLOBAL": str(home / ".gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
    }
    if hasattr(time, "tzset"):
        time.tzset()


@pytest.fixture(autouse=True)
def _pinned_environment() -> Iterator[None]:
    """Give each test the environment that the run began with."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture
def repository(tmp_path: Path) -> MakeRepository:
    """A function that makes a Git repository and returns the directory that a person would work in.

    `repository(kind="plain", name=None)`. Every kind but `bare` and `sha256` holds one commit. `partial` is a clone
    without blobs (`--filter=blob:none`) and `shallow` one of depth 1; their origin is `<name>-origin` beside them.
    """

    def make(kind: Kind = "plain", name: str | None = None) -> Path:
        path = tmp_path / (name or kind)
        makers[kind](path)
        return path

    def plain(path: Path) -> None:
        git("init", path)
        commit(path, "first")

    def bare(path: Path) -> None:
        git("init", "--bare", path)

    def sha256(path: Path) -> None:
        git("init", "--object-format=sha256", path)

    def worktree(path: Path) -> None:
        origin = path.with_name(f"{path.name}-origin")
        plain(origin)
        git("-C", origin, "worktree", "add", "-b", f"branch-{path.name}", path)

    def submodule(path: Path) -> None:
        origin, outer = path.with_name(f"{path.name}-origin"), path.parent
        plain(origin)
        if not (outer / ".git").exists():
            git("init", outer)
        git("-C", outer, "submodule", "add", origin.as_uri(), path.name)

    def partial(path: Path) -> None:
        clone(path, "--filter=blob:none", "--no-checkout")

    def shallow(path: Path) -> None:
        clone(path, "--depth=1")

    def clone(path: Path, *options: str) -> None:
        origin = path.with_name(f"{path.name}-origin")
        plain(origin)
        commit(origin, "second")
        git("-C", origin, "config", "uploadpack.allowFilter", "true")
        git("-C", origin, "config", "uploadpack.allowAnySHA1InWant", "true")
        git("clone", *options, origin.as_uri(), path)

    def commit(path: Path, text: str) -> None:
        (path / f"{text}.txt").write_text(f"{text}\n", "utf-8")
        git("-C", path, "add", ".")
        git("-C", path, "commit", "-m", text)

    def git(*arguments: str | Path) -> None:
        subprocess.run(["git", *map(str, arguments)], check=True, capture_output=True, stdin=subprocess.DEVNULL)

    makers: dict[Kind, Callable[[Path], None]] = {
        "plain": plain,
        "bare": bare,
        "worktree": worktree,
        "submodule": submodule,
        "sha256": sha256,
        "partial": partial,
        "shallow": shallow,
    }
    return make
