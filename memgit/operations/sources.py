"""`source.*`: documents from other systems, item by item, as their adapters bring them.

An adapter stays a process of its own and keeps its credentials. It registers what it reads, brings items under the
source's own names, says how far it got, and says what the source lost. Bringing the same again changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from memgit.errors import InvalidRequest, NotFound
from memgit.operations import checks
from memgit.operations.artifacts import TEXT_TYPE, ArtifactPut, new_payload
from memgit.operations.checks import Content, FreeJson
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import check_id, snapshot_of
from memgit.operations.reading import ReadRequest
from memgit.operations.source_items import bring, read_items, replayed
from memgit.operations.source_items import withdraw as hide
from memgit.operations.writing import WriteRequest
from memgit.records import ids
from memgit.records.ids import EntityId
from memgit.records.op import (
    CheckpointPayload,
    External,
    Health,
    Scope,
    SourcePayload,
    draft,
)
from memgit.records.state import Source
from memgit.scope.horizon import check_write
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

if TYPE_CHECKING:
    from memgit.index.state_cache import StateCache


class SourceRegister(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Name a system that documents come from. The same kind and name in the same project is the same source."""

    kind: str
    name: str
    uri: str | None = None
    metadata: FreeJson = None


class SourceRegistered(Struct, frozen=True, kw_only=True):
    """The source. `existed`: it was registered before, and nothing was written."""

    source_id: str
    existed: bool


