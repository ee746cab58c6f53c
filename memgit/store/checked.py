"""Up to which commit a ref's history is known to be memory: memgit wrote it, or has judged it.

Another program may move the ref (`git fetch +refs/memgit/store:refs/memgit/store`, a mirror), so that the ref names a
commit proves nothing. Losing the file costs a second look at the history.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from memgit.store.objects import ObjectId

_NAME = "checked.json"


class Checked:
    """What is known of one ref."""

    def __init__(self, state_dir: Path, ref: str) -> None:
        self._path = state_dir / _NAME
        self._ref = ref

    def tip(self) -> ObjectId | None:
        """Return the newest commit that is known to be good with all that it reaches, or None."""
        found = self._load().get(self._ref)
        return ObjectId(found) if isinstance(found, str) else None

    def note(self, tip: ObjectId) -> None:
        """Note that a commit is good with all that it reaches. Raises OSError."""
        known = self._load()
        if known.get(self._ref) == tip:
            return
        known[self._ref] = tip
        fresh = self._path.with_name(f"{_NAME}.{os.getpid()}")
        fresh.write_text(json.dumps(known), "utf-8")
        fresh.replace(self._path)

    def _load(self) -> dict[str, object]:
        try:
            known = json.loads(self._path.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return known if isinstance(known, dict) else {}
