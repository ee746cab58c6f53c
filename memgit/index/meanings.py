"""What workspaces and projects mean in one snapshot: derived files keep the canonical ones, so that filters agree.

When a join changes what they mean, what was derived under the old meaning is made anew.
"""

from __future__ import annotations

from memgit.scope.aliases import NO_ALIASES, Aliases
from memgit.store.snapshot import Snapshot


def aliases_at(snapshot: Snapshot) -> Aliases:
    """Return the aliases of a snapshot. A store that was never joined costs one look into a directory."""
    return Aliases.of(snapshot.stores()) if len(snapshot.directory("stores")) > 1 else NO_ALIASES


def means_otherwise(snapshot: Snapshot, older: Snapshot) -> bool:
    """Tell whether some workspace and project mean something else than they did in an older snapshot."""
    if not any(True for _ in snapshot.changes_since(older, "stores")):
        return False
    return aliases_at(snapshot) != aliases_at(older)
