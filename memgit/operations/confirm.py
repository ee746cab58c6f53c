"""`confirm`: somebody looked, and it still holds for the code as it is now.

It is a revision that says the same, with its anchors made anew where they are now: so it merges, forks, is undone and
stands in the history as every other revision does. Where a claim has forked and all its heads say the same, confirming
it settles that as well.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from memgit.errors import InvalidRequest, MemgitError, NotFound, RevisionConflict
from memgit.operations import checks
from memgit.operations.artifacts import stage_artifact
from memgit.operations.code_states import anchor_state, open_tracer, place_of
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import (
    check_id,
    head_revision,
    latest_at,
    snapshot_of,
    writable_lineage,
)
from memgit.operations.views import statement_of
from memgit.operations.writing import WriteRequest
from memgit.records import ids
from memgit.records.ids import EntityId
from memgit.records.op import Anchor, ArtifactPayload, ClaimPayload, draft
from memgit.records.state import Lineage
from memgit.retrieval.code_state import AnchorState
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

_MOST = 100  # entities of one request


class Confirm(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Say that claims or artifacts still hold for the code as it is: their anchors are made anew where they are now.

    `drop_gone` lets anchors go whose code is gone; without it such a one is refused. `differences` adds what changed.
    """

    entity_ids: tuple[str, ...]
    drop_gone: bool = False
    differences: bool = False

    def changed(self) -> tuple[EntityId, ...]:
        """Return the entities that the request changes."""
        return tuple(name for name in self.entity_ids if ids.is_entity_id(name))


class ConfirmedAnchor(Struct, frozen=True, kw_only=True):
    """What an anchor was before it was made anew; `kept` false: it was let go."""

    before: AnchorState
    kept: bool


class Confirmed(Struct, frozen=True, kw_only=True):
    """The revision that confirms one claim or artifact, and what its anchors were before."""

    entity_id: str
    revision_id: str
    text: str
    anchors: tuple[ConfirmedAnchor, ...]


class ConfirmAnswer(Struct, frozen=True, kw_only=True):
    """What was confirmed, in the order of the request."""

    items: tuple[Confirmed, ...]


@dataclass(frozen=True, slots=True)
class _Renewed:
    """The anchors of one entity, as they were and as they are made anew."""

    text: str
    was: tuple[Anchor, ...]
    now: tuple[Anchor, ...]
    told: tuple[ConfirmedAnchor, ...]


def confirm(invocation: Invocation, request: Confirm) -> ConfirmAnswer:
    """Write the revisions, all or none. Raises NotFound, InvalidRequest for what has ended or whose code is gone."""
    names = tuple(check_id(name) for name in dict.fromkeys(request.entity_ids))
    _check(names)
    context = invocation.context
    renewed: dict[EntityId, _Renewed] = {}

    def build(transaction: Transaction) -> Result:
        snapshot = snapshot_of(transaction)
        lineages = [writable_lineage(snapshot, name, context) for name in names]
        told = []
        for lineage in lineages:
            if lineage.id not in renewed or renewed[lineage.id].was != head_revision(lineage).payload.anchors:
                renewed[lineage.id] = _renewed(invocation, lineage, request)
            told.append(_stage(transaction, lineage, renewed[lineage.id]))
        return {"items": told}

    _look_first(invocation, names, request, renewed)
    written = invocation.write("confirm", request, build)
    return ConfirmAnswer(items=tuple(_confirmed(item, renewed) for item in written.result["items"]))


def _check(names: tuple[EntityId, ...]) -> None:
    if not names:
        raise InvalidRequest("nothing to confirm was named", details={"field": "entity_ids"})
    checks.within(len(names), "history_page", _MOST, "the request", unit="ids")
    for name in names:
        if not name.startswith(("clm_", "art_")):
            raise InvalidRequest(f"{name} is neither a claim nor an artifact", details={"field": "entity_ids"})


