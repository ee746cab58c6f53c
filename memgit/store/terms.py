"""What uniting two snapshots of a store needs a person's word for: two beginnings, and purges that one side lacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from memgit.errors import PurgePending, StoreUnrelated
from memgit.records import ids
from memgit.store import join
from memgit.store.snapshot import Snapshot

SHOWN_ENTITIES = 20


@dataclass(frozen=True, slots=True)
class Terms:
    """What the user agrees to. `source` names the other side in messages and in the commit's subject.

    `give_way`: a store of ours that was begun apart and holds nothing may be replaced by theirs.
    `past`: theirs is a state that the remote no longer has; what was purged here since stays out of it.
    """

    source: str
    accept_purge: bool = False
    join: bool = False
    give_way: bool = False
    past: bool = False


def check_terms(
    ours: Snapshot, theirs: Snapshot, terms: Terms, purgers: Callable[[Snapshot, Snapshot], str] = lambda *_: ""
) -> bool:
    """Tell whether a purge arrives that the user accepts. Raises StoreUnrelated, PurgePending."""
    if not terms.join and not join.are_related(ours, theirs):
        raise _unrelated(ours, theirs, terms.source)
    mine, incoming = ours.purged(), theirs.purged()
    missing = sorted(mine - incoming)
    if missing:
        raise PurgePending(
            f"this clone has purged {_counted(missing)} that {terms.source} still has: {listed(missing)}",
            hint=f"Purge them in the memory of {terms.source} too; until then nothing is exchanged with it.",
            details={"entities": list(missing), "side": "ours"},
        )
    fresh = sorted(incoming - mine)
    if fresh and not terms.accept_purge:
        by = purgers(ours, theirs)
        raise PurgePending(
            f"{terms.source} has purged {_counted(fresh)}{f' (by {by})' if by else ''}: {listed(fresh)}",
            details={"entities": list(fresh), "side": "theirs", "by": by},
        )
    return bool(fresh)


def _unrelated(ours: Snapshot, theirs: Snapshot, source: str) -> StoreUnrelated:
    """Return the error of two stores that were begun apart."""
    names = [next((record.store for record in side.stores()), "no store") for side in (ours, theirs)]
    return StoreUnrelated(
        f"the memory of {source} ({names[1]}) and the one here ({names[0]}) were begun apart from each other",
        details={"ours": names[0], "theirs": names[1]},
    )


def _counted(entities: list[str]) -> str:
    return "1 entity" if len(entities) == 1 else f"{len(entities)} entities"


def listed(entities: list[ids.EntityId]) -> str:
    """Return entities as messages name them, bounded."""
    shown = ", ".join(entities[:SHOWN_ENTITIES])
    return shown if len(entities) <= SHOWN_ENTITIES else f"{shown}, …"
