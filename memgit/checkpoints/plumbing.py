"""Git commands on an index and on objects that are not the repository's own choice.

What works on the user's working tree reads a copy of the index and runs no hook and no file system monitor. What works
on objects runs in the archive, to which the user's objects are lent for one command: so no configuration of the user's,
no promisor and no network takes part.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from memgit.errors import StoreCorrupt, StoreReadOnly
from memgit.store.git_command import run_git
from memgit.store.repository import Repository

_UNWRITABLE = ("No space left", "Read-only file system", "Permission denied", "Disk quota")
SECONDS = 120.0  # for one command on the largest tree; nothing here waits for anybody


def ask(
    repository: Repository,
    arguments: list[str],
    *,
    stdin: bytes = b"",
    directory: Path | None = None,
    variables: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
    fine: Collection[int] = (0,),
) -> bytes:
    """Return what one offline `git` printed. Raises StoreCorrupt with Git's reason, StoreReadOnly, StoreBusy.

    `fine` are exit statuses that are no failure.
    """
    done = run_git(repository, arguments, stdin=stdin, timeout=seconds, directory=directory, variables=variables)
    if done.returncode not in fine:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        reason = lines[-1].removeprefix("fatal: ")[:300] if lines else f"exit status {done.returncode}"
        if any(word.encode() in done.stderr for word in _UNWRITABLE):
            raise StoreReadOnly(f"{repository.common_dir} cannot be written: {reason}")
        verb = next((word for word in arguments if not word.startswith("-") and "=" not in word), "")
        raise StoreCorrupt(
            f"`git {verb}` failed in {repository.root}: {reason}", hint="Run `git fsck`, then try again."
        )
    return done.stdout


def in_tree(repository: Repository, arguments: list[str], index: Path | None = None, stdin: bytes = b"") -> bytes:
    """Return what a reading `git` says of the working tree, seen through this index, or through the user's own."""
    assert repository.work_tree is not None
    variables = {"GIT_INDEX_FILE": str(index)} if index is not None else {}
    options = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "--literal-pathspecs"]
    return ask(repository, [*options, *arguments], stdin=stdin, directory=repository.work_tree, variables=variables)


def lending(owner: Repository) -> dict[str, str]:
    """Return the variables that let a command in the archive read the user's objects as well."""
    return {"GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(owner.common_dir / "objects")}


def as_objects_of(owner: Repository) -> dict[str, str]:
    """Return the variables with which a command in the archive sees the user's objects instead of its own."""
    return {"GIT_OBJECT_DIRECTORY": str(owner.common_dir / "objects")}


def missing(repository: Repository, oids: Iterable[str], variables: Mapping[str, str] | None = None) -> set[str]:
    """Return which of the objects are not there."""
    lines = "".join(f"{oid}\n" for oid in oids).encode()
    if not lines:
        return set()
    answer = ask(repository, ["cat-file", "--buffer", "--batch-check=%(objectname)"], stdin=lines, variables=variables)
    return {line.split()[0].decode() for line in answer.splitlines() if line.endswith(b" missing")}


def all_objects(repository: Repository) -> set[str]:
    """Return the ids of all objects that a repository has."""
    command = ["cat-file", "--buffer", "--unordered", "--batch-all-objects", "--batch-check=%(objectname)"]
    return set(ask(repository, command).decode("ascii").split())


def sizes(repository: Repository, oids: Iterable[str], variables: Mapping[str, str]) -> dict[str, int]:
    """Return the sizes in bytes of the objects that are there."""
    lines = "".join(f"{oid}\n" for oid in oids).encode()
    if not lines:
        return {}
    form = "--batch-check=%(objectname) %(objectsize)"
    answer = ask(repository, ["cat-file", "--buffer", form], stdin=lines, variables=variables)
    pairs = (line.split() for line in answer.splitlines())
    return {oid.decode(): int(size) for oid, size in pairs if size.isdigit()}


def read_objects(
    repository: Repository, names: Iterable[str], variables: Mapping[str, str] | None = None
) -> list[bytes | None]:
    """Return the contents of objects in the order of their names; None for one that is not there."""
    lines = "".join(f"{name}\n" for name in names).encode()
    if not lines:
        return []
    answer = ask(repository, ["cat-file", "--buffer", "--batch"], stdin=lines, variables=variables)
    found: list[bytes | None] = []
    place = 0
    while place < len(answer):
        end = answer.index(b"\n", place)
        fields = answer[place:end].rsplit(b" ", 2)
        place = end + 1
        if len(fields) == 3 and fields[2].isdigit():
            size = int(fields[2])
            found.append(answer[place : place + size])
            place += size + 1
        else:
            found.append(None)
    return found


def _quoted(path: Path) -> str:
    """Return a path as Git takes it in a list of object directories, where a colon would separate."""
    text = str(path)
    if os.pathsep in text or text.startswith('"'):
        escaped = text.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return text
