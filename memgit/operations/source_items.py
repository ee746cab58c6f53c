"""The artifacts that an item of a source is, and what bringing or losing it writes to them.

It is one artifact, but for two clones that took the same item in apart: then each made one, and both stay. What the
source says of the item is said to all of them, so that none keeps what the source no longer has. A person's `forget`
outweighs the source: a forgotten item comes back only where somebody asks for that.
"""

from __future__ import annotations

from msgspec.structs import replace

from memgit.errors import RevisionConflict
from memgit.operations.artifacts import stage_artifact
from memgit.operations.lineages import artifact_payload, head_revision, latest_at, read_lineage
from memgit.records.ids import EntityId
from memgit.records.op import ArtifactPayload, External, ReasonPayload, Scope, draft
from memgit.records.state import Lineage, Revision
from memgit.store.snapshot import Snapshot
from memgit.store.transaction import Transaction
from memgit.store.writer import Result


def read_items(snapshot: Snapshot, names: list[EntityId]) -> tuple[list[Lineage], list[Lineage]]:
    """Return the artifacts of an item that stand, and those that somebody forgot, each in the given order."""
    found = [read_lineage(snapshot, name) for name in names]
    return [each for each in found if each.tombstone is None], [each for each in found if each.tombstone is not None]


def bring(
    transaction: Transaction, items: list[Lineage], scope: Scope, payload: ArtifactPayload, data: bytes
) -> Result:
    """Stage a revision of each artifact of an item that is behind it, or the first artifact; return the latest one's.

    Nothing is staged where the source's revision was brought before. `items` stand, the latest first. Raises
    RevisionConflict where it was brought with other bytes.
    """
    if not items:
        return _written(stage_artifact(transaction, scope, payload, data))
    held = _held(items, payload)
    behind = _behind(items, payload, held)
    if not behind:
        assert held is not None
        return replayed(*held)
    staged = [
        stage_artifact(transaction, item.scope, _with_anchors(payload, item), data, item, item.heads) for item in behind
    ]
    return _written(staged[0])


def _with_anchors(payload: ArtifactPayload, item: Lineage) -> ArtifactPayload:
    """Return what a source says, with the anchors that somebody gave the artifact here."""
    return replace(payload, anchors=artifact_payload(head_revision(item)).anchors)


def withdraw(transaction: Transaction, items: list[Lineage], reason: str | None) -> list[EntityId]:
    """Stage the withdrawal of all of these that are not withdrawn yet; return them."""
    gone = [item for item in items if not item.withdrawn]
    for item in gone:
        op = draft("withdraw", item.id, item.scope, ReasonPayload(reason=reason), not_before=latest_at(item))
        transaction.stage(op, artifact_payload(item.revisions[-1]).title)
    return [item.id for item in gone]


def replayed(item: Lineage, known: Revision, *, forgotten: bool = False) -> Result:
    """Return the answer for what writes nothing."""
    digest = artifact_payload(known).digest
    known_as: Result = {"artifact_id": EntityId(item.id), "revision_id": known.id, "digest": digest}
    return {**known_as, "replayed": True, "forgotten": forgotten}


def _written(staged: Result) -> Result:
    return {**staged, "replayed": False, "forgotten": False}


def _held(items: list[Lineage], payload: ArtifactPayload) -> tuple[Lineage, Revision] | None:
    """Return where the source's revision was brought before with these bytes; None where it never was."""
    brought = [(item, revision) for item in items for revision in reversed(_brought(item, payload.external))]
    same = [pair for pair in brought if artifact_payload(pair[1]).digest == payload.digest]
    if brought and not same:
        external = payload.external
        assert external is not None
        raise RevisionConflict(
            f"{external.item[:80]!r} at revision {external.revision[:80]!r} was brought before with other bytes",
            hint="A source's revision names the same bytes for ever; give the new bytes a revision of their own.",
            details={"id": external.source, "item": external.item[:80], "current": brought[0][1].id},
        )
    return same[0] if same else None


def _behind(items: list[Lineage], payload: ArtifactPayload, held: tuple[Lineage, Revision] | None) -> list[Lineage]:
    """Return the artifacts that need the revision: all that are there, where it is the newest and they have it not.

    What is withdrawn comes back as one artifact, the latest.
    """
    there = [item for item in items if not item.withdrawn]
    if not there:
        return items[:1]
    is_past = any(_brought(item, payload.external) and not _is_newest(item, payload.external) for item in there)
    if held is not None and is_past:
        return []
    return [item for item in there if not _brought(item, payload.external)]


def _is_newest(item: Lineage, external: External | None) -> bool:
    """Tell whether an artifact's last revision from the source is this one."""
    last = _brought(item, None)[-1:]
    return bool(last) and artifact_payload(last[0]).external == external


def _brought(item: Lineage, external: External | None) -> list[Revision]:
    """Return the revisions that the source's revision was brought as; all that the source brought, where None."""
    found: list[Revision] = []
    for revision in item.revisions:
        named = artifact_payload(revision).external
        if named is not None and not revision.void and external in (None, named):
            found.append(revision)
    return found
