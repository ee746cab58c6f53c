"""Commits that no memgit writes, made with Git's own plumbing."""

from __future__ import annotations

import hashlib
import os
import subprocess
import zlib
from pathlib import Path

from tests.sync.conftest import STORE, Clone, git

ULID = "01jds9d5m2qk3v8xw0b6c7d8e9"
DIGEST = "ab" * 32
CLAIM = f"claims/9/e/8/clm_{ULID}.7-assert-{DIGEST}.yaml"
BLOB = f"blobs/ab/ab/{DIGEST}"
RECORD = f"receipts/ab/{DIGEST}/{DIGEST}.yaml"


class Hand:
    """Edits a clone's memory with Git alone."""

    def __init__(self, clone: Clone) -> None:
        self._clone = clone
        self._index = str(clone.directory / ".git" / "by-hand")

    def blob(self, data: bytes) -> str:
        """Store a file's bytes."""
        command = ["git", "hash-object", "-w", "--stdin"]
        return subprocess.check_output(command, cwd=self._clone.directory, input=data).decode().strip()

    def tree(self, added: dict[str, tuple[str, str]], removed: tuple[str, ...] = (), base: str = STORE) -> str:
        """Return a tree: that of `base` with some files (path to mode and id) added, and some paths gone."""
        directory = self._clone.directory
        git(directory, "read-tree", base, GIT_INDEX_FILE=self._index)
        for path in removed:
            git(directory, "rm", "-rq", "--cached", path, GIT_INDEX_FILE=self._index, GIT_WORK_TREE=str(directory))
        lines = "".join(f"{mode} {oid}\t{path}\n" for path, (mode, oid) in added.items())
        environment = {**os.environ, "GIT_INDEX_FILE": self._index}
        subprocess.run(
            ["git", "update-index", "--index-info"], cwd=directory, env=environment, input=lines.encode(), check=True
        )
        return git(directory, "write-tree", GIT_INDEX_FILE=self._index)

    def raw(self, kind: str, data: bytes) -> str:
        """Store any bytes as an object of a kind, which Git itself would refuse."""
        whole = b"%s %d\0%s" % (kind.encode(), len(data), data)
        oid = hashlib.sha1(whole).hexdigest()
        path = Path(self._clone.directory / ".git" / "objects" / oid[:2] / oid[2:])
        path.parent.mkdir(exist_ok=True)
        if not path.exists():
            path.write_bytes(zlib.compress(whole))
        return oid

    def entries(self, tree: str) -> dict[bytes, tuple[bytes, str]]:
        """Return a tree's entries: name to mode and id."""
        found = {}
        for line in self._clone.git("ls-tree", tree).splitlines():
            mode, _, rest = line.split(" ", 2)
            oid, name = rest.split("\t")
            found[name.encode()] = (mode.lstrip("0").encode(), oid)
        return found

    def raw_tree(self, entries: list[tuple[bytes, bytes, str]]) -> str:
        """Store a tree of entries (mode, name, id) exactly as they are given."""
        return self.raw("tree", b"".join(b"%s %s\0%s" % (m, n, bytes.fromhex(oid)) for m, n, oid in entries))

    def publish(self, commit: str) -> str:
        """Put a commit on the remote, past everything that would refuse it."""
        self._clone.git("push", "-q", "--force", "origin", f"{commit}:{STORE}")
        return commit
