"""pre-commit, husky and lefthook as people have them: installed from the registries and fired for real.

Each in both orders, and once more after the tool installed itself again. Skipped where a tool cannot be installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hosts.conftest import Place
from tests.hosts.test_install import states

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PRE_COMMIT = """\
default_install_hook_types: [pre-commit, post-commit, post-checkout, post-merge, post-rewrite, pre-push]
repos:
- repo: local
  hooks:
  - {id: theirs, name: theirs, language: system, entry: sh -c 'echo ran >>ran', always_run: true,
     pass_filenames: false, stages: [pre-commit]}
"""
LEFTHOOK = "pre-commit:\n  jobs:\n    - run: ':'\npost-commit:\n  jobs:\n    - run: echo ran >>ran\n"


def _obtain(place: Path, *command: str) -> None:
    """Run a package client in a directory of its own, or skip what needs it."""
    try:
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=300)
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"{command[0]} cannot be used here: {error}")
    if done.returncode != 0:
        pytest.skip(f"not installable here: {' '.join(command)}: {done.stderr.strip()[-200:]}")


@pytest.fixture(scope="session")
def pre_commit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The program of pre-commit, in an environment of its own."""
    place = tmp_path_factory.mktemp("pre-commit")
    _obtain(place, sys.executable, "-m", "venv", str(place / "venv"))
    _obtain(place, str(place / "venv" / "bin" / "pip"), "install", "-q", "pre-commit")
    yield place / "venv" / "bin" / "pre-commit"


