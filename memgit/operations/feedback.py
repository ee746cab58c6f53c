"""`feedback.record` and `feedback.export`: verdicts on answers, local, outside the ref."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from memgit import clock
from memgit.errors import InvalidRequest
from memgit.metrics.feedback import Feedback, FeedbackFile
from memgit.operations import checks
from memgit.operations.invocation import Invocation
from memgit.records import ids
from memgit.retrieval.citations import parse_citation
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
        subject=_subject(request.subject),
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
    found = [item for item in FeedbackFile(invocation.repository.state_dir).read() if item.at > after]
    page = found[: request.limit]
    more = len(found) > len(page)
    return FeedbackPage(items=tuple(page), next_after=page[-1].at if more and page else None)


def _subject(subject: str | None) -> str | None:
    """Return a citation or an id as it is. Raises InvalidRequest for anything else."""
    if subject is None or ids.is_entity_id(subject):
        return subject
    return str(parse_citation(subject))
