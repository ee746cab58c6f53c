"""Storing what a refresh computed in the tables of the state cache: one transaction, all of it or nothing."""

from __future__ import annotations

import sqlite3

import msgspec

from memgit.index.meanings import aliases_at
from memgit.index.refold import Refold
from memgit.index.state_columns import entity_row, projection_row, relation_row, source_row
from memgit.index.state_file import SCHEMA_VERSION, Transaction, Watermark, read_watermark
from memgit.index.state_rows import seal_of, sealed
from memgit.scope.aliases import Aliases
from memgit.store.layered_snapshot import LayeredSnapshot
from memgit.store.snapshot import Snapshot

_FOLDED = ("entities", "relations", "cancels", "cases", "case_entities", "problems", "sources", "projections")
"""The tables that a fold fills; the others are written anew, or follow what moved between layers."""


def write(
    connection: sqlite3.Connection, seen: Watermark | None, older: Snapshot | None, changes: Refold, snapshot: Snapshot
) -> bool:
    """Store the changes that lead from `older`, which was observed as `seen`, to a snapshot; from nothing: all of it.

    Returns False, with nothing stored, where another process was faster.
    """
    with Transaction(connection):
        if read_watermark(connection) != seen:
            return False
        if older is None:
            for table in _FOLDED:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - constants
        _store(connection, changes, aliases_at(snapshot))
        if isinstance(snapshot, LayeredSnapshot):
            _place(connection, snapshot, older)
        _describe(connection, snapshot)
    return True


def _store(connection: sqlite3.Connection, changes: Refold, aliases: Aliases) -> None:
    """Replace what was folded again by what came of it."""
    run = connection.executemany
    refolded = [(name,) for name in changes.refolded]
    run("DELETE FROM problems WHERE entity = ?", refolded)
    run("DELETE FROM cancels WHERE entity = ?", refolded)
    run("DELETE FROM relations WHERE id = ?", refolded)
    derived = [(name,) for name in changes.derived]
    run("DELETE FROM cases WHERE id IN (SELECT case_id FROM case_entities WHERE entity = ?)", derived)
    run("DELETE FROM case_entities WHERE entity = ?", derived)
    run("DELETE FROM entities WHERE id = ?", derived)
    run("INSERT INTO problems VALUES (?, ?, ?)", changes.problems)
    run("INSERT INTO cancels VALUES (?, ?, ?)", ((e, u, sealed(u, (u, *c))) for e, u, c in changes.cancels))
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
        ((case.id, case.status, case.sequence, sealed(case.id, case)) for case in changes.cases),
    )
    run(
        "INSERT OR REPLACE INTO case_entities VALUES (?, ?)",
        ((entity, case.id) for case in changes.cases for entity in case.entities),
    )


def _place(connection: sqlite3.Connection, snapshot: LayeredSnapshot, older: Snapshot | None) -> None:
    """Note which layer holds each operation that is not shared."""
    if older is None:
        connection.execute("DELETE FROM placed")
    for digest, layer in snapshot.placements(older):
        if layer is None:
            connection.execute("DELETE FROM placed WHERE digest = ?", (digest,))
        else:
            connection.execute("INSERT OR REPLACE INTO placed VALUES (?, ?)", (digest, layer))


def _describe(connection: sqlite3.Connection, snapshot: Snapshot) -> None:
    """Note who began the store, and that this snapshot has been observed."""
    connection.execute("DELETE FROM stores")
    stores = ((position, sealed(position, record)) for position, record in enumerate(snapshot.stores()))
    connection.executemany("INSERT INTO stores VALUES (?, ?)", stores)
    meta = [("commit", snapshot.commit_id), ("seq", str(snapshot.seq)), ("version", str(SCHEMA_VERSION))]
    if isinstance(snapshot, LayeredSnapshot):
        meta.append(("positions", msgspec.json.encode(snapshot.positions()).decode()))
    meta.append(("seal", seal_of(dict(meta))))
    connection.execute("DELETE FROM meta")
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta)
