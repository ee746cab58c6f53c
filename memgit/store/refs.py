"""The authority ref: where the tip is, and what to believe when the ref's own file was damaged."""

from __future__ import annotations

from memgit.errors import StoreCorrupt
from memgit.store.backend import Backend, RefDamaged
from memgit.store.objects import ObjectId
from memgit.store.write_ahead_log import WriteAheadLog


class AuthorityRef:
    """One layer's ref. A fetch never writes it; only the writer and a merge do."""

    def __init__(self, name: str, backend: Backend, log: WriteAheadLog) -> None:
        self.name = name
        self._backend = backend
        self._log = log

    def tip(self) -> ObjectId | None:
        """Return the commit that the ref names, or None where there is no store.

        A ref file that a power loss emptied, or that another program deleted, is restored from the write-ahead log.
        Raises StoreCorrupt where the log knows nothing either.
        """
        try:
            oid = self._backend.read_ref(self.name)
        except RefDamaged:
            return self._restore(damaged=True)
        return oid if oid is not None else self._restore(damaged=False)

    def _restore(self, *, damaged: bool) -> ObjectId | None:
        tip = self._log.last_tip(self.name)
        if tip is None:
            if damaged:
                raise StoreCorrupt(f"the ref {self.name} does not hold an object id, and no log says what it held")
            return None
        try:
            if damaged:
                (self._backend.repository.common_dir / self.name).unlink(missing_ok=True)
            self._backend.move_ref(self.name, tip, None)
        except Exception:  # noqa: BLE001 - a read-only repository, or another process that restored it first
            return tip
        return tip
