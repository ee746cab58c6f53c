"""The layers of one clone: the shared one, the local one, the drafts. One lock and one sequence serve them all.

It opens what is asked for, begins a layer when something is first written to it, and tells a write on one layer of the
others. Which layer a request means is decided above.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from functools import partial

from memgit.errors import FormatTooNew, NotARepository, NotFound, StoreBusy, StoreCorrupt, StoreNotInitialized
from memgit.store import private
from memgit.store.backend import Backend, RefLocked, RefMoved, open_backend
from memgit.store.layered_snapshot import LayeredSnapshot, tips_in
from memgit.store.objects import ObjectId, RawObject, Signature
from memgit.store.private import DRAFT_PREFIX, DROPPED, LOCAL, SHARED, PrivateRepository
from memgit.store.ref_move import move_ref
from memgit.store.snapshot import Snapshot
from memgit.store.store import Store
from memgit.store.transaction import Transaction
from memgit.store.writer import Author, Beside, Build, RequestKey, Result, Written, reported

_SHARED_FILES = ("format", "stores", "purges")  # what each layer's tree begins with


class Layers:
    """All layers of one repository's memory. `shared` is the one that is open already."""

    def __init__(self, shared: Store) -> None:
        self.shared = shared
        self.repository: PrivateRepository = private.private_repository(shared.repository)
        self._backend: Backend | None = None
        self._stores: dict[str, PrivateStore] = {}
        shared.beside = self._beside(SHARED)

    def names(self) -> list[str]:
        """Return the private layers that exist: `local`, then the drafts by name."""
        return private.layers(self.repository) if private.exists(self.repository) else []

    def store(self, layer: str) -> Store:
        """Return a layer's store. Raises NotFound for a private one where there is no private repository."""
        return self.shared if layer == SHARED else self.private(layer)

    def private(self, layer: str) -> PrivateStore:
        """Return the store of a private layer, which need not have been begun."""
        if layer not in self._stores:
            if not private.exists(self.repository):
                raise NotFound(f"there is no {spoken(layer)}", hint="It begins with what is first written to it.")
            store = PrivateStore(self.shared, self.repository, layer, self._backend_of_private())
            store.beside = self._beside(layer)
            self._stores[layer] = store
        return self._stores[layer]

    def writable(self, layer: str) -> Store:
        """Return a layer's store for writing; a private one is begun with its first write."""
        if layer == SHARED:
            return self.shared
        if self.shared.tip() is None:
            raise StoreNotInitialized(f"{self.shared.repository.root} has no memory yet")
        private.make(self.repository, self.shared.backend.object_format)
        return self.private(layer)

    def snapshot(self, layers: Sequence[str] = ()) -> Snapshot:
        """Return the shared layer at its tip, united with those private ones of the given that exist."""
        parts: dict[str, Snapshot] = {}
        for layer in layers:
            if private.exists(self.repository) and self.private(layer).tip() is not None:
                parts[layer] = self.private(layer).snapshot()
        shared = self.shared.snapshot()
        return LayeredSnapshot(shared, parts) if parts else shared

    def at(self, commit_id: str) -> Snapshot:
        """Return layers as they stood at a combination's id, also where a ref has moved on or is gone since."""
        first, tips = tips_in(commit_id)
        shared = self.shared.snapshot(ObjectId(first))
        parts = {layer: self.private(layer).snapshot(ObjectId(tip)) for layer, tip in tips.items()}
        return LayeredSnapshot(shared, parts) if parts else shared

    def expire(self, moment: float | None = None) -> None:
        """Let go of drafts that were dropped too long ago to be asked for. What fails is done another time."""
        now = time.time() if moment is None else moment
        for old in private.dropped_drafts(self.repository):
            if old.until < now:
                with suppress(RefMoved, RefLocked, OSError):
                    self._backend_of_private().delete_ref(old.ref, ObjectId(old.commit))

    def locked(self) -> AbstractContextManager[None]:
        """Hold the one lock of all layers. Raises StoreBusy."""
        return self.shared.locked()

    def close(self) -> None:
        """Release what was opened beside the shared store."""
        if self._backend is not None:
            self._backend.close()

    def _backend_of_private(self) -> Backend:
        if self._backend is None:
            self._backend = open_backend(self.repository, self.shared.options.backend)
        return self._backend

    def _beside(self, layer: str) -> Beside:
        return Beside(partial(self._others, layer), partial(self._view, layer))

    def _others(self, layer: str, author: Signature | None) -> list[Snapshot]:
        """Return the other layers at their tips, the shared one first. A private one that is damaged stops nobody."""
        found = [] if layer == SHARED else [_settled(self.shared, author)]
        for name in self.names():
            if name != layer:
                with suppress(StoreCorrupt, FormatTooNew, StoreNotInitialized, NotFound, NotARepository):
                    found.append(_settled(self.private(name), author))
        return found

    def _view(self, layer: str, base: Snapshot | None, others: list[Snapshot]) -> Snapshot | None:
        if layer == SHARED:
            return base
        return LayeredSnapshot(others[0], {layer: base}) if base is not None else others[0]


