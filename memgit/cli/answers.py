"""How retrieval's answers look to people: what was found, how it stands, and the citations that prove it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from memgit.cli.code import show_code_state
from memgit.cli.front import layer_label
from memgit.cli.terminal import Output, Part, moment, one_line

if TYPE_CHECKING:
    from memgit.retrieval.conflicts import Conflict
    from memgit.retrieval.probe import Lead
    from memgit.retrieval.qualification import Withheld
    from memgit.retrieval.results import ArtifactItem, ClaimItem, Why

_RESERVATIONS: dict[Withheld, str] = {
    "question": "it only asks",
    "derivation": "it holds other words with the same stem",
}


def say_when(out: Output, as_of: str | None, instant: str) -> None:
    """Say which moment an answer is from, where another than now was asked for."""
    if as_of is not None:
        out.note(f"as of {moment(instant)}")


def show_claim_item(out: Output, item: ClaimItem, origins: Mapping[str, str], rank: str = "") -> None:
    """Print a claim: id, type and standing, the statement, what it rests on, what disagrees."""
    out.line(
        rank,
        ("id", item.claim_id),
        "  ",
        ("strong", item.claim_type),
        *_standing(item),
        *_origin(item.claim_id, origins),
    )
    out.block(claim_text(item))
    if said := _said(item.markers):
        out.line("    said      ", said)
    _show_reservation(out, item.why)
    _show_author(out, item)
    if item.same_count:
        out.line(f"    and {item.same_count} that say the same")
    for evidence in item.evidence:
        out.line("    evidence  ", evidence.citation)
    show_code_state(out, item.code_state)
    for case in item.open_cases:
        out.line("    conflict  ", ("bad", case))


def show_artifact_item(out: Output, item: ArtifactItem, origins: Mapping[str, str], rank: str = "") -> None:
    """Print a document: id, kind, title and standing, then the passage with its citation."""
    described: list[Part] = [("id", item.artifact_id), "  ", ("strong", item.kind), "  ", item.title]
    out.line(rank, *described, *_standing(item), *_origin(item.artifact_id, origins))
    if item.path is not None and item.path != item.title:
        out.line("    path      ", one_line(item.path, 200))
    if item.excerpt is not None:
        out.block(item.excerpt, indent="    | ")
    _show_reservation(out, item.why)
    _show_author(out, item)
    out.line("    cite      ", item.citation)
    show_code_state(out, item.code_state)


def show_conflicts(out: Output, conflicts: Sequence[Conflict]) -> None:
    """Print the cases that touch an answer, with both sides."""
    for conflict in conflicts:
        out.line()
        out.line(("bad", f"conflict ({conflict.kind}, {conflict.status})"), "  ", ("id", conflict.case_id))
        for side in conflict.sides:
            out.line("    ", ("id", side.entity_id))
            out.block(side.text, indent="        ")
            if not side.trusted:
                out.line("        by  ", side.author.text, ("bad", " (not trusted)"))
        if conflict.hidden_sides:
            out.line(f"    and {conflict.hidden_sides} out of sight from here")


def claim_text(item: ClaimItem) -> str:
    """Return what a claim says: its statement, or its typed value with its subject in front."""
    if item.statement is not None:
        return item.statement
    data = item.value.data if item.value is not None else ""
    return f"{item.subject}: {data}" if item.subject else data


def _show_reservation(out: Output, why: Why | None) -> None:
    """Say what keeps a candidate from being an answer although its words would do."""
    if why is not None and why.answers is not None:
        out.line("    said after the question ", ("id", why.answers))
    elif why is not None and why.withheld is not None:
        out.line("    ", _RESERVATIONS[why.withheld])


def _said(markers: Iterable[str]) -> str:
    """Return who said a session's claim, where and when; nothing of a claim that nobody said in one."""
    from memgit.records.conversation import saying

    found = saying(markers)
    if found is None:
        return ""
    who = f"by {', '.join(found.speakers)}" if found.speakers else ""
    ends = dict.fromkeys((*found.moments[:1], *found.moments[-1:]))
    when = " to ".join(moment(each) for each in ends)
    return one_line(", ".join(part for part in (who, when, f"in {found.session}") if part), 200)


def _standing(item: ClaimItem | ArtifactItem) -> list[Part]:
    style = {"current": "good", "disputed": "bad"}.get(item.standing, "dim")
    reasons = ", ".join(reason.code.replace("_", " ") for reason in item.not_current)
    return ["  ", (style, item.standing), f" ({reasons})" if reasons else "", ("dim", layer_label(item.layer))]


def _show_author(out: Output, item: ClaimItem | ArtifactItem) -> None:
    """Say whose word it is where an agent wrote it, or the user has not said that he trusts it."""
    through = f" through {item.author.agent}" if item.author.agent else ""
    if through or not item.trusted:
        out.line("    by        ", item.author.text, through, ("bad", "" if item.trusted else " (not trusted)"))


def _origin(name: str, origins: Mapping[str, str]) -> list[Part]:
    return ["  in ", origins[name]] if name in origins else []


def show_leads(out: Output, leads: Iterable[Lead]) -> None:
    """Print where to look, best first."""
    for lead in leads:
        kind = "evidence of " + lead.claim_id if lead.claim_id is not None else "document"
        named = "" if lead.path is None or lead.path == lead.title else f"  {one_line(lead.path, 120)}"
        out.line("lead  ", one_line(lead.title, 80), named, "  ", ("dim", kind))
        if not lead.trusted:
            out.line("  by  ", one_line(lead.author.text, 100), ("bad", " (not trusted)"))
        for source in lead.sources:
            whose = f"  by {one_line(source.author.text, 100)}" if not source.trusted else ""
            out.line("  ", ("id", source.citation), whose, ("bad", " (not trusted)") if whose else "")
