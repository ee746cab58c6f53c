"""How a difference of states looks on a terminal: a summary, then one block for each change, as Git shows a patch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memgit.cli.terminal import Output, Part, moment, one_line

if TYPE_CHECKING:
    from memgit.review.changes import CaseChange, Diff, EntityChange, RelationChange
    from memgit.review.fields import FieldChange
    from memgit.review.lines import Line
    from memgit.review.words import Piece, TextChange

_STYLES = {
    "new": "good",
    "restored": "good",
    "resolved": "good",
    "settled": "good",
    "revised": "strong",
    "opened": "bad",
    "reopened": "bad",
}
_SIGN_STYLES = {"+": "good", "-": "bad"}
_ONE_LINE = 100  # characters


def show_diff(out: Output, diff: Diff, before: str, after: str) -> None:
    """Print a difference, the conflicts first."""
    from memgit.review.lines import SECTION_TITLES, purge_line, small_line, store_line, summary

    out.line(("strong", f"{before}..{after}"), f"  {summary(diff)}")
    for author, count in list(diff.authors.items())[:10]:
        out.line(("dim", f"  {count:>5}  "), author)
    for case in diff.conflicts:
        _show_case(out, case)
    for change in (*diff.claims, *diff.artifacts):
        _show_entity(out, change)
    _show_section(out, SECTION_TITLES["relations"], [_relation(change) for change in diff.relations])
    for name in ("sources", "projections"):
        rows = [[_verb(one.change), " ", ("id", one.id), "  ", small_line(one)] for one in getattr(diff, name)]
        _show_section(out, SECTION_TITLES[name], rows)
    _show_section(out, SECTION_TITLES["stores"], [[store_line(change)] for change in diff.stores])
    _show_section(out, SECTION_TITLES["purges"], [[purge_line(change)] for change in diff.purges])
    for name in ("ignored", "heeded"):
        problems = getattr(diff, name)
        _show_section(out, SECTION_TITLES[name], [[f"{one.path}: ", ("bad", one.reason)] for one in problems])
    _show_section(out, SECTION_TITLES["purged"], [[f"{op.verb} {op.digest[:12]} by {op.author}"] for op in diff.purged])
    if any(change.content is not None and change.content.left_out for change in diff.artifacts):
        out.note("documents are cut: --full shows all lines")
    for name, count in diff.left_out.items():
        out.line(f"… and {count} more in {SECTION_TITLES[name].lower()}")


def show_lines(out: Output, lines: Iterable[Line], indent: str = "    ") -> None:
    """Print lines with their signs; each line of a text has its own."""
    for sign, text in lines:
        for part in text.replace("\r\n", "\n").split("\n"):
            whole = f"{sign} {part}".rstrip()
            out.line(indent, (_SIGN_STYLES[sign], whole) if sign in _SIGN_STYLES else whole)


def show_fields(out: Output, fields: Sequence[FieldChange]) -> None:
    """Print what a revision changed: a text by its words, anything else as it was and as it is."""
    from memgit.review.lines import field_lines

    for field in fields:
        if field.pieces:
            out.line("    ", f"{field.name}: ", *_words(field.pieces))
        else:
            show_lines(out, field_lines(field))


def show_content(out: Output, content: TextChange) -> None:
    """Print how a document's text changed."""
    from memgit.review.lines import content_lines

    show_lines(out, content_lines(content))


def _show_entity(out: Output, change: EntityChange) -> None:
    from memgit.review.lines import entity_lines, what_became

    out.line()
    about: list[Part] = [] if change.kind == "claim" else ["  ", one_line(change.text, _ONE_LINE)]
    disputed: list[Part] = ["  ", ("bad", "disputed")] if change.disputed else []
    verb = (_verb(change.change)[0], f"{what_became(change):<9}")
    out.line(verb, " ", ("id", change.id), "  ", change.about, *about, *disputed)
    out.line(("dim", f"  revision {change.number}, {moment(change.at)}, "), ("dim", change.author))
    out.line(("dim", "  cite "), change.citation)
    worded = [field for field in change.fields if field.pieces]
    if worded:
        show_fields(out, worded)
    elif change.kind == "claim" and change.change != "new" and not change.fields:
        out.line("    ", one_line(change.text, _ONE_LINE))
    named = {(sign, f"{field.name}: {part}") for field in worded for sign, text in _sides(field) for part in text}
    show_lines(out, (line for line in entity_lines(change) if line not in named))


def _sides(field: FieldChange) -> tuple[tuple[str, list[str]], tuple[str, list[str]]]:
    return ("-", (field.old or "").split("\n")), ("+", (field.new or "").split("\n"))


def _show_case(out: Output, change: CaseChange) -> None:
    from memgit.review.lines import case_lines

    out.line()
    out.line(_verb(change.change), " ", ("id", change.id), f"  {change.kind}")
    show_lines(out, case_lines(change))


def _show_section(out: Output, title: str, rows: Sequence[Sequence[Part]]) -> None:
    if rows:
        out.line()
        out.line(("strong", title))
    for row in rows:
        out.line("  ", *row)


def _relation(change: RelationChange) -> list[Part]:
    from memgit.review.lines import relation_line

    return [_verb(change.change), " ", ("id", change.id), "  ", one_line(relation_line(change), 2 * _ONE_LINE)]


def _verb(name: str) -> Part:
    return (_STYLES.get(name, "strong"), f"{name:<9}")


def _words(pieces: Sequence[Piece]) -> list[Part]:
    marks = {"=": "{}", "-": "[-{}-]", "+": "{{+{}+}}"}
    return [
        (_SIGN_STYLES[sign], marks[sign].format(text)) if sign in _SIGN_STYLES else text.replace("\n", " ")
        for sign, text in pieces
    ]
