"""Hypothesis strategies for stores: three clones that write, sync, purge and now and then break a rule.

A draw is a list of small numbers, read as a program over a `World`; so it shrinks to a short story. Every operation is
encoded for real, so digests are true and trees could be a store's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from memgit.records.codec import PurgeMarker, blob_digest, encode_op, encode_record
from memgit.records.fold import fold
from memgit.records.ids import ArtifactId, BlobDigest, CaseId, EntityId, OpDigest, RevisionId, kind_of
from memgit.records.op import (
    AcknowledgePayload,
    Actor,
    ArtifactPayload,
    CheckpointPayload,
    ClaimPayload,
    Op,
    Payload,
    ProjectionPayload,
    ReasonPayload,
    RelationPayload,
    RelationType,
    Scope,
    SourcePayload,
    Span,
)
from memgit.records.paths import FORMAT_PATH, FORMAT_TEXT, OpPath, blob_path, purge_path

settings.register_profile(
    "records",
    deadline=None,
    max_examples=150,
    derandomize=bool(os.environ.get("CI")),
    database=None,
    # A mutant only has to fail: how small the example could be is of no interest.
    phases=[Phase.explicit, Phase.generate] if os.environ.get("MEMGIT_MUTANT") else list(Phase),
    suppress_health_check=[HealthCheck.too_slow],
)
law = settings(settings.get_profile("records"))
"""The decorator of every property test here."""

SCOPE = Scope("wsp_one", "prj_one")
ELSEWHERE = Scope("wsp_one", "prj_two")
ACTOR = Actor("Ada", "ada@example.org")
CLAIM = ClaimPayload(claim_type="fact", statement="water is wet")
DOCUMENT = ArtifactPayload(kind="note", title="a note", media_type="text/plain", size=1, digest="0" * 64)
BASE32 = "0123456789abcdefghjkmnpqrstvwxyz"
RELATION_TYPES: tuple[RelationType, ...] = ("supersedes", "contradicts", "supersedes", "contradicts", "references")


def ulid(number: int) -> str:
    """Return a ULID; four numbers in a row end alike, so that their files are neighbours."""
    rest = number // 4
    tail = "".join(BASE32[(rest >> (5 * place)) & 31] for place in range(5))
    return f"{number % 4}{'0' * 20}{tail[::-1]}"


def claim_id(number: int) -> EntityId:
    """Return the id of a claim."""
    return f"clm_{ulid(number)}"


def relation_id(number: int) -> EntityId:
    """Return the id of a relation."""
    return f"rel_{ulid(number)}"


def revision_id(number: int, kind: str = "claim") -> RevisionId:
    """Return the id of a revision of a claim or an artifact."""
    return RevisionId(f"{'crev' if kind == 'claim' else 'arev'}_{ulid(number)}")


def time_of(seq: int) -> str:
    """Return a time that grows with the seq."""
    return f"2026-01-01T{seq // 3600 % 24:02d}:{seq // 60 % 60:02d}:{seq % 60:02d}.000000Z"


def make_op(
    seq: int,
    verb: str,
    entity: EntityId,
    payload: Payload | None = None,
    *,
    revision: RevisionId | None = None,
    parents: Iterable[RevisionId] = (),
    cancels: Iterable[OpDigest] = (),
    blob: BlobDigest | None = None,
    scope: Scope = SCOPE,
) -> Op:
    """Return an operation with its true digest."""
    op = Op(
        digest=OpDigest(""),
        verb=verb,
        entity=entity,
        seq=seq,
        at=time_of(seq),
        scope=scope,
        actor=ACTOR,
        revision=revision,
        parents=tuple(parents),
        cancels=tuple(cancels),
        blob=blob,
        payload=payload,
    )
    return encode_op(op)[0]


def asserted(seq: int, number: int, revision: int | None = None) -> Op:
    """Return the assertion of claim `number`, making the revision of that number unless told otherwise."""
    made = revision_id(number if revision is None else revision)
    return make_op(seq, "assert", claim_id(number), CLAIM, revision=made)


def revised(seq: int, number: int, revision: int, *parents: int) -> Op:
    """Return a revision of claim `number`."""
    return make_op(
        seq, "revise", claim_id(number), CLAIM, revision=revision_id(revision), parents=map(revision_id, parents)
    )


def retracted(seq: int, number: int, *heads: int, reason: str | None = None) -> Op:
    """Return the retraction of claim `number`, which saw these heads."""
    return make_op(seq, "retract", claim_id(number), ReasonPayload(reason=reason), parents=map(revision_id, heads))


def undone(seq: int, *targets: Op, entity: EntityId | None = None) -> Op:
    """Return the undo of operations of one entity."""
    digests = [target.digest for target in targets]
    return make_op(seq, "undo", entity or targets[0].entity, ReasonPayload(), cancels=digests)


def acknowledged(seq: int, number: int, case: CaseId) -> Op:
    """Return an acknowledgement by claim `number`."""
    return make_op(seq, "acknowledge", claim_id(number), AcknowledgePayload(case=case))


def related(seq: int, number: int, relation: RelationType, source: EntityId, target: EntityId) -> Op:
    """Return relation `number`."""
    payload = RelationPayload(source=source, target=target, relation=relation)
    return make_op(seq, "put", relation_id(number), payload)


def path_of(op: Op) -> str:
    """Return where the operation's file is."""
    return OpPath(op.entity, op.seq, op.verb, op.digest).path


