"""`pending.preview`, `pending.apply`: from a note in quarantine to evidence and claims, as one write.

The note becomes an artifact, and each of its statements a claim that cites its exact bytes. No model takes part: the
same note gives the same plan. `preview` shows that plan and writes nothing; `apply` writes it, and then the note goes.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from memgit.errors import IdempotencyConflict, InvalidRequest, JsonValue, MemgitError, ScopeViolation
from memgit.index.meanings import aliases_at
from memgit.operations.artifacts import stage_artifact
from memgit.operations.invocation import Invocation
from memgit.operations.pending import quarantine_of
from memgit.operations.pending_plan import Plan, ScopeChoice, elsewhere_of, note_of, plan_of, too_late
from memgit.operations.pending_repeats import Repeated, repeats
from memgit.operations.request_digest import request_key
from memgit.operations.views import statement_of
from memgit.operations.writing import WriteRequest
from memgit.records import ids
from memgit.records.ids import ArtifactId, RevisionId
from memgit.records.op import ClaimPayload, ClaimType, Evidence, Scope, draft
from memgit.store.transaction import Transaction
from memgit.store.writer import RequestKey, Result, Written

_OPERATION = "pending.apply"
_NAMED = 5  # claims in a warning


class PendingPreview(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Show what applying a note would write, and write nothing. The fields are those of `pending.apply`."""

    session: str | None = None
    only: tuple[int, ...] | None = None
    scope: ScopeChoice | None = None
    allow_flagged: bool = False


