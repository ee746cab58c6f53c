"""Bringing a lexical index to a commit: the difference of two trees, then the documents of what it touches.

What an operation changes reaches further than its entity: a relation changes the state of both its ends, and of what
these are joined to; a projection is found as a part of its artifact. So everything in the touched component is indexed
again, from the folded state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from memgit.errors import IndexNotReady, StoreCorrupt, StoreReadOnly
from memgit.index.documents import Document, documents_of
from memgit.index.lexical import IndexDamaged, Watermark
from memgit.index.meanings import aliases_at, means_otherwise
from memgit.index.state_cache import StateCache
from memgit.records.fold import fold_projection, fold_relation
from memgit.records.ids import BlobDigest, EntityId, RelationId
from memgit.records.links import component
from memgit.records.paths import parse_op_path
from memgit.records.state import Entity, Projection, Relation
from memgit.store.snapshot import Snapshot

_ATTEMPTS = 4  # each means that another process indexed something in between


class Follower(Protocol):
    """What can be brought to a commit: a lexical index, or the vectors. The methods are those of `LexicalIndex`."""

    def watermark(self) -> Watermark | None:
        """Return what has been observed."""

    def apply(
        self,
        documents: Iterable[Document],
        removed: Iterable[EntityId],
        watermark: Watermark,
        base: Watermark | None,
    ) -> bool:
        """Replace and remove entities and move the watermark."""

    def reset(self) -> None:
        """Delete everything."""


def refresh_index(index: Follower, snapshot: Snapshot, state: StateCache) -> bool:
    """Bring the index to the snapshot, whose state `state` holds; return whether it was damaged and rebuilt.

    Raises IndexNotReady where other processes keep it from being written, StoreReadOnly where it cannot be written.
    """
    if state.watermark is None or state.watermark.commit_id != snapshot.commit_id:
        raise AssertionError("the state is of another commit than the snapshot")
    rebuilt, seen, damage = False, None, None
    for _ in range(_ATTEMPTS):
        try:
            damage = None
            seen = index.watermark()
            if seen is not None and seen.commit == snapshot.commit_id:
                return rebuilt
            if _apply(index, snapshot, state, seen):
                return rebuilt
        except IndexDamaged as error:
            damage = error
            _reset(index)
            rebuilt = True
    if damage is not None:
        raise StoreReadOnly(f"the index cannot be rebuilt: {damage}")
    raise IndexNotReady(
        "another process is writing the index",
        details={"requested": snapshot.commit_id, "observed": seen.commit if seen else None},
    )


def touched_since(seen: str, snapshot: Snapshot, state: StateCache) -> set[EntityId] | None:
    """Return the claims and artifacts whose state may differ since a commit that was seen; None where any may."""
    older = snapshot.at(seen)
    if older is None or _was_purged(snapshot, older) or means_otherwise(snapshot, older):
        return None
    return _touched(snapshot, older, state)


def _reset(index: Follower) -> None:
    """Delete everything. Raises StoreReadOnly where something stays."""
    try:
        index.reset()
    except IndexDamaged as error:
        raise StoreReadOnly(f"the index is damaged and cannot be deleted: {error}") from error


def _apply(index: Follower, snapshot: Snapshot, state: StateCache, seen: Watermark | None) -> bool:
    target = Watermark(snapshot.commit_id, snapshot.seq)
    older = snapshot.at(seen.commit) if seen is not None else None
    if seen is not None and (older is None or _was_purged(snapshot, older) or means_otherwise(snapshot, older)):
        # What has vanished from the tree cannot be named any more, so nothing that was indexed can be trusted.
        index.reset()
        seen = older = None
    if older is None:
        return index.apply(_documents(state.entities(), snapshot, state), (), target, None)
    touched = _touched(snapshot, older, state)
    known = {name: state.entity(name) for name in sorted(touched)}
    gone = [name for name, entity in known.items() if entity is None]
    found = [entity for entity in known.values() if entity is not None]
    return index.apply(_documents(found, snapshot, state), gone, target, seen)


def _touched(snapshot: Snapshot, older: Snapshot, state: StateCache) -> set[EntityId]:
    """Return the claims and artifacts whose state may differ between the two snapshots."""
    start: set[EntityId] = set()
    for change in snapshot.changes_since(older):
        name = parse_op_path(change.path)
        if name is None:
            continue
        # A relation or a projection that has vanished is known to the older snapshot alone.
        if name.entity.startswith("rel_"):
            for relation in (state.relation(RelationId(name.entity)), _relation(older, name.entity)):
                if relation is not None:
                    start |= {relation.payload.source, relation.payload.target}
        elif name.entity.startswith("pjn_"):
            projections = (state.projection(name.entity), _projection(older, name.entity))
            start |= {projection.payload.artifact for projection in projections if projection is not None}
        else:
            start.add(name.entity)
    members, _ = component(start, state.relations_at)
    return members


def _relation(snapshot: Snapshot, name: EntityId) -> Relation | None:
    ops, _ = snapshot.ops(name)
    return fold_relation(ops).value if ops else None


def _projection(snapshot: Snapshot, name: EntityId) -> Projection | None:
    ops, _ = snapshot.ops(name)
    return fold_projection(ops).value if ops else None


def _was_purged(snapshot: Snapshot, older: Snapshot) -> bool:
    return any(True for _ in snapshot.changes_since(older, "purges"))


def _documents(entities: Iterable[Entity], snapshot: Snapshot, state: StateCache) -> Iterator[Document]:
    aliases = aliases_at(snapshot)
    for entity in entities:
        derived = state.projections_of(entity.lineage.id) if entity.lineage.kind == "artifact" else ()
        for document in documents_of(entity, lambda digest: _read(snapshot, digest), derived):
            workspace, project = aliases.place(document.workspace, document.project)
            yield replace(document, workspace=workspace, project=project) if aliases else document


def _read(snapshot: Snapshot, digest: BlobDigest) -> bytes | None:
    """Return an artifact's bytes, or None where they are lost: the rest is still worth finding."""
    with suppress(StoreCorrupt):
        return snapshot.blob(digest)
    return None
