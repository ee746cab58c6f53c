"""What a row of each table of the state cache holds, and by which columns it is found."""

from __future__ import annotations

import sqlite3

import msgspec

from memgit.index.state_rows import sealed, unsealed
from memgit.records.conversation import saying, session_path
from memgit.records.op import ArtifactPayload, ClaimPayload, Scope
from memgit.records.state import Entity, Projection, Relation, Source
from memgit.scope.aliases import Aliases


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
        sealed(lineage.id, entity),
    )


def _title_and_path(entity: Entity, scope: Scope) -> tuple[str, str | None]:
    """Return what a list shows of an entity, and the path that an artifact's provenance or a claim's session gives."""
    payload = entity.current.payload
    if isinstance(payload, ClaimPayload):
        said = saying(payload.markers)
        path = session_path(scope, said.session, said.turns) if said is not None and said.turns is not None else None
        return title_of(entity), path
    return title_of(entity), _provenance_path(payload)


def title_of(entity: Entity) -> str:
    """Return what a list shows of an entity."""
    payload = entity.current.payload
    if isinstance(payload, ClaimPayload):
        return payload.statement or (payload.value.data if payload.value else "")
    return payload.title


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
    return (relation.id, relation.payload.source, relation.payload.target, sealed(relation.id, relation))


def source_row(source: Source) -> tuple[object, ...]:
    """Return the row of a source."""
    return (source.id, source.seq, sealed(source.id, source))


def projection_row(projection: Projection) -> tuple[object, ...]:
    """Return the row of a projection."""
    return (projection.id, projection.payload.artifact, projection.seq, sealed(projection.id, projection))


def faults_of(connection: sqlite3.Connection, aliases: Aliases) -> list[str]:
    """Return what SQLite finds wrong with the file, and the entities that are filed under what is not theirs."""
    try:
        found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
    except sqlite3.DatabaseError as error:
        return [str(error)]
    if found:
        return found
    for row in connection.execute("SELECT * FROM entities ORDER BY id"):
        (body,) = unsealed([(row[0], row[-1])])
        if entity_row(msgspec.msgpack.decode(body, type=Entity), aliases)[:-1] != row[:-1]:
            found.append(f"{row[0]} is filed under what is not its own")
    return found
