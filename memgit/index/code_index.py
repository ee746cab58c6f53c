"""What ties claims to a history beside where their anchors are: when they were written, what they cite, directories.

Derived and deletable. It follows the store by commits, as the other indexes do. A file that cannot be written is one in
memory, for this request.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from memgit.records.ids import EntityId
from memgit.records.op import ClaimPayload
from memgit.records.state import Entity

_NAME = "code-1"
_BUSY_SECONDS = 0.5
_CHUNK = 400  # below SQLite's least limit of parameters
_SCHEMA = """
CREATE TABLE IF NOT EXISTS stamps (stamp TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (stamp, owner)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS stamps_by_owner ON stamps (owner);
CREATE TABLE IF NOT EXISTS cites (
  artifact TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (artifact, owner)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS cites_by_owner ON cites (owner);
CREATE TABLE IF NOT EXISTS anchored (
  directory TEXT NOT NULL, owner TEXT NOT NULL, PRIMARY KEY (directory, owner)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS anchored_by_owner ON anchored (owner);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
_TABLES = ("stamps", "cites", "anchored")


class CodeIndex:
    """The index of one repository and one combination of layers, which `suffix` names. Close it."""

    def __init__(self, cache_dir: Path, suffix: str = "") -> None:
        self._path = cache_dir / f"{_NAME}{suffix}.sqlite"
        self._connection = self._open()

    def close(self) -> None:
        """Release the file."""
        self._connection.close()

    @property
    def watermark(self) -> str | None:
        """The commit that it has observed; None where it holds nothing yet."""
        return self.note("watermark")

    def note(self, key: str) -> str | None:
        """Return a text that somebody kept here."""
        row = self._connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row is not None else None

    def keep(self, key: str, value: str) -> None:
        """Keep a text, as far as the file can be written."""
        with suppress(sqlite3.OperationalError), self._connection:
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def replace(self, entities: Iterable[Entity], watermark: str) -> None:
        """Hold these entities and nothing else."""
        with self._connection:
            for table in _TABLES:
                self._connection.execute(f"DELETE FROM {table}")  # noqa: S608
            self._put(entities, watermark)

    def follow(self, entities: Mapping[EntityId, Entity | None], watermark: str) -> None:
        """Take in what changed; None stands for what is not there any more."""
        with self._connection:
            names = [(name,) for name in entities]
            for table in _TABLES:
                self._connection.executemany(f"DELETE FROM {table} WHERE owner = ?", names)  # noqa: S608
            self._put((entity for entity in entities.values() if entity is not None), watermark)

    def written_at(self, commits: Iterable[str], limit: int) -> dict[str, list[EntityId]]:
        """Return live claims of which a revision was written while HEAD was at a commit: of each, the newest."""
        sql = "SELECT owner FROM stamps WHERE stamp = ? ORDER BY owner DESC LIMIT ?"
        run = self._connection.execute
        found = {name: [EntityId(owner) for (owner,) in run(sql, (name, limit))] for name in dict.fromkeys(commits)}
        return {name: owners for name, owners in found.items() if owners}

    def anchored_in(self, directory: str) -> list[EntityId]:
        """Return what is live and was tied to a file directly in a directory when it was written."""
        rows = self._connection.execute("SELECT owner FROM anchored WHERE directory = ? ORDER BY owner", (directory,))
        return [EntityId(owner) for (owner,) in rows]

    def citing(self, artifacts: Iterable[str]) -> dict[str, list[EntityId]]:
        """Return the live claims that cite one of these artifacts."""
        return self._owners("cites", "artifact", artifacts)

    def _owners(self, table: str, column: str, names: Iterable[str]) -> dict[str, list[EntityId]]:
        wanted = list(dict.fromkeys(names))
        found: dict[str, list[EntityId]] = {}
        for at in range(0, len(wanted), _CHUNK):
            part = wanted[at : at + _CHUNK]
            sql = f"""SELECT {column}, owner FROM {table} WHERE {column} IN ({",".join("?" * len(part))})
                ORDER BY owner DESC"""  # noqa: S608
            for name, owner in self._connection.execute(sql, part):
                found.setdefault(name, []).append(EntityId(owner))
        return found

    def _put(self, entities: Iterable[Entity], watermark: str) -> None:
        stamps: list[tuple[str, str]] = []
        cites: list[tuple[str, str]] = []
        anchored: set[tuple[str, str]] = set()
        for entity in entities:
            payload, name = entity.current.payload, entity.lineage.id
            if entity.status != "active":
                continue
            paths = (anchor.path for anchor in payload.anchors if anchor.path is not None)
            anchored |= {(path.rpartition("/")[0], name) for path in paths}
            if not isinstance(payload, ClaimPayload):
                continue
            written = (one.code.head for one in entity.lineage.revisions if not one.void and one.code is not None)
            stamps += [(head, name) for head in written if head is not None]
            cites += [(item.artifact, name) for item in payload.evidence]
        self._connection.executemany("INSERT OR IGNORE INTO stamps VALUES (?, ?)", stamps)
        self._connection.executemany("INSERT OR IGNORE INTO cites VALUES (?, ?)", cites)
        self._connection.executemany("INSERT OR IGNORE INTO anchored VALUES (?, ?)", anchored)
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES ('watermark', ?)", (watermark,))

    def _open(self) -> sqlite3.Connection:
        try:
            return self._on_disk()
        except sqlite3.OperationalError:
            return _in_memory()  # locked, full or read-only
        except (sqlite3.DatabaseError, OSError):
            with suppress(sqlite3.DatabaseError, OSError):
                self._path.unlink(missing_ok=True)
                return self._on_disk()
            return _in_memory()

    def _on_disk(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS)
        try:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
                connection.executescript(_SCHEMA)
            connection.execute("SELECT count(*) FROM meta").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection


def _in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(_SCHEMA)
    return connection
