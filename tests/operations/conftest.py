"""A repository with a memory, and the operations on it as a program would call them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memgit.protocol.envelope import answer

SCOPE = {"workspace_id": "wsp-tests", "project_id": "prj-tests"}


class Memory:
    """Calls operations in one directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def envelope(self, op: str, *, context: Any = None, key: str | None = None, **fields: Any) -> dict[str, Any]:
        """Return the whole answer."""
        request: dict[str, Any] = {"op": op, "input": fields}
        if context is not None:
            request["context"] = context
        if key is not None:
            request["idempotency_key"] = key
        return answer(request, self.directory).envelope

    def run(self, op: str, *, context: Any = None, key: str | None = None, **fields: Any) -> dict[str, Any]:
        """Return the result of an operation that must succeed."""
        envelope = self.envelope(op, context=context, key=key, **fields)
        assert envelope["ok"], envelope["error"]
        result: dict[str, Any] = envelope["result"]
        return result

    def refused(self, op: str, *, context: Any = None, key: str | None = None, **fields: Any) -> dict[str, Any]:
        """Return the error of an operation that must fail, after checking that nothing was written."""
        before = self.tip()
        envelope = self.envelope(op, context=context, key=key, **fields)
        assert not envelope["ok"], envelope
        assert self.tip() == before
        error: dict[str, Any] = envelope["error"]
        assert error["message"]
        assert error["hint"] or error["code"] in ("STORE_CORRUPT", "ENCRYPTED_NO_KEY", "PROVIDER_UNAVAILABLE"), error
        return error

    def claim(self, statement: str, claim_type: str = "fact", **fields: Any) -> dict[str, Any]:
        """Assert a claim."""
        return self.run("claim.assert", claim_type=claim_type, statement=statement, **fields)

    def artifact(self, data: str, title: str = "A document", **fields: Any) -> dict[str, Any]:
        """Put a text artifact."""
        return self.run("artifact.put", kind="document", title=title, content={"type": "text", "data": data}, **fields)

    def tip(self) -> str:
        """Return what the ref names, or nothing."""
        return self.git("for-each-ref", "--format=%(objectname)", "refs/memgit/store")

    def git(self, *arguments: str) -> str:
        """Run git here and return what it printed."""
        done = subprocess.run(["git", *arguments], cwd=self.directory, capture_output=True, text=True, check=True)
        return done.stdout.strip()


@pytest.fixture(autouse=True)
def own_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test is a machine of its own: no store of another test is within a broad horizon."""
    monkeypatch.setenv("MEMGIT_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def empty(tmp_path: Path) -> Memory:
    """A repository without a memory."""
    directory = tmp_path / "project"
    directory.mkdir()
    subprocess.run(["git", "init", "-q", str(directory)], check=True)
    return Memory(directory)


@pytest.fixture
def memory(empty: Memory) -> Iterator[Memory]:
    """A repository with a fresh memory."""
    empty.run("store.init", **SCOPE)
    yield empty
