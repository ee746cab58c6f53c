"""The merge of two store trees: their union, minus what is purged, minus blobs that nothing references any more.

Owns the union over a tiny abstraction of trees, so that the same code serves a Git store and a test's dictionary. It
refuses what honest writers cannot make, since names are digests: one path with different bytes, a file against a
directory. It judges nothing else; what is in the files is the fold's business.

The law: the result is a function of the united set of files F alone. With P the entities that the markers in F name,

- an operation file of an entity in P is dropped;
- if P is not empty, a blob that no remaining artifact operation references is dropped;
- everything else stays, and a directory that would be empty goes.

So merging is commutative and idempotent, and associative over trees that hold the blobs which their operations name:
what an earlier merge dropped, a later one would drop too, because P only grows, or its referrer brings it along.

The cost: subtrees with equal object ids are never read, so a union without a purge reads the difference. With one, it
reads the shards of the purged entities too, and then looks for blobs to drop. Only where a caller vouches that one of
the trees is *swept*, that is, that its own operations reference each of its blobs, can that stay within the difference:
a blob that lost its last reference then either is not in that tree, so the difference shows it, or was referenced from
there by an operation that has just been dropped. Where both are excluded, no operation need be read. A writer adds a
blob together with its operation, and a union with a purge sweeps; so a store's own tip, honestly written, is swept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from memgit.errors import FormatTooNew, StoreCorrupt
from memgit.records import ids
from memgit.records.codec import PurgeMarker, canonical_json, decode_record, digest_of, referenced_blob
from memgit.records.ids import BlobDigest, EntityId
from memgit.records.paths import blob_path, shard_of


class TreeEntry(NamedTuple):
    """What a name in a directory stands for."""

    oid: str
    is_tree: bool


class TreeStore(Protocol):
    """Objects by id. Equal content has equal ids, whatever order a directory's entries are given in."""

    def read(self, oid: str) -> Mapping[str, TreeEntry]:
        """Return a directory's entries by name."""

    def write(self, entries: Mapping[str, TreeEntry]) -> str:
        """Keep a directory; return its id."""

    def blob(self, oid: str) -> bytes:
        """Return a file's bytes."""


def union(store: TreeStore, ours: str | None, theirs: str | None, swept: Collection[str] = ()) -> str:
    """Return the root of the merge of two roots, either of which may be absent.

    `swept` are those of the two of which the caller knows that their own operations reference all their blobs; it
    spares reading, and changes nothing else. Raises StoreCorrupt where the trees contradict each other.
    """
    root = _united(store, ours, theirs, "")
    purged = purge_set(store, root)
    if not purged:
        return root
    root, lost = _without_entities(store, root, purged)
    base = next((oid for oid in (ours, theirs) if oid in swept), None)
    return _without(store, root, _plan(map(blob_path, _unreferenced(store, root, base, lost))), [])


def purge_set(store: TreeStore, root: str | None) -> frozenset[EntityId]:
    """Return the entities that the markers in a tree name. A marker that cannot be read names none."""
    entry = store.read(root).get("purges") if root is not None else None
    if entry is None or not entry.is_tree:
        return frozenset()
    purged: set[EntityId] = set()
    for name, marker in store.read(entry.oid).items():
        try:
            record = decode_record(store.blob(marker.oid), name.removesuffix(".yaml"), PurgeMarker)
        except (StoreCorrupt, FormatTooNew):
            continue
        purged.update(entity for entity in record.entities if ids.is_entity_id(entity))
    return frozenset(purged)


def purge_epoch(markers: Collection[str]) -> str:
    """Return the digest that stands for a set of purge markers, given their digests. Stores merge within one epoch."""
    return digest_of(canonical_json(sorted(set(markers))).encode())


