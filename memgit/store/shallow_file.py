"""Git's list of commits at which a shallow history is cut off."""

from __future__ import annotations

from pathlib import Path

from memgit.store.objects import ObjectId
from memgit.store.repository import Repository


def shallow_file(repository: Repository) -> Path:
    """Return where the list is, whether or not it exists."""
    return repository.common_dir / "shallow"


def boundaries(repository: Repository) -> list[ObjectId]:
    """Return the commits that Git takes for the end of history here; none in a whole repository."""
    try:
        return [ObjectId(line) for line in shallow_file(repository).read_text("ascii", "replace").split()]
    except OSError:
        return []
