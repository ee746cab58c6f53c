"""Where a write goes whose request names entities only by the way: through a case, a commit, a digest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from memgit.errors import InvalidRequest, JsonValue
from memgit.operations.invocation import Invocation
from memgit.operations.layer_choice import said_layer
from memgit.operations.writing import WriteRequest
from memgit.records.ids import EntityId
from memgit.store.layers import spoken
from memgit.store.private import DRAFT_PREFIX, SHARED, draft_layer

RequestT = TypeVar("RequestT", bound=WriteRequest)


class _Naming(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    names: tuple[EntityId, ...]

    def changed(self) -> tuple[EntityId, ...]:
        return self.names


def placed(invocation: Invocation, request: RequestT, entities: Iterable[EntityId]) -> RequestT:
    """Return the request with the layer that it goes to: what it says, else where the entities live."""
    return placed_by(invocation, request, [(entity, None) for entity in entities])


def placed_by(invocation: Invocation, request: RequestT, parts: Iterable[tuple[EntityId, str | None]]) -> RequestT:
    """Do as `placed` for entities with the layer that holds what is changed of them, None where that is not known.

    Raises InvalidRequest where one write would have to go to several layers.
    """
    if said_layer(request) is not None:
        return request
    homes = {_home(invocation, layer) for _, layer in parts if layer is not None}
    unknown = tuple(dict.fromkeys(entity for entity, layer in parts if layer is None))
    if unknown or not homes:
        homes.add(invocation.layer_of(_Naming(names=unknown)))
    if len(homes) > 1:
        raise InvalidRequest(
            f"what this would change lies in several layers: {', '.join(spoken(layer) for layer in sorted(homes))}",
            hint="One write goes to one layer: do it one by one, or name one with --shared, --local or --draft.",
            details={"layers": list[JsonValue](sorted(homes))},
        )
    return _in_layer(request, homes.pop())


def _home(invocation: Invocation, held: str) -> str:
    """Return where a change of what a layer holds goes: there, and of what is shared where `MEMGIT_DRAFT` says."""
    ambient = invocation.ambient_draft
    return draft_layer(ambient) if held == SHARED and ambient is not None else held


def _in_layer(request: RequestT, layer: str) -> RequestT:
    if layer.startswith(DRAFT_PREFIX):
        return msgspec.structs.replace(request, draft=layer.removeprefix(DRAFT_PREFIX))
    return msgspec.structs.replace(request, layer="shared" if layer == SHARED else "local")