class PrivateStore(Store):
    """A private layer's store. Who writes, and where the code stands, is the user's own repository's to say."""

    def __init__(self, owner: Store, repository: PrivateRepository, layer: str, backend: Backend) -> None:
        # Nobody checks a signature here: what is merged or promoted is a commit of the shared layer.
        options = replace(owner.options, ref=private.layer_ref(layer), sign="never")
        super().__init__(repository, options, backend=backend)
        self.layer = layer
        self._name = layer.removeprefix(DRAFT_PREFIX)
        self.layers_repository = repository
        self._owner = owner

    def snapshot(self, commit_id: ObjectId | None = None) -> Snapshot:
        """Return the layer as `Store.snapshot` does. Raises NotFound for a draft that was taken away meanwhile."""
        try:
            return super().snapshot(commit_id)
        except StoreNotInitialized:
            if self.layer == LOCAL:
                raise
            raise private.draft_gone(self._name) from None

    def author(self) -> Author:
        """Return who a write of this process is by."""
        return self._owner.author()

    def has_identity(self) -> bool:
        """Tell whether Git knows who the user is."""
        return self._owner.has_identity()

    def write(self, build: Build, key: RequestKey | None = None, *, allow_flagged: bool = False) -> Written:
        """Publish what `build` stages as one commit, with which the layer begins where it does not exist."""
        writer = self._write_access(creating=True)
        return writer.write(self._whole(build), self.author(), key, creating=True, allow_flagged=allow_flagged)

    def write_bulk(self, build: Build, key: RequestKey | None = None, *, allow_flagged: bool = False) -> Written:
        """Publish a large transaction as one commit and one pack. A layer that is new takes it the ordinary way."""
        if self.tip() is None:
            return self.write(build, key, allow_flagged=allow_flagged)
        return super().write_bulk(self._whole(build), key, allow_flagged=allow_flagged)

    def _whole(self, build: Build) -> Build:
        """Return a build that first writes what each layer's tree begins with, where the layer is new."""

        def whole(transaction: Transaction) -> Result:
            transaction.layer = self.layer
            shared = transaction.snapshot
            if transaction.base is None and shared is not None:
                found = (file for top in _SHARED_FILES for file in shared.files(top))
                transaction.begin({path: shared.read_file(oid) for path, oid in found})
            return build(transaction)

        return whole

    def retire(self, tip: ObjectId, moment: float | None = None) -> bool:
        """Take a draft's ref away and keep its commit out of sight; False, and nothing done, where it has moved on.

        A process that dies on the way leaves the draft as it is, or gone.
        """
        seconds = int(time.time() if moment is None else moment)
        with self._lock.held():
            if self.ref.settle(self.author().signature) != tip:
                return False
            self._keep(tip, seconds)
            for remote, shared in private.shared_drafts(self.layers_repository, self._name).items():
                with suppress(RefMoved, RefLocked):
                    self.backend.delete_ref(private.shared_draft_ref(remote, self._name), ObjectId(shared))
            self.database.log.remove()  # first: a log that remembers the ref would bring it back
            try:
                self.backend.delete_ref(self.options.ref, tip)
            except RefLocked:
                raise StoreBusy(f"the ref {self.options.ref} is locked by another Git process") from None
        return True

    def rewrite(self, make: Callable[[Snapshot], tuple[list[RawObject], bool] | None]) -> bool:
        """Replace the layer's commit by one that `make` returns the objects of, the commit last, and whether it is to
        stand alone; None leaves the layer as it is. Tell whether it stands alone now: then the log begins anew.
        """
        with reported(self.repository), self._lock.held():
            tip = self.ref.settle(self.author().signature)
            made = make(Snapshot(self.database, tip)) if tip is not None else None
            if tip is None or made is None:
                return False
            objects, alone = made
            if not alone:
                self._publisher.publish(tip, objects[-1].oid, objects)
                return False
            self.database.replay()  # what the old log alone holds
            self.database.log.begin_again(tip, objects[-1].oid, objects)
            self.database.write(objects)
            self._publisher.move(tip, objects[-1].oid, objects)
            return True

    def _keep(self, tip: ObjectId, seconds: int) -> None:
        """Keep a commit under a name of its own: where two drafts of one name go within a second, a second later."""
        while True:
            kept = f"{DROPPED}{seconds}/{self._name}"
            try:
                move_ref(self.backend, self._lock, kept, tip, None, self.database.replay)
            except RefMoved:
                if self.backend.read_ref(kept) == tip:
                    return
                seconds += 1
            else:
                return


def spoken(layer: str) -> str:
    """Return what people call a layer."""
    if layer.startswith(DRAFT_PREFIX):
        return f"draft {layer.removeprefix(DRAFT_PREFIX)}"
    return "local layer" if layer == LOCAL else "shared layer"


def _settled(store: Store, author: Signature | None) -> Snapshot:
    return store.snapshot(store.ref.settle(author) if author is not None else None)
