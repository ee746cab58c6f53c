"""`status`: what this repository's memory holds, and what deserves a look."""

from __future__ import annotations

from msgspec import Struct

from memgit.operations.init import note_store
from memgit.operations.invocation import Invocation
from memgit.operations.layer_counts import private_operations
from memgit.operations.reading import ReadRequest


class Status(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Summarise the store. Takes no input."""


class StoreStatus(Struct, frozen=True, kw_only=True):
    """Counts of what the store holds, by kind and status; `here` counts what the ambient context shows.

    All counts are of the layers in sight. `layers` says how many operations each private layer of this clone holds.
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
    layers: dict[str, int]


def status(invocation: Invocation, request: Status) -> StoreStatus:
    """Return the summary; the latest five claims as one line each."""
    state = invocation.state
    context = invocation.context
    records = state.stores()
    if records:
        note_store(invocation, records[0])  # a repository that was moved is within broad horizons again
    here = state.counts(context.scope)
    everything = state.counts()
    return StoreStatus(
        store_id=records[0].store if records else "",
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
        latest=tuple(state.latest_claims(context.scope, 5)),
        layers=private_operations(invocation),
    )
