"""Where anchors were found, by the commit that was looked at: derived and deletable.

A row of an anchor in the history that was followed for certain is true for ever. Any other depends on what the clone
knows beside its history (rewrites, what was fetched), and says so. Old targets are dropped. A file that cannot be read
or written costs time, and nothing else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import msgspec

from memgit.anchors.located import Located, Place
from memgit.index.recent_targets import TARGETS_TABLE, keep_recent, recent_targets
from memgit.records.codec import digest_of
from memgit.records.op import Anchor
from memgit.store.objects import ObjectId

_NAME = "anchors-2.sqlite"
_BUSY_SECONDS = 0.5
_TARGETS = 8  # commits whose answers are kept: a few working trees, and where each was before
_SCHEMA = """
CREATE TABLE IF NOT EXISTS located (
  target TEXT NOT NULL, anchor TEXT NOT NULL, knowledge TEXT NOT NULL, path TEXT, first INTEGER, last INTEGER,
  body BLOB NOT NULL,
  PRIMARY KEY (target, anchor)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS located_by_path ON located (target, path);
CREATE TABLE IF NOT EXISTS ties (
  owner TEXT NOT NULL, position INTEGER NOT NULL, anchor TEXT NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY (owner, position)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ties_by_anchor ON ties (anchor);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS patches (commit_id TEXT PRIMARY KEY, patch TEXT NOT NULL) WITHOUT ROWID;
"""
_CHUNK = 400  # below SQLite's least limit of parameters

_encode = msgspec.msgpack.encode
_decoder = msgspec.msgpack.Decoder(Located)


def anchor_digest(anchor: Anchor) -> str:
    """Return the name of an anchor: equal for equal anchors, whoever holds them."""
    return digest_of(_encode(anchor))


class PlaceCache:
    """The cache of one repository. It is opened when it is first used."""

    def __init__(self, cache_dir: Path) -> None:
        self._path = cache_dir / _NAME
        self._connection: sqlite3.Connection | None = None

    def close(self) -> None:
        """Release the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def read(self, target: str, anchors: Iterable[str], knowledge: str) -> dict[str, Located]:
        """Return what is known of anchors at a target, by their digests."""
        wanted = list(dict.fromkeys(anchors))
        found: dict[str, Located] = {}
        with suppress(sqlite3.Error, OSError, msgspec.DecodeError):
            for at in range(0, len(wanted), _CHUNK):
                part = wanted[at : at + _CHUNK]
                sql = f"""SELECT anchor, body FROM located WHERE target = ? AND knowledge IN ('', ?)
                    AND anchor IN ({",".join("?" * len(part))})"""  # noqa: S608
                rows = self.connection().execute(sql, (target, knowledge, *part))
                found.update((name, _decoder.decode(body)) for name, body in rows)
        return found

    def write(self, target: str, located: Mapping[str, Located], knowledge: str) -> None:
        """Keep answers. A damaged file is begun anew."""
        rows = [_row(target, name, item, "" if _is_settled(item) else knowledge) for name, item in located.items()]
        with suppress(sqlite3.Error, OSError):
            self._write(target, rows)

    def targets(self) -> list[str]:
        """Return the targets that answers are kept for, the one that was written last first."""
        with suppress(sqlite3.Error, OSError):
            return recent_targets(self.connection())
        return []

    def patches(self, commits: Iterable[str]) -> dict[str, str]:
        """Return the patch ids that are known, by commit; an empty one is a commit without a patch."""
        wanted = list(commits)
        found: dict[str, str] = {}
        with suppress(sqlite3.Error, OSError):
            for at in range(0, len(wanted), _CHUNK):
                part = wanted[at : at + _CHUNK]
                sql = f"SELECT commit_id, patch FROM patches WHERE commit_id IN ({','.join('?' * len(part))})"  # noqa: S608
                found.update(self.connection().execute(sql, part).fetchall())
        return found

    def write_patches(self, patches: Mapping[ObjectId, str]) -> None:
        """Keep patch ids; they are true for ever."""
        with suppress(sqlite3.Error, OSError):
            connection = self.connection()
            with connection:
                connection.executemany("INSERT OR REPLACE INTO patches VALUES (?, ?)", patches.items())

    def _write(self, target: str, rows: list[tuple[object, ...]]) -> None:
        connection = self.connection()
        with connection:
            connection.executemany("INSERT OR REPLACE INTO located VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            keep_recent(connection, "located", target, _TARGETS)

    def connection(self) -> sqlite3.Connection:
        """Return the open file. A damaged one is begun anew; where none can be written, it is one in memory."""
        if self._connection is None:
            try:
                self._connection = self._on_disk()
            except sqlite3.OperationalError:
                self._connection = _in_memory()  # locked, full or read-only
            except (sqlite3.DatabaseError, OSError):
                self._connection = self._anew()
        return self._connection

    def _on_disk(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS)
        try:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'patches'").fetchone():
                connection.executescript(TARGETS_TABLE + _SCHEMA)
            connection.execute("SELECT COUNT(*) FROM targets").fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def _anew(self) -> sqlite3.Connection:
        try:
            self._path.unlink(missing_ok=True)
            return self._on_disk()
        except (sqlite3.DatabaseError, OSError):
            return _in_memory()


def _in_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    connection.executescript(TARGETS_TABLE + _SCHEMA)
    return connection


def _is_settled(item: Located) -> bool:
    return item.reachable and item.certainty == "certain"


def _row(target: str, name: str, item: Located, knowledge: str) -> tuple[object, ...]:
    place = item.place or Place("")
    return (target, name, knowledge, place.path or None, place.start_line, place.end_line, _encode(item))
