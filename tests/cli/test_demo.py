"""`demo`: the main job, for real, in a place of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from memgit.cli.shipped import copy_documentation, find_passage
from tests.cli.conftest import Shell


def test_the_demo_proves_what_it_shows(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands as typed with their output, a byte-exact citation, what to do next; nothing is left behind."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    before = shell.refs()
    text = shell.ok("demo").text
    for command in ("init", "import markdown .", "remember ", "recall ", "cat "):
        assert f"\n$ git memory {command}" in text
    for promise in ("presence: claims", "Byte-exact: these are bytes", "Now in a repository of yours"):
        assert promise in text
    assert list(scratch.iterdir()) == []
    assert shell.refs() == before
    assert str(scratch) not in (tmp_path / "data" / "memgit" / "stores.json").read_text()


def test_the_demo_stays_apart(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hook's GIT_DIR, a session, settings and a missing identity do not reach it, and it changes no environment."""
    monkeypatch.setenv("GIT_DIR", str(shell.directory / ".git"))
    monkeypatch.setenv("MEMOREE_CONTEXT", "nonsense")
    monkeypatch.setenv("MEMGIT_REF", "refs/heads/elsewhere")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    before = dict(os.environ)
    refs = shell.git("for-each-ref")
    said = shell.ok("demo")
    assert said.err == "" and "Byte-exact" in said.text
    assert shell.git("for-each-ref") == refs
    assert dict(os.environ) == before


def test_the_demo_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--keep says where; the repository is a real one. No repository is needed around it."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said = Shell(tmp_path).ok("demo", "--keep")
    kept = Path(said.err.removeprefix("kept: ").strip())
    log = subprocess.run(["git", "log", "--format=%s", "refs/memgit/store"], cwd=kept, capture_output=True, text=True)
    assert log.returncode == 0 and "store init" in log.stdout


def test_the_demo_as_json(tmp_path: Path) -> None:
    """One envelope with the text."""
    envelope = json.loads(Shell(tmp_path).ok("--json", "demo").out)
    assert envelope["ok"] and "Byte-exact" in envelope["result"]["text"]


def test_the_passage_is_a_sentence_of_a_decision_record(tmp_path: Path) -> None:
    """What is quoted stands in a record under docs/decisions, once, on one line."""
    assert copy_documentation(tmp_path) > 1
    passage = find_passage(tmp_path)
    text = (tmp_path / passage.path).read_text()
    assert passage.path.startswith("docs/decisions/")
    assert text.count(passage.sentence) == 1 and "\n" not in passage.sentence
