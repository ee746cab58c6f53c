"""A note in quarantine is no memory: nothing that reads, sends or copies the memory ever meets it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memgit.protocol.table import OPERATIONS
from tests.conftest import Kind, MakeRepository
from tests.operations.conftest import SCOPE, Memory

WORD = "heronhost"
UNASKED = "egretport"  # a word that no question names
NOTE = f"- {WORD} is reached by {UNASKED}.\n- Decision: {WORD} stays with {UNASKED} until May.\n"

READS: dict[str, dict[str, Any]] = {
    "memory.recall": {"query": f"how is {WORD} reached", "max_candidate_claims": 9, "max_candidate_artifact_refs": 9},
    "memory.retrieve": {"query": f"{WORD} reached"},
    "memory.probe": {"query": WORD},
    "context.build": {"query": f"{WORD} reached", "include_unqualified": True, "include_untrusted": True},
    "search": {"query": f"{WORD} reached", "include_historical": True},
    "log": {"patch": True},
    "diff": {"range": "2000-01-01..@"},
    "draft.list": {},
    "conflict.list": {},
    "source.list": {},
    "feedback.export": {},
    "why": {"path": "staging.py"},
    "for": {"paths": ["staging.py"]},
    "stale": {},
    "verify": {},
    "status": {},
    "instructions": {},
}
NEED_A_NAME = {
    "claim.get", "claim.history", "artifact.get", "artifact.history", "relation.list", "conflict.get", "citation.get",
    "show", "blame", "draft.diff", "draft.remote", "source.get", "projection.list", "check",
}  # fmt: skip
"""They read what is named: an id that only the memory gives, or a remote's drafts."""


@pytest.fixture
def noted(memory: Memory) -> Memory:
    """A memory beside which a note waits."""
    memory.run("remember", text="The staging host has a name.")
    memory.run("pending.put", text=NOTE, session="agent-1")
    return memory


def test_no_read_shows_it(noted: Memory) -> None:
    """At no horizon, not as a candidate, and not by its words; the answers are those of a memory without a note."""
    answers = {}
    for operation, fields in READS.items():
        for horizon in ("ambient", "personal") if "query" in fields else (None,):
            wide = {"horizon": horizon, "reason": "test"} if horizon else {}
            answered = noted.envelope(operation, **fields, **wide)
            text = json.dumps(answered)
            assert answered["ok"], answered
            assert UNASKED not in text and "until May" not in text, operation
            assert "agent-1" not in text or operation == "status", operation
            answers[operation, horizon] = answered["result"]
    assert answers["memory.recall", "personal"]["presence"] == "none"
    assert answers["status", None]["here"]["claims"] == 1


def test_each_operation_that_reads_is_tried() -> None:
    """A new one must be added."""
    reads = {name for name, operation in OPERATIONS.items() if operation.group == "read"}
    assert reads <= set(READS) | NEED_A_NAME


def test_no_derived_file_knows_it(noted: Memory) -> None:
    """The index, the vectors and the state cache are made and brought up to date without it."""
    for operation in ("search", "memory.recall"):
        noted.run(operation, **READS[operation])
    cache = noted.directory / ".git" / "memgit" / "cache"
    files = [path for path in cache.rglob("*") if path.is_file()]
    assert files and not any(WORD.encode() in path.read_bytes() for path in files)


LEAVING = (
    "push --mirror TARGET",
    "push --all TARGET",
    "push TARGET refs/*:refs/*",
    "bundle create TARGET/b.bundle --all",
    "clone --mirror",
    "clone --local",
)


@pytest.mark.parametrize("command", LEAVING)
def test_no_command_of_gits_takes_it_along(noted: Memory, tmp_path: Path, command: str) -> None:
    """Mirror pushes, bundles and clones carry neither its words nor its session's name."""
    noted.git("commit", "-q", "--allow-empty", "-m", "one")
    there = tmp_path / "there.git"
    words = command.split()
    if words[0] == "clone":
        noted.git("clone", "-q", *words[1:], str(noted.directory), str(there))
    else:
        subprocess.run(["git", "init", "-q", "--bare", str(there)], check=True)
        noted.git(*(word.replace("TARGET", str(there)) for word in words))
    assert not holds(there)


def test_no_sync_takes_it_along(noted: Memory, tmp_path: Path) -> None:
    """Sync, push and a shared draft."""
    there = tmp_path / "there.git"
    subprocess.run(["git", "init", "-q", "--bare", str(there)], check=True)
    noted.git("remote", "add", "origin", str(there))
    noted.run("sync.run", remote="origin", elect=True)
    noted.run("remember", text="Drafted", draft="one")
    noted.run("draft.share", name="one")
    noted.run("sync.push")
    assert noted.git("ls-remote", str(there))
    assert not holds(there)
    assert noted.run("pending.show")["text"] == NOTE


def holds(repository: Path) -> bool:
    """Tell whether an object or a file of a repository has the note's words or its session's name."""
    batch = ["git", "-C", str(repository), "cat-file", "--batch-all-objects", "--batch"]
    objects = subprocess.run(batch, capture_output=True, check=True).stdout
    files = b"".join(path.read_bytes() for path in repository.rglob("*") if path.is_file())
    return any(word in objects + files for word in (WORD.encode(), UNASKED.encode(), b"agent-1"))


def test_no_object_is_made_of_it_before_it_is_applied(noted: Memory) -> None:
    """Neither in the user's object store nor in the private one; what is applied is there."""
    git_dir = noted.directory / ".git"
    batch = ["git", "-C", str(git_dir), "cat-file", "--batch-all-objects", "--batch"]
    assert WORD.encode() not in subprocess.run(batch, capture_output=True, check=True).stdout
    assert not (git_dir / "memgit" / "state" / "private.git").exists()
    noted.run("pending.apply")
    assert WORD.encode() in subprocess.run(batch, capture_output=True, check=True).stdout
    assert noted.run("memory.recall", query=f"how is {WORD} reached")["presence"] == "claims"


@pytest.mark.parametrize("kind", ["bare", "worktree", "submodule", "sha256", "partial", "shallow"])
def test_notes_work_in_each_kind_of_repository(repository: MakeRepository, kind: Kind) -> None:
    """Put, preview and apply; a note outlives the user's own `gc`."""
    memory = Memory(repository(kind))
    memory.run("store.init", **SCOPE)
    memory.run("pending.put", text=NOTE)
    memory.git("gc", "-q", "--prune=now")
    note = memory.run("pending.show")["note"]
    assert note["branch"] is not None and (note["head"] is not None or kind in ("bare", "sha256"))
    assert len(memory.run("pending.preview")["claims"]) == 2
    assert memory.run("pending.apply")["gone"]
