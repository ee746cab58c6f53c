"""A change as a few lines, for a terminal or a comment. The texts are stored texts; nothing is escaped yet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from memgit.review.changes import (
    CaseChange,
    CaseSide,
    Diff,
    EntityChange,
    PurgeChange,
    RelationChange,
    SmallChange,
    StoreChange,
)
from memgit.review.compare import COUNTED
from memgit.review.fields import FieldChange
from memgit.review.words import Piece, TextChange

Line = tuple[Literal["+", "-", " "], str]
"""A line that is new, gone, or said beside."""

SECTION_TITLES: dict[str, str] = {
    "conflicts": "Conflicts",
    "claims": "Claims",
    "artifacts": "Artifacts",
    "relations": "Relations",
    "sources": "Sources",
    "projections": "Projections",
    "stores": "Stores",
    "purges": "Purge markers",
    "ignored": "Ignored",
    "heeded": "No longer ignored",
    "purged": "Kept out by a purge",
}

_SAYINGS = {
    "opened": "opened",
    "passed": "opened and closed",
    "undone": "undone",
    "noted": "noted",
    "unread": "not looked at",
}


def summary(diff: Diff) -> str:
    """Return the difference in one line, as `3 claims (2 new, 1 revised), 1 store record`, or `nothing`."""
    parts = []
    for section in COUNTED:
        kinds = section_counts(diff, section)
        total = sum(kinds.values())
        if total:
            noun = section if total != 1 else section[:-1]
            parts.append(f"{total} {noun} ({', '.join(f'{count} {kind}' for kind, count in kinds.items())})")
    for section, words in (("stores", "store record"), ("purges", "purge marker"), ("ignored", "ignored operation")):
        count = diff.counts.get(section, 0)
        if count:
            parts.append(f"{count} {words}{'s' if count != 1 else ''}")
    return ", ".join(parts) or "nothing"


def section_counts(diff: Diff, section: str) -> dict[str, int]:
    """Return how many changes of a section there are, by what became of them."""
    prefix = f"{section}."
    return {
        _SAYINGS.get(name.removeprefix(prefix), name.removeprefix(prefix)): count
        for name, count in diff.counts.items()
        if name.startswith(prefix)
    }


def entity_lines(change: EntityChange) -> list[Line]:
    """Return what became of a claim or an artifact, below its heading."""
    lines: list[Line] = []
    if change.change == "new":
        lines += [("+", line) for line in change.text.split("\n")] if change.kind == "claim" else []
    else:
        lines += [line for field in change.fields for line in field_lines(field)]
    if change.change not in ("new", "revised"):
        lines.append((" ", _ended(change)))
    lines += [(" ", f"evidence {citation}") for citation in change.evidence if change.change == "new"]
    if change.heads:
        lines.append((" ", f"forked: {', '.join(change.heads)}"))
    if change.content is not None:
        lines += content_lines(change.content)
    return lines


def what_became(change: EntityChange) -> str:
    """Return what became of an entity in a word or two: what is new may have ended already."""
    status = change.statuses[1]
    return f"{change.change}, {status}" if change.change == "new" and status != "active" else change.change


def content_lines(content: TextChange) -> Iterator[Line]:
    """Yield the difference of a document's text."""
    if content.note is not None:
        yield " ", content.note
    for line in content.lines:
        sign: Literal["+", "-", " "] = "+" if line.startswith("+") else "-" if line.startswith("-") else " "
        yield sign, line[1:] if line[:1] in "+- " else line
    if content.left_out:
        yield " ", f"… {content.left_out} more lines"


def field_lines(field: FieldChange) -> list[Line]:
    """Return a field as it was and as it is; of a text of several lines, each of them."""
    name = field.name
    old: list[Line] = [("-", f"{name}: {line}") for line in (field.old or "").split("\n")] if field.old else []
    new: list[Line] = [("+", f"{name}: {line}") for line in (field.new or "").split("\n")] if field.new else []
    return old + new


def pieces_text(pieces: Sequence[Piece]) -> str:
    """Return the words of a changed text on one line, as `git diff --word-diff` marks them."""
    marks = {"=": "{}", "-": "[-{}-]", "+": "{{+{}+}}"}
    return "".join(marks[sign].format(text) for sign, text in pieces)


def relation_line(change: RelationChange) -> str:
    """Return an edge as a sentence of its ends' texts, or ids where these are not known."""
    source, target = change.source_text or change.source, change.target_text or change.target
    return f"{source} — {change.relation} — {target}"


def small_line(change: SmallChange) -> str:
    """Return a source or a projection as a line."""
    of = f" of {change.of}" if change.of else ""
    return f"{change.about}{of}: {change.text}"


def case_lines(change: CaseChange) -> list[Line]:
    """Return what a case is over."""
    return [line for side in change.sides for line in _side_lines(side)]


def _side_lines(side: CaseSide) -> list[Line]:
    where = "arrives" if side.arrives else "is here"
    whose = f", {side.author}, {side.at[:19]}Z" if side.author else ""
    return [(" ", f"{side.entity}: {side.text}"), (" ", f"    {where}: {side.revision}{whose}")]


def store_line(change: StoreChange) -> str:
    """Return a store record as a line."""
    joined = f", joined {change.alias_of}" if change.alias_of else ""
    return f"{change.store}: workspace {change.workspace}, project {change.project}{joined}"


def purge_line(change: PurgeChange) -> str:
    """Return a purge marker as a line."""
    why = f": {change.reason}" if change.reason else ""
    return f"{', '.join(change.entities[:20])} may never come back{why}"


def _ended(change: EntityChange) -> str:
    by = f" by {', '.join(change.superseded_by)}" if change.change == "superseded" else ""
    why = f": {change.reason}" if change.reason else ""
    who = f", {change.author}" if change.author and change.change in ("retracted", "forgotten") else ""
    verbs = {"undone": "its creation was undone", "noted": _noted(change), "gone": "purged"}
    return f"{verbs.get(change.change, change.change)}{by}{who}{why}"


def _noted(change: EntityChange) -> str:
    verbs = ", ".join(dict.fromkeys(op.verb for op in change.ops)) or "its history"
    return f"{verbs}; nothing that is shown changed"
