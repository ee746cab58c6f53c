"""How retrieval's answers look to people: what was found, how it stands, and the citations that prove it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memgit.cli.terminal import Output, Part

if TYPE_CHECKING:
    from memgit.retrieval.conflicts import Conflict
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
    out.line("    cite      ", item.citation)


def show_conflicts(out: Output, conflicts: Sequence[Conflict]) -> None:
    """Print the cases that touch an answer, with both sides."""
    for conflict in conflicts:
        out.line()
        out.line(("bad", f"conflict ({conflict.kind}, {conflict.status})"), "  ", ("id", conflict.case_id))
        for side in conflict.sides:
            out.line("    ", ("id", side.entity_id))
            out.block(side.text, indent="        ")
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
    return ["  ", (style, item.standing), f" ({reasons})" if reasons else ""]


def _origin(name: str, origins: Mapping[str, str]) -> list[Part]:
    return ["  in ", origins[name]] if name in origins else []
