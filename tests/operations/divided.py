"""Two clones of one memory that go their own ways, and come together as a sync brings them together."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import Any

from tests.operations.conftest import Memory

STORE = "refs/memgit/store"


def copied(memory: Memory, name: str = "clone") -> Memory:
    """Return another clone that holds the same memory and belongs to somebody else."""
    other = Memory(memory.directory.with_name(name))
    shutil.copytree(memory.directory, other.directory)
    other.git("config", "user.name", "Other Person")
    other.git("config", "user.email", "other@example.invalid")
    return other


def fetched(memory: Memory, other: Memory, remote: str = "origin") -> str:
    """Fetch the other clone's memory to the tracking ref of a remote; return its tip."""
    memory.git("fetch", "-q", str(other.directory), f"+{STORE}:refs/memgit/remotes/{remote}/store")
    return other.tip()


def united(memory: Memory, other: Memory) -> None:
    """Make a commit of both trees with both tips as parents, and move the ref to it."""
    memory.git("fetch", "-q", str(other.directory), f"+{STORE}:refs/theirs")
    index = {**os.environ, "GIT_INDEX_FILE": str(memory.directory / ".git" / "union-index")}
    listed = "".join(memory.git("ls-tree", "-r", one) + "\n" for one in (STORE, "refs/theirs"))
    run = {"cwd": memory.directory, "env": index, "text": True, "check": True}
    subprocess.run(["git", "update-index", "--index-info"], input=listed, **run)  # type: ignore[call-overload]
    tree = subprocess.run(["git", "write-tree"], capture_output=True, **run).stdout.strip()  # type: ignore[call-overload]
    seqs = [int(number) for one in (memory, other) for number in re.findall(r"Memgit-Seq: (\d+)", _message(one))]
    message = f"store join\n\nMemgit-Seq: {max(seqs)}\n"
    merged = memory.git("commit-tree", tree, "-p", STORE, "-p", "refs/theirs", "-m", message)
    memory.git("update-ref", STORE, merged)


def forked(memory: Memory, claim: dict[str, Any], ours: str = "Ours", theirs: str = "Theirs") -> list[str]:
    """Let two clones revise a claim at once and unite them; return the heads."""
    other = copied(memory, "fork")
    for one, text in ((memory, ours), (other, theirs)):
        one.run("claim.revise", claim_id=claim["claim_id"], if_revision=claim["revision_id"], statement=text)
    united(memory, other)
    return list(memory.run("claim.get", claim_id=claim["claim_id"])["heads"])


def unseen_edit(memory: Memory, claim: dict[str, Any]) -> str:
    """Let one clone retract a claim that another revises, and unite them; return the tombstone case."""
    other = copied(memory, "unseen")
    memory.run("claim.retract", claim_id=claim["claim_id"], if_revision=claim["revision_id"], reason="over")
    other.run("claim.revise", claim_id=claim["claim_id"], if_revision=claim["revision_id"], statement="Still so.")
    united(memory, other)
    (case,) = memory.run("conflict.list")["items"]
    return str(case["case_id"])


def _message(memory: Memory) -> str:
    return memory.git("log", "-1", "--format=%B", STORE)