class PendingApply(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Make memory of a note: an artifact and a claim for each statement. Then the note is gone.

    `only` are the numbers of the claims to write, as the preview has them. `expired`: also a note whose review window
    is over. `scope` says which counts where the note is of another project or task than the request.
    """

    session: str | None = None
    only: tuple[int, ...] | None = None
    scope: ScopeChoice | None = None
    expired: bool = False


class PlannedArtifact(Struct, frozen=True, kw_only=True):
    """The evidence: the note's whole text."""

    kind: str
    title: str
    media_type: str
    digest: str
    size: int


class PlannedClaim(Struct, frozen=True, kw_only=True):
    """A claim, and the bytes of the note that it cites. `repeats` are claims in sight that say nearly the same."""

    number: int
    claim_type: ClaimType
    statement: str
    start_byte: int
    end_byte: int
    repeats: tuple[Repeated, ...] = ()


class NotPlanned(Struct, frozen=True, kw_only=True):
    """Bytes of the note that become no claim although they could be one, and why. They are evidence all the same."""

    start_byte: int
    end_byte: int
    reason: str


class NotePlan(Struct, frozen=True, kw_only=True):
    """What `apply` would write. `refused` says why it would not, as things are: not without saying more."""

    session: str
    at: str
    text: str
    workspace_id: str
    project_id: str
    task_id: str | None
    artifact: PlannedArtifact
    claims: tuple[PlannedClaim, ...]
    left_out: tuple[NotPlanned, ...]
    refused: tuple[str, ...]


class AppliedClaim(Struct, frozen=True, kw_only=True):
    """A claim that was written, by its number in the preview."""

    number: int
    claim_id: str
    revision_id: str


class NoteApplied(Struct, frozen=True, kw_only=True):
    """What was written. `replayed`: that was done before, and nothing was written now.

    `gone` is false where the session has put another note meanwhile, or this one could not be removed.
    """

    session: str
    artifact_id: str
    artifact_revision_id: str
    claims: tuple[AppliedClaim, ...]
    replayed: bool
    gone: bool


class _Content(Struct, frozen=True):
    """What the idempotency key of an application stands for."""

    note: str
    only: tuple[int, ...]


def preview(invocation: Invocation, request: PendingPreview) -> NotePlan:
    """Return exactly what `apply` would write."""
    note = note_of(invocation, request.session, request.allow_flagged)
    plan = plan_of(invocation, note, request.only, request.scope)
    said = repeats(invocation, [statement.text for _, statement, _ in plan.claims])
    return NotePlan(
        session=note.session,
        at=note.at,
        text=note.text,
        workspace_id=plan.scope.workspace,
        project_id=plan.scope.project,
        task_id=plan.scope.task,
        artifact=PlannedArtifact(
            kind=plan.payload.kind,
            title=plan.payload.title,
            media_type=plan.payload.media_type,
            digest=plan.payload.digest,
            size=plan.payload.size,
        ),
        claims=tuple(
            PlannedClaim(
                number=number,
                claim_type=statement.claim_type,
                statement=statement.text,
                start_byte=statement.start,
                end_byte=statement.end,
                repeats=like,
            )
            for (number, statement, _), like in zip(plan.claims, said, strict=True)
        ),
        left_out=tuple(NotPlanned(start_byte=x.start, end_byte=x.end, reason=x.reason) for x in plan.left_out),
        refused=tuple(filter(None, (too_late(note), elsewhere_of(invocation, note, request.scope)))),
    )


def apply(invocation: Invocation, request: PendingApply) -> NoteApplied:
    """Write the plan under a key that the note makes, and remove the note once that is acknowledged.

    Raises ScopeViolation, InvalidRequest for a note that expired or states nothing, SecretDetected,
    IdempotencyConflict where the note was applied with another choice.
    """
    note = note_of(invocation, request.session, request.allow_flagged)
    late, elsewhere = too_late(note), elsewhere_of(invocation, note, request.scope)
    if late is not None and not request.expired:
        raise InvalidRequest(
            late,
            hint="Look at it with `git memory pending preview`; then `git memory pending apply --expired`, or `drop`.",
            details={"session": note.session, "expires_at": note.expires_at},
        )
    if elsewhere is not None:
        raise ScopeViolation(
            elsewhere,
            hint="Run it from there, or say which counts: `--scope note` writes where the note belongs, `--scope here` "
            "where you are.",
            details={"session": note.session, "project_id": note.project, "task_id": note.task},
        )
    plan = plan_of(invocation, note, request.only, request.scope)
    alike = _alike(invocation, plan)
    written = _write(invocation, request, plan)
    gone = _remove(invocation, plan)
    if alike and not written.replayed:
        invocation.warnings.append(f"some of what was written was known nearly so before: {alike}")
    result = dict(written.result)
    claims = tuple(AppliedClaim(**claim) for claim in result.pop("claims"))
    return NoteApplied(session=note.session, claims=claims, replayed=written.replayed, gone=gone, **result)


def _alike(invocation: Invocation, plan: Plan) -> str:
    """Return which claims are like what is there, in words. What cannot be looked up is no reason not to write."""
    try:
        found = repeats(invocation, [statement.text for _, statement, _ in plan.claims])
    except MemgitError:
        return ""
    pairs = [(number, like[0].claim_id) for (number, *_), like in zip(plan.claims, found, strict=True) if like]
    return ", ".join(f"{number} is like {claim}" for number, claim in pairs[:_NAMED])


def _write(invocation: Invocation, request: PendingApply, plan: Plan) -> Written:
    """Publish the plan as one commit, under a key that the note makes."""

    def build(transaction: Transaction) -> Result:
        transaction.names = {"content": "note", "statement": "note", "title": "note", "provenance": "note"}
        evidence = stage_artifact(transaction, plan.scope, plan.payload, plan.data)
        artifact, revision = ArtifactId(evidence["artifact_id"]), RevisionId(evidence["revision_id"])
        claims: list[JsonValue] = []
        for number, said, claim in plan.claims:
            cited = Evidence(artifact, revision, said.start, said.end)
            claims.append(_stage(transaction, plan.scope, claim, cited, is_first=not claims) | {"number": number})
        return {"artifact_id": artifact, "artifact_revision_id": revision, "claims": claims}

    layer = invocation.layer_of(request)
    try:
        return invocation.publish(layer, build, _key(invocation, plan, layer), allow_flagged=request.allow_flagged)
    except IdempotencyConflict as error:
        raise IdempotencyConflict(
            f"the note of the session {plan.note.session} was applied before, with another choice or to another layer",
            hint="Nothing was written. `git memory log` shows what it became; `git memory pending drop` removes it.",
            details=error.details,
        ) from None


def _key(invocation: Invocation, plan: Plan, layer: str) -> RequestKey:
    """Return the key: one note is applied once, and what was chosen of it is part of the request."""
    content = _Content(plan.note.identity, tuple(number for number, *_ in plan.claims))
    aliases = aliases_at(invocation.store.snapshot())
    return request_key(f"{_OPERATION} {plan.note.identity}", plan.scope, _OPERATION, content, layer, aliases)


def _stage(
    transaction: Transaction, scope: Scope, claim: ClaimPayload, cited: Evidence, *, is_first: bool
) -> dict[str, JsonValue]:
    """Stage a claim with its evidence; the first one names the commit."""
    payload = msgspec.structs.replace(claim, evidence=(cited,))
    op = draft("assert", ids.new_entity_id("claim"), scope, payload, revision=ids.new_revision_id("claim"))
    staged = transaction.stage(op, statement_of(payload), main=is_first)
    return {"claim_id": staged.entity, "revision_id": staged.revision}


def _remove(invocation: Invocation, plan: Plan) -> bool:
    """Remove what was applied; tell whether it is gone. The write is done, so what goes wrong here is only said."""
    session = plan.note.session
    try:
        if quarantine_of(invocation).remove(plan.note):
            return True
        invocation.warnings.append(f"the session {session} has put another note meanwhile, or it was dropped")
    except MemgitError as error:
        invocation.warnings.append(f"the note was applied and is still there: {error.message}")
    return False
