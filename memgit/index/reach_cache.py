"""What is known of stamped commits: whether the history of a commit has them. Derived and deletable.

That a history has a commit stays true; that it has not depends on what this clone knows (rewrites, fetched objects), so
it is kept with a name of that. A file that cannot be read or written costs time, and nothing else.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path

from memgit.index.recent_targets import TARGETS_TABLE, keep_recent, recent_targets

_NAME = "reach-1.sqlite"
_BUSY_SECONDS = 0.5
_TARGETS = 8  # commits that are kept: a few working trees, and where each was before
_CHUNK = 400  # below SQLite's least limit of parameters
_SCHEMA = """
CREATE TABLE IF NOT EXISTS reach (
  target TEXT NOT NULL, stamp TEXT NOT NULL, verdict TEXT NOT NULL, knowledge TEXT NOT NULL,
  PRIMARY KEY (target, stamp)
) WITHOUT ROWID;
"""
LASTING = frozenset({"in", "carried"})
"""Verdicts that no later knowledge changes."""


class ReachCache:
    """The cache of one repository."""

    def __init__(self, cache_dir: Path) -> None:
        self._path = cache_dir / _NAME

    def read(self, target: str, stamps: Iterable[str], knowledge: str) -> dict[str, str]:
        """Return the verdicts that hold for a target."""
        wanted = list(dict.fromkeys(stamps))
        found: dict[str, str] = {}
        with suppress(OSError, sqlite3.Error), closing(self._open()) as connection:
            for at in range(0, len(wanted), _CHUNK):
                part = wanted[at : at + _CHUNK]
                sql = f"""SELECT stamp, verdict FROM reach WHERE target = ? AND knowledge IN ('', ?)
                    AND stamp IN ({",".join("?" * len(part))})"""  # noqa: S608
                found.update(connection.execute(sql, (target, knowledge, *part)).fetchall())
        return found

    def targets(self) -> list[str]:
        """Return the targets that verdicts are kept for, the one that was written last first."""
        with suppress(OSError, sqlite3.Error), closing(self._open()) as connection:
            return recent_targets(connection)
        return []

    def write(self, target: str, verdicts: Mapping[str, str], knowledge: str) -> None:
        """Keep verdicts. A damaged file is begun anew."""
        rows = [(target, name, said, "" if said in LASTING else knowledge) for name, said in verdicts.items()]
        try:
            self._write(target, rows)
        except sqlite3.OperationalError:
            return  # locked, full or read-only
        except sqlite3.DatabaseError:
            with suppress(OSError, sqlite3.Error):
                self._path.unlink(missing_ok=True)
                self._write(target, rows)
        except OSError:
            return

    def _write(self, target: str, rows: list[tuple[str, str, str, str]]) -> None:
        with closing(self._open()) as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO reach VALUES (?, ?, ?, ?)", rows)
            keep_recent(connection, "reach", target, _TARGETS)

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS)
        try:
            connection.executescript(TARGETS_TABLE + _SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection
