"""What is known of signatures: by operation, which keys vouch for it, and up to which commit that was looked for.

Derived and deletable. Keys are kept for ever: a key that is lost is taken from the trust list, not from here. That no
key vouches is kept with the commit that was looked at, so that only what came since is looked through. A file that
cannot be read or written costs time, and nothing else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

_NAME = "vouching-1.sqlite"
_BUSY_SECONDS = 0.5
_TABLE = """CREATE TABLE IF NOT EXISTS vouched (operation TEXT PRIMARY KEY, keys TEXT NOT NULL, seen TEXT NOT NULL)
WITHOUT ROWID"""


class Known(NamedTuple):
    """The keys that vouch for an operation, and the commit up to which was looked."""

    keys: frozenset[str]
    seen: str


class VouchingCache:
    """The cache of one repository."""

    def __init__(self, cache_dir: Path) -> None:
        self._path = cache_dir / _NAME

    def read(self, operations: Iterable[str]) -> dict[str, Known]:
        """Return what is known of operations, by their digests."""
        found: dict[str, Known] = {}
        with suppress(OSError, sqlite3.Error), closing(self._open()) as connection:
            for operation in operations:
                sql = "SELECT keys, seen FROM vouched WHERE operation = ?"
                for keys, seen in connection.execute(sql, (operation,)):
                    found[operation] = Known(frozenset(keys.split()), seen)
        return found

    def write(self, known: Mapping[str, Known]) -> None:
        """Keep what was found. A damaged file is begun anew."""
        rows = [(name, " ".join(sorted(item.keys)), item.seen) for name, item in known.items()]
        try:
            self._write(rows)
        except sqlite3.OperationalError:
            return  # locked, full or read-only
        except sqlite3.DatabaseError:
            with suppress(OSError, sqlite3.Error):
                self._path.unlink(missing_ok=True)
                self._write(rows)
        except OSError:
            return

    def _write(self, rows: list[tuple[str, str, str]]) -> None:
        with closing(self._open()) as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO vouched VALUES (?, ?, ?)", rows)

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS)
        try:
            connection.execute(_TABLE)
        except BaseException:
            connection.close()
            raise
        return connection
