"""A purge that the shared layer knows, in what only this clone has: the local layer, the drafts, those that are gone.

Each private layer takes the markers over, so that a draft that lacks them is not united with it in silence. One whose
history leads to what is purged becomes one commit without it, and the private repository forgets the rest at once:
nobody else's `gc` comes by there.
"""

from __future__ import annotations

from contextlib import suppress

from memgit.errors import StoreCorrupt
from memgit.records import merge
from memgit.store import join, private
from memgit.store.backend import RefLocked, RefMoved
from memgit.store.git_command import run_git
from memgit.store.layers import Layers, PrivateStore
from memgit.store.objects import ObjectId, RawObject
from memgit.store.purged_history import holder
from memgit.store.snapshot import Snapshot
from memgit.store.tree_edit import add_files
from memgit.store.writer import reported

_GC_SECONDS = 300
_SUBJECT = "store purge: taken over from the shared layer"


def purge_private(layers: Layers) -> list[str]:
    """Take the shared layer's purges over into everything private; return what a person should hear of it.

    Where there is nothing to do it costs a look at each layer. Raises StoreBusy, StoreReadOnly.
    """
    if layers.shared.tip() is None or not private.exists(layers.repository):
        return []
    shared = layers.shared.snapshot()
    if not shared.directory("purges"):
        return []
    rewritten = [name for name in layers.names() if _purge_layer(layers.private(name), shared)]
    dropped = _purge_dropped(layers, shared)
    remembered = _forget_shared(layers, shared)
    if rewritten or dropped or remembered:
        with reported(layers.repository), layers.locked():
            run_git(layers.repository, ["gc", "-q", "--prune=now"], timeout=_GC_SECONDS)
        for name in layers.names():
            layers.private(name).database.forget()
    return remembered


def _purge_layer(store: PrivateStore, shared: Snapshot) -> bool:
    """Return whether the layer was rewritten. One that is damaged is left as it is: it can be read by nobody."""
    with suppress(StoreCorrupt):
        return store.rewrite(lambda old: _purged(store, old, shared))
    return False


def _purged(store: PrivateStore, old: Snapshot, shared: Snapshot) -> tuple[list[RawObject], bool] | None:
    """Return the objects of a commit with the markers, the commit last, and whether it stands alone; None: it has them.

    They may use objects of the old one.
    """
    markers = shared.directory("purges")
    if markers.keys() <= old.directory("purges").keys():
        return None
    database = store.database
    blobs = {f"purges/{name}": database.make("blob", shared.read_file(item.oid)) for name, item in markers.items()}
    root, made = add_files(database, old.commit.tree, {path: blob.oid for path, blob in blobs.items()})
    objects = [*blobs.values(), *made]
    database.write(objects)
    trees = join.Trees(database, made)
    root = ObjectId(merge.union(trees, root, root))
    alone = holder(store.repository, old.commit_id, shared.purged()) is not None
    parents = [] if alone else [old.commit_id]
    commit = join.join_commit(database, root, parents, store.author().signature, _SUBJECT, old.seq, sign=False)
    return [*blobs.values(), *trees.made.values(), commit], alone


def _purge_dropped(layers: Layers, shared: Snapshot) -> bool:
    """Rewrite what drafts were when they were dropped; tell whether one led to what is purged."""
    found = False
    for kept in private.dropped_drafts(layers.repository):
        store = layers.private(private.draft_layer(kept.name))
        with suppress(StoreCorrupt, RefMoved, RefLocked, OSError):
            if holder(layers.repository, ObjectId(kept.commit), shared.purged()) is None:
                continue
            made = _purged(store, Snapshot(store.database, ObjectId(kept.commit)), shared)
            if made is not None:
                store.database.write(made[0])
                store.backend.move_ref(kept.ref, made[0][-1].oid, ObjectId(kept.commit))
                found = True
    return found


def _forget_shared(layers: Layers, shared: Snapshot) -> list[str]:
    """Forget what remotes have of drafts where that leads to what is purged; return what to do about it there."""
    said = []
    for remote, name, tip in private.all_shared_drafts(layers.repository):
        with suppress(StoreCorrupt, RefMoved, RefLocked, OSError):
            if holder(layers.repository, ObjectId(tip), shared.purged()) is None:
                continue
            store = layers.private(private.draft_layer(name))
            store.backend.delete_ref(private.shared_draft_ref(remote, name), ObjectId(tip))
            said.append(
                f"the draft {name} that was shared with {remote} still leads to what was purged; "
                f"`git memory draft drop {name} --remote` removes it there"
            )
    return said
