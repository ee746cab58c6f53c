"""How a conflict case is resolved, in words and commands."""

from __future__ import annotations

from memgit.records.state import Case


def resolved_by(case: Case) -> str:
    """Return what resolves an open case, with the commands that do."""
    entity = case.entities[0] if case.entities else "ID"
    if case.kind == "contradicts":
        return (
            "Revise or retract a side, let one supersede the other: `git memory relation put NEW supersedes OLD`; "
            f"or take the relation back: `git memory undo {case.relation}`."
        )
    if case.kind == "fork":
        undos = ", ".join(f"`git memory undo {revision}`" for revision in case.revisions)
        united = f"Write one text over all heads: `git memory claim revise {entity} TEXT --all-heads`; or undo"
        return f"{united if entity.startswith('clm_') else 'Undo'} all revisions but one of these: {undos}."
    return (
        f"Let what was ended stay ended: `git memory conflict acknowledge {case.id}`; or take that back: "
        f"`git memory undo {(case.tombstone or entity)[:16]}`."
    )
