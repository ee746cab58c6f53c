"""`memory.retrieve`: the question that an agent asks by default."""

from __future__ import annotations

from msgspec import Struct

from memgit.operations import checks
from memgit.operations.code_items import code_choice, retrieved
from memgit.operations.invocation import Invocation
from memgit.operations.probe import unite_leads
from memgit.operations.reach import answers
from memgit.operations.reading import OrderedRequest
from memgit.operations.recall import Recalled, unite
from memgit.operations.told import retrieved_once
from memgit.retrieval import bounds
from memgit.retrieval import retrieve as retrieval
from memgit.retrieval.intent import QueryAnalysis
from memgit.retrieval.probe import DEPTH, ProbeResult
from memgit.retrieval.recall import Presence, RecallRequest
from memgit.retrieval.retrieve import NextAction, RetrieveRequest, RetrieveResult, UnqualifiedEvidence


class Retrieve(OrderedRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Recall; where nothing qualifies, look once for leads and for the evidence of near claims.

    `reformulation` says the query in other words, with the same meaning: it is only used to look.
    """

    reformulation: str | None = None
    max_claims: int = 5
    max_artifact_refs: int = 3
    max_excerpt_bytes: int = 320
    depth: int = 8
    markers: tuple[str, ...] = ()


class Retrieved(Struct, frozen=True, kw_only=True):
    """`recall` tells presence. `probe` and `unqualified_evidence` are there only where presence is `none`."""

    recall: Recalled
    probe: ProbeResult | None
    unqualified_evidence: tuple[UnqualifiedEvidence, ...]
    packet_bytes: int
    analysis: QueryAnalysis
    next_action: NextAction
    next_action_text: str


def retrieve(invocation: Invocation, request: Retrieve) -> Retrieved:
    """Return what qualifies in the stores that the horizon reaches, or else what may lead to an answer."""
    bounds.check("depth", request.depth, DEPTH)
    invocation.look(request.horizon, request.reason)
    invocation.await_commit(request.min_commit_seq, request.min_commit)
    recall = RecallRequest(
        query=request.query,
        max_claims=request.max_claims,
        max_artifact_refs=request.max_artifact_refs,
        max_excerpt_bytes=request.max_excerpt_bytes,
        markers=checks.markers(request.markers),
        recency=request.recency.enabled,
    )
    asked = RetrieveRequest(recall=recall, reformulation=request.reformulation, depth=request.depth)
    found = list(
        answers(
            invocation,
            lambda view: retrieval.retrieve(asked, view),
            request.as_of,
            code_choice(request),
            retrieved,
        )
    )
    told = retrieved_once(invocation, found)
    recalled = unite([(place, result.recall) for place, result in told], recall)
    invocation.warnings.extend(recalled.warnings)
    return _retrieved(recalled, [result for _, result in told], request.depth)


def _retrieved(recalled: Recalled, results: list[RetrieveResult], depth: int) -> Retrieved:
    """Return the stores' answers as one: where any of them qualifies, nothing else is shown."""
    nothing = recalled.presence == "none"
    leads = [result.probe for result in results if result.probe is not None] if nothing else []
    packet = retrieval.bounded(item for result in results if nothing for item in result.unqualified_evidence)
    action = _next_action(recalled.presence, [result.next_action for result in results])
    return Retrieved(
        recall=recalled,
        probe=unite_leads(leads, depth) if leads else None,
        unqualified_evidence=tuple(packet.evidence),
        packet_bytes=packet.size if packet.evidence else 0,
        analysis=results[0].analysis,
        next_action=action,
        next_action_text=retrieval.NEXT_ACTIONS[action],
    )


def _next_action(presence: Presence, actions: list[NextAction]) -> NextAction:
    """Return what presence asks for; where there is none, the most helpful of what the stores say for that."""
    if presence != "none":
        return "use_claims" if presence == "claims" else "read_artifacts"
    order = list(retrieval.NEXT_ACTIONS)
    return min((action for action in actions if action not in ("use_claims", "read_artifacts")), key=order.index)
