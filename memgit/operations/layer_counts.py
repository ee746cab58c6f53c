"""How much each private layer holds, and who else has it."""

from __future__ import annotations

from typing import NamedTuple

from memgit.operations.invocation import Invocation
from memgit.records.paths import KIND_BY_DIRECTORY
from memgit.store import private
from memgit.store.private import DRAFT_PREFIX


class LayerCount(NamedTuple):
    """A private layer. `shared_with`: the remotes that were last known to have a draft, at this or an earlier state.

    `merged`: a draft of which the shared layer has all.
    """

    layer: str
    operations: int
    shared_with: tuple[str, ...]
    merged: bool


def private_layers(invocation: Invocation) -> list[LayerCount]:
    """Return the private layers of this clone, `local` first. Empty where there is none."""
    if not private.exists(private.private_repository(invocation.repository)):
        return []
    return [_counted(invocation, layer) for layer in invocation.layers.names()]


def _counted(invocation: Invocation, layer: str) -> LayerCount:
    layers = invocation.layers
    snapshot, shared = layers.private(layer).snapshot(), layers.shared.snapshot()
    paths = [path for top in KIND_BY_DIRECTORY for path, _ in snapshot.files(top)]
    if not layer.startswith(DRAFT_PREFIX):
        return LayerCount(layer, len(paths), (), False)
    remotes = private.shared_drafts(layers.repository, layer.removeprefix(DRAFT_PREFIX))
    return LayerCount(layer, len(paths), tuple(remotes), all(shared.find(path) is not None for path in paths))
