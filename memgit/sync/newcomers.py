"""Which other stores an exchange brought records of: somebody joined two memories, or says so."""

from __future__ import annotations

from contextlib import suppress

from memgit.errors import MemgitError
from memgit.store.objects import ObjectId
from memgit.store.store import Store

_SHOWN = 3


def strangers(store: Store, before: ObjectId | None, after: ObjectId) -> str:
    """Return the ids of the stores that a union brought in, as a message names them; nothing where it brought none."""
    if before is None or before == after:
        return ""
    with suppress(MemgitError):
        known = store.snapshot(before).directory("stores")
        found = store.snapshot(after).directory("stores")
        came = sorted(name for name, item in found.items() if known.get(name) != item)
        return ", ".join(came[:_SHOWN]) + (f" and {len(came) - _SHOWN} more" if len(came) > _SHOWN else "")
    return ""
