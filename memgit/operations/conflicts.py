"""`conflict.list`, `conflict.get`: what disagrees, with both sides as they were and as they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from memgit.errors import InvalidRequest, NotFound
from memgit.operations import checks
from memgit.operations.cursor import decode_cursor, encode_cursor
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import check_id
from memgit.operations.reach import ask_stores
from memgit.operations.reading import ReadRequest
from memgit.operations.resolutions import resolved_by
from memgit.operations.views import CaseView, case_view
from memgit.records.cases import contradiction_case, contradiction_id
from memgit.records.ids import CaseId, RelationId, RevisionId
from memgit.records.state import Case


class ConflictList(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
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
    """Cases, newest first. `next_cursor` is None on the last page.

    `origins` names the repository of what came from another store, by case id.
    """

    items: tuple[CaseView, ...]
    origins: dict[str, str]
    next_cursor: str | None
    next_before_case_sequence: int | None


class ConflictGet(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read one case by its id, or by a contradicts relation and one revision of each of its ends."""

    case_id: str | None = None
    relation_id: str | None = None
    source_revision_id: str | None = None
    target_revision_id: str | None = None


def list_conflicts(invocation: Invocation, request: ConflictList) -> ConflictPage:
    """Return open cases, with `include_stale` those that were open before too."""
    checks.page_limit(request.limit)
    invocation.look(request.horizon, request.reason)
    invocation.await_commit(request.min_commit_seq, request.min_commit)
    before = decode_cursor(request.cursor, request.before_case_sequence)
    stores = ask_stores(invocation, lambda store: _cases(invocation, store, request))
    found = list(_each_once(invocation, ((place, case, view) for place, cases in stores for case, view in cases)))
    found.sort(key=lambda item: (item[1].sequence, item[1].id), reverse=True)
    rest = [item for item in found if before is None or (item[1].sequence, item[1].id) < before]
    page = rest[: request.limit]
    last = page[-1][1] if len(rest) > len(page) else None
    return ConflictPage(
        items=tuple(view for _, _, view in page),
        origins={case.id: place for place, case, _ in page if place is not None},
        next_cursor=encode_cursor(last.sequence, last.id) if last else None,
        next_before_case_sequence=last.sequence if last else None,
    )


def _each_once(
    invocation: Invocation, found: Iterable[tuple[str | None, Case, CaseView]]
) -> Iterator[tuple[str | None, Case, CaseView]]:
    """Yield the cases but for those that another clone knows as well: this one's word counts, else the first one's."""
    seen: set[str] = set()
    for place, case, view in found:
        if case.id not in seen and (place is None or invocation.state.case(case.id) is None):
            yield place, case, view
        seen.add(case.id)


def _cases(invocation: Invocation, store: Invocation, request: ConflictList) -> list[tuple[Case, CaseView]]:
    """Return the cases of one store that the asker sees, with their sides as that store has them."""
    cases = store.state.cases(open_only=not request.include_stale)
    return [(case, _view(store, case)) for case in cases if invocation.sees(case.scope)]


def get(invocation: Invocation, request: ConflictGet) -> CaseView:
    """Return a case, open or not."""
    if request.case_id is None:
        return _view(invocation, _by_parts(invocation, request))
    case = invocation.state.case(CaseId(request.case_id))
    if case is None:
        raise NotFound(f"there is no case {request.case_id[:80]}", hint="`git memory conflict list` shows the cases.")
    return _view(invocation, case)


def _by_parts(invocation: Invocation, request: ConflictGet) -> Case:
    """Return the case of a relation and two revisions, whether or not these were ever current together."""
    relation_id, source, target = request.relation_id, request.source_revision_id, request.target_revision_id
    if relation_id is None or source is None or target is None:
        raise InvalidRequest(
            "the request names no case",
            hint="Give `case_id`, or `relation_id` with `source_revision_id` and `target_revision_id`.",
            details={"field": "case_id"},
        )
    state = invocation.state
    relation = state.relation(RelationId(check_id(relation_id, "relation")))
    source_end = state.entity(relation.payload.source) if relation else None
    target_end = state.entity(relation.payload.target) if relation else None
    if relation is None or source_end is None or target_end is None:
        raise NotFound(f"there is no relation {relation_id}", details={"id": relation_id})
    pair = (RevisionId(source), RevisionId(target))
    stored = state.case(contradiction_id(relation.id, *pair))
    known = {stored.id: stored} if stored is not None else {}
    case = contradiction_case(known, relation, pair, source_end, target_end)
    if case is None:
        raise NotFound(f"{relation_id} has no case over these revisions", details={"id": relation_id})
    return case


def _view(invocation: Invocation, case: Case) -> CaseView:
    sides = {name: invocation.state.entity(name) for name in case.entities}
    known = {name: entity for name, entity in sides.items() if entity is not None}
    view = case_view(case, known, invocation.state.layer_of, invocation.trusts)
    return msgspec.structs.replace(view, resolved_by=resolved_by(case)) if case.status == "open" else view
