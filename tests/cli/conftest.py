"""Command lines, run in this process, in repositories of their own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memgit.cli.group import command as root
from memgit.protocol.envelope import answer
from tests.conftest import MakeRepository

STORE = "refs/memgit/store"
SCOPE = ("--workspace", "wsp-tests", "--project", "prj-tests")
ID = re.compile(r"\b(?:clm|art|rel|arev|crev|sto)_[0-7][0-9a-hjkmnp-tv-z]{25}\b")


@dataclass(frozen=True)
class Said:
    """What a command line did."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.out.decode()

    @property
    def first(self) -> str:
        """The first word, which is the new id where something was written."""
        return self.text.split()[0]

    @property
    def envelope(self) -> dict[str, Any]:
        """Standard output as the one JSON object that it is."""
        found: dict[str, Any] = json.loads(self.out)
        assert self.out.count(b"\n") == 1 and self.out.endswith(b"\n")
        return found


class Shell:
    """Types commands in one directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def type(self, *words: str, given: bytes | str | None = None) -> Said:
        """Run `git memory WORDS` here and return what it did."""
        result = CliRunner().invoke(root, ["-C", str(self.directory), *words], input=given)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        said = Said(result.exit_code, result.stdout_bytes, result.stderr)
        assert "Traceback" not in said.err and b"Traceback" not in said.out
        return said

    def ok(self, *words: str, given: bytes | str | None = None) -> Said:
        """Run a command that must succeed, without complaint."""
        said = self.type(*words, given=given)
        assert said.status == 0, said.err
        assert "error:" not in said.err
        return said

    def refused(self, *words: str, given: bytes | str | None = None, status: int = 1) -> str:
        """Run a command that must fail with one clear error and write nothing; return what it said.

        With `--json` the same failure is an envelope.
        """
        before = self.refs()
        said = self.type(*words, given=given)
        assert said.status == status, (said.status, said.out, said.err)
        assert said.out == b""
        assert said.err.startswith("error: ") and said.err.count("error: ") == 1, said.err
        assert "hint: " in said.err, said.err
        as_json = self.type("--json", *words, given=given)
        error = as_json.envelope["error"]
        assert (as_json.status, as_json.envelope["ok"], as_json.err) == (status, False, "")
        assert error["message"] and error["code"] != "INTERNAL"
        assert self.refs() == before
        return said.err

    def call(self, op: str, **fields: Any) -> dict[str, Any]:
        """Run an operation as a program does and return its envelope."""
        return answer({"op": op, "input": fields}, self.directory).envelope

    def run(self, op: str, **fields: Any) -> dict[str, Any]:
        """Run an operation that must succeed and return its result."""
        envelope = self.call(op, **fields)
        assert envelope["ok"], envelope["error"]
        result: dict[str, Any] = envelope["result"]
        return result

    def write(self, name: str, data: str | bytes) -> Path:
        """Write a file into the working tree."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def refs(self) -> str:
        """Return what the refs of memgit name."""
        return self.git("for-each-ref", "refs/memgit")

    def git(self, *arguments: str) -> str:
        """Run git here and return what it printed, or nothing where it fails."""
        command = ["git", "-c", "protocol.file.allow=always", *arguments]
        if not self.directory.is_dir():
            return ""
        return subprocess.run(command, cwd=self.directory, capture_output=True, text=True).stdout.strip()

    def fork(self, claim_id: str, ours: str, theirs: str) -> list[str]:
        """Let two clones revise a claim at once and unite the trees, as a sync does; return the two revisions."""
        clone = Shell(self.directory.with_name("clone"))
        shutil.copytree(self.directory, clone.directory)
        self.ok("claim", "revise", claim_id, ours)
        clone.ok("claim", "revise", claim_id, theirs)
        self.git("fetch", "-q", str(clone.directory), f"{STORE}:refs/theirs")
        index = {**os.environ, "GIT_INDEX_FILE": str(self.directory / ".git" / "fork-index")}
        listed = "".join(self.git("ls-tree", "-r", one) + "\n" for one in (STORE, "refs/theirs"))
        subprocess.run(["git", "update-index", "--index-info"], cwd=self.directory, env=index, input=listed, text=True)
        tree = subprocess.check_output(["git", "write-tree"], cwd=self.directory, env=index, text=True).strip()
        message = self.git("log", "-1", "--format=%B", STORE)
        merged = self.git("commit-tree", tree, "-p", STORE, "-p", "refs/theirs", "-m", message)
        self.git("update-ref", STORE, merged)
        return list(self.run("claim.get", claim_id=claim_id)["heads"])


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep each test's registry and user configuration to itself, and the search for repositories below its place."""
    config = tmp_path / "gitconfig"
    shutil.copyfile(os.environ["GIT_CONFIG_GLOBAL"], config)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    for name in ("NO_COLOR", "COLUMNS", "TERM"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def empty(repository: MakeRepository) -> Shell:
    """A repository without a memory."""
    return Shell(repository("plain", "project"))


@pytest.fixture
def shell(empty: Shell) -> Shell:
    """A repository with a fresh memory."""
    empty.ok("init", *SCOPE)
    return empty
