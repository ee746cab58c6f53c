"""The file of the state cache: its tables, what a row of each holds, and transactions on it."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from memgit.records.conversation import saying, session_path
from memgit.records.op import ArtifactPayload, ClaimPayload, Scope
from memgit.records.state import Entity, Projection, Relation, Source
from memgit.scope.aliases import Aliases

SCHEMA = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE entities (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, workspace TEXT NOT NULL, project TEXT NOT NULL, task TEXT,
  status TEXT NOT NULL, seq INTEGER NOT NULL, path TEXT, title TEXT NOT NULL, source TEXT, item TEXT, body BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX entities_by_item ON entities (source, item) WHERE source IS NOT NULL;
CREATE INDEX entities_by_place ON entities (workspace, project, kind, seq);
CREATE INDEX entities_by_path ON entities (path) WHERE path IS NOT NULL;
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

_encode = msgspec.msgpack.encode


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


def entity_row(entity: Entity, aliases: Aliases) -> tuple[object, ...]:
    """Return the row of a claim or an artifact, under what its workspace and project mean."""
    lineage = entity.lineage
    scope = aliases.canonical(lineage.scope)
    title, path = _title_and_path(entity, scope)
    source, item = _external(entity)
    return (
        lineage.id,
        lineage.kind,
        scope.workspace,
        scope.project,
        scope.task,
        entity.status,
        lineage.updated_seq,
        path,
        title,
        source,
        item,
        _encode(entity),
    )


def _title_and_path(entity: Entity, scope: Scope) -> tuple[str, str | None]:
    """Return what a list shows of an entity, and the path that an artifact's provenance or a claim's session gives."""
    payload = entity.current.payload
    if isinstance(payload, ClaimPayload):
        said = saying(payload.markers)
        path = session_path(scope, said.session, said.turns) if said is not None and said.turns is not None else None
        return payload.statement or (payload.value.data if payload.value else ""), path
    return payload.title, _provenance_path(payload)


def _external(entity: Entity) -> tuple[str | None, str | None]:
    """Return the source that an artifact came from, and what it is called there."""
    for revision in reversed(entity.lineage.revisions):  # a revision that a person made names none
        payload = revision.payload
        if isinstance(payload, ArtifactPayload) and payload.external is not None:
            return payload.external.source, payload.external.item
    return None, None


def _provenance_path(payload: ArtifactPayload) -> str | None:
    if payload.provenance is None:
        return None
    try:
        provenance = msgspec.json.decode(payload.provenance)
    except (msgspec.DecodeError, RecursionError):
        return None
    path = provenance.get("path") if isinstance(provenance, dict) else None
    return path if isinstance(path, str) else None


def relation_row(relation: Relation) -> tuple[object, ...]:
    """Return the row of a relation."""
    return (relation.id, relation.payload.source, relation.payload.target, _encode(relation))


def source_row(source: Source) -> tuple[object, ...]:
    """Return the row of a source."""
    return (source.id, source.seq, _encode(source))


def projection_row(projection: Projection) -> tuple[object, ...]:
    """Return the row of a projection."""
    return (projection.id, projection.payload.artifact, projection.seq, _encode(projection))


def is_unwritable(error: sqlite3.DatabaseError) -> bool:
    """Tell whether the file is sound and only cannot be written now, or at all."""
    text = str(error)
    return any(word in text for word in ("locked", "readonly", "full", "unable to open", "disk I/O"))
