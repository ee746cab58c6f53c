"""Where a write goes whose request names entities only by the way: through a case, a commit, a digest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from memgit.operations.invocation import Invocation
from memgit.operations.layer_choice import said_layer
from memgit.operations.writing import WriteRequest
from memgit.records.ids import EntityId
from memgit.store.private import DRAFT_PREFIX, SHARED

RequestT = TypeVar("RequestT", bound=WriteRequest)


class _Naming(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    names: tuple[EntityId, ...]

    def changed(self) -> tuple[EntityId, ...]:
        return self.names


def placed(invocation: Invocation, request: RequestT, entities: Iterable[EntityId]) -> RequestT:
    """Return the request with the layer that it goes to: what it says, else where the entities live."""
    if said_layer(request) is not None:
        return request
    layer = invocation.layer_of(_Naming(names=tuple(dict.fromkeys(entities))))
    if layer.startswith(DRAFT_PREFIX):
        return msgspec.structs.replace(request, draft=layer.removeprefix(DRAFT_PREFIX))
    return msgspec.structs.replace(request, layer="shared" if layer == SHARED else "local")
