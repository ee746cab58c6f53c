"""`feedback.record` and `feedback.export`: verdicts on answers, local, outside the ref."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from memgit import clock
from memgit.errors import InvalidRequest, NotFound
from memgit.metrics.feedback import FILE_NAME, Feedback, FeedbackFile
from memgit.operations import checks
from memgit.operations.invocation import Invocation
from memgit.records import ids
from memgit.records.ids import EntityId, RelationId
from memgit.retrieval.citations import ClaimCitation, parse_citation
from memgit.screening.finding import refuse
from memgit.screening.screen import screen_text
from memgit.store.store import prepare_state

Verdict = Literal["helpful", "unhelpful", "wrong", "outdated", "missing", "harmful"]


class FeedbackRecord(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Say how an answer was. The query is kept as a fingerprint, unless `keep_query`."""

    verdict: Verdict
    query: str | None = None
    keep_query: bool = False
    subject: str | None = None
    note: str | None = None


class FeedbackKept(Struct, frozen=True, kw_only=True):
    """What was kept of the query."""

    at: str
    fingerprint: str | None
    query_kept: bool


class FeedbackExport(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List verdicts, oldest first; `after` is the `at` of the last one of the page before."""

    limit: int = 100
    after: str | None = None


class FeedbackPage(Struct, frozen=True, kw_only=True):
    """Verdicts. `next_after` is None on the last page."""

    items: tuple[Feedback, ...]
    next_after: str | None


def record(invocation: Invocation, request: FeedbackRecord) -> FeedbackKept:
    """Keep a verdict beside the store. Screened for secrets as a write is."""
    query = checks.text(request.query, "query", "query_bytes")
    note = checks.text(request.note, "note", "statement_bytes")
    refuse(
        [finding for name, text in (("query", query), ("note", note)) if text for finding in screen_text(text, name)]
    )
    if request.keep_query and query is None:
        raise InvalidRequest("`keep_query` without a query", details={"field": "query"})
    state = invocation.state  # a store must be there, and the verdict names its tip
    prepare_state(invocation.repository.state_dir)
    file = FeedbackFile(invocation.repository.state_dir)
    kept = Feedback(
        at=clock.now(),
        verdict=request.verdict,
        fingerprint=file.fingerprint(query) if query is not None else None,
        query=query if request.keep_query else None,
        subject=_subject(invocation, request.subject),
        note=note,
        workspace=invocation.context.workspace_id,
        project=invocation.context.project_id,
        commit=state.watermark.commit_id if state.watermark is not None else None,
    )
    file.append(kept)
    return FeedbackKept(at=kept.at, fingerprint=kept.fingerprint, query_kept=kept.query is not None)


def export(invocation: Invocation, request: FeedbackExport) -> FeedbackPage:
    """Return verdicts of this repository, of whatever project."""
    checks.page_limit(request.limit)
    after = checks.instant(request.after, "after") or ""
    file = FeedbackFile(invocation.repository.state_dir)
    found = [item for item in file.read() if item.at > after]
    if file.damaged:
        invocation.warnings.append(f"{file.damaged} lines of {FILE_NAME} are damaged and were left out")
    page = found[: request.limit]
    more = len(found) > len(page)
    return FeedbackPage(items=tuple(page), next_after=page[-1].at if more and page else None)


def _subject(invocation: Invocation, subject: str | None) -> str | None:
    """Return a citation or an id of what this store holds. Raises InvalidRequest for anything else, NotFound."""
    if subject is None:
        return None
    if ids.is_entity_id(subject):
        _require(invocation, subject)
        return subject
    citation = parse_citation(subject)
    name = citation.claim if isinstance(citation, ClaimCitation) else citation.artifact
    revisions = _require(invocation, name)
    if citation.revision not in revisions:
        raise NotFound(f"{name} has no revision {citation.revision}", details={"id": name})
    return str(citation)


def _require(invocation: Invocation, name: str) -> frozenset[str]:
    """Return the revisions of what a verdict is about. Raises NotFound."""
    state = invocation.state
    entity = state.entity(EntityId(name))
    if entity is not None:
        return frozenset(revision.id for revision in entity.lineage.revisions)
    looked = (state.relation(RelationId(name)), state.source(EntityId(name)), state.projection(EntityId(name)))
    if not any(looked):
        raise NotFound(
            f"this store holds no {name}",
            hint="Say it in the repository that the answer came from: `origins` names it.",
            details={"id": name},
        )
    return frozenset()
