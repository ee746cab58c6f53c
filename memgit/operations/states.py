"""The folded states that one request has opened: one for each combination of layers, each of one moment.

A state that its cache holds already needs neither pygit2 nor YAML.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from memgit.errors import StoreBusy, StoreCorrupt, StoreNotInitialized
from memgit.store.private import composite_id, private_repository, quick_layer_tip
from memgit.store.quick_tip import quick_tip

if TYPE_CHECKING:
    from memgit.index.state_cache import StateCache
    from memgit.operations.invocation import Invocation
    from memgit.store.snapshot import Snapshot

Names = tuple[str, ...]
"""The private layers that a state unites with the shared one."""


class States:
    """What one request has opened. Close it with the request."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation
        self._opened: dict[Names, StateCache] = {}

    def of(self, names: Names) -> StateCache:
        """Return the state of a combination of layers; where it is opened now, at their tips."""
        return self._opened.get(names) or self._open(names)

    def at(self, snapshot: Snapshot) -> StateCache:
        """Return the state of a snapshot's layers at that snapshot, or at a later one."""
        from memgit.store.layered_snapshot import private_layers

        names = private_layers(snapshot)
        state = self._opened.get(names) or self._open(names, snapshot)
        if state.watermark is None or state.watermark.commit_id != snapshot.commit_id:
            state.refresh(snapshot, partial(self._is_tip, names))
            state.hold()
        return state

    def close(self) -> None:
        """Close the files."""
        for state in self._opened.values():
            state.close()
        self._opened.clear()

    def _open(self, names: Names, at: Snapshot | None = None) -> StateCache:
        from memgit.index.state_cache import StateCache

        tip = at.commit_id if at is not None else self._tip(names)
        state = StateCache(self._invocation.repository.cache_dir, partial(self._tips, names), names)
        try:
            self._bring_up(state, names, tip, at)
            state.hold()
        except BaseException:
            state.close()
            raise
        self._opened[names] = state
        return state

    def _bring_up(self, state: StateCache, names: Names, tip: str, at: Snapshot | None) -> None:
        if state.watermark is not None and state.watermark.commit_id == tip:
            return
        snapshot = at or self._tips(names)
        if at is None and state.watermark is not None and snapshot.seq < state.watermark.seq:
            snapshot = self._after_rewind(snapshot, names)
        state.refresh(snapshot, partial(self._is_tip, names))

    def _tip(self, names: Names) -> str:
        """Return the id of a combination of layers at their tips, from the refs' files where these are enough."""
        invocation = self._invocation
        tip = quick_tip(invocation.repository, invocation.config.text("ref")) or invocation.store.tip()
        if tip is None:
            raise StoreNotInitialized(f"{invocation.repository.root} has no memory yet")
        private = private_repository(invocation.repository)
        tips = {name: quick_layer_tip(private, name) or invocation.layers.private(name).tip() for name in names}
        return composite_id(tip, {name: found for name, found in tips.items() if found is not None})

    def _tips(self, names: Names) -> Snapshot:
        return self._invocation.layers.snapshot(names)

    def _is_tip(self, names: Names, commit_id: str) -> bool:
        return self._tips(names).commit_id == commit_id

    def _after_rewind(self, seen: Snapshot, names: Names) -> Snapshot:
        """Return the store after another program set its ref back: a write without content restores what was lost."""
        warnings = self._invocation.warnings
        try:
            self._invocation.store.write(lambda _: {})
        except (StoreBusy, StoreCorrupt) as error:
            warnings.append(f"another program set the memory's ref back: {error.message}")
        restored = self._tips(names)
        if restored.commit_id != seen.commit_id:
            warnings.append("another program had set the memory's ref back; what was written since is restored")
        return restored
