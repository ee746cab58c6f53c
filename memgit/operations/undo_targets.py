"""What an `undo` is asked to undo: from what a person can copy to operations of entities.

An operation's digest, a revision and a commit name what never changes, so they are looked up before the write; which
operation of an entity was the last effective one is asked under the lock.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from memgit.errors import InvalidRequest, NotFound
from memgit.index.state_cache import StateCache
from memgit.operations.undo_places import History, Places
from memgit.records import ids
from memgit.records.ids import EntityId, OpDigest, RelationId
from memgit.records.paths import OpPath
from memgit.records.state import OpNote
from memgit.retrieval.citations import ArtifactCitation, parse_citation
from memgit.store.commits import brought, commits
from memgit.store.objects import ObjectId
from memgit.store.snapshot import Snapshot
from memgit.store.transaction import actor_line

T = TypeVar("T")

LAST = "@last"

_HEX = re.compile(r"[0-9a-f]{4,64}")
_REVISION = re.compile(r"[ca]rev_[0-9a-hjkmnp-tv-z]{4,26}")
_ENDS = 5  # ids that are named where several end alike
_DEPTH = 2_000  # commits; what somebody wrote last is not far back


@dataclass(frozen=True, slots=True)
class Target:
    """Operations of one entity: those of the digests, or the last effective one where there are none.

    `whole` names a commit: what is void in it already is passed over. `layer` holds the operations, None where that is
    not known: then the entity's place decides.
    """

    entity: EntityId
    digests: tuple[OpDigest, ...] = ()
    whole: bool = False
    layer: str | None = None


def find_targets(places: Places, named: str) -> list[Target]:
    """Return what one target means. Raises NotFound, InvalidRequest where it means several things or none."""
    wanted = named.strip()
    if ids.is_entity_id(wanted):
        return [Target(wanted, layer=_layer_of_last(places, wanted))]
    if wanted == LAST:
        history, commit = _last_commit(places)
        return _of_commit(history, commit, f"{LAST}: your last write")
    if wanted.startswith("memoree://"):
        citation = parse_citation(wanted)
        entity = citation.artifact if isinstance(citation, ArtifactCitation) else citation.claim
        return [_of_revision(places, citation.revision, entity)]
    if _REVISION.fullmatch(wanted):
        return [_of_revision(places, wanted)]
    if _HEX.fullmatch(wanted):
        return _of_digest(places, wanted)
    if wanted.startswith("case_"):
        raise InvalidRequest(
            f"{wanted[:60]} is a conflict case, which is derived from operations",
            hint="`git memory conflict show CASE` names its relation and revisions; undo one of these.",
        )
    raise InvalidRequest(
        f"{wanted[:80]!r} names nothing that can be undone",
        hint="Give an id, a revision, the beginning of a digest or of a commit, or @last; see `git memory log`.",
        details={"field": "targets"},
    )


def _layer_of_last(places: Places, entity: EntityId) -> str | None:
    """Return the layer of an entity's last operation that is in force, as far as the layers in sight know it."""
    state = next(places.states())
    live = [note for note in _notes(state, entity) if not note.void]
    return state.layer_of(max(live, key=lambda note: (note.seq, note.digest)).digest) if live else None


def _of_revision(places: Places, prefix: str, entity: EntityId | None = None) -> Target:
    """Return the operation that made the one revision that begins so."""
    for state in places.states():
        found = {}
        for name in [entity] if entity is not None else state.mentions(prefix):
            known = state.entity(name)
            for revision in known.lineage.revisions if known is not None else ():
                if revision.id.startswith(prefix):
                    found[revision.id] = Target(name, (revision.digest,), layer=state.layer_of(revision.digest))
        if found:
            return _only(found, prefix, "revision")
    return _only({}, prefix, "revision")


