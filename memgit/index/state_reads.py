"""The questions that the state cache answers: each is one look at its tables.

It knows neither where the file is nor how it is brought to a commit, and mends nothing: a cache hands in the rows
(`memgit.index.state_cache`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TypeVar

import msgspec

from memgit.index.state_columns import title_of
from memgit.index.state_file import ANCHORED, Watermark
from memgit.records.codec import StoreRecord
from memgit.records.conversation import session_range
from memgit.records.ids import CaseId, EntityId, OpDigest, RelationId
from memgit.records.op import Scope
from memgit.records.state import Case, Entity, Problem, Projection, Relation, Source
from memgit.scope.aliases import Aliases
from memgit.store.private import SHARED

_HOLDS_MORE = (
    "SELECT EXISTS (SELECT 1 FROM entities WHERE workspace < ?1 UNION ALL SELECT 1 FROM entities WHERE workspace > ?1 "
    "UNION ALL SELECT 1 FROM entities WHERE workspace = ?1 AND project < ?2 "
    "UNION ALL SELECT 1 FROM entities WHERE workspace = ?1 AND project > ?2 "
    "UNION ALL SELECT 1 FROM entities WHERE task IS NOT NULL AND task IS NOT ?3)"
)  # each is one step down an index

T = TypeVar("T")


class StateReads(ABC):
    """What can be asked of a state. `watermark` is the commit that it was folded from, None where there is none yet.

    `layers` are the private ones that it unites with the shared one.
    """

    layers: tuple[str, ...]
    watermark: Watermark | None
    _aliases: tuple[Watermark | None, Aliases] | None = None

    @abstractmethod
    def _query(self, sql: str, values: tuple[object, ...]) -> list[tuple]:  # type: ignore[type-arg]
        """Return the rows that a statement finds."""

    @abstractmethod
    def _bodies(self, sql: str, values: tuple[object, ...]) -> list[memoryview]:
        """Return what the (key, row) pairs hold that a statement finds, each as it was written."""

    def entity(self, entity_id: EntityId) -> Entity | None:
        """Return a claim or an artifact by its id."""
        return self._one("SELECT id, body FROM entities WHERE id = ?", (entity_id,), Entity)

    def entities(self) -> Iterator[Entity]:
        """Yield all claims and artifacts, in the order of their ids."""
        for body in self._bodies("SELECT id, body FROM entities ORDER BY id", ()):
            yield msgspec.msgpack.decode(body, type=Entity)

    def ids_with_prefix(self, prefix: str, limit: int) -> list[EntityId]:
        """Return ids of claims, artifacts and relations that start with `prefix`, sorted, at most `limit`."""
        end = prefix + "\U0010ffff"
        rows = self._query(
            "SELECT id FROM (SELECT id FROM entities WHERE id >= ? AND id < ? "
            "UNION ALL SELECT id FROM relations WHERE id >= ? AND id < ?) ORDER BY id LIMIT ?",
            (prefix, end, prefix, end, limit),
        )
        return [row[0] for row in rows]

    def ids_with_suffix(self, suffix: str, limit: int) -> list[EntityId]:
        """Return ids of claims, artifacts and relations that end with `suffix`, sorted, at most `limit`. A scan."""
        rows = self._query(
            "SELECT id FROM (SELECT id FROM entities UNION ALL SELECT id FROM relations) "
            "WHERE substr(id, -?) = ? ORDER BY id LIMIT ?",
            (len(suffix), suffix, limit),
        )
        return [row[0] for row in rows]

    def mentions(self, name: str) -> list[EntityId]:
        """Return the claims, artifacts and relations whose state names an id or a digest, or a part of one. A scan."""
        rows = self._query(
            "SELECT id FROM entities WHERE instr(body, ?1) UNION ALL SELECT id FROM relations WHERE instr(body, ?1)",
            (name.encode(),),
        )
        return [row[0] for row in rows]

    def holds_anchors(self) -> bool:
        """Tell whether a claim or an artifact may be tied to code, in any of its revisions."""
        return bool(self._query(f"SELECT EXISTS (SELECT 1 FROM entities WHERE {ANCHORED})", ())[0][0])  # noqa: S608

    def anchored(self) -> Iterator[Entity]:
        """Yield the claims and artifacts that may be tied to code, in any of their revisions."""
        for body in self._bodies(f"SELECT id, body FROM entities WHERE {ANCHORED} ORDER BY id", ()):  # noqa: S608
            yield msgspec.msgpack.decode(body, type=Entity)

    def relation(self, relation_id: RelationId) -> Relation | None:
        """Return a relation by its id."""
        return self._one("SELECT id, body FROM relations WHERE id = ?", (relation_id,), Relation)

    def relations_at(self, entity_id: EntityId) -> list[Relation]:
        """Return the relations that have the entity as an end."""
        rows = self._bodies("SELECT id, body FROM relations WHERE source = ? OR target = ?", (entity_id, entity_id))
        return [msgspec.msgpack.decode(body, type=Relation) for body in rows]

    def case(self, case_id: CaseId) -> Case | None:
        """Return a conflict case by its id."""
        return self._one("SELECT id, body FROM cases WHERE id = ?", (case_id,), Case)

    def cases(self, *, open_only: bool) -> list[Case]:
        """Return the conflict cases, in the order of their ids."""
        where = "WHERE status = 'open'" if open_only else ""
        rows = self._bodies(f"SELECT id, body FROM cases {where} ORDER BY id", ())  # noqa: S608 - two constants
        return [msgspec.msgpack.decode(body, type=Case) for body in rows]

    def artifact_by_path(self, scope: Scope, path: str) -> EntityId | None:
        """Return the live artifact of a scope whose provenance names this path; the newest, if there are several."""
        scope = self.aliases.canonical(scope)
        rows = self._query(
            "SELECT id FROM entities WHERE path = ? AND kind = 'artifact' AND status = 'active' AND workspace = ? "
            "AND project = ? AND task IS ? ORDER BY seq DESC LIMIT 1",
            (path, scope.workspace, scope.project, scope.task),
        )
        return rows[0][0] if rows else None

    def artifact_paths(self, scope: Scope) -> dict[str, EntityId]:
        """Return the live artifacts of a scope by the path that their provenance names."""
        scope = self.aliases.canonical(scope)
        rows = self._query(
            "SELECT path, id FROM entities WHERE path IS NOT NULL AND kind = 'artifact' AND status = 'active' "
            "AND workspace = ? AND project = ? AND task IS ? ORDER BY seq",
            (scope.workspace, scope.project, scope.task),
        )
        return dict(rows)

    def forgotten_paths(self, scope: Scope) -> set[str]:
        """Return the paths that the provenance of forgotten artifacts of a scope names."""
        scope = self.aliases.canonical(scope)
        rows = self._query(
            "SELECT path FROM entities WHERE path IS NOT NULL AND kind = 'artifact' AND status = 'forgotten' "
            "AND workspace = ? AND project = ? AND task IS ?",
            (scope.workspace, scope.project, scope.task),
        )
        return {row[0] for row in rows}

    def source(self, source_id: EntityId) -> Source | None:
        """Return a source by its id."""
        return self._one("SELECT id, body FROM sources WHERE id = ?", (source_id,), Source)

    def sources(self) -> list[Source]:
        """Return all sources, in the order of their registration."""
        rows = self._bodies("SELECT id, body FROM sources ORDER BY seq, id", ())
        return [msgspec.msgpack.decode(body, type=Source) for body in rows]

    def artifacts_by_item(self, source_id: EntityId, item: str) -> list[EntityId]:
        """Return the artifacts that an item of a source is, the latest first: forgotten ones too, not undone ones.

        Of several, each was made by another clone.
        """
        rows = self._query(
            "SELECT id FROM entities WHERE source = ? AND item = ? AND kind = 'artifact' AND status <> 'void' "
            "ORDER BY seq DESC, id DESC",
            (source_id, item),
        )
        return [row[0] for row in rows]

    def item_counts(self, source_id: EntityId) -> dict[str, int]:
        """Return how many artifacts came from a source, by status."""
        rows = self._query("SELECT status, count(*) FROM entities WHERE source = ? GROUP BY status", (source_id,))
        return dict(rows)

    def projection(self, projection_id: EntityId) -> Projection | None:
        """Return a projection by its id, dropped ones too."""
        return self._one("SELECT id, body FROM projections WHERE id = ?", (projection_id,), Projection)

    def projections_of(self, artifact_id: EntityId) -> list[Projection]:
        """Return the projections of an artifact, dropped ones too, in the order of their making."""
        rows = self._bodies("SELECT id, body FROM projections WHERE artifact = ? ORDER BY seq, id", (artifact_id,))
        return [msgspec.msgpack.decode(body, type=Projection) for body in rows]

    def session(self, scope: Scope, session: str, first: int, last: int) -> list[EntityId]:
        """Return the claims of a session of a scope that begin at the turns from `first` to `last`, in their order.

        Whatever their status. Those without a number have no place in the order, and are not among them.
        """
        rows = self._query(
            "SELECT id FROM entities INDEXED BY entities_by_path WHERE path >= ? AND path < ? "
            "AND id GLOB 'clm_*' ORDER BY path, id",
            session_range(self.aliases.canonical(scope), session, first, last),
        )
        return [row[0] for row in rows]

    def latest_claims(self, scope: Scope, limit: int) -> list[tuple[EntityId, str]]:
        """Return (id, statement) of the newest active claims of a project and task, or of no task, newest first."""
        scope = self.aliases.canonical(scope)
        bodies = self._bodies(
            "SELECT id, body FROM entities WHERE workspace = ? AND project = ? AND (task IS NULL OR task IS ?) "
            "AND kind = 'claim' AND status = 'active' ORDER BY seq DESC LIMIT ?",
            (scope.workspace, scope.project, scope.task, limit),
        )
        found = [msgspec.msgpack.decode(body, type=Entity) for body in bodies]
        return [(entity.lineage.id, title_of(entity)) for entity in found]

    def holds_more_than(self, scope: Scope) -> bool:
        """Tell whether there is anything beside a project, in its task or in none; as quick in a large store."""
        scope = self.aliases.canonical(scope)
        return bool(self._query(_HOLDS_MORE, (scope.workspace, scope.project, scope.task))[0][0])

    def counts(self, scope: Scope | None = None) -> dict[tuple[str, str], int]:
        """Return how many entities there are by (kind, status): all, or those of a project and task, or of no task."""
        where, values = "", ()
        if scope is not None:
            scope = self.aliases.canonical(scope)
            where = "WHERE workspace = ? AND project = ? AND (task IS NULL OR task IS ?)"
            values = (scope.workspace, scope.project, scope.task)  # type: ignore[assignment]
        rows = self._query(
            f"SELECT kind, status, count(*) FROM entities {where} GROUP BY kind, status",  # noqa: S608 - two constants
            values,
        )
        return {(kind, status): count for kind, status, count in rows}

    def relation_count(self) -> int:
        """Return how many relations there are."""
        return int(self._query("SELECT count(*) FROM relations", ())[0][0])

    def problems(self) -> list[Problem]:
        """Return the operations that the fold ignored, by path."""
        rows = self._query("SELECT path, reason FROM problems ORDER BY path", ())
        return [Problem(path=path, reason=reason) for path, reason in rows]

    def problems_of(self, entity_id: EntityId) -> list[Problem]:
        """Return the operations of one entity that the fold ignored."""
        rows = self._query("SELECT path, reason FROM problems WHERE entity = ? ORDER BY path", (entity_id,))
        return [Problem(path=path, reason=reason) for path, reason in rows]

    def stores(self) -> list[StoreRecord]:
        """Return who began the store, the canonical record first."""
        rows = self._bodies("SELECT position, body FROM stores ORDER BY position", ())
        return [msgspec.msgpack.decode(body, type=StoreRecord) for body in rows]

    def layer_of(self, digest: OpDigest) -> str:
        """Return the layer whose tree holds an operation."""
        rows = self._query("SELECT layer FROM placed WHERE digest = ?", (digest,)) if self.layers else ()
        return rows[0][0] if rows else SHARED

    def positions(self) -> dict[str, Watermark]:
        """Return where each layer stood that the cache has observed, the shared one first."""
        if self.watermark is None:
            return {}
        if not self.layers:
            return {SHARED: self.watermark}
        rows = self._query("SELECT value FROM meta WHERE key = 'positions'", ())
        return {layer: Watermark(*found) for layer, found in msgspec.json.decode(rows[0][0]).items()} if rows else {}

    def cancels_of(self, entities: Iterable[EntityId]) -> dict[OpDigest, tuple[OpDigest, ...]]:
        """Return what the undos of these entities and relations name, for `records.links.derive`."""
        found: dict[OpDigest, tuple[OpDigest, ...]] = {}
        for entity in entities:
            for body in self._bodies("SELECT undo, body FROM cancels WHERE entity = ?", (entity,)):
                undo, *names = msgspec.msgpack.decode(body, type=tuple[OpDigest, ...])
                found[undo] = tuple(names)
        return found

    @property
    def aliases(self) -> Aliases:
        """What workspaces and projects mean in the store."""
        if self._aliases is None or self._aliases[0] != self.watermark:
            self._aliases = (self.watermark, Aliases.of(self.stores()))
        return self._aliases[1]

    def _one(self, sql: str, values: tuple[object, ...], kind: type[T]) -> T | None:
        rows = self._bodies(sql, values)
        return msgspec.msgpack.decode(rows[0], type=kind) if rows else None
