"""How the state of code looks to people: one line for each anchor, the difference below it where there is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memgit.cli.front import layer_label
from memgit.cli.terminal import Output, Part, one_line

if TYPE_CHECKING:
    from memgit.operations.known_items import KnownItem
    from memgit.retrieval.code_state import AnchorState, CodeState

_STYLES = {"fresh": "good", "moved": "good", "drifted": "bad", "gone": "bad"}


def show_code_state(out: Output, state: CodeState | None, indent: str = "    ") -> None:
    """Print what became of the code behind an item, and the branch that it comes from; nothing where there is none."""
    if state is None:
        return
    for anchor in state.anchors:
        show_anchor(out, anchor, f"{indent}code      ")
    show_branch(out, state.branch, state.merged, indent)


def show_branch(out: Output, branch: str | None, merged: str | None, indent: str = "    ") -> None:
    """Print the branch that something comes from; nothing of what is part of the history."""
    if branch is not None:
        name = one_line(branch.removeprefix("refs/heads/"), 80)
        why = "which is not merged here" if merged == "no" else "of which this clone does not have the commit"
        out.line(f"{indent}from      ", ("bad", name), f", {why}")


def show_anchor(out: Output, anchor: AnchorState, lead: str) -> None:
    """Print one anchor: where it was, its state and how sure that is, where it is now."""
    sure = "" if anchor.certainty == "certain" else f", {anchor.certainty}"
    out.line(lead, place(anchor), "  ", (_STYLES[anchor.state], anchor.state), f"{sure}: {one_line(anchor.said, 200)}")
    below = " " * len(lead)
    if anchor.now is not None and anchor.now != anchor.was:
        out.line(f"{below}now {one_line(anchor.now.text, 200)}")
    if anchor.ended_by is not None:
        out.line(f"{below}last in {anchor.ended_by[:10]}^")
    if anchor.others:
        out.line(f"{below}the same text is in {', '.join(one_line(other.text, 80) for other in anchor.others[:5])}")
    if anchor.difference is not None:
        out.block(anchor.difference.rstrip("\n"), indent=f"{below}| ")


def place(anchor: AnchorState) -> str:
    """Return what an anchor was tied to."""
    if anchor.was is None:
        return f"commit {(anchor.commit or '')[:10]}"
    return one_line(anchor.was.text, 200) + (f" ({one_line(anchor.symbol, 80)})" if anchor.symbol else "")


def show_known(out: Output, item: KnownItem, lead: Sequence[Part] = (), indent: str = "    ") -> None:
    """Print what is known: a heading, the text, and whose word it is where that matters."""
    disputed: list[Part] = ["  ", ("bad", "disputed")] if item.disputed else []
    heading: list[Part] = [*lead, ("id", item.entity_id), "  ", ("strong", item.type), *disputed]
    out.line(*heading, ("dim", layer_label(item.layer)))
    out.block(item.text, indent)
    if not item.trusted:
        out.line("    by        ", one_line(item.author.text, 120), ("bad", " (not trusted)"))
    for case in item.open_conflicts:
        out.line("    conflict  ", ("bad", case))
