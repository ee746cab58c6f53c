"""Which layers a request means: what it says, what the environment says, and where the entities live that it names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from memgit.errors import InvalidRequest, MemgitError
from memgit.operations.reading import ReadRequest
from memgit.operations.writing import WriteRequest
from memgit.records import ids
from memgit.records.ids import EntityId
from memgit.store import private
from memgit.store.private import DRAFT_PREFIX, LOCAL, SHARED, PrivateRepository, draft_layer

if TYPE_CHECKING:
    from memgit.store.layers import Layers
    from memgit.store.snapshot import Snapshot

DRAFT_VARIABLE = "MEMGIT_DRAFT"

MERGE_SUBJECT = "draft merge: "
"""What the commit of a draft's merge begins with; its name follows."""


def layers_in_sight(
    repository: PrivateRepository, request: Struct | None, ambient_draft: str | None
) -> tuple[str, ...]:
    """Return the private layers that a request reads, as far as they exist; from files alone.

    Raises InvalidRequest for what cannot name a draft, NotFound for a draft that the request names and nobody made.
    """
    said = request if isinstance(request, ReadRequest) else ReadRequest()
    wanted = [] if said.layer == SHARED else [LOCAL]
    draft = said.draft or (ambient_draft if said.layer is None else None)
    if draft is not None:
        wanted.insert(0, draft_layer(draft))
    is_there = private.exists(repository)
    found = [name for name in wanted if is_there and private.is_begun(repository, name)]
    if said.draft is not None and wanted[0] not in found:
        raise private.no_draft(said.draft)
    return tuple(found)


def said_layer(request: Struct) -> str | None:
    """Return the layer that a writing request names, or None. Raises InvalidRequest where it names two."""
    if not isinstance(request, WriteRequest):
        return SHARED
    if request.draft is None:
        return request.layer
    if request.layer is not None:
        raise InvalidRequest("a write goes to a layer or to a draft, not to both", details={"field": "draft"})
    return draft_layer(request.draft)


def home(layers: Layers, named: Sequence[EntityId], revisions: Sequence[str]) -> str | None:
    """Return `local` where a request changes what lives there alone, or builds on a revision that does; else None."""
    if LOCAL not in layers.names():
        return None
    local, shared = layers.private(LOCAL).snapshot(), layers.shared.snapshot()
    for entity in named:
        files = local.op_files(entity)
        if files and not shared.op_files(entity):
            return LOCAL
        if files and _makes(local, entity, revisions):
            return LOCAL
    return None


def holders(layers: Layers, name: str) -> list[str]:
    """Return the private layers that hold an entity."""
    if not ids.is_entity_id(name):
        return []
    return [layer for layer in layers.names() if layers.private(layer).snapshot().op_files(name)]


def out_of_sight(error: MemgitError, name: str, held: str, written: str | None) -> MemgitError:
    """Return an error of the same kind that says which layer holds what a request names without seeing it.

    `written` is the layer that it would write to, None for a read.
    """
    draft = held.removeprefix(DRAFT_PREFIX)
    place = "in the local layer" if held == LOCAL else f"in the draft {draft}"
    if written is None:
        what = "is not in sight"
        hint = "Leave `--layer shared` out." if held == LOCAL else f"Add `--draft {draft}` to see it."
    else:
        what = f"a write to {'the shared layer' if written == SHARED else 'this layer'} cannot name"
        hint = f"`git memory promote {name}` shares it; `--local` writes beside it."
        if held != LOCAL:
            hint = f"Write with `--draft {draft}`, or `git memory draft merge {draft}` first."
    return type(error)(
        f"{name} lives {place}, which {what}",
        hint=hint,
        details={**error.details, "layer": held},
    )


def _makes(snapshot: Snapshot, entity: EntityId, revisions: Sequence[str]) -> bool:
    """Tell whether a layer's own operations on an entity make one of the revisions."""
    ops, _ = snapshot.ops(entity) if revisions else ([], [])
    return any(op.revision in revisions for op in ops)
