"""The folded state of a store in one SQLite file: what reads need, without YAML and without pygit2.

Derived and deletable. It is keyed by its own version and by the commit that it has observed, and follows the difference
of two trees; a refresh is one transaction, so a reader sees the old state or the new one. A damaged file is set aside,
rebuilt, and said once. Equal to a fresh fold: `memgit.records` computes both.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from memgit.index.meanings import aliases_at, means_otherwise
from memgit.index.refold import Refold, refold
from memgit.index.state_file import (
    Transaction,
    create,
    entity_row,
    is_unwritable,
    memory,
    projection_row,
    relation_row,
    seed,
    source_row,
)
from memgit.records.codec import StoreRecord
from memgit.records.conversation import session_range
from memgit.records.ids import CaseId, EntityId, OpDigest, RelationId
from memgit.records.op import Scope
from memgit.records.state import Case, Entity, Problem, Projection, Relation, Source
from memgit.scope.aliases import Aliases
from memgit.store.layered_snapshot import LayeredSnapshot
from memgit.store.private import SHARED, combination
from memgit.store.snapshot import Snapshot

SCHEMA_VERSION = 3
_BUSY_MS = 3_000  # a write takes milliseconds; a reader that has to wait longer works in memory


T = TypeVar("T")
_encode = msgspec.msgpack.encode


class Watermark(NamedTuple):
    """The commit that the cache has observed, and its seq."""

    commit_id: str
    seq: int


class StateCache:
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
        self._aliases: tuple[Watermark | None, Aliases] | None = None
        self._connection, self.watermark = self._open()

    def refresh(self, snapshot: Snapshot, is_tip: Callable[[str], bool] = lambda _: True) -> None:
        """Bring the cache to the snapshot's commit, or to a later one that another process brought it to meanwhile.

        It goes back only to what `is_tip` still confirms: a process with an old snapshot must not undo another's work.
        Where the file cannot be written, or stays locked, this process works in memory.
        """
        self.release()
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
            self.watermark = self._read_watermark(self._connection)

    def release(self) -> None:
        """End what `hold` began."""
        if self._connection.in_transaction:
            self._connection.execute("COMMIT")

    def entity(self, entity_id: EntityId) -> Entity | None:
        """Return a claim or an artifact by its id."""
        return self._one("SELECT body FROM entities WHERE id = ?", (entity_id,), Entity)

    def entities(self) -> Iterator[Entity]:
        """Yield all claims and artifacts, in the order of their ids."""
        for (body,) in self._query("SELECT body FROM entities ORDER BY id", ()):
            yield msgspec.msgpack.decode(body, type=Entity)

    def ids_with_prefix(self, prefix: str, limit: int) -> list[EntityId]:
        """Return ids of claims, artifacts and relations that start with `prefix`, sorted, at most `limit`."""
        end = prefix + "\U0010ffff"
        rows = self._query(
            "SELECT id FROM (SELECT id FROM entities WHERE id >= ? AND id < ? "
            "UNION ALL SELECT id FROM relations WHERE id >= ? AND id < ?) ORDER BY id LIMIT ?",
            (prefix, end, prefix, end, limit),
        )
        return [row[0] for row in rows]

    def ids_with_suffix(self, suffix: str, limit: int) -> list[EntityId]:
        """Return ids of claims, artifacts and relations that end with `suffix`, sorted, at most `limit`. A scan."""
        rows = self._query(
            "SELECT id FROM (SELECT id FROM entities UNION ALL SELECT id FROM relations) "
            "WHERE substr(id, -?) = ? ORDER BY id LIMIT ?",
            (len(suffix), suffix, limit),
        )
        return [row[0] for row in rows]

    def mentions(self, name: str) -> list[EntityId]:
        """Return the claims, artifacts and relations whose state names an id or a digest, or a part of one. A scan."""
        rows = self._query(
            "SELECT id FROM entities WHERE instr(body, ?1) UNION ALL SELECT id FROM relations WHERE instr(body, ?1)",
            (name.encode(),),
        )
        return [row[0] for row in rows]

    def relation(self, relation_id: RelationId) -> Relation | None:
        """Return a relation by its id."""
        return self._one("SELECT body FROM relations WHERE id = ?", (relation_id,), Relation)

    def relations_at(self, entity_id: EntityId) -> list[Relation]:
        """Return the relations that have the entity as an end."""
        rows = self._query("SELECT body FROM relations WHERE source = ? OR target = ?", (entity_id, entity_id))
        return [msgspec.msgpack.decode(body, type=Relation) for (body,) in rows]

    def case(self, case_id: CaseId) -> Case | None:
        """Return a conflict case by its id."""
        return self._one("SELECT body FROM cases WHERE id = ?", (case_id,), Case)

    def cases(self, *, open_only: bool) -> list[Case]:
        """Return the conflict cases, in the order of their ids."""
        where = "WHERE status = 'open'" if open_only else ""
        rows = self._query(f"SELECT body FROM cases {where} ORDER BY id", ())  # noqa: S608 - two constants
        return [msgspec.msgpack.decode(body, type=Case) for (body,) in rows]

    def artifact_by_path(self, scope: Scope, path: str) -> EntityId | None:
        """Return the live artifact of a scope whose provenance names this path; the newest, if there are several."""
        scope = self.aliases.canonical(scope)
        rows = self._query(
            "SELECT id FROM entities WHERE path = ? AND kind = 'artifact' AND status = 'active' AND workspace = ? "
            "AND project = ? AND task IS ? ORDER BY seq DESC LIMIT 1",
            (path, scope.workspace, scope.project, scope.task),
        )
        return rows[0][0] if rows else None

    def artifact_paths(self, scope: Scope) -> dict[str, EntityId]:
        """Return the live artifacts of a scope by the path that their provenance names."""
        scope = self.aliases.canonical(scope)
        rows = self._query(
            "SELECT path, id FROM entities WHERE path IS NOT NULL AND kind = 'artifact' AND status = 'active' "
            "AND workspace = ? AND project = ? AND task IS ? ORDER BY seq",
            (scope.workspace, scope.project, scope.task),
        )
        return dict(rows)

    def source(self, source_id: EntityId) -> Source | None:
        """Return a source by its id."""
        return self._one("SELECT body FROM sources WHERE id = ?", (source_id,), Source)

    def sources(self) -> list[Source]:
        """Return all sources, in the order of their registration."""
        rows = self._query("SELECT body FROM sources ORDER BY seq, id", ())
        return [msgspec.msgpack.decode(body, type=Source) for (body,) in rows]

    def artifact_by_item(self, source_id: EntityId, item: str) -> EntityId | None:
        """Return the artifact that an item of a source is; the latest, where two clones took it in apart."""
        rows = self._query(
            "SELECT id FROM entities WHERE source = ? AND item = ? AND kind = 'artifact' AND status NOT IN "
            "('void', 'forgotten') ORDER BY seq DESC, id DESC LIMIT 1",
            (source_id, item),
        )
        return rows[0][0] if rows else None

    def item_counts(self, source_id: EntityId) -> dict[str, int]:
        """Return how many artifacts came from a source, by status."""
        rows = self._query("SELECT status, count(*) FROM entities WHERE source = ? GROUP BY status", (source_id,))
        return dict(rows)

    def projection(self, projection_id: EntityId) -> Projection | None:
        """Return a projection by its id, dropped ones too."""
        return self._one("SELECT body FROM projections WHERE id = ?", (projection_id,), Projection)

    def projections_of(self, artifact_id: EntityId) -> list[Projection]:
        """Return the projections of an artifact, dropped ones too, in the order of their making."""
        rows = self._query("SELECT body FROM projections WHERE artifact = ? ORDER BY seq, id", (artifact_id,))
        return [msgspec.msgpack.decode(body, type=Projection) for (body,) in rows]

    def session(self, scope: Scope, session: str, first: int, last: int) -> list[EntityId]:
        """Return the claims of a session of a scope that begin at the turns from `first` to `last`, in their order.

        Whatever their status. Those without a number have no place in the order, and are not among them.
        """
        rows = self._query(
            "SELECT id FROM entities INDEXED BY entities_by_path WHERE path >= ? AND path < ? "
            "AND id GLOB 'clm_*' ORDER BY path, id",
            session_range(self.aliases.canonical(scope), session, first, last),
        )
        return [row[0] for row in rows]

    def latest_claims(self, scope: Scope, limit: int) -> list[tuple[EntityId, str]]:
        """Return (id, statement) of the newest active claims of a project and task, or of no task, newest first."""
        scope = self.aliases.canonical(scope)
        return self._query(
            "SELECT id, title FROM entities WHERE workspace = ? AND project = ? AND (task IS NULL OR task IS ?) "
            "AND kind = 'claim' AND status = 'active' ORDER BY seq DESC LIMIT ?",
            (scope.workspace, scope.project, scope.task, limit),
        )

    def counts(self, scope: Scope | None = None) -> dict[tuple[str, str], int]:
        """Return how many entities there are by (kind, status): all, or those of a project and task, or of no task."""
        where, values = "", ()
        if scope is not None:
            scope = self.aliases.canonical(scope)
            where = "WHERE workspace = ? AND project = ? AND (task IS NULL OR task IS ?)"
            values = (scope.workspace, scope.project, scope.task)  # type: ignore[assignment]
        rows = self._query(
            f"SELECT kind, status, count(*) FROM entities {where} GROUP BY kind, status",  # noqa: S608 - two constants
            values,
        )
        return {(kind, status): count for kind, status, count in rows}

    def relation_count(self) -> int:
        """Return how many relations there are."""
        return int(self._query("SELECT count(*) FROM relations", ())[0][0])

    def problems(self) -> list[Problem]:
        """Return the operations that the fold ignored, by path."""
        rows = self._query("SELECT path, reason FROM problems ORDER BY path", ())
        return [Problem(path=path, reason=reason) for path, reason in rows]

    def problems_of(self, entity_id: EntityId) -> list[Problem]:
        """Return the operations of one entity that the fold ignored."""
        rows = self._query("SELECT path, reason FROM problems WHERE entity = ? ORDER BY path", (entity_id,))
        return [Problem(path=path, reason=reason) for path, reason in rows]

    def stores(self) -> list[StoreRecord]:
        """Return who began the store, the canonical record first."""
        rows = self._query("SELECT body FROM stores ORDER BY position", ())
        return [msgspec.msgpack.decode(body, type=StoreRecord) for (body,) in rows]

    def layer_of(self, digest: OpDigest) -> str:
        """Return the layer whose tree holds an operation."""
        rows = self._query("SELECT layer FROM placed WHERE digest = ?", (digest,)) if self.layers else ()
        return rows[0][0] if rows else SHARED

    def positions(self) -> dict[str, Watermark]:
        """Return where each layer stood that the cache has observed, the shared one first."""
        if self.watermark is None:
            return {}
        if not self.layers:
            return {SHARED: self.watermark}
        rows = self._query("SELECT value FROM meta WHERE key = 'positions'", ())
        return {layer: Watermark(*found) for layer, found in msgspec.json.decode(rows[0][0]).items()} if rows else {}

    @property
    def aliases(self) -> Aliases:
        """What workspaces and projects mean in the store."""
        if self._aliases is None or self._aliases[0] != self.watermark:
            self._aliases = (self.watermark, Aliases.of(self.stores()))
        return self._aliases[1]

    def take_notes(self) -> list[str]:
        """Return what a person should hear of the cache, once."""
        notes, self._notes = self._notes, []
        return notes

    def close(self) -> None:
        """Close the file."""
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
                self._write(None, None, refold(snapshot, None, self), snapshot)
                return
            if self._write(seen, older, changes, snapshot):
                return

    def _write(self, seen: Watermark | None, older: Snapshot | None, changes: Refold, snapshot: Snapshot) -> bool:
        """Store what was computed from `seen`. False, and nothing stored, where another process was faster."""
        with Transaction(self._connection):
            if self._read_watermark(self._connection) != seen:
                return False
            if older is None:
                for table in (
                    "entities",
                    "relations",
                    "cancels",
                    "cases",
                    "case_entities",
                    "problems",
                    "sources",
                    "projections",
                ):
                    self._connection.execute(f"DELETE FROM {table}")  # noqa: S608 - constants
            self._store(changes, aliases_at(snapshot))
            self._connection.execute("DELETE FROM stores")
            self._connection.executemany(
                "INSERT INTO stores VALUES (?, ?)", enumerate(_encode(record) for record in snapshot.stores())
            )
            meta = [("commit", snapshot.commit_id), ("seq", str(snapshot.seq)), ("version", str(SCHEMA_VERSION))]
            if isinstance(snapshot, LayeredSnapshot):
                self._place(snapshot, older)
                meta.append(("positions", msgspec.json.encode(snapshot.positions()).decode()))
            self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", meta)
        self.watermark = Watermark(snapshot.commit_id, snapshot.seq)
        return True

    def _place(self, snapshot: LayeredSnapshot, older: Snapshot | None) -> None:
        """Note which layer holds each operation that is not shared."""
        if older is None:
            self._connection.execute("DELETE FROM placed")
        for digest, layer in snapshot.placements(older):
            if layer is None:
                self._connection.execute("DELETE FROM placed WHERE digest = ?", (digest,))
            else:
                self._connection.execute("INSERT OR REPLACE INTO placed VALUES (?, ?)", (digest, layer))

    def _set_apart(self, lost: int) -> None:
        """Go on in memory: a state that lacks what a lost object held must not be kept as if it were whole."""
        self._connection.close()
        self._connection = memory()
        self._notes.append(f"{lost} objects of the store are lost; answers leave out what they held: see `verify`")

    def _store(self, changes: Refold, aliases: Aliases) -> None:
        run = self._connection.executemany
        refolded = [(name,) for name in changes.refolded]
        run("DELETE FROM problems WHERE entity = ?", refolded)
        run("DELETE FROM cancels WHERE entity = ?", refolded)
        run("DELETE FROM relations WHERE id = ?", refolded)
        derived = [(name,) for name in changes.derived]
        run("DELETE FROM cases WHERE id IN (SELECT case_id FROM case_entities WHERE entity = ?)", derived)
        run("DELETE FROM case_entities WHERE entity = ?", derived)
        run("DELETE FROM entities WHERE id = ?", derived)
        run("INSERT INTO problems VALUES (?, ?, ?)", changes.problems)
        run("INSERT INTO cancels VALUES (?, ?, ?)", ((e, u, _encode(list(c))) for e, u, c in changes.cancels))
        run("INSERT INTO relations VALUES (?, ?, ?, ?)", map(relation_row, changes.relations))
        run("DELETE FROM sources WHERE id = ?", refolded)
        run("DELETE FROM projections WHERE id = ?", refolded)
        run("INSERT INTO sources VALUES (?, ?, ?)", map(source_row, changes.sources))
        run("INSERT INTO projections VALUES (?, ?, ?, ?)", map(projection_row, changes.projections))
        run(
            "INSERT INTO entities VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (entity_row(entity, aliases) for entity in changes.entities),
        )
        run(
            "INSERT OR REPLACE INTO cases VALUES (?, ?, ?, ?)",
            ((case.id, case.status, case.sequence, _encode(case)) for case in changes.cases),
        )
        run(
            "INSERT OR REPLACE INTO case_entities VALUES (?, ?)",
            ((entity, case.id) for case in changes.cases for entity in case.entities),
        )

    def cancels_of(self, entities: Iterable[EntityId]) -> dict[OpDigest, tuple[OpDigest, ...]]:
        """Return what the undos of these entities and relations name, for `records.links.derive`."""
        found: dict[OpDigest, tuple[OpDigest, ...]] = {}
        for entity in entities:
            for undo, body in self._query("SELECT undo, body FROM cancels WHERE entity = ?", (entity,)):
                found[OpDigest(undo)] = msgspec.msgpack.decode(body, type=tuple[OpDigest, ...])
        return found

    def _query(self, sql: str, values: tuple[object, ...]) -> list[tuple]:  # type: ignore[type-arg]
        try:
            return self._connection.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            if self._recover is None or is_unwritable(error):
                raise
            held = self._connection.in_transaction
            self._rebuild_after(error)
            self._refresh(self._recover(), lambda _: True)
            if held:
                self.hold()
            return self._connection.execute(sql, values).fetchall()

    def _one(self, sql: str, values: tuple[object, ...], kind: type[T]) -> T | None:
        rows = self._query(sql, values)
        return msgspec.msgpack.decode(rows[0][0], type=kind) if rows else None

    @staticmethod
    def _read_watermark(connection: sqlite3.Connection) -> Watermark | None:
        meta = dict(connection.execute("SELECT key, value FROM meta"))
        if "commit" not in meta or meta.get("version") != str(SCHEMA_VERSION):
            return None
        return Watermark(meta["commit"], int(meta["seq"]))

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
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=_BUSY_MS / 1000, isolation_level=None)
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")  # a lost transaction is rebuilt from the commits
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
                self._begin(connection)
            return connection, self._read_watermark(connection)
        except BaseException:
            connection.close()
            raise

    def _begin(self, connection: sqlite3.Connection) -> None:
        """Make the tables; with private layers, from the shared layer's state where that is known."""
        if not (self.layers and seed(connection, self._shared_path)):
            create(connection)

    def _in_memory(self, error: Exception) -> sqlite3.Connection:
        """Work without a file where none can be written: reading a read-only repository still has to work."""
        self._notes.append(f"the state cache cannot be written ({error}); this answer was computed without it")
        return memory()

    def _rebuild_after(self, error: sqlite3.DatabaseError) -> None:
        self._connection.close()
        self._set_aside(error)
        self._connection, self.watermark = self._connect()

    def _set_aside(self, error: Exception) -> None:
        self._notes.append(f"the state cache was damaged ({error}) and has been rebuilt")
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