def _look_first(
    invocation: Invocation, names: tuple[EntityId, ...], request: Confirm, renewed: dict[EntityId, _Renewed]
) -> None:
    """Make the anchors anew before the lock is taken, as far as that can be done; the write says what cannot."""
    for name in names:
        entity = invocation.state.entity(name)
        if entity is not None and entity.status == "active":
            with suppress(MemgitError):
                renewed[name] = _renewed(invocation, entity.lineage, request)


def _renewed(invocation: Invocation, lineage: Lineage, request: Confirm) -> _Renewed:
    payload = head_revision(lineage).payload
    was, text = payload.anchors, statement_of(payload) if isinstance(payload, ClaimPayload) else payload.title
    if not was:
        return _Renewed(text, (), (), ())
    from memgit.anchors.capture import capture
    from memgit.anchors.symbol_place import wanted_again

    now: list[Anchor] = []
    told: list[ConfirmedAnchor] = []
    with open_tracer(invocation) as tracer:
        for anchor, located in zip(was, tracer.locate_all(was), strict=True):
            difference = tracer.difference(anchor, located) if request.differences else ""
            state = anchor_state(anchor, located, difference or None)
            if located.state == "gone" and not request.drop_gone:
                raise _gone(lineage, anchor, located.why)
            told.append(ConfirmedAnchor(before=state, kept=located.state != "gone"))
            if located.state == "gone":
                continue
            captured = capture(invocation.repository, wanted_again(anchor, located))
            invocation.warnings += captured.notes
            now.append(captured.anchor)
    return _Renewed(text, was, tuple(dict.fromkeys(now)), tuple(told))


def _gone(lineage: Lineage, anchor: Anchor, why: str) -> InvalidRequest:
    place = place_of(anchor)
    what = place.text if place is not None else f"commit {anchor.commit}"
    verb = "claim" if lineage.kind == "claim" else "artifact"
    return InvalidRequest(
        f"the code of {lineage.id} is not there to confirm it: {what}: {why}",
        hint=f"`git memory {verb} revise {lineage.id} --anchor PATH:LINES` ties it to other code, `confirm "
        "--drop-gone` to none; retract it where it no longer holds.",
        details={"id": lineage.id, "path": anchor.path},
    )


def _stage(transaction: Transaction, lineage: Lineage, renewed: _Renewed) -> dict[str, str]:
    head = head_revision(lineage)
    _check_heads(lineage)
    payload = replace(head.payload, anchors=renewed.now)
    if isinstance(payload, ArtifactPayload):
        assert head.blob is not None
        data = snapshot_of(transaction).blob(head.blob)
        if data is None:
            raise NotFound(f"the bytes of {head.id} are gone", hint="They were purged, or `verify` says more.")
        made = stage_artifact(transaction, lineage.scope, payload, data, lineage, lineage.heads)
        return {"entity_id": made["artifact_id"], "revision_id": made["revision_id"]}
    op = draft(
        "revise",
        lineage.id,
        lineage.scope,
        payload,
        not_before=latest_at(lineage),
        revision=ids.new_revision_id("claim"),
        parents=lineage.heads,
    )
    staged = transaction.stage(op, renewed.text)
    return {"entity_id": staged.entity, "revision_id": str(staged.revision)}


def _check_heads(lineage: Lineage) -> None:
    """Raise RevisionConflict where heads say different things: then somebody has to choose first."""
    said = {_words(revision.payload) for revision in lineage.revisions if revision.id in lineage.heads}
    if len(said) > 1:
        raise RevisionConflict(
            f"{lineage.id} has forked into {len(lineage.heads)} revisions that say different things",
            hint="Revise it with --all-heads first, so that it says one thing.",
            details={
                "entity": lineage.id,
                "current": lineage.heads[-1],
                "heads": [str(head) for head in lineage.heads],
            },
        )


def _words(payload: ClaimPayload | ArtifactPayload) -> ClaimPayload | ArtifactPayload:
    """Return what a revision says, whatever code it is tied to."""
    return replace(payload, anchors=())


def _confirmed(item: dict[str, str], renewed: dict[EntityId, _Renewed]) -> Confirmed:
    known = renewed.get(EntityId(item["entity_id"]))
    return Confirmed(
        **item, text=known.text if known is not None else "", anchors=known.told if known is not None else ()
    )
