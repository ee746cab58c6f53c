"""`blame`: who gave each part of a claim or a document its present form, and when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from msgspec import Struct

from memgit.errors import InvalidRequest, StoreCorrupt
from memgit.limits import DEFAULT
from memgit.operations import checks
from memgit.operations.artifacts import find_revision
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import check_id, known_entity
from memgit.operations.op_commits import commits_of
from memgit.operations.reading import ReadRequest
from memgit.records.ids import RevisionId
from memgit.records.op import ClaimPayload
from memgit.records.paths import OpPath
from memgit.records.state import Entity, Revision
from memgit.review.blame import Owned, Parents, ancestry, field_owners, line_owners, statement_owners
from memgit.review.compare import author_of
from memgit.store.snapshot import Snapshot


class Blame(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tell of each field of a claim or an artifact who set it to its value, and of each line of a text who wrote it."""

    entity_id: str
    revision_id: str | None = None


class BlameField(Struct, frozen=True, kw_only=True):
    """One field and the revision that set it. Evidence, markers and anchors come one by one."""

    name: str
    value: str
    revision: str


class BlameText(Struct, frozen=True, kw_only=True):
    """A piece of a statement, or a line of a document, and the revision that it comes from."""

    text: str
    revision: str


class BlameRevision(Struct, frozen=True, kw_only=True):
    """A revision that something comes from. `head` and `branch` say where its author's own repository stood."""

    number: int
    seq: int
    digest: str
    commit: str | None
    at: str
    author: str
    agent: str | None
    head: str | None
    branch: str | None


class Blamed(Struct, frozen=True, kw_only=True):
    """Whose each part is. `statement` has pieces where several revisions wrote it, `lines` those of a text artifact.

    `revisions` are those that are named, by id. `note` says why a document has no lines.
    """

    kind: str
    entity_id: str
    revision_id: str
    fields: tuple[BlameField, ...]
    statement: tuple[BlameText, ...]
    lines: tuple[BlameText, ...]
    revisions: dict[str, BlameRevision]
    note: str | None = None


def blame(invocation: Invocation, request: Blame) -> Blamed:
    """Return whose each part of a revision is, by default of the current one. Raises NotFound, InvalidRequest."""
    name = check_id(request.entity_id)
    if not name.startswith(("clm_", "art_")):
        raise InvalidRequest(f"{name} never changes", hint=f"`git memory log {name}` says who made it.")
    entity = known_entity(invocation, name)
    target = entity.current
    if request.revision_id is not None:
        target = find_revision(entity.lineage.revisions, request.revision_id, name)
    revisions, parents = ancestry(entity.lineage, target.id)
    fields = field_owners(revisions, parents)
    lines, note = _lines(invocation.snapshot(), revisions, parents)
    statement = _statement(revisions, parents)
    named = [owner for _, owner in fields] + [owner for owner, _ in (*statement, *lines)]
    return Blamed(
        kind=entity.lineage.kind,
        entity_id=name,
        revision_id=target.id,
        fields=tuple(BlameField(name=field[0], value=field[1], revision=owner) for field, owner in fields),
        statement=tuple(BlameText(text=text, revision=owner) for owner, text in statement),
        lines=tuple(BlameText(text=text, revision=owner) for owner, text in lines),
        revisions=_described(invocation, entity, named),
        note=note,
    )


def _statement(revisions: Sequence[Revision], parents: Parents) -> list[Owned]:
    """Return the pieces of a statement that several revisions wrote, else none."""
    texts = {
        revision.id: revision.payload.statement or ""
        for revision in revisions
        if isinstance(revision.payload, ClaimPayload)
    }
    last = revisions[-1].id
    if not texts.get(last):
        return []
    found = statement_owners(texts, parents, list(texts))
    return found if len({owner for owner, _ in found}) > 1 else []


def _lines(snapshot: Snapshot, revisions: Sequence[Revision], parents: Parents) -> tuple[list[Owned], str | None]:
    """Return the lines of a text artifact with their owners, or why there are none. Raises LimitExceeded."""
    if isinstance(revisions[-1].payload, ClaimPayload):
        return [], None
    texts: dict[RevisionId, str] = {}
    for revision in revisions:
        size = getattr(revision.payload, "size", 0)
        if revision is revisions[-1]:
            checks.within(size, "blame_bytes", DEFAULT.blame_bytes, f"the document of {revision.id}")
        text = _text(snapshot, revision) if size <= DEFAULT.blame_bytes else None
        if text is not None:
            texts[revision.id] = text
    if revisions[-1].id not in texts:
        return [], "the bytes are not text, or not here"
    missing = len(revisions) - len(texts)
    note = (
        f"{missing} earlier revisions cannot be read as text; what came from them counts as later" if missing else None
    )
    return line_owners(texts, parents, list(texts)), note


def _text(snapshot: Snapshot, revision: Revision) -> str | None:
    with suppress(StoreCorrupt, UnicodeDecodeError):
        data = snapshot.blob(revision.blob) if revision.blob is not None else None
        return data.decode() if data is not None else None
    return None


def _described(invocation: Invocation, entity: Entity, named: Iterable[RevisionId]) -> dict[str, BlameRevision]:
    """Return the revisions that are named, with the commits that brought them."""
    wanted = set(named)
    found = [revision for revision in entity.lineage.revisions if revision.id in wanted]
    verbs = {note.digest: note.verb for note in entity.lineage.ops}
    paths = [OpPath(entity.lineage.id, one.seq, verbs[one.digest], one.digest) for one in found]
    commits = commits_of(invocation, paths)
    return {
        one.id: BlameRevision(
            number=one.number,
            seq=one.seq,
            digest=one.digest,
            commit=commits.get(one.digest),
            at=one.at,
            author=author_of(one.actor),
            agent=one.actor.agent,
            head=one.code.head if one.code is not None else None,
            branch=one.code.branch if one.code is not None else None,
        )
        for one in found
    }