def _of_digest(places: Places, prefix: str) -> list[Target]:
    """Return the one operation, or the operations of the one commit, that begins so."""
    operations: dict[OpDigest, Target] = {}
    for state in places.states():
        operations |= {
            note.digest: Target(name, (note.digest,), layer=state.layer_of(note.digest))
            for name in state.mentions(prefix)
            for note in _notes(state, name)
            if note.digest.startswith(prefix)
        }
        if operations:
            break
    written = {
        seen.oid: history
        for history in places.histories
        for seen in commits(history.graph, [history.tip])
        if seen.oid.startswith(prefix)
    }
    if operations and written:
        raise InvalidRequest(f"{prefix} begins an operation and a commit", hint="Give more of it.")
    if written:
        commit = _only({oid: oid for oid in written}, prefix, "commit")
        return _of_commit(written[commit], commit, f"commit {commit[:12]}")
    entity = _that_ends_with(places, prefix) if not operations else None
    if entity is not None:
        return [Target(entity, layer=_layer_of_last(places, entity))]
    return [_only(operations, prefix, "operation or commit")]


def _that_ends_with(places: Places, suffix: str) -> EntityId | None:
    """Return the entity whose id ends so: all characters of an id's end may be those of a digest, too."""
    for state in places.states():
        found = state.ids_with_suffix(suffix, _ENDS)
        if len(found) > 1:
            raise InvalidRequest(f"{suffix} ends several ids: {', '.join(found)}", hint="Give more of the id.")
        if found:
            return found[0]
    return None


def _of_commit(history: History, commit: ObjectId, what: str) -> list[Target]:
    """Return the operations that a commit brought, by entity."""
    by_entity: dict[EntityId, list[OpPath]] = {}
    for path in brought(Snapshot(history.store.database, commit)):
        by_entity.setdefault(path.entity, []).append(path)
    if not by_entity:
        raise InvalidRequest(f"{what} brought no operations", hint="`git memory log` shows which commits did.")
    ordered = {name: sorted(paths, key=lambda path: (path.seq, path.digest)) for name, paths in by_entity.items()}
    return [
        Target(entity, tuple(path.digest for path in paths), True, history.layer) for entity, paths in ordered.items()
    ]


def _last_commit(places: Places) -> tuple[History, ObjectId]:
    """Return the last commit that this clone wrote for who acts now, in whichever layer, and that layer's history.

    The log knows what this clone wrote. Where it has been restarted since, the newest commit by the same author is as
    near as the history gets; that author may have written it in another clone. One sequence serves all layers.
    """
    found = [(history, last) for history in places.histories if (last := _last_of(history)) is not None]
    if not found:
        raise NotFound("you wrote nothing here yet", hint="`git memory log` shows who wrote what; name a commit.")
    history, last = max(found, key=lambda one: (one[1].seq, one[1].commit.seconds))
    return history, last.commit_id


def _last_of(history: History) -> Snapshot | None:
    """Return the last commit of one layer that this clone wrote for who acts now."""
    line = actor_line(history.store.author().actor)
    for oid in _own_commits(history):
        found = Snapshot(history.store.database, oid)
        if line in found.commit.message.split("\n") and next(brought(found), None) is not None:
            return found
    return None


def _own_commits(history: History) -> Iterator[ObjectId]:
    """Yield the commits that the log remembers with their objects, newest first, then those of the history."""
    found = [seen.oid for seen, _ in zip(commits(history.graph, [history.tip]), range(_DEPTH), strict=False)]
    known = set(found)
    entries = history.store.database.log.entries()
    logged = [entry.new for entry in entries if any(item[0] == entry.new for item in entry.objects)]
    yield from (oid for oid in reversed(logged) if oid in known)
    yield from found


def _notes(state: StateCache, name: EntityId) -> tuple[OpNote, ...]:
    if name.startswith("rel_"):
        relation = state.relation(RelationId(name))
        return relation.ops if relation is not None else ()
    entity = state.entity(name)
    return entity.lineage.ops if entity is not None else ()


def _only(found: Mapping[Any, T], prefix: str, what: str) -> T:
    if len(found) > 1:
        shown = ", ".join(name[:16] for name in sorted(found)[:5])
        raise InvalidRequest(f"{prefix} begins several: {shown}", hint="Give more of it.")
    if not found:
        raise NotFound(f"no {what} begins with {prefix[:80]}", details={"id": prefix[:80]})
    return next(iter(found.values()))
