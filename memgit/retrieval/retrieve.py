"""The question that an agent asks by default: recall, and where nothing qualifies one look at what might prove it.

Presence is recall's and stays so. The packet of evidence is exact bytes that claims near the question cite, labelled
unqualified: it saves round trips and lends no authority. Raw documents and windows chosen by likeness give leads,
never bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

import msgspec
from msgspec import Struct

from memgit.errors import MemgitError
from memgit.index.documents import matchable
from memgit.records.ids import ClaimId
from memgit.records.op import ClaimPayload
from memgit.retrieval.candidates import Candidate
from memgit.retrieval.citations import ClaimCitation, parse_citation, resolve
from memgit.retrieval.intent import QueryAnalysis, analyse_intent
from memgit.retrieval.probe import Lead, ProbeRequest, ProbeResult, probe
from memgit.retrieval.query import analyse_query
from memgit.retrieval.recall import RecallRequest, RecallResult, recall_with_near
from memgit.retrieval.results import Author, author_of
from memgit.retrieval.view import View

PACKET_BYTES = 12 * 1024  # of the evidence as JSON
PACKET_REFERENCES = 9
_SOURCE_BYTES = 2048
_EXCHANGES = 2  # questions of sessions, with what was said next

NextAction = Literal[
    "use_claims",
    "read_artifacts",
    "check_evidence_then_recall",
    "read_leads",
    "recall_reformulation",
    "check_present_source",
    "report_absence",
]
NEXT_ACTIONS: dict[NextAction, str] = {
    "use_claims": "Claims qualify: use them with their citations, and show their conflicts.",
    "read_artifacts": "Only documents qualify: read them, and say that no claim does.",
    "check_evidence_then_recall": "Nothing qualifies. Read the evidence; if it answers, recall once with its words.",
    "read_leads": "Nothing qualifies. Read the first lead with `citation.get`, and at most two more.",
    "recall_reformulation": "Nothing qualifies as asked. Something does in the words of the reformulation: recall it.",
    "check_present_source": "It asks about a present state, which dated notes may not know: look at the source itself.",
    "report_absence": "Memory does not know it. Say so.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieveRequest:
    """A recall, and a reformulation with the same meaning for the one probe that may follow."""

    recall: RecallRequest
    reformulation: str | None = None
    depth: int = 8


class UnqualifiedEvidence(Struct, frozen=True, kw_only=True):
    """Exact bytes that a claim near the question cites. They prove that this text exists, not that it answers.

    Of a session's question near this one, its own words, and those of the turn that may answer it: `title` is the
    speaker then. `author` and `trusted` are of the document's revision.
    """

    citation: str
    claim_id: str
    title: str
    text: str
    author: Author
    trusted: bool
    label: Literal["unqualified"] = "unqualified"


class RetrieveResult(Struct, frozen=True, kw_only=True):
    """`probe` and `unqualified_evidence` are given only at presence `none`. `packet_bytes`: the evidence as JSON."""

    recall: RecallResult
    probe: ProbeResult | None
    unqualified_evidence: tuple[UnqualifiedEvidence, ...]
    packet_bytes: int
    analysis: QueryAnalysis
    next_action: NextAction
    next_action_text: str


def retrieve(request: RetrieveRequest, view: View) -> RetrieveResult:
    """Return what qualifies, or else leads and a bounded packet. Raises as `recall` and `probe` do."""
    found, near = recall_with_near(request.recall, view)
    query = analyse_query(request.recall.query)
    analysis = analyse_intent(query.text, is_question=query.is_question)
    if found.presence != "none":
        action: NextAction = "use_claims" if found.presence == "claims" else "read_artifacts"
        return _result(found, None, Packet(), analysis, action)
    present = analysis.wants_present_source
    asked = request.reformulation or query.text
    leads = probe(ProbeRequest(query=asked, original_query=query.text, depth=request.depth, raw_only=present), view)
    packet = Packet() if present else _packet(near, leads, view)
    if present:
        action = "check_present_source"
    elif packet.evidence:
        action = "check_evidence_then_recall"
    else:
        action = "read_leads" if leads.leads else _without_leads(request, view)
    return _result(found, leads, packet, analysis, action)


def _without_leads(request: RetrieveRequest, view: View) -> NextAction:
    """Return what to do where nothing was found: absence is not reported while the reformulation has an answer."""
    if request.reformulation is None:
        return "report_absence"
    recalled, _ = recall_with_near(replace(request.recall, query=request.reformulation), view)
    return "report_absence" if recalled.presence == "none" else "recall_reformulation"


@dataclass
class Packet:
    """Evidence, as much as fits. `size` is that of its JSON."""

    evidence: list[UnqualifiedEvidence] = field(default_factory=list)
    size: int = 2  # the brackets of the list

    def add(self, piece: UnqualifiedEvidence) -> None:
        """Add a piece where it is new and there is room."""
        size = len(msgspec.json.encode(piece)) + 1
        known = any(piece.citation == other.citation for other in self.evidence)
        if not known and len(self.evidence) < PACKET_REFERENCES and self.size + size <= PACKET_BYTES:
            self.evidence.append(piece)
            self.size += size

    def take(self, lead: Lead, view: View) -> None:
        """Add what a lead's sources hold."""
        for source in lead.sources:
            if len(self.evidence) == PACKET_REFERENCES:
                return
            text = _text(source.citation, view)
            if text is None or lead.claim_id is None:
                continue
            piece = UnqualifiedEvidence(
                citation=source.citation,
                claim_id=lead.claim_id,
                title=lead.title,
                text=text,
                author=source.author,
                trusted=source.trusted,
            )
            self.add(piece)


def bounded(pieces: Iterable[UnqualifiedEvidence]) -> Packet:
    """Return as many of the pieces, in their order, as one packet may hold."""
    packet = Packet()
    for piece in pieces:
        packet.add(piece)
    return packet


def _packet(near: list[Candidate], leads: ProbeResult, view: View) -> Packet:
    packet = bounded(islice(_exchanges(near), 2 * _EXCHANGES))
    for lead in leads.leads:
        packet.take(lead, view)
    return packet


def _exchanges(near: list[Candidate]) -> Iterator[UnqualifiedEvidence]:
    """Yield the questions of sessions among what is near that were answered there, each with what may answer it."""
    by_id = {candidate.id: candidate for candidate in near}
    for answer in near:
        question = by_id.get(answer.answers) if answer.answers is not None else None
        if question is not None:
            yield _said(question)
            yield _said(answer)


def _said(turn: Candidate) -> UnqualifiedEvidence:
    payload = turn.revision.payload
    return UnqualifiedEvidence(
        citation=str(ClaimCitation(ClaimId(turn.id), turn.revision.id)),
        claim_id=turn.id,
        title=(payload.subject or "") if isinstance(payload, ClaimPayload) else "",
        text=matchable(payload).body,
        author=author_of(turn.revision.actor),
        trusted=turn.is_trusted,
    )


def _text(citation: str, view: View) -> str | None:
    """Return the bytes of a citation as text, None where they cannot be read: a lead is no promise."""
    try:
        return resolve(parse_citation(citation), _SOURCE_BYTES, view).text
    except MemgitError:
        return None


def _result(
    found: RecallResult, leads: ProbeResult | None, packet: Packet, analysis: QueryAnalysis, action: NextAction
) -> RetrieveResult:
    return RetrieveResult(
        recall=found,
        probe=leads,
        unqualified_evidence=tuple(packet.evidence),
        packet_bytes=packet.size if packet.evidence else 0,
        analysis=analysis,
        next_action=action,
        next_action_text=NEXT_ACTIONS[action],
    )
