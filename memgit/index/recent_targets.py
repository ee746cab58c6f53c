"""Which answers of a cache stay: those about the revisions that were asked of last."""

from __future__ import annotations

import sqlite3

TARGETS_TABLE = "CREATE TABLE IF NOT EXISTS targets (target TEXT PRIMARY KEY, used INTEGER NOT NULL) WITHOUT ROWID;\n"


def recent_targets(connection: sqlite3.Connection) -> list[str]:
    """Return the targets that answers are kept for, the one that was used last first."""
    return [row[0] for row in connection.execute("SELECT target FROM targets ORDER BY used DESC")]


def keep_recent(connection: sqlite3.Connection, table: str, target: str, most: int) -> None:
    """Note that a target is in use, and drop the rows of `table` about all but the `most` that were used last."""
    sql = "INSERT OR REPLACE INTO targets SELECT ?, COALESCE(MAX(used), 0) + 1 FROM targets"
    connection.execute(sql, (target,))
    newest = "SELECT target FROM targets ORDER BY used DESC LIMIT ?"
    gone = connection.execute(f"DELETE FROM targets WHERE target NOT IN ({newest})", (most,))  # noqa: S608
    if gone.rowcount:
        connection.execute(f"DELETE FROM {table} WHERE target NOT IN (SELECT target FROM targets)")  # noqa: S608