@dataclass
class Clone:
    """One repository: its operations, and every file of its tree."""

    ops: dict[OpDigest, Op] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=lambda: {FORMAT_PATH: FORMAT_TEXT})
    purged: set[EntityId] = field(default_factory=set)

    def lineage_ids(self) -> list[EntityId]:
        """Return the claims and artifacts that were created here: the first few, so that much happens to each."""
        made = {op.entity for op in self.ops.values() if op.verb in ("assert", "put") and op.kind != "relation"}
        return sorted(made, key=lambda entity: entity[::-1])[:4]

    def ops_of(self, entity: EntityId) -> list[Op]:
        """Return an entity's operations in the fold's order."""
        return sorted((op for op in self.ops.values() if op.entity == entity), key=lambda op: op.order)

    def tips(self, entity: EntityId) -> list[RevisionId]:
        """Return the revisions that no other names as a parent; the last one where all are named."""
        ops = self.ops_of(entity)
        named = {parent for op in ops if op.verb == "revise" for parent in op.parents}
        made = [op.revision for op in ops if op.revision]
        return [revision for revision in made if revision not in named] or made[-1:]


@dataclass
class World:
    """Clones that share a past. `history` has every operation ever made, also those that were purged later."""

    clones: list[Clone] = field(default_factory=lambda: [Clone(), Clone(), Clone()])
    history: list[Op] = field(default_factory=list)
    numbers: int = 0

    @property
    def purged(self) -> set[EntityId]:
        """What any clone purged."""
        return {entity for clone in self.clones for entity in clone.purged}

    def run(self, step: Step) -> None:
        """Do one step of a program; a step that makes no sense where it stands does nothing."""
        clone = self.clones[step.clone]
        ACTIONS[step.action](self, clone, step)

    def write(
        self,
        clone: Clone,
        verb: str,
        entity: EntityId,
        payload: Payload | None,
        seq: int | None = None,
        **fields: object,
    ) -> Op:
        """Append an operation to a clone, above everything in it unless `seq` says otherwise."""
        if seq is None:
            seq = 1 + max((op.seq for op in clone.ops.values()), default=0)
        op, data = encode_op(make_op(seq, verb, entity, payload, **fields))  # type: ignore[arg-type]
        clone.ops[op.digest] = op
        clone.files[path_of(op)] = data
        self.history.append(op)
        return op

    def number(self) -> int:
        """Return a number that was never used."""
        self.numbers += 1
        return self.numbers


@dataclass(frozen=True)
class Step:
    """One line of a program: what, where, and two choices whose meaning depends on what."""

    action: str
    clone: int
    first: int
    second: int


def choose(items: Sequence, choice: int):  # type: ignore[no-untyped-def, type-arg]
    """Return one of the items, or None where there are none."""
    return items[choice % len(items)] if items else None


def _assert(world: World, clone: Clone, step: Step) -> None:
    number = world.number()
    world.write(clone, "assert", claim_id(number), CLAIM, revision=revision_id(number))


def _put(world: World, clone: Clone, step: Step) -> None:
    number = world.number()
    world.write(clone, "put", f"art_{ulid(number)}", DOCUMENT, **_artifact_fields(clone, number, step))


