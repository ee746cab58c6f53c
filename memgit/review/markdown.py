"""A difference as Markdown, fit for the comment of a pull request.

Headings, a table of counts, one details block for each change. Stored text stands in code alone (`escape`), so it can
neither leave its place, nor run HTML, nor mention anybody. At most so many bytes; what does not fit is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from memgit.review.changes import SECTIONS, CaseChange, Diff, EntityChange, OpRef, RelationChange, SmallChange
from memgit.review.compare import COUNTED
from memgit.review.escape import code_block, code_element, code_span
from memgit.review.lines import (
    SECTION_TITLES,
    Line,
    case_lines,
    entity_lines,
    pieces_text,
    purge_line,
    relation_line,
    section_counts,
    small_line,
    store_line,
    what_became,
)

COMMENT_BYTES = 60_000
"""The default budget: a comment of the large code hosts holds 65,536 characters."""

_SPARE = 600  # bytes, for the lines that say what was left out
_TITLE = 120  # characters
_SIGNS = {"+": "+ ", "-": "- ", " ": "  "}


def markdown(diff: Diff, title: str, budget: int = COMMENT_BYTES) -> str:
    """Return the difference in at most `budget` bytes. `title` is our own text, of names that were typed."""
    page = _Page(budget - _SPARE)
    page.add([f"## Memory: {code_span(title)}", ""])
    if diff.is_empty:
        page.add(["Nothing differs.", ""])
        return page.text()
    page.add([*_table(diff), ""])
    page.add([*_authors(diff), ""] if diff.authors else [])
    for name in SECTIONS:
        items = getattr(diff, name)
        if not items and not diff.left_out.get(name):
            continue
        page.add([f"### {SECTION_TITLES[name]}", ""])
        shown = sum(1 for _ in page.add_while(_RENDERED[name](item) for item in items))
        rest = len(items) - shown + diff.left_out.get(name, 0)
        page.force([f"… and {rest} more in {SECTION_TITLES[name].lower()}.", ""] if rest else [])
    return page.text()


class _Page:
    """Lines up to a number of bytes."""

    def __init__(self, budget: int) -> None:
        self._left = budget
        self._lines: list[str] = []

    def add(self, lines: list[str]) -> bool:
        """Add all of the lines, or none where they do not fit."""
        size = sum(len(line.encode()) + 1 for line in lines)
        if size > self._left:
            return False
        self._left -= size
        self._lines += lines
        return True

    def add_while(self, blocks: Iterable[list[str]]) -> Iterable[list[str]]:
        """Add blocks until one does not fit; yield those that did."""
        for block in blocks:
            if not self.add(block):
                return
            yield block

    def force(self, lines: list[str]) -> None:
        """Add lines for which room was spared."""
        self._lines += lines

    def text(self) -> str:
        return "\n".join(self._lines).rstrip("\n") + "\n"


def _table(diff: Diff) -> list[str]:
    rows = ["| what | changes |", "|---|---|"]
    for section in COUNTED:
        kinds = section_counts(diff, section)
        if kinds:
            rows.append(f"| {section} | {', '.join(f'{count} {kind}' for kind, count in kinds.items())} |")
    for section in ("stores", "purges", "ignored", "purged"):
        if diff.counts.get(section):
            rows.append(f"| {SECTION_TITLES[section].lower()} | {diff.counts[section]} |")
    return [*rows, f"| operations | {diff.counts.get('operations', 0)} |"]


def _authors(diff: Diff) -> list[str]:
    shown = [f"{code_span(name, _TITLE)} {count}" for name, count in list(diff.authors.items())[:20]]
    more = f", and {len(diff.authors) - 20} more" if len(diff.authors) > 20 else ""
    return [f"Operations by author: {', '.join(shown)}{more}."]


def _entity(change: EntityChange) -> list[str]:
    disputed = " <b>disputed</b>" if change.disputed else ""
    verb = f"<b>{what_became(change)}</b>"
    heading = f"{verb} {code_element(change.about, 40)} {code_element(change.text, _TITLE)}{disputed}"
    facts = [
        f"- {code_span(change.id)}, revision {change.number} by {code_span(change.author, _TITLE)}, {change.at[:19]}Z",
        f"- cite {code_span(change.citation)}",
    ]
    facts += [f"- why: {code_span(change.reason, 400)}"] if change.reason else []
    facts += [f"- {code_span(pieces_text(field.pieces), 1_500)}" for field in change.fields if field.pieces]
    return _details(heading, facts, entity_lines(change))


def _relation(change: RelationChange) -> list[str]:
    who = code_span(change.author, _TITLE)
    return [f"- {change.change}: {code_span(relation_line(change), 400)} ({code_span(change.id)}, {who})", ""]


def _small(change: SmallChange) -> list[str]:
    return [f"- {change.change}: {code_span(small_line(change), 400)} ({code_span(change.id)})", ""]


def _case(change: CaseChange) -> list[str]:
    heading = f"<b>{change.change}</b> {change.kind} {code_element(change.id)}"
    return _details(heading, [f"- `git memory conflict show {change.id}`"], case_lines(change))


def _details(heading: str, facts: list[str], lines: list[Line]) -> list[str]:
    block = code_block((_SIGNS[sign] + text for sign, text in _unfolded(lines)), "diff") if lines else []
    middle = [*block, ""] if block else []
    return ["<details>", f"<summary>{heading}</summary>", "", *facts, "", *middle, "</details>", ""]


def _unfolded(lines: list[Line]) -> Iterable[Line]:
    """Yield lines one by one, so that each line of a text has its sign."""
    return ((sign, part) for sign, text in lines for part in text.replace("\r\n", "\n").split("\n"))


def _bullet(text: str) -> list[str]:
    return [f"- {code_span(text, 600)}", ""]


def _op(op: OpRef) -> list[str]:
    return _bullet(f"{op.verb} {op.digest[:16]} by {op.author}")


_RENDERED: dict[str, Callable[[Any], list[str]]] = {
    "conflicts": _case,
    "claims": _entity,
    "artifacts": _entity,
    "relations": _relation,
    "sources": _small,
    "projections": _small,
    "stores": lambda change: _bullet(store_line(change)),
    "purges": lambda change: _bullet(purge_line(change)),
    "ignored": lambda problem: _bullet(f"{problem.path}: {problem.reason}"),
    "heeded": lambda problem: _bullet(f"{problem.path}: {problem.reason}"),
    "purged": _op,
}