class SourceGet(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read a source: what it is, how far it was read, how many items came from it."""

    source_id: str


class SourceView(Struct, frozen=True, kw_only=True):
    """A source. `items` counts its artifacts by status; `checked_at` is the time of the last checkpoint."""

    source_id: str
    kind: str
    name: str
    uri: str | None
    metadata: str | None
    scope: Scope
    registered_at: str
    cursor: str | None
    health: Health | None
    message: str | None
    checked_at: str | None
    items: dict[str, int]


class SourceList(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List the sources of this project."""


class Sources(Struct, frozen=True, kw_only=True):
    """Sources, in the order of their registration."""

    items: tuple[SourceView, ...]


class SourceIngest(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Bring one item at one revision, under the names that the source has for both.

    What a person forgot stays forgotten, at whatever revision it comes again. `readmit` takes it in all the same, as a
    new artifact.
    """

    source_id: str
    external_id: str
    external_revision: str
    title: str
    content: Content
    kind: str = "document"
    media_type: str = TEXT_TYPE
    component: str | None = None
    provenance: FreeJson = None
    markers: tuple[str, ...] = ()
    readmit: bool = False


class SourceIngested(Struct, frozen=True, kw_only=True):
    """The artifact that the item is. `replayed`: nothing was written, since this revision was there with the same
    bytes, or since the item is `forgotten`: a person ended it, and the ids are of what ended.
    """

    artifact_id: str
    revision_id: str
    digest: str
    replayed: bool
    forgotten: bool = False


class SourceCheckpoint(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Say how far a source was read, in its own words, and how it fares."""

    source_id: str
    cursor: str | None = None
    health: Health = "ok"
    message: str | None = None


class SourceChecked(Struct, frozen=True, kw_only=True):
    """The checkpoint. `changed` is false where it says what the last one said; then nothing was written."""

    source_id: str
    changed: bool


class SourceWithdraw(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Say that a source no longer has an item. It is hidden until it comes again; nothing is erased."""

    source_id: str
    external_id: str
    reason: str | None = None


class SourceWithdrawn(Struct, frozen=True, kw_only=True):
    """The artifact that is hidden now. `changed` is false where it was already, or had ended.

    `artifact_ids` are all that were hidden: several where clones took the item in apart.
    """

    artifact_id: str
    changed: bool
    physically_erased: bool
    artifact_ids: tuple[str, ...] = ()


def register(invocation: Invocation, request: SourceRegister) -> SourceRegistered:
    """Register a source, or return the one that exists."""
    scope = invocation.context.scope
    payload = SourcePayload(
        kind=_name(request.kind, "kind"),
        name=_name(request.name, "name"),
        uri=checks.text(request.uri, "uri", "external_bytes", one_line=True),
        metadata=checks.json_text(request.metadata, "metadata"),
    )

    def build(transaction: Transaction) -> Result:
        state = invocation.state_of(snapshot_of(transaction))
        for known in state.sources():
            same = (known.payload.kind, known.payload.name) == (payload.kind, payload.name)
            here = state.aliases.canonical(known.scope) == state.aliases.canonical(scope)
            if same and here and not known.void:
                return {"source_id": known.id, "existed": True}
        staged = transaction.stage(draft("register", ids.new_entity_id("source"), scope, payload), payload.name)
        return {"source_id": staged.entity, "existed": False}

    return SourceRegistered(**invocation.write("source.register", request, build).result)


def get(invocation: Invocation, request: SourceGet) -> SourceView:
    """Return a source by its id, from any context. Raises NotFound."""
    return _view(invocation, _known(invocation.state.source(check_id(request.source_id, "source")), request.source_id))


def list_sources(invocation: Invocation, request: SourceList) -> Sources:
    """Return the sources that the context shows."""
    found = (source for source in invocation.state.sources() if not source.void and invocation.sees(source.scope))
    return Sources(items=tuple(_view(invocation, source) for source in found))


def ingest(invocation: Invocation, request: SourceIngest) -> SourceIngested:
    """Bring an item. Raises RevisionConflict where the source's revision was brought before with other bytes."""
    check_id(request.source_id, "source")
    external = External(
        source=request.source_id,
        item=_name(request.external_id, "external_id"),
        revision=_name(request.external_revision, "external_revision"),
    )
    data = checks.content_bytes(request.content)
    context = invocation.context
    payload = replace(new_payload(_as_put(request), data, context.component), external=external)

    def build(transaction: Transaction) -> Result:
        snapshot = snapshot_of(transaction)
        state = invocation.state_of(snapshot)
        source = _writable(invocation, state, request.source_id)
        standing, ended = read_items(snapshot, state.artifacts_by_item(source.id, external.item))
        if ended and not standing and not request.readmit:
            return replayed(ended[0], ended[0].revisions[-1], forgotten=True)
        return bring(transaction, standing, source.scope, payload, data)

    return SourceIngested(**invocation.write("source.ingest", request, build).result)


def checkpoint(invocation: Invocation, request: SourceCheckpoint) -> SourceChecked:
    """Write a checkpoint where it says something new."""
    check_id(request.source_id, "source")
    payload = CheckpointPayload(
        cursor=checks.text(request.cursor, "cursor", "external_bytes"),
        health=request.health,
        message=checks.text(request.message, "message", "external_bytes"),
    )

    def build(transaction: Transaction) -> Result:
        state = invocation.state_of(snapshot_of(transaction))
        source = _writable(invocation, state, request.source_id)
        if source.checkpoint == payload:
            return {"source_id": source.id, "changed": False}
        not_before = source.checked_at or source.at
        transaction.stage(draft("checkpoint", source.id, source.scope, payload, not_before=not_before))
        return {"source_id": source.id, "changed": True}

    return SourceChecked(**invocation.write("source.checkpoint", request, build).result)


def withdraw(invocation: Invocation, request: SourceWithdraw) -> SourceWithdrawn:
    """Hide every artifact of an item that the source lost. Raises NotFound for an item that never came."""
    check_id(request.source_id, "source")
    item = _name(request.external_id, "external_id")
    reason = checks.text(request.reason, "reason", "reason_bytes")

    def build(transaction: Transaction) -> Result:
        snapshot = snapshot_of(transaction)
        state = invocation.state_of(snapshot)
        source = _writable(invocation, state, request.source_id)
        names = state.artifacts_by_item(source.id, item)
        if not names:
            raise NotFound(f"no item {item[:80]!r} came from {source.id}", details={"id": source.id, "item": item[:80]})
        standing, ended = read_items(snapshot, names)
        gone = hide(transaction, standing, reason)
        latest = (standing or ended)[0].id
        return {
            "artifact_id": latest, "changed": bool(gone), "physically_erased": False, "artifact_ids": list(gone)
        }  # fmt: skip

    return SourceWithdrawn(**invocation.write("source.withdraw", request, build).result)


def _view(invocation: Invocation, source: Source) -> SourceView:
    last = source.checkpoint
    return SourceView(
        source_id=source.id,
        kind=source.payload.kind,
        name=source.payload.name,
        uri=source.payload.uri,
        metadata=source.payload.metadata,
        scope=source.scope,
        registered_at=source.at,
        cursor=last.cursor if last else None,
        health=last.health if last else None,
        message=last.message if last else None,
        checked_at=source.checked_at,
        items=invocation.state.item_counts(source.id),
    )


def _known(source: Source | None, source_id: str) -> Source:
    if source is None or source.void:
        raise NotFound(f"there is no {source_id}", details={"id": source_id})
    return source


def _writable(invocation: Invocation, state: StateCache, source_id: str) -> Source:
    known = _known(state.source(EntityId(source_id)), source_id)
    check_write(known.scope, invocation.context, known.id, state.aliases)
    return known


def _as_put(request: SourceIngest) -> ArtifactPut:
    return ArtifactPut(
        kind=request.kind,
        title=request.title,
        content=request.content,
        media_type=request.media_type,
        component=request.component,
        provenance=request.provenance,
        markers=request.markers,
    )


def _name(text: str, field: str) -> str:
    """Return a name that another system gave. Raises InvalidRequest, LimitExceeded."""
    found = checks.required_text(text, field, "external_bytes", one_line=True)
    if found != found.strip():
        raise InvalidRequest(f"`{field}` begins or ends with a space", details={"field": field})
    return found