def _united(store: TreeStore, ours: str | None, theirs: str | None, path: str) -> str:
    if ours is None or theirs is None or ours == theirs:
        return ours or theirs or store.write({})
    mine = store.read(ours)
    entries = dict(mine)
    for name, entry in store.read(theirs).items():
        other = mine.get(name)
        if other is None:
            entries[name] = entry
        elif other != entry:
            if not (other.is_tree and entry.is_tree):
                what = "different bytes" if other.is_tree == entry.is_tree else "a file against a directory"
                raise StoreCorrupt(f"{path}{name}: {what} in the two stores")
            entries[name] = TreeEntry(_united(store, other.oid, entry.oid, f"{path}{name}/"), True)
    return store.write(entries)


def _without_entities(store: TreeStore, root: str, purged: Iterable[EntityId]) -> tuple[str, set[BlobDigest]]:
    """Return the root without the entities' operations, and the blobs that these referenced."""
    dropped: list[tuple[str, str]] = []
    root = _without(store, root, _plan(f"{shard_of(entity)}/{entity}" for entity in purged), dropped)
    lost = (referenced_blob(store.blob(oid)) for name, oid in dropped if ids.kind_of(name) == "artifact")
    return root, {digest for digest in lost if digest is not None}


def _unreferenced(store: TreeStore, root: str, base: str | None, lost: set[BlobDigest]) -> set[BlobDigest]:
    """Return blobs of `root` that no operation references. `base` is swept; `lost` were referenced by what is gone."""
    blobs = _directory(store, root, "blobs"), _directory(store, base, "blobs")
    artifacts = _directory(store, root, "artifacts"), _directory(store, base, "artifacts")
    suspects = {BlobDigest(name) for name, _ in _added(store, *blobs)} | lost
    suspects -= _referenced(store, *artifacts)
    return suspects - _referenced(store, artifacts[0], None) if suspects and base is not None else suspects


def _referenced(store: TreeStore, artifacts: str | None, base: str | None) -> set[BlobDigest]:
    """Return what the artifact operations that `base` does not have reference."""
    found = (referenced_blob(store.blob(oid)) for _, oid in _added(store, artifacts, base))
    return {digest for digest in found if digest is not None}


def _directory(store: TreeStore, root: str | None, name: str) -> str | None:
    entry = store.read(root).get(name) if root is not None else None
    return entry.oid if entry is not None and entry.is_tree else None


def _added(store: TreeStore, tree: str | None, base: str | None) -> Iterator[tuple[str, str]]:
    """Yield name and object id of each file below `tree` that `base` does not have at the same path."""
    if tree is None or tree == base:
        return
    known = store.read(base) if base is not None else {}
    for name, entry in store.read(tree).items():
        other = known.get(name)
        if not entry.is_tree:
            if other != entry:
                yield name, entry.oid
        else:
            yield from _added(store, entry.oid, other.oid if other is not None and other.is_tree else None)


class _Plan(dict[str, "_Plan"]):
    """What to drop: directories by name, and below them the stems of files, up to the first dot of their names."""


def _plan(paths: Iterable[str]) -> _Plan:
    plan = _Plan()
    for path in paths:
        below = plan
        for name in path.split("/"):
            below = below.setdefault(name, _Plan())
    return plan


def _without(store: TreeStore, root: str, plan: _Plan, dropped: list[tuple[str, str]]) -> str:
    """Return the root without the files of the plan; their names and object ids are added to `dropped`."""
    return _pruned(store, root, plan, dropped) or store.write({})


def _pruned(store: TreeStore, tree: str, plan: _Plan, dropped: list[tuple[str, str]]) -> str | None:
    entries = store.read(tree)
    kept: dict[str, TreeEntry] = {}
    for name, entry in entries.items():
        below = plan.get(name if entry.is_tree else name.partition(".")[0])
        if below is None or bool(below) != entry.is_tree:
            kept[name] = entry
        elif not entry.is_tree:
            dropped.append((name, entry.oid))
        elif oid := _pruned(store, entry.oid, below, dropped):
            kept[name] = TreeEntry(oid, True)
    if kept == entries:
        return tree
    return store.write(kept) if kept else None
