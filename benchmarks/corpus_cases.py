"""One case of a retrieval corpus: what is asked of the store, and what of the case does not hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec

from benchmarks.corpus import Outcome, Record, Store
from memgit.protocol.table import find_operation

BUNDLE_BYTES = 8192
PACKET_BYTES = 12 * 1024
_PRESENCES = ("none", "artifacts_only", "claims")
_CITATION_BYTES = 8192  # of one `citation.get`; a longer whole document is cited, and read in parts


class Fault(NamedTuple):
    """What does not hold. `kind` is counted: presence, false answer, missing, forbidden, leak, conflict, citation,
    span, bundle, packet or error."""

    kind: str
    why: str


@dataclass(frozen=True, slots=True)
class Asked:
    """The answers to a case. Only `recall`, `retrieve` and `bundle` are looked through for what is forbidden."""

    case: Record
    recall: Record
    retrieve: Record
    bundle: Record
    search: Record
    errors: list[str] = field(default_factory=list)


def ask(case: Record, store: Store) -> Asked:
    """Ask the four questions of a case."""
    errors: list[str] = []

    def result(operation: str, **given: Any) -> Record:
        outcome = asked(store, case, operation, **given)
        errors.extend([outcome.error] if outcome.error else [])
        return outcome.result

    return Asked(
        case,
        result("memory.recall", **_rooms(case)),
        result("memory.retrieve", **_rooms(case)),
        result("context.build", max_bytes=BUNDLE_BYTES),
        result("search"),
        errors,
    )


def asked(store: Store, case: Record, operation: str, **given: Any) -> Outcome:
    """Return what an operation answers to a case; fields of the case that the operation has go with it."""
    fields = find_operation(operation).request_type().__struct_fields__
    sent = {name: case[name] for name in fields if case.get(name) is not None} | given
    if sent.get("horizon", "ambient") != "ambient":
        sent.setdefault("reason", "a case of a benchmark")
    return store.ask(operation, sent, case["context"])


def expected_presence(case: Record) -> str:
    """Return what a case expects; where it does not say, what follows from its relevant labels."""
    said = case.get("expected_presence")
    if said is not None:
        return str(said)
    return "claims" if case.get("relevant_claims") else "artifacts_only" if case.get("relevant_artifacts") else "none"


def faults(found: Asked, store: Store) -> Iterator[Fault]:
    """Yield what of a case does not hold."""
    yield from (Fault("error", error) for error in found.errors)
    if found.errors:
        return
    yield from _presence(found)
    yield from _labels(found, store)
    yield from _conflicts(found, store)
    yield from citation_faults(found.recall, found.retrieve, store, found.case)
    yield from _bundle(found, store)
    yield from leaks(found.case, store, found.recall, found.retrieve, found.bundle, found.search)


def says_too_much(presence: str, expected: str) -> bool:
    """Tell whether a presence claims more than is expected: an answer that is none."""
    return _PRESENCES.index(presence) > _PRESENCES.index(expected)


def leaks(case: Record, store: Store, *answers: Record) -> Iterator[Fault]:
    """Yield what appears in any answer although the horizon does not reach it, each entity once."""
    text = _text(*answers)
    for label, name in store.ids.items():
        if not _allowed(case, label, name, store) and name in text:
            yield Fault("leak", f"{label} is outside the horizon and appears")


def citation_faults(recall: Record, retrieve: Record, store: Store, case: Record) -> Iterator[Fault]:
    """Yield the citations of these answers that do not resolve to the stored bytes, and back to themselves."""
    for claim in recall["claims"]:
        resolved = [_resolve(item["citation"], store, case) for item in claim["evidence"]]
        wanted = [_bytes_of(item, store) for item in claim["evidence"]]
        yield from _compared([item["citation"] for item in claim["evidence"]], resolved, wanted)
        quotes = store.quotes.get(claim["claim_id"], [])
        if all(quotes) and [text for text, _ in resolved] != quotes:
            yield Fault("citation", f"{claim['citation']} does not rest on the quotes of the seed")
        yield from _compared([claim["citation"]], [_resolve(claim["citation"], store, case)], [claim["statement"]])
    for ref in recall["artifacts"]:
        excerpt = ref["excerpt"]
        wanted = [excerpt if excerpt is not None else _bytes_of(ref, store)]
        yield from _compared([ref["citation"]], [_resolve(ref["citation"], store, case)], wanted)
    for piece in retrieve["unqualified_evidence"]:
        resolved = [_resolve(piece["citation"], store, case)]
        yield from _compared([piece["citation"]], resolved, [piece["text"]])
    for lead in (retrieve["probe"] or {}).get("leads", ()):
        for source in lead["sources"]:
            resolved = [_resolve(source["citation"], store, case)]
            yield from _compared([source["citation"]], resolved, [_bytes_of(source, store)])


def packet_bytes(retrieve: Record) -> int:
    """Return the size of a packet of evidence as JSON, 0 where there is none."""
    return len(msgspec.json.encode(retrieve["unqualified_evidence"])) if retrieve["unqualified_evidence"] else 0


def _rooms(case: Record) -> Record:
    """Return room for all relevant labels where a case has more than are returned by default."""
    claims, artifacts = len(case.get("relevant_claims") or ()), len(case.get("relevant_artifacts") or ())
    return {"max_claims": max(5, claims), "max_artifact_refs": max(3, artifacts)}


def _presence(found: Asked) -> Iterator[Fault]:
    expected = expected_presence(found.case)
    for name, presence in (
        ("recall", found.recall["presence"]),
        ("retrieve", found.retrieve["recall"]["presence"]),
    ):
        if presence != expected:
            kind = "false answer" if says_too_much(presence, expected) else "presence"
            yield Fault(kind, f"{name} says {presence}, expected is {expected}")
    if expected == "none" and found.bundle["manifest"]:
        yield Fault("false answer", "the context bundle holds something, expected is none")
    if packet_bytes(found.retrieve) > PACKET_BYTES:
        yield Fault("packet", f"the packet of evidence has {packet_bytes(found.retrieve)} bytes")


def _labels(found: Asked, store: Store) -> Iterator[Fault]:
    """Yield relevant labels that are not at their surface, and forbidden ones that are anywhere."""
    claims = {item["claim_id"] for item in found.recall["claims"]}
    artifacts = {item["artifact_id"] for item in found.recall["artifacts"]}
    if expected_presence(found.case) == "none":  # what nothing qualifies for is relevant as a lead
        leads = (found.retrieve["probe"] or {}).get("leads", ())
        claims |= {lead["claim_id"] for lead in leads}
        artifacts |= {source["artifact_id"] for lead in leads for source in lead["sources"]}
    for surface, shown in (("claims", claims), ("artifacts", artifacts)):
        for label in found.case.get(f"relevant_{surface}") or ():
            if store.ids.get(label) not in shown:
                yield Fault("missing", f"{label} is not among the {surface}")
    text = _text(found.recall, found.retrieve, found.bundle)
    for label in found.case.get("forbidden") or ():
        if label in store.ids and store.ids[label] in text:
            yield Fault("forbidden", f"{label} appears")
    if found.case.get("require_artifact_spans"):
        for ref in found.recall["artifacts"]:
            if ref["start_byte"] is None or ref["end_byte"] is None:
                yield Fault("span", f"{ref['citation']} has no span")


def _conflicts(found: Asked, store: Store) -> Iterator[Fault]:
    for pair in found.case.get("expected_conflicts") or ():
        wanted = {store.ids.get(label) for label in pair}
        for name, answer in (("recall", found.recall), ("the context bundle", found.bundle)):
            shown = [c for c in answer["conflicts"] if {side["entity_id"] for side in c["sides"]} == wanted]
            if not any(conflict["status"] == "open" for conflict in shown):
                yield Fault("conflict", f"{name} shows no open conflict of {' and '.join(pair)}")


def _bundle(found: Asked, store: Store) -> Iterator[Fault]:
    """Yield what is wrong with a context bundle: its size, or a citation that it should render and does not."""
    bundle, markdown = found.bundle, found.bundle["markdown"]
    size = len(markdown.encode())
    if size > BUNDLE_BYTES or size != bundle["bytes"]:
        yield Fault("bundle", f"the context bundle has {size} bytes, says {bundle['bytes']}, may have {BUNDLE_BYTES}")
    if bundle["content_is_untrusted"] is not True:
        yield Fault("bundle", "the context bundle does not say that it is untrusted")
    for item in bundle["manifest"]:
        for citation in (item["citation"], *item["evidence"]):
            if citation not in markdown:
                yield Fault("citation", f"the context bundle does not render {citation}")
    if bundle["omitted_count"] or bundle["retrieval_truncated"]:
        return
    relevant = {store.ids.get(label) for label in found.case.get("relevant_claims") or ()}
    for claim in found.recall["claims"]:
        for item in claim["evidence"] if claim["claim_id"] in relevant else ():
            if item["citation"] not in markdown:
                yield Fault("citation", f"the context bundle does not render {item['citation']}")


def _allowed(case: Record, label: str, name: str, store: Store) -> bool:
    """Tell whether a case may see an entity of the seed."""
    asked, own = case["context"], store.contexts[name]
    horizon = case.get("horizon", "ambient")
    if horizon == "personal" or label in asked.get("pins", ()) or name in asked.get("pins", ()):
        return True
    if own["workspace_id"] != asked["workspace_id"]:
        return False
    if horizon == "workspace":
        return True
    return own["project_id"] == asked["project_id"] and own.get("task_id") in (None, asked.get("task_id"))


def _resolve(citation: str, store: Store, case: Record) -> tuple[str | None, str]:
    """Return the text of a citation, None where it cannot be had, and what the answer is called, or what is wrong."""
    outcome = store.ask("citation.get", {"citation": citation}, case["context"])
    if outcome.details.get("kind") == "range_required":
        return None, citation  # a whole document that is too long for one answer exists, and says so
    if outcome.error:
        return None, outcome.error
    return outcome.result["content"]["data"], outcome.result["citation"]


def _bytes_of(item: Record, store: Store) -> str | None:
    """Return the text that a reference to an artifact names, from what the seed wrote."""
    data = store.texts.get(item["artifact_id"], b"")
    if item["start_byte"] is None:
        return data.decode() if len(data) <= _CITATION_BYTES else None
    return data[item["start_byte"] : item["end_byte"]].decode(errors="replace")


def _compared(
    citations: list[str], resolved: list[tuple[str | None, str]], wanted: list[str | None]
) -> Iterator[Fault]:
    for citation, (text, said), other in zip(citations, resolved, wanted, strict=True):
        same = said == citation or said.startswith(citation + "#")  # of a whole document the answer names its bytes
        if text != other or not same:
            yield Fault("citation", f"{citation} does not give its bytes back ({said})")


def _text(*answers: Record) -> str:
    return "".join(msgspec.json.encode(answer).decode() for answer in answers)
