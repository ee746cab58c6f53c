"""`status`: what this repository's memory holds, and what deserves a look."""

from __future__ import annotations

from msgspec import Struct

from memgit import clock
from memgit.operations.code_trust import CodeTrust, code_trust
from memgit.operations.init import note_store
from memgit.operations.invocation import Invocation
from memgit.operations.layer_counts import private_layers
from memgit.operations.pending_status import PendingNotes, pending_notes
from memgit.operations.reading import ReadRequest
from memgit.operations.unsynced import Unsynced, unsynced
from memgit.retrieval.currentness import reasons_against


class Status(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Summarise the store. Takes no input."""


class StoreStatus(Struct, frozen=True, kw_only=True):
    """Counts of what the store holds, by kind and status; `here` counts what the ambient context shows.

    All counts are of the layers in sight. `layers` says how many operations each private layer of this clone holds,
    `disputed` which of the latest claims are in dispute, `unsynced` how far the remote is away, as of the last look;
    `shared_drafts` which remotes were last known to have one of them, `merged_drafts` of which the shared layer has
    all. `not_valid_now`: which of the latest have expired, or are not valid yet. `pending` counts the continuity notes
    in quarantine, which are no part of the memory. `code` counts what is tied to code by how that stands at HEAD; None
    where nothing is.
    """

    store_id: str
    ref: str
    back_end: str
    claims: dict[str, int]
    artifacts: dict[str, int]
    relations: int
    here: dict[str, int]
    open_conflicts: int
    ignored_operations: int
    latest: tuple[tuple[str, str], ...]
    disputed: tuple[str, ...]
    layers: dict[str, int]
    shared_drafts: dict[str, tuple[str, ...]] = {}
    merged_drafts: tuple[str, ...] = ()
    unsynced: Unsynced | None = None
    pending: PendingNotes | None = None
    not_valid_now: tuple[str, ...] = ()
    code: CodeTrust | None = None


def status(invocation: Invocation, request: Status) -> StoreStatus:
    """Return the summary; the latest five claims as one line each."""
    state = invocation.state
    context = invocation.context
    founder = invocation.founder()
    if founder is not None:
        note_store(invocation, founder)  # a repository that was moved is within broad horizons again
    here = state.counts(context.scope)
    everything = state.counts()
    private = private_layers(invocation)
    now = clock.now()
    latest = tuple(state.latest_claims(context.scope, 5))
    newest = [entity for name, _ in latest if (entity := state.entity(name)) is not None]
    return StoreStatus(
        store_id=founder.store if founder is not None else "",
        ref=invocation.config.text("ref"),
        back_end=invocation.config.text("backend"),
        claims={name: count for (kind, name), count in everything.items() if kind == "claim"},
        artifacts={name: count for (kind, name), count in everything.items() if kind == "artifact"},
        relations=state.relation_count(),
        here={
            "claims": here.get(("claim", "active"), 0),
            "artifacts": here.get(("artifact", "active"), 0),
        },
        open_conflicts=sum(1 for case in state.cases(open_only=True) if invocation.sees(case.scope)),
        ignored_operations=len(state.problems()),
        latest=latest,
        disputed=tuple(entity.lineage.id for entity in newest if entity.disputed),
        layers={one.layer: one.operations for one in private},
        shared_drafts={one.layer: one.shared_with for one in private if one.shared_with},
        merged_drafts=tuple(one.layer for one in private if one.merged),
        unsynced=unsynced(invocation),
        pending=pending_notes(invocation),
        code=code_trust(invocation),
        not_valid_now=tuple(entity.lineage.id for entity in newest if reasons_against(entity, entity.current, now)),
    )
