"""How retrieval's answers look to people: what was found, how it stands, and the citations that prove it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from memgit.cli.front import layer_label
from memgit.cli.terminal import Output, Part, one_line

if TYPE_CHECKING:
    from memgit.retrieval.conflicts import Conflict
    from memgit.retrieval.probe import Lead
    from memgit.retrieval.results import ArtifactItem, ClaimItem


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
    _show_author(out, item)
    if item.same_count:
        out.line(f"    and {item.same_count} that say the same")
    for evidence in item.evidence:
        out.line("    evidence  ", evidence.citation)
    for case in item.open_cases:
        out.line("    conflict  ", ("bad", case))


def show_artifact_item(out: Output, item: ArtifactItem, origins: Mapping[str, str], rank: str = "") -> None:
    """Print a document: id, kind, title and standing, then the passage with its citation."""
    described: list[Part] = [("id", item.artifact_id), "  ", ("strong", item.kind), "  ", item.title]
    out.line(rank, *described, *_standing(item), *_origin(item.artifact_id, origins))
    if item.excerpt is not None:
        out.block(item.excerpt, indent="    | ")
    _show_author(out, item)
    out.line("    cite      ", item.citation)


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
        out.line("lead  ", one_line(lead.title, 80), "  ", ("dim", kind))
        if not lead.trusted:
            out.line("  by  ", one_line(lead.author.text, 100), ("bad", " (not trusted)"))
        for source in lead.sources:
            whose = f"  by {one_line(source.author.text, 100)}" if not source.trusted else ""
            out.line("  ", ("id", source.citation), whose, ("bad", " (not trusted)") if whose else "")
