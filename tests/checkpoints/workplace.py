"""A working tree with a memory, its whole state as a value, and checkpoints of it as a program would make them."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path
from typing import Any

from memgit.checkpoints.archive import Archive
from memgit.store.repository import discover
from tests.operations.conftest import SCOPE, Memory

KEY = "AKIA" + "QWERTYUIOP234567"  # of the form that a cloud's keys have

State = dict[str, tuple[int, bytes]]


class Place(Memory):
    """One working tree."""

    @classmethod
    def make(cls, directory: Path, *options: str) -> Place:
        """Begin a repository with one commit and a memory."""
        subprocess.run(["git", "init", "-q", *options, str(directory)], check=True)
        place = cls(directory)
        place.write("kept.txt", "kept\n")
        place.write("src/one.txt", "one\n")
        place.write("src/two.txt", "two\n")
        place.write(".gitignore", "*.ignored\n")
        place.run("store.init", **SCOPE)
        place.git("add", ".")
        place.git("commit", "-qm", "first")
        return place

    @property
    def archive(self) -> Archive:
        """Where the checkpoints of this repository are."""
        return Archive(discover(self.directory))

    @property
    def git_dir(self) -> Path:
        """The Git directory of this working tree."""
        return discover(self.directory).git_dir

    def write(self, name: str, data: str | bytes) -> Path:
        """Write a file."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    def checkpoint(self, text: str | None = None, **fields: Any) -> str:
        """Make a checkpoint and return its id."""
        return str(self.run("checkpoint.create", text=text, **fields)["checkpoint"]["id"])

    def restore(self, name: str, **fields: Any) -> dict[str, Any]:
        """Restore a checkpoint and return the answer."""
        return self.run("checkpoint.restore", id=name, **fields)

    def ids(self) -> list[str]:
        """Return the ids of all checkpoints, the newest first."""
        return [item["id"] for item in self.run("checkpoint.list", limit=100)["items"]]

    def files(self) -> State:
        """Return each file with its mode and bytes; of a link, where it leads."""
        found: State = {}
        for directory, below, names in os.walk(os.fsencode(self.directory)):
            if b".git" in below:
                below.remove(b".git")
            for name in [*names, *(one for one in below if os.path.islink(os.path.join(directory, one)))]:
                path = os.path.join(directory, name)
                status = os.lstat(path)
                if name == b".git" or not (stat.S_ISLNK(status.st_mode) or stat.S_ISREG(status.st_mode)):
                    continue
                shown = os.path.relpath(path, os.fsencode(self.directory)).decode("utf-8", "backslashreplace")
                if stat.S_ISLNK(status.st_mode):
                    found[shown] = (0o120000, os.readlink(path))
                else:
                    with open(path, "rb") as file:
                        found[shown] = (status.st_mode & 0o777, file.read())
        return found

    def index(self) -> bytes | None:
        """Return the bytes of the index file."""
        path = self.git_dir / "index"
        return path.read_bytes() if path.exists() else None

    def state(self) -> tuple[State, bytes | None]:
        """Return what a restore has to bring back."""
        return self.files(), self.index()

    def store_files(self) -> dict[str, tuple[int, int]]:
        """Return size and time of each file of the user's objects and refs."""
        common = discover(self.directory).common_dir
        found: dict[str, tuple[int, int]] = {}
        for top in ("objects", "refs"):
            for path in (common / top).rglob("*"):
                if path.is_file():
                    found[str(path.relative_to(common))] = (path.stat().st_size, path.stat().st_mtime_ns)
        return found


def hook_line(place: Place, hook: str, *, before: str | None, after: str | None, seconds: float, **fields: str) -> None:
    """Append what a hook appends to the spool."""
    spool = discover(place.directory).state_dir / "spool"
    spool.mkdir(parents=True, exist_ok=True)
    worktree = fields.get("worktree", ".")
    values = ["1", hook, str(int(seconds)), worktree, fields.get("cause", "-"), before or "-", after or "-"]
    values += [fields.get("branch", "refs/heads/main"), fields.get("argument", "-"), "-", "-", "-"]
    values += [fields.get("pairs", "-")]
    with (spool / "events").open("a", encoding="utf-8") as file:
        file.write("\t".join(values) + "\n")
