"""How claims, artifacts, relations and cases look to people: a heading like Git's, the text indented below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memgit.cli.code import show_code_state
from memgit.cli.front import layer_label
from memgit.cli.terminal import Output, Part, moment, one_line

if TYPE_CHECKING:
    from memgit.operations.views import ArtifactView, CaseView, ClaimView, RelationView


def claim_heading(view: ClaimView) -> list[Part]:
    """Return the line that names a claim: its id, type and status."""
    return [("id", view.claim_id), "  ", ("strong", view.claim_type), *_state(view)]


def artifact_heading(view: ArtifactView) -> list[Part]:
    """Return the line that names an artifact."""
    return [("id", view.artifact_id), "  ", ("strong", view.artifact_kind), "  ", view.title, *_state(view)]


def heading(view: ClaimView | ArtifactView) -> list[Part]:
    """Return the line that names either."""
    from memgit.operations.views import ClaimView

    return claim_heading(view) if isinstance(view, ClaimView) else artifact_heading(view)


def show_claim(out: Output, view: ClaimView) -> None:
    """Print a claim with its description."""
    out.line(*claim_heading(view))
    fields(out, [*_claim_fields(view), *_common_fields(view)])
    out.line()
    out.block(view.statement)
    if view.evidence:
        out.line()
        for item in view.evidence:
            out.line("evidence  ", item.citation)
    _show_code(out, view)


def show_artifact(out: Output, view: ArtifactView) -> None:
    """Print an artifact's description, without its bytes."""
    out.line(*artifact_heading(view))
    described = [
        ("media type", view.media_type),
        ("size", f"{view.size} bytes"),
        ("digest", view.digest),
        ("component", view.component or ""),
        ("markers", ", ".join(view.markers)),
        ("path", _path(view)),
    ]
    fields(out, [*described, *_common_fields(view)])
    _show_code(out, view)


def _show_code(out: Output, view: ClaimView | ArtifactView) -> None:
    if view.code_state is not None:
        out.line()
        show_code_state(out, view.code_state, indent="")


def show_relations(out: Output, relations: Sequence[RelationView], anchor: str | None = None) -> None:
    """Print edges, one a line."""
    for edge in relations:
        direction = "" if anchor is None else ("-> " if edge.source == anchor else "<- ")
        out.line(
            direction,
            ("id", edge.relation_id),
            f"  {edge.source} ",
            ("strong", edge.relation),
            f" {edge.target}",
            "  (undone)" if edge.void else "",
            ("dim", layer_label(edge.layer)),
        )


def show_relation(out: Output, edge: RelationView) -> None:
    """Print one edge with its description."""
    out.line(
        ("id", edge.relation_id),
        "  ",
        ("strong", edge.relation),
        "  (undone)" if edge.void else "",
        ("dim", layer_label(edge.layer)),
    )
    metadata = "" if edge.metadata is None else _json(edge.metadata)
    described = [("source", edge.source), ("target", edge.target), ("metadata", metadata)]
    fields(out, [*described, ("author", edge.author.text), ("date", moment(edge.created_at))])


def case_heading(view: CaseView) -> list[Part]:
    """Return the line that names a conflict case."""
    style = "bad" if view.status == "open" else "dim"
    return [("id", view.case_id), "  ", ("strong", view.kind), "  ", (style, view.status)]


def show_case(out: Output, view: CaseView) -> None:
    """Print a case: what disagreed, by whom, as it is now where that has changed, and what resolves it."""
    out.line(*case_heading(view))
    for side in view.frozen:
        _show_side(out, side)
    for side in _revised_since(view):
        _show_side(out, side, "now ")
    if view.resolved_by is not None:
        out.line()
        out.block(view.resolved_by, indent="")


def list_case(out: Output, view: CaseView) -> None:
    """Print a case in a list: of each side what it is of, its revision, author and date."""
    out.line(*case_heading(view))
    for side in view.frozen:
        out.line("  ", heading(side)[0], f"  {one_line(_text(side), 80)}")
        out.line("      ", ("id", side.revision_id), f"  {moment(side.revised_at)}  {author_text(side)}")
    if _revised_since(view):
        out.line("  revised since")


