"""The back ends of the contract suite, each in every kind of repository that it serves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memgit.store.backend import Backend, BackendName, open_backend
from memgit.store.objects import ObjectType, RawObject, Signature, TreeItem, encode_commit, encode_tree, hash_object
from memgit.store.repository import discover
from tests.conftest import Kind, MakeRepository
from tests.store.scenario import REF, git

WHO = Signature("Test Person", "test@example.org", 1_700_000_000)


@dataclass
class Place:
    """A back end and the repository that it serves."""

    backend: Backend
    path: Path

    def make(self, kind: ObjectType, data: bytes) -> RawObject:
        """Return an object, unwritten."""
        return hash_object(kind, data, self.backend.object_format)

    def commit(self, text: str = "one") -> RawObject:
        """Write a commit of one file, and return it."""
        blob = self.make("blob", text.encode())
        tree = self.make("tree", encode_tree({"file": TreeItem(blob.oid, False)}))
        commit = self.make("commit", encode_commit(tree.oid, [], WHO, WHO, f"{text}\n"))
        self.backend.write([blob, tree, commit])
        return commit

    def loose(self, oid: str) -> Path:
        """Return where an object's loose file is."""
        return Path(self.backend.objects_dir) / oid[:2] / oid[2:]

    def ref_file(self) -> Path:
        """Return where the ref's own file is."""
        return self.backend.repository.common_dir / REF


CASES: list[tuple[BackendName, Kind, str]] = [
    ("pygit2", "plain", "false"),
    ("pygit2", "bare", "false"),
    ("pygit2", "worktree", "false"),
    ("pygit2", "plain", "group"),
    ("plumbing", "plain", "false"),
    ("plumbing", "sha256", "false"),
    ("plumbing", "partial", "false"),
    ("plumbing", "plain", "group"),
]


@pytest.fixture(params=CASES, ids=["-".join(case) for case in CASES])
def place(request: pytest.FixtureRequest, repository: MakeRepository) -> Iterator[Place]:
    """Each back end in each kind of repository; `group` is one whose files several users write."""
    name, kind, shared = request.param
    path = repository(kind)
    if shared != "false":
        git(path, "config", "core.sharedRepository", shared)
    backend = open_backend(discover(path), name)
    yield Place(backend, path)
    backend.close()
