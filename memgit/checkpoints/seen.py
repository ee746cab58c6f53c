"""Since when each checkpoint is known to be too old: a small file beside the archive's objects.

It is a note and no record. One that is lost or damaged lets checkpoints stay for longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from memgit.checkpoints.archive import Archive

_NAME = "seen-expired.json"


def read_seen(archive: Archive) -> dict[str, float]:
    """Return the times in seconds since 1970 by the ids of checkpoints; none where the file says nothing."""
    try:
        return msgspec.json.decode(_path(archive).read_bytes(), type=dict[str, float])
    except (OSError, msgspec.MsgspecError):
        return {}


def write_seen(archive: Archive, before: Mapping[str, float], now: Mapping[str, float]) -> None:
    """Keep the times, where they are not as `before`. Needs the archive's lock. Raises OSError."""
    if now == before:
        return
    path = _path(archive)
    fresh = path.with_name(f"{_NAME}.fresh")
    fresh.write_bytes(msgspec.json.encode(now))
    fresh.replace(path)


def _path(archive: Archive) -> Path:
    return archive.repository.common_dir / _NAME
