"""Connections to a state cache between requests: who gets which, and what a new file in the old place means."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memgit.index import state_connections
from memgit.index.state_connections import forget, give_back, reading


@pytest.fixture
def path(tmp_path: Path) -> Iterator[Path]:
    """A file with one number in it."""
    made = tmp_path / "state.sqlite"
    write(made, 1)
    yield made
    forget(made)


def write(path: Path, number: int) -> None:
    """Put a number into a file, through a journal."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE IF NOT EXISTS numbers (number)")
        connection.execute("DELETE FROM numbers")
        connection.execute("INSERT INTO numbers VALUES (?)", (number,))


def taken(path: Path) -> sqlite3.Connection:
    """Return a connection, which must be there."""
    connection = reading(path, 1.0)
    assert connection is not None
    return connection


def number(connection: sqlite3.Connection) -> int:
    """Return what the file says."""
    found: int = connection.execute("SELECT number FROM numbers").fetchone()[0]
    return found


def test_a_connection_waits_for_the_next_request(path: Path) -> None:
    """It is given to one taker at a time, whatever his thread, and it only reads."""
    first = taken(path)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        first.execute("DELETE FROM numbers")
    other = taken(path)
    assert other is not first
    give_back(path, first)
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(number(taken(path))))
    thread.start()
    thread.join()
    assert found == [1]
    other.close()


def test_what_was_written_meanwhile_is_read(path: Path) -> None:
    """What waited sees what another connection has committed."""
    connection = taken(path)
    assert number(connection) == 1
    give_back(path, connection)
    write(path, 2)
    again = taken(path)
    assert number(again) == 2
    again.close()


def test_another_file_in_its_place_is_read_and_keeps_its_journal(path: Path) -> None:
    """What waits for a file that was deleted is let go without taking the journal of its successor along."""
    connection = taken(path)
    number(connection)
    give_back(path, connection)
    for each in list(path.parent.iterdir()):
        each.unlink()
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("CREATE TABLE numbers (number)")
        writer.execute("INSERT INTO numbers VALUES (3)")
        again = taken(path)
        assert number(again) == 3
        assert path.with_name(f"{path.name}-wal").stat().st_size > 0
        again.close()


def test_a_file_that_is_gone_is_not_read(path: Path) -> None:
    """Neither what waits nor a new connection answers for a file that is not there, and none is made."""
    connection = taken(path)
    give_back(path, connection)
    path.unlink()
    assert reading(path, 1.0) is None
    assert not path.exists()


def test_few_wait(tmp_path: Path) -> None:
    """A process that asks many stores in turn does not hold all of their files open."""
    before = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for name in range(40):
        made = tmp_path / f"{name}.sqlite"
        write(made, name)
        connection = taken(made)
        number(connection)
        give_back(made, connection)
    assert len(state_connections._waiting) <= state_connections._MOST
    if before:
        assert len(os.listdir("/proc/self/fd")) <= before + 5 * state_connections._MOST
    for name in range(40):
        forget(tmp_path / f"{name}.sqlite")
    assert all(each.path.parent != tmp_path for each in state_connections._waiting)
