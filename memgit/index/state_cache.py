"""The folded state of a store in one SQLite file: what reads need, without YAML and without pygit2.

Derived and deletable. It is keyed by its own version and by the commit that it has observed, and follows the difference
of two trees; a refresh is one transaction, so a reader sees the old state or the new one. A damaged file is set aside,
rebuilt, and said once. Equal to a fresh fold: `memgit.records` computes both.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from memgit.index.meanings import means_otherwise
from memgit.index.refold import refold
from memgit.index.state_columns import faults_of
from memgit.index.state_connections import forget, give_back, reading
from memgit.index.state_file import (
    BUSY_SECONDS,
    SCHEMA_VERSION,
    Watermark,
    connect,
    is_unwritable,
    memory,
    read_watermark,
    remove,
)
from memgit.index.state_reads import StateReads
from memgit.index.state_rows import RowDamaged, unsealed
from memgit.index.state_writing import write
from memgit.store.private import combination
from memgit.store.snapshot import Snapshot


class StateCache(StateReads):
    """One connection to the cache. Reads are of one moment each; `refresh` brings it to a snapshot.

    `recover` returns the snapshot to rebuild from where the file turns out to be damaged in the middle of a read.
    `layers` are the private ones that it unites with the shared one: each combination has a file of its own.
    """

    def __init__(
        self, cache_dir: Path, recover: Callable[[], Snapshot] | None = None, layers: Sequence[str] = ()
    ) -> None:
        self.layers = tuple(layers)
        self._shared_path = cache_dir / f"state-{SCHEMA_VERSION}.sqlite"
        self._path = cache_dir / f"state-{SCHEMA_VERSION}{combination(layers)}.sqlite"
        self._recover = recover
        self._notes: list[str] = []
        self._only_reads = False
        self._connection, self.watermark = self._open_reading() or self._open()

    def refresh(self, snapshot: Snapshot, is_tip: Callable[[str], bool] = lambda _: True) -> None:
        """Bring the cache to the snapshot's commit, or to a later one that another process brought it to meanwhile.

        It goes back only to what `is_tip` still confirms: a process with an old snapshot must not undo another's work.
        Where the file cannot be written, or stays locked, this process works in memory.
        """
        self.release()
        if self._only_reads:
            self._give_back()
            self._connection, self.watermark = self._open()
        try:
            self._refresh(snapshot, is_tip)
        except sqlite3.DatabaseError as error:
            if is_unwritable(error):
                self._connection.close()
                self._connection = self._in_memory(error)
            else:
                self._rebuild_after(error)
            self._refresh(snapshot, is_tip)

    def hold(self) -> None:
        """Read from one moment on: what another process does to the cache is not seen until `release`."""
        if not self._connection.in_transaction:
            self._connection.execute("BEGIN")
            self.watermark = read_watermark(self._connection)

    def release(self) -> None:
        """End what `hold` began."""
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")

    def faults(self) -> list[str]:
        """Return what is wrong with the file beside the entries' checksums: a look at all of it."""
        return faults_of(self._connection, self.aliases)

    def take_notes(self) -> list[str]:
        """Return what a person should hear of the cache, once."""
        notes, self._notes = self._notes, []
        return notes

    def close(self) -> None:
        """Close the file, or leave it to the next request of this process."""
        if self._only_reads:
            self._give_back()
        else:
            self._connection.close()

    def _refresh(self, snapshot: Snapshot, is_tip: Callable[[str], bool]) -> None:
        while True:
            self.hold()
            seen = self.watermark
            try:
                if seen is not None and seen.commit_id == snapshot.commit_id:
                    return
                if seen is not None and seen.seq >= snapshot.seq and not is_tip(snapshot.commit_id):
                    return
                older = snapshot.at(seen.commit_id) if seen is not None else None
                if older is not None and means_otherwise(snapshot, older):
                    older = None  # the rows are under what workspaces and projects meant before
                changes = refold(snapshot, older, self)
            finally:
                self.release()
            if changes.lost:
                self._set_apart(changes.lost)
                seen, older, changes = None, None, refold(snapshot, None, self)
            if write(self._connection, seen, older, changes, snapshot):
                self.watermark = Watermark(snapshot.commit_id, snapshot.seq)
                return

    def _set_apart(self, lost: int) -> None:
        """Go on in memory: a state that lacks what a lost object held must not be kept as if it were whole."""
        self._connection.close()
        self._connection = memory()
        self._notes.append(f"{lost} objects of the store are lost; answers leave out what they held: see `verify`")

    def _query(self, sql: str, values: tuple[object, ...]) -> list[tuple]:  # type: ignore[type-arg]
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            self._mend(error)
            return self._connection.execute(sql, values).fetchall()

    def _mend(self, error: sqlite3.DatabaseError) -> None:
        """Rebuild what was found to be damaged in the middle of a read. Raises the error where that cannot be done."""
        if self._recover is None or is_unwritable(error):
            raise error
        held = self._connection.in_transaction
        self._rebuild_after(error)
        self._refresh(self._recover(), lambda _: True)
        if held:
            self.hold()

    def _bodies(self, sql: str, values: tuple[object, ...]) -> list[memoryview]:
        """Return what (key, row) pairs hold. Where one of them was changed, all is rebuilt, and asked again."""
        try:
            return unsealed(self._query(sql, values))
        except RowDamaged as error:
            self._mend(error)
            return unsealed(self._query(sql, values))

    def _open_reading(self) -> tuple[sqlite3.Connection, Watermark] | None:
        """Return a connection that only reads, where there is a state to be read: most requests need no more."""
        connection = reading(self._path, BUSY_SECONDS)
        if connection is None:
            return None
        with suppress(sqlite3.DatabaseError):
            watermark = read_watermark(connection)
            if watermark is not None:
                self._only_reads = True
                return connection, watermark
        connection.close()
        return None

    def _give_back(self) -> None:
        self._only_reads = False
        try:
            self.release()
        except sqlite3.DatabaseError:
            self._connection.close()
        else:
            give_back(self._path, self._connection)

    def _open(self) -> tuple[sqlite3.Connection, Watermark | None]:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            if is_unwritable(error):
                return self._in_memory(error), None
            self._set_aside(error)
            return self._connect()
        except OSError as error:
            return self._in_memory(error), None

    def _connect(self) -> tuple[sqlite3.Connection, Watermark | None]:
        """Open the file to write; with private layers it begins as the shared layer's state, where that is known."""
        connection = connect(self._path, self._shared_path if self.layers else None)
        try:
            return connection, read_watermark(connection)
        except BaseException:
            connection.close()
            raise

    def _in_memory(self, error: Exception) -> sqlite3.Connection:
        """Work without a file where none can be written: reading a read-only repository still has to work."""
        self._notes.append(f"the state cache cannot be written ({error}); this answer was computed without it")
        return memory()

    def _rebuild_after(self, error: sqlite3.DatabaseError) -> None:
        self._connection.close()
        self._only_reads = False
        self._set_aside(error)
        self._connection, self.watermark = self._connect()

    def _set_aside(self, error: Exception) -> None:
        self._notes.append(f"the state cache was damaged ({error}) and has been rebuilt")
        forget(self._path)
        remove(self._path)
