"""The files of refs: where HEAD stands, whether the authority's file is damaged, how to put an id back into it.

Damage is what the file's bytes show, never a failure to read them: a process that is out of file handles must not take
a sound ref for a broken one and turn it back.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from memgit.errors import StoreCorrupt
from memgit.store.loose import sync_directory
from memgit.store.objects import ObjectId

_ID = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?\s*")
_NAME = re.compile(r"refs(?:/(?!\.)[A-Za-z0-9_.+@%=!#-]+)+")
_LONGEST, _LONGEST_PART = 1024, 200  # bytes: a ref is a file while it is not packed, its lock has five more

REFTABLE_HEAD = "refs/heads/.invalid"  # what HEAD's file says in a repository whose refs are in a reftable


def read_head(git_dir: Path) -> tuple[ObjectId | None, str | None]:
    """Return the commit or the full name of the ref that HEAD's file holds."""
    try:
        text = (git_dir / "HEAD").read_text("utf-8", "replace").strip()
    except OSError:
        return None, None
    if text.startswith("ref:"):
        return None, text.removeprefix("ref:").strip()
    return ObjectId(text) if _ID.fullmatch(text.encode()) else None, None


def is_ref_name(name: str) -> bool:
    """Tell whether a name can be the authority's: below refs/, as `git check-ref-format` has it, in plain ASCII."""
    parts = name.split("/")
    odd = ".." in name or "@{" in name or any(part.endswith((".", ".lock")) for part in parts)
    short = len(name) <= _LONGEST and all(len(part) <= _LONGEST_PART for part in parts)
    return short and len(parts) > 2 and not odd and _NAME.fullmatch(name) is not None


def is_damaged(common_dir: Path, name: str) -> bool:
    """Tell whether the ref has a file that holds neither an id nor another ref's name.

    Raises StoreCorrupt where the file cannot be read, or names another ref: that is nobody's accident.
    """
    try:
        data = (common_dir / name).read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return False
    except OSError as error:
        raise StoreCorrupt(f"the ref {name} cannot be read: {error.strerror or error}") from None
    if data.startswith(b"ref:"):
        raise StoreCorrupt(
            f"{name} is a symbolic ref, and the store's must be a direct one",
            hint="Let `memgit.ref` name the ref that it stands for.",
        )
    return _ID.fullmatch(data) is None


def replace(common_dir: Path, name: str, oid: ObjectId) -> None:
    """Make a damaged ref file name a commit, by Git's own protocol: a lock file, renamed into place.

    Raises FileExistsError where somebody else holds the ref's lock, OSError as the file system does.
    """
    path = common_dir / name
    lock = path.with_name(path.name + ".lock")
    descriptor = os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        os.write(descriptor, f"{oid}\n".encode())
        os.fsync(descriptor)
    except OSError:
        os.close(descriptor)
        lock.unlink(missing_ok=True)
        raise
    os.close(descriptor)
    lock.replace(path)
    sync_directory(str(path.parent))
