"""`memory.probe`: where might the answer stand? Leads for a question that nothing qualified for."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from memgit.operations.invocation import Invocation
from memgit.operations.reach import answers
from memgit.operations.reading import RetrievalRequest
from memgit.operations.told import probed_once
from memgit.retrieval import probe as retrieval
from memgit.retrieval.probe import Lead, ProbeRequest, ProbeResult


class Probe(RetrievalRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Look once for leads. `query` may say `original_query` in other words, with the same meaning."""

    original_query: str | None = None
    depth: int = 8


def probe(invocation: Invocation, request: Probe) -> ProbeResult:
    """Return at most `depth` leads of the stores that the horizon reaches."""
    invocation.look(request.horizon, request.reason)
    invocation.await_commit(request.min_commit_seq, request.min_commit)
    asked = ProbeRequest(query=request.query, original_query=request.original_query, depth=request.depth)
    asked_of = list(answers(invocation, lambda view: retrieval.probe(asked, view), request.as_of))
    found = [result for _, result in probed_once(invocation, asked_of)]
    invocation.warnings.extend(dict.fromkeys(warning for result in found for warning in result.warnings))
    return unite_leads(found, request.depth)


def unite_leads(found: list[ProbeResult], depth: int) -> ProbeResult:
    """Return the leads of several stores as one list, with the places that raw documents have."""
    if len(found) == 1:
        return found[0]
    claims = _best(lead for result in found for lead in result.leads if lead.claim_id is not None)
    raw = _best(lead for result in found for lead in result.leads if lead.claim_id is None)
    leads = claims[: depth - min(retrieval.RAW_FLOOR, len(raw), depth)]
    leads += raw[: depth - len(leads)]
    return msgspec.structs.replace(found[0], leads=tuple(leads))


def _best(leads: Iterable[Lead]) -> list[Lead]:
    return sorted(leads, key=lambda lead: (-lead.score, lead.claim_id or "", lead.title))