def _show_side(out: Output, side: ClaimView | ArtifactView, when: str = "") -> None:
    out.line(f"  {when}", *heading(side))
    out.block(_text(side), indent="      ")
    out.line("      revision  ", ("id", side.revision_id), f"  {moment(side.revised_at)}  {author_text(side)}")
    out.line("      cite      ", side.citation)


def _revised_since(view: CaseView) -> list[ClaimView | ArtifactView]:
    """Return the sides that are no longer what disagreed."""
    frozen = {side.revision_id for side in view.frozen}
    return [side for side in view.current if side.revision_id not in frozen]


def show_page(out: Output, items: Sequence[ClaimView | ArtifactView]) -> None:
    """Print the revisions of one entity, newest first."""
    for view in items:
        current = [("good", "  current")] if view.is_current else []
        out.line(
            ("id", view.revision_id),
            f"  {view.revision_number}",
            *current,
            f"  {moment(view.revised_at)}  {author_text(view)}",
            ("dim", layer_label(view.layer)),
        )
        out.block(_text(view))


def author_text(view: ClaimView | ArtifactView) -> str:
    """Return who wrote a revision, through which agent, and that he is not trusted where he is not."""
    through = f" through {view.author.agent}" if view.author.agent else ""
    return f"{view.author.text}{through}{'' if view.trusted else ' (not trusted)'}"


def fields(out: Output, pairs: Sequence[tuple[str, str]]) -> None:
    """Print names and values below each other; what is empty is left out."""
    kept = [(name, value) for name, value in pairs if value]
    width = max((len(name) for name, _ in kept), default=0)
    for name, value in kept:
        out.line(("dim", f"  {name:<{width}}  "), value)


def _claim_fields(view: ClaimView) -> list[tuple[str, str]]:
    confidence = "" if view.confidence is None else f"{view.confidence:g}"
    valid = " to ".join(part for part in (view.valid_from or "", view.valid_until or "") if part)
    if view.valid_until and not view.valid_from:
        valid = f"until {view.valid_until}"
    return [
        ("subject", view.subject or ""),
        ("component", view.component or ""),
        ("value", f"{view.value.type} {view.value.data}" if view.value else ""),
        ("confidence", confidence),
        ("valid", valid if view.valid_until or not valid else f"from {valid}"),
        ("trust", view.trust or ""),
        ("sensitivity", view.sensitivity or ""),
        ("markers", ", ".join(view.markers)),
    ]


def _common_fields(view: ClaimView | ArtifactView) -> list[tuple[str, str]]:
    number = f"{view.revision_id} (number {view.revision_number}{', current' if view.is_current else ''})"
    code = view.code
    stamp = " ".join(part for part in ((code.head or "")[:12], code.branch or "") if part) if code else ""
    return [
        ("revision", number),
        ("heads", ", ".join(view.heads) if len(view.heads) > 1 else ""),
        ("superseded by", ", ".join(view.superseded_by)),
        ("conflicts", ", ".join(view.open_conflicts)),
        ("author", author_text(view)),
        ("date", moment(view.revised_at)),
        ("code", stamp),
        ("ended", " ".join(part for part in (moment(view.ended_at or ""), view.ended_because or "") if part)),
        ("citation", view.citation),
    ]


def _state(view: ClaimView | ArtifactView) -> list[Part]:
    status = ("good" if view.status == "active" else "bad", view.status)
    disputed: list[Part] = [" ", ("bad", "disputed")] if view.disputed else []
    return ["  ", status, *disputed, ("dim", layer_label(view.layer))]


def _text(view: ClaimView | ArtifactView) -> str:
    from memgit.operations.views import ClaimView

    return view.statement if isinstance(view, ClaimView) else view.title


def _path(view: ArtifactView) -> str:
    path = view.provenance.get("path") if isinstance(view.provenance, dict) else None
    return path if isinstance(path, str) else ""


def _json(value: object) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()
