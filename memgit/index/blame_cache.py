"""Which commit last changed each line of a file: derived, deletable, by the file's path and its Git object.

A file that cannot be read or written costs time, and nothing else.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

_NAME = "blame-1.sqlite"
_BUSY_SECONDS = 0.5
_FILES = 500  # that are kept; of 2,000 lines each this is about 10 MB
_SCHEMA = """CREATE TABLE IF NOT EXISTS blamed (
  path BLOB NOT NULL, blob TEXT NOT NULL, head TEXT NOT NULL, used INTEGER NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY (path, blob)
) WITHOUT ROWID"""


class Run(NamedTuple):
    """Lines that one commit changed last, both ends included; `commit` None: not committed yet."""

    commit: str | None
    first: int
    last: int


class Kept(NamedTuple):
    """What is known of a file, and at which HEAD it was found out."""

    head: str
    runs: tuple[Run, ...]


_decoder = msgspec.msgpack.Decoder(tuple[tuple[str | None, int, int], ...])


class BlameCache:
    """The cache of one repository."""

    def __init__(self, cache_dir: Path) -> None:
        self._path = cache_dir / _NAME

    def read(self, path: bytes, blob: str) -> Kept | None:
        """Return what is known of a file with this content; None where nothing is."""
        with suppress(OSError, sqlite3.Error, msgspec.DecodeError), closing(self._open()) as connection:
            sql = "SELECT head, body FROM blamed WHERE path = ? AND blob = ?"
            row = connection.execute(sql, (path, blob)).fetchone()
            if row is not None:
                return Kept(row[0], tuple(Run(*run) for run in _decoder.decode(row[1])))
        return None

    def write(self, path: bytes, blob: str, kept: Kept) -> None:
        """Keep what was found out. A damaged file is begun anew at the next write."""
        body = msgspec.msgpack.encode([tuple(run) for run in kept.runs])
        try:
            with closing(self._open()) as connection, connection:
                sql = "INSERT OR REPLACE INTO blamed SELECT ?, ?, ?, COALESCE(MAX(used), 0) + 1, ? FROM blamed"
                connection.execute(sql, (path, blob, kept.head, body))
                newest = "SELECT used FROM blamed ORDER BY used DESC LIMIT 1 OFFSET ?"
                connection.execute(f"DELETE FROM blamed WHERE used <= ({newest})", (_FILES,))  # noqa: S608
        except sqlite3.OperationalError:
            return  # locked, full or read-only
        except sqlite3.DatabaseError:
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
        except OSError:
            return

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS)
        try:
            connection.execute(_SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection
