"""What the tests of memory and code share: a repository with code, and a memory that is tied to it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.operations.conftest import SCOPE, Memory

LINES = [f"def step_{number}(): return {number}" for number in range(1, 31)]


class Code(Memory):
    """A memory whose repository holds code."""

    def write(self, name: str, lines: list[str] | str | bytes) -> Path:
        """Write a file of the working tree."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{line}\n" for line in lines) if isinstance(lines, list) else lines
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def commit(self, message: str = "change") -> str:
        """Commit everything and return the commit."""
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def tied(self, statement: str, path: str, lines: str | None = None, **fields: Any) -> str:
        """Assert a claim about code and return its id."""
        place = {"path": path} | ({"lines": lines} if lines is not None else {})
        claim = self.claim(statement, anchors=[place], **fields)
        return str(claim["claim_id"])

    def state(self, claim_id: str, **fields: Any) -> dict[str, Any]:
        """Return what `claim.get` says of a claim's code; an empty object where it says nothing."""
        found: dict[str, Any] | None = self.run("claim.get", claim_id=claim_id, **fields)["code_state"]
        return found or {}

    def word(self, claim_id: str, **fields: Any) -> str | None:
        """Return the state of a claim's code, in one word."""
        word: str | None = self.state(claim_id, **fields).get("state")
        return word

    def change(self, name: str, number: int, line: str) -> None:
        """Replace one line of a file, counted from 1."""
        lines = (self.directory / name).read_text().splitlines()
        lines[number - 1] = line
        self.write(name, lines)


def coded(directory: Path) -> Code:
    """Return a memory that holds nothing yet, in a repository that holds `src/a.py`: a copy, which is quick to make.

    All copies are clones of one store, and no registry knows them.
    """
    template = directory.parent.parent / "coded-template"  # one for all tests of a process
    if not template.exists():
        fresh(template)
    shutil.copytree(template, directory)
    return Code(directory)


def fresh(directory: Path) -> Code:
    """Return a fresh memory in a fresh repository that holds `src/a.py`, committed."""
    subprocess.run(["git", "init", "-q", str(directory)], check=True)
    code = Code(directory)
    code.write("src/a.py", LINES)
    code.run("store.init", **SCOPE)
    code.commit("one")
    return code