@pytest.fixture(scope="session")
def node_tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the programs of husky and lefthook."""
    if shutil.which("npm") is None:
        pytest.skip("there is no npm")
    place = tmp_path_factory.mktemp("node")
    # Without scripts: lefthook's would install hooks in whatever repository the tests are started from.
    options = ("--ignore-scripts", "--silent", "--no-audit", "--no-fund", "--prefix", str(place))
    _obtain(place, "npm", "install", *options, "husky", "lefthook")
    return place / "node_modules" / ".bin"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pre-commit keeps what it fetches; not across tests."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "pre-commit-home"))
    monkeypatch.delenv("CI", raising=False)  # lefthook and husky do nothing there


def notes_a_commit(place: Place) -> bool:
    """Commit, and tell whether their hook ran and ours told of it, once."""
    (place.directory / "ran").unlink(missing_ok=True)
    place.events()
    place.git("commit", "-q", "--allow-empty", "-m", "x")
    assert (place.directory / "ran").read_text().startswith("ran\n")
    events = place.events()
    assert len(events) <= 1
    return [event.after for event in events] == [place.git("rev-parse", "HEAD")]


@pytest.mark.parametrize("first", ["they", "we"])
def test_pre_commit(plain: Place, pre_commit: Path, first: str) -> None:
    """pre-commit runs ours from its `.legacy` files, whoever came first, also after it is installed again."""
    plain.write(".pre-commit-config.yaml", PRE_COMMIT)
    plain.git("add", ".")
    plain.git("commit", "-q", "-m", "configuration")
    if first == "we":
        plain.install()
    assert plain.run(pre_commit, "install").returncode == 0
    if first == "they":
        theirs = (plain.hooks / "pre-commit").read_bytes()
        plain.install()
        assert (plain.hooks / "pre-commit").read_bytes() == theirs
    assert not plain.install().changed
    assert notes_a_commit(plain)
    assert plain.run(pre_commit, "install").returncode == 0
    assert plain.warnings() == []
    assert notes_a_commit(plain)
    old = plain.git("rev-parse", "HEAD")
    plain.git("commit", "-q", "--amend", "--allow-empty", "-m", "again")
    (event,) = plain.events()
    assert event.rewritten == ((old, plain.git("rev-parse", "HEAD")),)
    assert states(plain) == {".": {"installed"}}
    plain.uninstall()
    assert not list(plain.hooks.glob("*.legacy"))
    assert (plain.hooks / "pre-commit").exists()
    plain.run(pre_commit, "uninstall")
    assert not list(plain.hooks.iterdir())


def test_our_entries_of_pre_commit(plain: Place, pre_commit: Path, tmp_path: Path) -> None:
    """`.pre-commit-hooks.yaml`: a project whose configuration names our entries has the events, and each once."""
    source = Place(tmp_path / "source")
    subprocess.run(["git", "init", "-q", str(source.directory)], check=True)
    shutil.copytree(ROOT / "hooks", source.directory / "hooks")
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", source.directory)
    source.git("add", ".")
    source.git("commit", "-q", "-m", "hooks")
    revision = source.git("rev-parse", "HEAD")
    kinds = ("pre-commit", "post-commit", "post-checkout", "post-merge", "post-rewrite", "pre-push")
    ids = "".join(f"  - id: memgit-{kind}\n" for kind in kinds)
    text = f"repos:\n- repo: {source.directory}\n  rev: {revision}\n  hooks:\n{ids}"
    plain.write(".pre-commit-config.yaml", PRE_COMMIT.split("repos:")[0] + text)
    plain.git("add", ".")
    plain.git("commit", "-q", "-m", "configuration")
    assert plain.run(pre_commit, "install").returncode == 0
    before = {path.name: path.read_bytes() for path in plain.hooks.iterdir()}
    plain.install()
    assert {path.name: path.read_bytes() for path in plain.hooks.iterdir()} == before
    assert states(plain) == {".": {"installed"}}
    plain.git("commit", "-q", "--allow-empty", "-m", "x")
    plain.git("checkout", "-q", "-b", "side")
    assert [event.kind for event in plain.events()] == ["commit", "checkout"]


@pytest.mark.parametrize("first", ["they", "we"])
def test_husky(plain: Place, node_tools: Path, first: str) -> None:
    """husky takes `core.hooksPath`, rewrites its files at each install; the next command says that ours are gone."""
    husky = node_tools / "husky"
    plain.write("package.json", '{"name": "x"}\n')
    if first == "we":
        plain.install()
    assert plain.run(husky).returncode == 0
    plain.write(".husky/pre-commit", "echo ran >>ran\n")
    if first == "we":
        (said,) = plain.warnings()
        assert "(husky in " in said
    plain.install()
    assert states(plain) == {".": {"installed"}}
    assert notes_a_commit(plain)
    assert plain.run(husky).returncode == 0  # as each `npm install` does
    assert not notes_a_commit(plain)
    assert [text for text in plain.warnings() if "(husky in " in text]
    plain.install()
    assert notes_a_commit(plain)
    assert ".husky/_" not in plain.git("status", "--porcelain", "-uall")
    plain.uninstall()
    assert not [path for path in (plain.directory / ".husky").rglob("*") if b">>> memgit" in _bytes(path)]
    assert not plain.hooks.exists()


def test_a_snippet_in_a_project_of_husky(plain: Place, node_tools: Path) -> None:
    """Lines that are pasted into the project's own hook survive husky's next install."""
    plain.write("package.json", '{"name": "x"}\n')
    assert plain.run(node_tools / "husky").returncode == 0
    text = plain.call("hooks.snippet", hook="post-commit")["result"]["text"]  # type: ignore[index]
    plain.write(".husky/post-commit", f"{text}echo ran >>ran\n")
    plain.install()
    assert b">>> memgit" not in (plain.directory / ".husky" / "_" / "post-commit").read_bytes()
    assert plain.run(node_tools / "husky").returncode == 0
    assert notes_a_commit(plain)


@pytest.mark.parametrize("first", ["they", "we"])
def test_lefthook(plain: Place, node_tools: Path, first: str) -> None:
    """lefthook moves a hook aside and does not run it; the next command says so, and ours goes into its file."""
    lefthook = node_tools / "lefthook"
    plain.write("lefthook.yml", LEFTHOOK)
    if first == "we":
        plain.install()
    assert plain.run(lefthook, "install").returncode == 0
    if first == "we":
        (said,) = plain.warnings()
        assert "pre-commit, post-commit (lefthook in " in said
    plain.install()
    assert states(plain) == {".": {"installed"}}
    assert notes_a_commit(plain)
    assert plain.run(lefthook, "install", "--force").returncode == 0
    assert [text for text in plain.warnings() if "(lefthook in " in text] or states(plain) == {".": {"installed"}}
    plain.install()
    assert notes_a_commit(plain)
    plain.uninstall()
    left = {path.name for path in plain.hooks.iterdir() if b">>> memgit" in path.read_bytes()}
    assert left == set()
    assert b"lefthook" in (plain.hooks / "post-commit").read_bytes()


def _bytes(path: Path) -> bytes:
    return path.read_bytes() if path.is_file() else b""