def _artifact_fields(clone: Clone, number: int, step: Step) -> dict[str, object]:
    content = b"content %d" % (step.second % 3)
    digest = blob_digest(content)
    clone.files[blob_path(digest)] = content
    return {"revision": revision_id(number, "artifact"), "blob": digest}


def _revise(world: World, clone: Clone, step: Step) -> None:
    entity = choose(clone.lineage_ids(), step.first)
    if entity is not None:
        every = [op.revision for op in clone.ops_of(entity) if op.revision]
        parents = clone.tips(entity) if step.second < 4 else [choose(every, step.second)]
        _write_revision(world, clone, entity, step, parents)


def _write_revision(
    world: World, clone: Clone, entity: EntityId, step: Step, parents: Sequence[RevisionId], **fields: object
) -> None:
    number = world.number()
    if kind_of(entity) == "artifact":
        made = _artifact_fields(clone, number, step)
        world.write(clone, "revise", entity, DOCUMENT, parents=parents, **{**made, **fields})
    else:
        made = {"revision": revision_id(number)}
        world.write(clone, "revise", entity, CLAIM, parents=parents, **{**made, **fields})


def _end(world: World, clone: Clone, step: Step) -> None:
    entity = choose(clone.lineage_ids(), step.first)
    if entity is not None:
        tips = clone.tips(entity)
        heads = tips if step.second < 5 else tips[:1]
        verb = "forget" if kind_of(entity) == "artifact" else "retract"
        world.write(clone, verb, entity, ReasonPayload(), parents=heads)


