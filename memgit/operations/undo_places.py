"""Where an undo looks: which layers' histories and states, before it is known what it means and so where it goes.

What a request names outright is looked for in the layer that it names; else in all that this clone has, or, where
`MEMGIT_DRAFT` keeps a writer to a draft, in what that one sees.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from memgit.errors import FormatTooNew, NotARepository, StoreCorrupt
from memgit.index.state_cache import StateCache
from memgit.operations.invocation import Invocation
from memgit.operations.op_commits import history_of
from memgit.store.commits import Graph
from memgit.store.objects import ObjectId
from memgit.store.private import DRAFT_PREFIX, LOCAL, SHARED, draft_layer
from memgit.store.store import Store

_UNREADABLE = (StoreCorrupt, FormatTooNew, NotARepository)


@dataclass(frozen=True, slots=True)
class History:
    """The commits of one layer, from its tip."""

    layer: str
    store: Store
    graph: Graph
    tip: ObjectId


class Places:
    """The places of one request. Close it when everything was found."""

    def __init__(self, invocation: Invocation, said: str | None) -> None:
        self._invocation = invocation
        self._said = said
        self._opened = ExitStack()
        try:
            self.histories = list(self._histories())
        except BaseException:
            self._opened.close()
            raise

    def __enter__(self) -> Places:
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def states(self) -> Iterator[StateCache]:
        """Yield what the layers in sight add up to; then, for what is only in a draft, each draft's state.

        Of a request that names a layer it is what a write to that one sees, and nothing else.
        """
        invocation = self._invocation
        if self._said is not None:
            yield self._state(self._said)
            return
        yield invocation.state
        for layer in self._layers():
            if layer.startswith(DRAFT_PREFIX) and layer not in invocation.sight:
                with suppress(*_UNREADABLE):
                    yield self._state(layer)

    def _state(self, layer: str) -> StateCache:
        layers = self._invocation.layers
        return self._invocation.state_of(layers.snapshot(() if layer == SHARED else (layer,)))

    def _layers(self) -> list[str]:
        """Return the layers to look in, the shared one first."""
        if self._said is not None:
            return [self._said]
        ambient, names = self._invocation.ambient_draft, self._invocation.layers.names()
        if ambient is not None:
            names = [name for name in names if name in (LOCAL, draft_layer(ambient))]
        return [SHARED, *names]

    def _histories(self) -> Iterator[History]:
        """Yield the history of each layer that has one. A private one that is damaged is passed over."""
        for layer in self._layers():
            store = self._invocation.layers.store(layer)
            tip: ObjectId | None = None
            try:
                tip = store.tip()
            except _UNREADABLE:
                if layer in (SHARED, self._said):
                    raise
            if tip is not None:
                yield History(layer, store, self._opened.enter_context(history_of(self._invocation, store)), tip)
