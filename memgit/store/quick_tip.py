"""The tip from the ref's file, without starting Git or importing pygit2: most reads need no more."""

from __future__ import annotations

import re
from pathlib import Path

from memgit.store.repository import Repository

_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def quick_tip(repository: Repository, ref: str) -> str | None:
    """Return the commit that the ref names, or None where its files do not say (absent, damaged, or in a reftable)."""
    text = _read(repository.common_dir / ref)
    if text is not None:
        return text.strip() if _ID.fullmatch(text.strip()) else None
    packed = _read(repository.common_dir / "packed-refs")
    if packed is None:
        return None
    for line in packed.splitlines():
        oid, _, name = line.partition(" ")
        if name == ref and _ID.fullmatch(oid):
            return oid
    return None


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return None
