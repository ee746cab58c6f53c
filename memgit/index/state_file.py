"""The file of the state cache: its version, its tables, what it has observed, and transactions on it."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from memgit.index.state_rows import seal_of

SCHEMA_VERSION = 5
_PAGE_BYTES = 8192
"""A row that is longer than a quarter of a page takes another page for the rest. With SQLite's usual 4,096 bytes nearly
every claim did, and the file was three times as large."""

BUSY_SECONDS = 3.0  # a write takes milliseconds; a reader that has to wait longer works in memory

# MessagePack's name of the field `anchors`, which is only written where there are any; an index of the file has it.
ANCHORED = "instr(body, X'A7616E63686F7273')"

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entities (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, workspace TEXT NOT NULL, project TEXT NOT NULL, task TEXT,
  status TEXT NOT NULL, seq INTEGER NOT NULL, path TEXT, title TEXT NOT NULL, source TEXT, item TEXT, body BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX entities_by_item ON entities (source, item) WHERE source IS NOT NULL;
CREATE INDEX entities_by_place ON entities (workspace, project, kind, seq);
CREATE INDEX entities_by_task ON entities (task) WHERE task IS NOT NULL;
CREATE INDEX entities_by_path ON entities (path) WHERE path IS NOT NULL;
CREATE INDEX entities_anchored ON entities (id) WHERE instr(body, X'A7616E63686F7273');
CREATE TABLE relations (
  id TEXT PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL, body BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX relations_by_source ON relations (source);
CREATE INDEX relations_by_target ON relations (target);
CREATE TABLE cancels (entity TEXT NOT NULL, undo TEXT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (entity, undo))
  WITHOUT ROWID;
CREATE TABLE cases (id TEXT PRIMARY KEY, status TEXT NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL)
  WITHOUT ROWID;
CREATE INDEX cases_by_status ON cases (status, sequence);
CREATE TABLE case_entities (entity TEXT NOT NULL, case_id TEXT NOT NULL, PRIMARY KEY (entity, case_id)) WITHOUT ROWID;
CREATE TABLE problems (entity TEXT NOT NULL, path TEXT NOT NULL, reason TEXT NOT NULL);
CREATE INDEX problems_by_entity ON problems (entity);
CREATE TABLE placed (digest TEXT PRIMARY KEY, layer TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sources (id TEXT PRIMARY KEY, seq INTEGER NOT NULL, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE projections (id TEXT PRIMARY KEY, artifact TEXT NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL)
  WITHOUT ROWID;
CREATE INDEX projections_by_artifact ON projections (artifact);
CREATE TABLE stores (position INTEGER PRIMARY KEY, body BLOB NOT NULL);
"""

_PLACED = "CREATE TABLE IF NOT EXISTS placed (digest TEXT PRIMARY KEY, layer TEXT NOT NULL) WITHOUT ROWID"


class Watermark(NamedTuple):
    """The commit that the cache has observed, and its seq."""

    commit_id: str
    seq: int


def read_watermark(connection: sqlite3.Connection) -> Watermark | None:
    """Return what a cache has observed, None where that is nothing, of another version, or not as it was written."""
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    if meta.get("version") != str(SCHEMA_VERSION) or meta.get("seal") != seal_of(meta):
        return None
    return Watermark(meta["commit"], int(meta["seq"]))


def connect(path: Path, seed_from: Path | None = None) -> sqlite3.Connection:
    """Return a connection that writes. A file that is made now begins as a copy of `seed_from`, where that is one.

    Raises sqlite3.DatabaseError where the file is damaged or cannot be written, OSError where its folder cannot be.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")  # of a file that is made now
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")  # a lost transaction is rebuilt from the commits
        is_new = not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone()
        if is_new and not (seed_from is not None and seed(connection, seed_from)):
            create(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def memory() -> sqlite3.Connection:
    """Return an empty cache without a file."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.executescript(SCHEMA)
    return connection


class Transaction:
    """BEGIN IMMEDIATE … COMMIT, or ROLLBACK."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._connection.execute("COMMIT")
        else:
            with suppress(sqlite3.DatabaseError):
                self._connection.execute("ROLLBACK")


def create(connection: sqlite3.Connection) -> None:
    """Make the tables, in one transaction: two processes may come here at once."""
    with Transaction(connection):
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone():
            for statement in SCHEMA.split(";"):
                connection.execute(statement)


def seed(connection: sqlite3.Connection, path: Path) -> bool:
    """Copy another cache that exists into an empty file: a state that is near is followed faster than a fresh fold.

    Returns False where there is none, or it cannot be copied.
    """
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=0)) as source:
            source.backup(connection)
        connection.execute(_PLACED)
    except (sqlite3.DatabaseError, OSError):
        return False
    return True


def is_unwritable(error: sqlite3.DatabaseError) -> bool:
    """Tell whether the file is sound and only cannot be written now, or at all."""
    text = str(error)
    return any(word in text for word in ("locked", "readonly", "full", "unable to open", "disk I/O"))


def remove(path: Path) -> None:
    """Delete the file and its journal, as far as that can be done."""
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
