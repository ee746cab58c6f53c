"""A name of what a clone knows beside its history: an answer that lacked something holds as long as it is the same."""

from __future__ import annotations

from pathlib import Path

from memgit.store.repository import Repository
from memgit.store.shallow_file import shallow_file


def clone_knowledge(repository: Repository) -> str:
    """Return a name that changes with rewrites that are told, with what is fetched, and with a shallow boundary."""
    places = [
        repository.state_dir / "rewrites",
        repository.git_dir / "FETCH_HEAD",
        repository.common_dir / "FETCH_HEAD",
        repository.common_dir / "objects" / "pack",
        shallow_file(repository),
    ]
    return "-".join(_moment(place) for place in places)


def _moment(path: Path) -> str:
    try:
        return format(path.stat().st_mtime_ns, "x")
    except OSError:
        return "0"
