"""How much each private layer holds."""

from __future__ import annotations

from memgit.operations.invocation import Invocation
from memgit.records.paths import KIND_BY_DIRECTORY
from memgit.store import private


def private_operations(invocation: Invocation) -> dict[str, int]:
    """Return the number of operations of each private layer of this clone, `local` first. Empty where there is none."""
    if not private.exists(private.private_repository(invocation.repository)):
        return {}
    layers = invocation.layers
    return {
        layer: sum(1 for top in KIND_BY_DIRECTORY for _ in layers.private(layer).snapshot().files(top))
        for layer in layers.names()
    }
