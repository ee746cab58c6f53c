"""The semantic difference of two folded states: what is new, revised, ended, related, in dispute, ignored.

Pure. The states may be those of a whole store or of a closed part (`memgit.review.parts`); of a part, what is outside
it is equal by construction. The difference is empty exactly where the two states are equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec

from memgit.records.ids import ArtifactId, BlobDigest, CaseId, ClaimId, EntityId, OpDigest, RelationId, RevisionId
from memgit.records.op import (
    OWN_NOTE,
    AcknowledgePayload,
    Actor,
    ArtifactPayload,
    ClaimPayload,
    Op,
    ReasonPayload,
    SourcePayload,
)
from memgit.records.paths import parse_op_path
from memgit.records.state import Case, Entity, OpNote, Problem, Projection, Relation, Revision, Source, State
from memgit.retrieval.citations import ArtifactCitation, ClaimCitation
from memgit.review.changes import (
    CaseChange,
    CaseSide,
    CaseVerb,
    Diff,
    EntityChange,
    EntityVerb,
    OpRef,
    RelationChange,
    SmallChange,
    SmallVerb,
)
from memgit.review.fields import changed_fields, citation, text_of
from memgit.review.words import NEW_LINES, SHOWN_LINES, WHOLE, TextChange, text_change

K = TypeVar("K", bound=str)
Small = Relation | Source | Projection

ReadBlob = Callable[[BlobDigest], bytes | None]

COUNTED = ("claims", "artifacts", "relations", "sources", "projections", "conflicts")
"""The sections whose changes are counted by what became of them."""


def semantic_diff(
    before: State, after: State, brought: Iterable[Op] = (), read_blob: ReadBlob | None = None, *, full: bool = False
) -> Diff:
    """Return what `after` has that `before` has not, and the other way round.

    `brought` are the operations that came: they give authors and reasons, which a folded state does not hold for every
    verb. `read_blob` gives the bytes of artifacts, whose difference is shown with it; of a document that is new the
    first lines are, and with `full` all.
    """
    ops = {op.digest: op for op in brought}
    look = _Look(before, after, ops, read_blob, full)
    changes = [look.entity(name) for name in _differing(before.entities, after.entities)]
    changes.sort(key=lambda change: (_WEIGHT[change.change], change.at, change.id))
    relations = [look.relation(name) for name in _differing(before.relations, after.relations)]
    relations.sort(key=lambda change: (change.at, change.id))
    was, now = set(before.problems), set(after.problems)
    found = Diff(
        claims=tuple(change for change in changes if change.kind == "claim"),
        artifacts=tuple(change for change in changes if change.kind != "claim"),
        relations=tuple(relations),
        sources=tuple(look.small(name) for name in _differing(before.sources, after.sources)),
        projections=tuple(look.small(name) for name in _differing(before.projections, after.projections)),
        conflicts=tuple(look.case(name) for name in _differing(before.cases, after.cases)),
        ignored=tuple(problem for problem in after.problems if problem not in was),
        heeded=tuple(problem for problem in before.problems if problem not in now),
        purged=tuple(look.unaccounted()),
        authors=dict(Counter(author_of(op.actor) for op in ops.values()).most_common()),
    )
    return counted(found, operations=len(ops))


def counted(diff: Diff, **more: int) -> Diff:
    """Return the difference with its counts: `claims.new`, `conflicts.opened`, …, and whatever else is given."""
    tally: Counter[str] = Counter()
    for section in COUNTED:
        tally.update(f"{section}.{change.change}" for change in getattr(diff, section))
    for section in ("stores", "purges", "ignored", "purged"):
        if getattr(diff, section):
            tally[section] = len(getattr(diff, section))
    return msgspec.structs.replace(diff, counts={**diff.counts, **tally, **more})


def author_of(actor: Actor) -> str:
    """Return an actor as people read it."""
    agent = f" ({actor.agent})" if actor.agent else ""
    return f"{actor.name} <{actor.email}>{agent}"


_WEIGHT: dict[EntityVerb, int] = {
    "new": 0,
    "revised": 1,
    "superseded": 2,
    "withdrawn": 3,
    "retracted": 3,
    "forgotten": 3,
    "undone": 4,
    "restored": 5,
    "gone": 6,
    "disputed": 7,
    "settled": 8,
    "noted": 9,
}
_ENDED: dict[str, EntityVerb] = {
    "retracted": "retracted",
    "forgotten": "forgotten",
    "superseded": "superseded",
    "withdrawn": "withdrawn",
    "void": "undone",
    "active": "restored",
}


class _Look:
    """Two states side by side."""

    def __init__(
        self, before: State, after: State, ops: Mapping[OpDigest, Op], read_blob: ReadBlob | None, full: bool
    ) -> None:
        self._before = before
        self._after = after
        self._ops = ops
        self._read_blob = read_blob
        self._full = full
        self._seen: set[OpDigest] = set()

    def entity(self, name: EntityId) -> EntityChange:
        """Return how an entity that differs does so."""
        was, now = self._before.entities.get(name), self._after.entities.get(name)
        shown = now or was
        assert shown is not None
        current, lineage = shown.current, shown.lineage
        ops = self._refs(was.lineage.ops if was else (), now.lineage.ops if now else ())
        old = was.current if was is not None else None
        ended = lineage.tombstone
        last = ended if ended is not None and (was is None or shown.status != was.status) else current
        return EntityChange(
            id=name,
            kind=lineage.kind,
            change=_entity_verb(was, now),
            text=text_of(current.payload),
            about=current.payload.claim_type if isinstance(current.payload, ClaimPayload) else current.payload.kind,
            project=lineage.scope.project,
            task=lineage.scope.task,
            statuses=(was.status if was else None, now.status if now else None),
            revisions=(old.id if old else None, now.current.id if now else None),
            number=current.number,
            citation=_citation(shown, current),
            heads=lineage.heads if len(lineage.heads) > 1 else (),
            disputed=shown.disputed,
            author=author_of(last.actor),
            agent=last.actor.agent,
            at=last.at,
            reason=ended.reason if ended is not None else _reason(ops),
            superseded_by=shown.superseded_by,
            evidence=_evidence(current),
            fields=changed_fields(old.payload, current.payload) if old is not None and old.id != current.id else (),
            content=self._content(old, now.current if now else None),
            ops=ops,
        )

    def relation(self, name: RelationId) -> RelationChange:
        """Return how a relation that differs does so."""
        was, now = self._before.relations.get(name), self._after.relations.get(name)
        shown = now or was
        assert shown is not None
        payload = shown.payload
        return RelationChange(
            id=name,
            change=_small_verb(was, now),
            source=payload.source,
            relation=payload.relation,
            target=payload.target,
            source_text=self._text(payload.source),
            target_text=self._text(payload.target),
            author=author_of(shown.actor),
            at=shown.at,
            ops=self._refs(was.ops if was else (), now.ops if now else ()),
        )

    def small(self, name: EntityId) -> SmallChange:
        """Return how a source or a projection that differs does so."""
        was, now = (state.sources.get(name) or state.projections.get(name) for state in (self._before, self._after))
        shown = now or was
        assert shown is not None
        payload = shown.payload
        return SmallChange(
            id=name,
            kind="source" if isinstance(payload, SourcePayload) else "projection",
            change=_small_verb(was, now),
            about=payload.kind if isinstance(payload, SourcePayload) else payload.projection,
            text=payload.name if isinstance(payload, SourcePayload) else payload.text,
            of=None if isinstance(payload, SourcePayload) else payload.artifact,
            author=author_of(shown.actor),
            at=shown.at,
            ops=self._refs(was.ops if was else (), now.ops if now else ()),
        )

    def case(self, name: CaseId) -> CaseChange:
        """Return how a conflict case that differs does so."""
        was, now = self._before.cases.get(name), self._after.cases.get(name)
        shown = now or was
        assert shown is not None
        return CaseChange(
            id=name,
            kind=shown.kind,
            change=_case_verb(was, now),
            statuses=(was.status if was else None, now.status if now else None),
            sides=tuple(self._sides(shown)),
            relation=shown.relation,
        )

    def unaccounted(self) -> Iterable[OpRef]:
        """Yield the operations that came and count for nothing although nobody ignores them: a purge keeps them out."""
        known = {digest for problem in self._after.problems if (digest := _digest(problem))}
        for entities in (self._after.entities.values(), self._before.entities.values()):
            known.update(note.digest for entity in entities for note in entity.lineage.ops)
        for state in (self._after, self._before):
            smalls: list[Small] = [*state.relations.values(), *state.sources.values(), *state.projections.values()]
            known.update(note.digest for small in smalls for note in small.ops)
        return [_ref(op) for op in sorted(self._ops.values(), key=lambda op: op.order) if op.digest not in known]

    def _refs(self, was: Sequence[OpNote], now: Sequence[OpNote]) -> tuple[OpRef, ...]:
        """Return the operations that are new, and those that an undo made void or effective."""
        before = {note.digest: note.void for note in was}
        changed = [note for note in now if before.get(note.digest) != note.void]
        return tuple(self._ref_of(note) for note in changed)

    def _ref_of(self, note: OpNote) -> OpRef:
        op = self._ops.get(note.digest)
        if op is not None:
            return _ref(op, void=note.void)
        return OpRef(digest=note.digest, seq=note.seq, verb=note.verb, at=note.at, void=note.void)

    def _sides(self, case: Case) -> Iterable[CaseSide]:
        for name in case.entities:
            entity = self._after.entities.get(name) or self._before.entities.get(name)
            for revision in entity.lineage.revisions if entity is not None else ():
                if revision.id in case.revisions:
                    yield CaseSide(
                        entity=name,
                        revision=revision.id,
                        text=text_of(revision.payload),
                        author=author_of(revision.actor),
                        at=revision.at,
                        arrives=not self._was_there(name, revision.id),
                    )

    def _was_there(self, name: EntityId, revision: RevisionId) -> bool:
        entity = self._before.entities.get(name)
        return entity is not None and any(one.id == revision for one in entity.lineage.revisions)

    def _text(self, name: EntityId) -> str | None:
        entity = self._after.entities.get(name) or self._before.entities.get(name)
        return text_of(entity.current.payload) if entity is not None else None

    def _content(self, old: Revision | None, new: Revision | None) -> TextChange | None:
        """Return how an artifact's bytes differ; nothing for a note that repeats its claim's own text."""
        if self._read_blob is None or new is None or not isinstance(new.payload, ArtifactPayload):
            return None
        if new.payload.provenance == OWN_NOTE or (old is not None and old.blob == new.blob):
            return None
        blobs = [revision.blob if revision is not None else None for revision in (old, new)]
        data = [self._read_blob(blob) if blob is not None else None for blob in blobs]
        if any(blob is not None and found is None for blob, found in zip(blobs, data, strict=True)):
            return TextChange(added=0, removed=0, note="the bytes are not here")
        most = WHOLE if self._full else NEW_LINES if data[0] is None else SHOWN_LINES
        return text_change(data[0], data[1], most)


def _differing(before: Mapping[K, object], after: Mapping[K, object]) -> list[K]:
    return [name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name)]


def _entity_verb(was: Entity | None, now: Entity | None) -> EntityVerb:
    if was is None or now is None:
        return "new" if was is None else "gone"
    if was.status != now.status:
        return _ENDED[now.status]
    if was.current.id == now.current.id and len(now.lineage.heads) > len(was.lineage.heads):
        return "disputed"  # what is shown stays; another wrote beside it
    if was.current.id != now.current.id or was.lineage.heads != now.lineage.heads:
        return "revised"
    if was.disputed != now.disputed:
        return "disputed" if now.disputed else "settled"
    return "noted"


def _small_verb(was: Small | None, now: Small | None) -> SmallVerb:
    if was is None or now is None:
        return "new" if was is None else "gone"
    if was.void != now.void:
        return "undone" if now.void else "restored"
    before, after = (isinstance(value, Projection) and value.dropped for value in (was, now))
    if before != after:
        return "dropped" if after else "restored"
    return "noted"


def _case_verb(was: Case | None, now: Case | None) -> CaseVerb:
    if now is None:
        return "gone"
    if was is None:
        return "opened" if now.status == "open" else "passed"
    if was.status == now.status:
        return "noted"
    verbs: dict[str, CaseVerb] = {"open": "reopened", "stale": "staled", "resolved": "resolved"}
    return verbs[now.status]


def _citation(entity: Entity, revision: Revision) -> str:
    name = entity.lineage.id
    if entity.lineage.kind == "claim":
        return str(ClaimCitation(ClaimId(name), revision.id))
    return str(ArtifactCitation(ArtifactId(name), revision.id))


def _evidence(revision: Revision) -> tuple[str, ...]:
    payload = revision.payload
    return tuple(map(citation, payload.evidence)) if isinstance(payload, ClaimPayload) else ()


def _ref(op: Op, *, void: bool = False) -> OpRef:
    reason = op.payload.reason if isinstance(op.payload, ReasonPayload | AcknowledgePayload) else None
    return OpRef(
        digest=op.digest,
        seq=op.seq,
        verb=op.verb,
        at=op.at,
        author=author_of(op.actor),
        agent=op.actor.agent,
        reason=reason,
        void=void,
    )


def _reason(ops: Collection[OpRef]) -> str | None:
    """Return the reason of the last operation that gives one."""
    return next((op.reason for op in reversed(list(ops)) if op.reason), None)


def _digest(problem: Problem) -> OpDigest | None:
    path = parse_op_path(problem.path)
    return path.digest if path is not None else None