def _undo(world: World, clone: Clone, step: Step) -> None:
    newest = max((op for op in clone.ops.values() if op.payload), key=lambda op: op.order, default=None)
    if newest is None:
        return
    entity = (choose(clone.lineage_ids(), step.first) if step.first > 4 else None) or newest.entity
    ops = clone.ops_of(entity)[::-1]
    targets = {choose(ops, step.second // 3).digest, choose(ops, step.second // 2).digest}
    if step.second == 7 or entity.startswith("rel_") or ops[-1].digest not in targets:
        world.write(clone, "undo", entity, ReasonPayload(), cancels=sorted(targets))


def _acknowledge(world: World, clone: Clone, step: Step) -> None:
    cases = [case for case in fold(clone.ops.values()).cases.values() if case.kind == "tombstone"]
    case = choose(cases, step.first)
    if case is not None:
        world.write(clone, "acknowledge", case.entities[0], AcknowledgePayload(case=case.id))


def _relate(world: World, clone: Clone, step: Step) -> None:
    entities = clone.lineage_ids()
    source, target = choose(entities, step.first), choose(entities, step.second)
    if source != target:
        relation = choose(RELATION_TYPES, step.first + 3 * step.second)
        payload = RelationPayload(source=source, target=target, relation=relation)
        world.write(clone, "put", relation_id(world.number()), payload)


def _feed(world: World, clone: Clone, step: Step) -> None:
    """Register a source, say how far it was read, withdraw or bring back a document, derive a text or drop it."""
    documents = [name for name in clone.lineage_ids() if name.startswith("art_")]
    document = choose(documents, step.first)
    sources = sorted({op.entity for op in clone.ops.values() if op.entity.startswith("src_")})
    projections = sorted({op.entity for op in clone.ops.values() if op.entity.startswith("pjn_")})
    source, projection = choose(sources, step.first), choose(projections, step.first)
    if document is not None and step.second < 2:
        world.write(clone, "withdraw", document, ReasonPayload(reason="gone"))
    elif document is not None and step.second == 2:
        revision = next(op.revision for op in clone.ops_of(document) if op.revision)
        payload = ProjectionPayload(
            projection="summary", artifact=ArtifactId(document), revision=revision, spans=(Span(0, 1),), text="short"
        )
        world.write(clone, "put", f"pjn_{ulid(world.number())}", payload)
    elif projection is not None and step.second == 3:
        world.write(clone, "drop", projection, ReasonPayload())
    elif source is not None and step.second < 6:
        world.write(clone, "checkpoint", source, CheckpointPayload(cursor=str(step.first)))
    else:
        world.write(clone, "register", f"src_{ulid(world.number())}", SourcePayload(kind="wiki", name="pages"))


def _sync(world: World, clone: Clone, step: Step) -> None:
    other = world.clones[step.first % 3]
    if other.purged == clone.purged:
        clone.ops.update(other.ops)
        clone.files.update(other.files)


def _purge(world: World, clone: Clone, step: Step) -> None:
    entity = choose(sorted({op.entity for op in clone.ops.values()}), step.first)
    if entity is None or step.second < 4:
        return
    digest, data = encode_record(PurgeMarker(digest="", entities=(entity,), at=time_of(0)))
    clone.files[purge_path(digest)] = data
    clone.purged.add(entity)
    for op in clone.ops_of(entity):
        del clone.ops[op.digest], clone.files[path_of(op)]
    needed = {blob_path(op.blob) for op in clone.ops.values() if op.blob}
    for path in [path for path in clone.files if path.startswith("blobs/") and path not in needed]:
        del clone.files[path]


def _break_a_rule(world: World, clone: Clone, step: Step) -> None:
    entity = choose(clone.lineage_ids(), step.first)
    if entity is None:
        return
    ops = clone.ops_of(entity)
    tips = clone.tips(entity)
    unknown = revision_id(90_000 + world.number(), kind_of(entity))
    if step.second == 0:
        world.write(clone, "annotate", entity, None)
    elif step.second == 1:
        _write_revision(world, clone, entity, step, tips, scope=ELSEWHERE)
    elif step.second == 2:
        _write_revision(world, clone, entity, step, [unknown])
    elif step.second == 3:
        _write_revision(world, clone, entity, step, [*tips, unknown])
    elif step.second == 4:
        made = [op.revision for op in ops if op.revision]
        _write_revision(world, clone, entity, step, made[:1], revision=made[-1])
    elif step.second == 5:
        _write_revision(world, clone, entity, step, tips, seq=1 + step.first)
    elif step.second == 6:
        world.write(clone, "undo", entity, ReasonPayload(), seq=1 + step.first, cancels=[ops[-1].digest])
    else:
        world.write(clone, "watch", f"src_{ulid(world.number())}", None)


ACTIONS: dict[str, Callable[[World, Clone, Step], None]] = {
    "assert": _assert,
    "put": _put,
    "revise": _revise,
    "end": _end,
    "undo": _undo,
    "acknowledge": _acknowledge,
    "relate": _relate,
    "feed": _feed,
    "sync": _sync,
    "purge": _purge,
    "break a rule": _break_a_rule,
}
_HONEST = (
    "assert",
    "put",
    "revise",
    "revise",
    "end",
    "undo",
    "undo",
    "acknowledge",
    "relate",
    "relate",
    "feed",
    "sync",
)


def worlds(extra: Sequence[str] = ("break a rule", "purge"), length: int = 28) -> st.SearchStrategy[World]:
    """Return a strategy of worlds. `extra` are the dishonest or destructive actions that may be among the steps."""
    steps = st.builds(
        Step, st.sampled_from([*_HONEST, *extra]), st.integers(0, 2), st.integers(0, 7), st.integers(0, 7)
    )
    return st.lists(steps, max_size=length).map(_run)


def quarrels(length: int = 24) -> st.SearchStrategy[World]:
    """Return a strategy of worlds with three claims at most, so that everything happens to the same few."""
    actions = ("revise", "end", "undo", "undo", "acknowledge", "relate", "relate", "sync")
    steps = st.builds(Step, st.sampled_from(actions), st.integers(0, 1), st.integers(0, 7), st.integers(0, 7))
    return st.lists(steps, min_size=4, max_size=length).map(lambda program: _run([Step("assert", 0, 0, 0), *program]))


def _run(program: list[Step]) -> World:
    world = World()
    for clone in range(2):  # a common beginning, so that short programs have something to disagree about
        world.run(Step("assert", clone, 0, 0))
    world.run(Step("sync", 0, 1, 0))
    world.run(Step("sync", 1, 0, 0))
    for step in program:
        world.run(step)
    return world


def ops_in(files: Mapping[str, bytes], but_of: Collection[EntityId] = ()) -> list[str]:
    """Return the paths of the operation files of a tree, purged entities' left out."""
    tops = ("claims/", "artifacts/", "relations/", "sources/", "projections/")
    found = [path for path in files if path.startswith(tops)]
    return [path for path in found if path.rpartition("/")[2].partition(".")[0] not in but_of]
