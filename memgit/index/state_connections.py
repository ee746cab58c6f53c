"""Connections to state caches that only read, and wait for the next request of this process with what they have read.

A connection that only reads may be closed when another process has put a new file in the place of its own: one that
writes would take the new file's journal along.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_MOST = 8  # that wait; a process of more threads, or one that asks more stores in turn, opens some anew

_Stamp = tuple[int, ...]


class _Waiting(NamedTuple):
    process: int
    path: Path
    stamp: _Stamp
    connection: sqlite3.Connection


_turn = threading.Lock()
_waiting: list[_Waiting] = []


def reading(path: Path, timeout: float) -> sqlite3.Connection | None:
    """Return a connection that reads a file, for the caller alone; None where there is no file that can be read so."""
    stamp = _stamp(path)
    if stamp is None:
        return None
    for each in _taken(path):
        if each.process == os.getpid() and each.stamp == stamp:
            return each.connection
        each.connection.close()
    with suppress(sqlite3.Error):
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro",
            uri=True,
            timeout=timeout,
            isolation_level=None,
            check_same_thread=False,  # one thread at a time has it
        )
    return None


def give_back(path: Path, connection: sqlite3.Connection) -> None:
    """Let a connection wait for the next request. It is in no transaction, and the caller's no more."""
    stamp = _stamp(path)
    if stamp is None:
        connection.close()
        return
    with _turn:
        _waiting.append(_Waiting(os.getpid(), path, stamp, connection))
        surplus = [_waiting.pop(0) for _ in range(len(_waiting) - _MOST)]
    for each in surplus:
        each.connection.close()


def forget(path: Path) -> None:
    """Close what waits for a file that is about to be deleted."""
    for each in _taken(path, everything=True):
        each.connection.close()


def _taken(path: Path, *, everything: bool = False) -> list[_Waiting]:
    """Take the newest connection that waits for a file out of those that wait, or all of them."""
    with _turn:
        found = [each for each in _waiting if each.path == path]
        found = found if everything else found[-1:]
        for each in found:
            _waiting.remove(each)
    return found


def _stamp(path: Path) -> _Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
