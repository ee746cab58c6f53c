"""`conflict.list`, `conflict.get`: what disagrees, with both sides as they were and as they are."""

from __future__ import annotations

from msgspec import Struct

from memgit.errors import InvalidRequest, NotFound
from memgit.limits import DEFAULT
from memgit.operations.cursor import decode_cursor, encode_cursor
from memgit.operations.invocation import Invocation
from memgit.operations.views import CaseView, case_view
from memgit.records.ids import CaseId
from memgit.records.state import Case


class ConflictList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List conflict cases, newest first."""

    include_stale: bool = False
    limit: int = 50
    before_case_sequence: int | None = None
    cursor: str | None = None
    horizon: str | None = None
    reason: str | None = None
    min_commit_seq: int | None = None
    min_commit: str | None = None


class ConflictPage(Struct, frozen=True, kw_only=True):
    """Cases, newest first. `next_cursor` is None on the last page."""

    items: tuple[CaseView, ...]
    next_cursor: str | None
    next_before_case_sequence: int | None


class ConflictGet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read one case by its id."""

    case_id: str


def list_conflicts(invocation: Invocation, request: ConflictList) -> ConflictPage:
    """Return open cases, with `include_stale` those that were open before too."""
    if not 1 <= request.limit <= DEFAULT.history_page:
        raise InvalidRequest(f"`limit` is between 1 and {DEFAULT.history_page}", details={"field": "limit"})
    invocation.look(request.horizon, request.reason)
    invocation.await_commit(request.min_commit_seq, request.min_commit)
    before = decode_cursor(request.cursor, request.before_case_sequence)
    cases = [
        case
        for case in invocation.state.cases(open_only=not request.include_stale)
        if invocation.sees(case.scope)
    ]
    cases.sort(key=lambda case: (case.sequence, case.id), reverse=True)
    rest = [case for case in cases if before is None or (case.sequence, case.id) < before]
    page = rest[: request.limit]
    more = len(rest) > len(page)
    return ConflictPage(
        items=tuple(_view(invocation, case) for case in page),
        next_cursor=encode_cursor(page[-1].sequence, page[-1].id) if more else None,
        next_before_case_sequence=page[-1].sequence if more else None,
    )


def get(invocation: Invocation, request: ConflictGet) -> CaseView:
    """Return a case, open or not."""
    case = invocation.state.case(CaseId(request.case_id))
    if case is None:
        raise NotFound(f"there is no case {request.case_id[:80]}", hint="`git memory conflict list` shows the cases.")
    return _view(invocation, case)


def _view(invocation: Invocation, case: Case) -> CaseView:
    sides = {name: invocation.state.entity(name) for name in case.entities}
    return case_view(case, {name: entity for name, entity in sides.items() if entity is not None})
