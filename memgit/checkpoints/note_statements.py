"""From a note's text to the statements that it makes, each with its exact bytes. Pure, without a model.

One statement per list item; in a section without a list, one per paragraph. All are observations, unless the text
itself says what they are: under a heading or a label such as `Decisions:`, or behind one (`Decision: we use X`).
Headings, code and what was cut off are evidence, and no statements.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import cast, get_args

from memgit.records.op import ClaimType

CUT, REPEATED, TOO_MANY = "the truncation cut it off", "the note says it before", "a note makes at most {most} claims"

_KINDS: tuple[ClaimType, ...] = get_args(ClaimType)
_NAME = rf"(?P<kind>{'|'.join(_KINDS)})s?"
_EMPHASIS = r"(?:\*\*|__)?"
_LABEL = re.compile(rf"{_EMPHASIS}{_NAME}(?:\s*:\s*{_EMPHASIS}|{_EMPHASIS}\s*:)[ \t]*", re.IGNORECASE)
_TITLE = re.compile(rf"{_EMPHASIS}{_NAME}\s*:?{_EMPHASIS}\s*:?", re.IGNORECASE)
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]+(?P<title>.*?))?[ \t]*#*[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*")
_RULE = re.compile(r" {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+(?=\S)")
_FENCE = re.compile(r"[ \t]*(?P<mark>`{3,}|~{3,})")
_INDENTED = re.compile(r"(?: {2,}|\t)\S")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


@dataclass(frozen=True, slots=True)
class Statement:
    """What a note states: the bytes [start, end), and the same on one line."""

    start: int
    end: int
    text: str
    claim_type: ClaimType


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The bytes [start, end) that could be a statement and become none, and why."""

    start: int
    end: int
    reason: str


@dataclass(slots=True)
class _Block:
    """An item, a paragraph, or what stands behind a label; characters [start, end). `is_said`: its kind is its own."""

    start: int
    end: int
    claim_type: ClaimType
    is_item: bool = False
    is_said: bool = False


@dataclass(slots=True)
class _Reader:
    """Where the reading stands: what the section and the label above say, and the block that is open."""

    text: str
    blocks: list[list[_Block]] = field(default_factory=lambda: [[]])  # by section
    section: ClaimType = "observation"
    label: ClaimType | None = None
    fence: str = ""
    block: _Block | None = None
    after_blank: bool = False


def statements(text: str, cut: int | None, most: int) -> tuple[list[Statement], list[LeftOut]]:
    """Return the statements of a note in their order, at most so many, and what could have been one.

    `cut` is the byte at which the truncation mark begins, None where the text is whole.
    """
    kept = text if cut is None else text.encode()[:cut].decode()
    found: list[Statement] = []
    left_out: list[LeftOut] = []
    known: set[tuple[str, str]] = set()
    for block in _chosen(kept):
        statement = _statement(kept, block)
        said = (statement.claim_type, statement.text.casefold())
        reason = _reason(kept, cut, block, said in known, len(found) >= most)
        if reason is None:
            found.append(statement)
            known.add(said)
        else:
            left_out.append(LeftOut(statement.start, statement.end, reason.format(most=most)))
    return found, left_out


def _reason(kept: str, cut: int | None, block: _Block, is_known: bool, is_full: bool) -> str | None:
    """Return why a block becomes no statement, None where it does."""
    if cut is not None and block.end == len(kept):
        return CUT
    return REPEATED if is_known else TOO_MANY if is_full else None


def _chosen(text: str) -> list[_Block]:
    """Return the blocks that are statements: of a section with a list its items and what has a kind of its own."""
    chosen: list[_Block] = []
    for section in _sections(text):
        has_list = any(block.is_item for block in section)
        chosen += [block for block in section if block.is_item or block.is_said or not has_list]
    return [block for block in chosen if any(map(str.isalnum, text[block.start : block.end]))]


def _statement(text: str, block: _Block) -> Statement:
    start = len(text[: block.start].encode())
    quoted = text[block.start : block.end]
    line = " ".join(part.strip() for part in quoted.splitlines() if part.strip())
    return Statement(start, start + len(quoted.encode()), line, block.claim_type)


def _sections(text: str) -> list[list[_Block]]:
    """Return the blocks of a text, those of one section together."""
    reader = _Reader(text)
    for found in _LINE.finditer(text):
        if found[0]:
            _take(reader, found.start(), found[0].rstrip("\r\n"))
    _close(reader)
    return reader.blocks


def _take(reader: _Reader, start: int, line: str) -> None:
    """Read one line that begins at a character."""
    blank = not line.strip()
    fence = _FENCE.match(line)
    if reader.fence or fence:
        _take_fence(reader, line, fence)
    elif blank:
        pass
    elif not _took_heading(reader, start, line) and not _took_rule(reader, line):
        _take_text(reader, start, line)
    if blank and reader.block is not None and not reader.block.is_item:
        _close(reader)
    reader.after_blank = blank


def _take_fence(reader: _Reader, line: str, fence: re.Match[str] | None) -> None:
    """Read a line of code, or one that begins or ends it."""
    _close(reader)
    if not reader.fence:
        reader.fence = fence["mark"] if fence else ""
    elif fence and fence["mark"].startswith(reader.fence) and not line.strip().strip(reader.fence[0]):
        reader.fence = ""


def _took_heading(reader: _Reader, start: int, line: str) -> bool:
    """Begin a section where the line is a heading. One that says more than its label is a statement itself."""
    heading = _HEADING.fullmatch(line)
    if heading is None:
        return False
    _close(reader)
    title = heading["title"] or ""
    _begin_section(reader, title)
    inline = _LABEL.match(title)
    if inline and title[inline.end() :].strip():
        offset = start + heading.start("title")
        reader.blocks[-1].append(_Block(offset + inline.end(), offset + len(title), _kind(inline), is_said=True))
    return True


def _begin_section(reader: _Reader, title: str) -> None:
    named = _TITLE.fullmatch(title.strip())
    reader.section = _kind(named) if named else "observation"
    reader.label = None
    reader.blocks.append([])


def _took_rule(reader: _Reader, line: str) -> bool:
    """End what is open at a rule; a line below a paragraph of one line makes that a heading."""
    block = reader.block
    title = reader.text[block.start : block.end] if block is not None and not block.is_item else ""
    if title and not reader.after_blank and _UNDERLINE.fullmatch(line) and "\n" not in title:
        reader.block = None
        _begin_section(reader, title)
        return True
    if _RULE.fullmatch(line) is None:
        return False
    _close(reader)
    reader.label = None
    return True


def _take_text(reader: _Reader, start: int, line: str) -> None:
    """Read a line of text: a new item, a label, or more of what is open."""
    item = _ITEM.match(line)
    first = item.end() if item else len(line) - len(line.lstrip())
    end = start + len(line.rstrip())
    label = _LABEL.match(line, first)
    if item or label:
        _close(reader)
    if label and not line[label.end() :].strip():
        reader.label = _kind(label)
        return
    if label:
        reader.block = _Block(start + label.end(), end, _kind(label), is_item=bool(item), is_said=True)
        return
    if reader.block is not None and reader.block.is_item and reader.after_blank and not _INDENTED.match(line):
        _close(reader)
        reader.label = None
    if reader.block is not None and not item:
        reader.block.end = end
        return
    reader.block = _Block(start + first, end, reader.label or reader.section, is_item=bool(item))
    reader.block.is_said = reader.label not in (None, "observation")


def _close(reader: _Reader) -> None:
    """Keep the open block. A paragraph ends what a label above it says; one that ends with a colon is a label."""
    block, reader.block = reader.block, None
    if block is None:
        return
    is_introduction = not block.is_item and reader.text[block.start : block.end].rstrip("*_").endswith(":")
    if not block.is_item:
        reader.label = "observation" if is_introduction else None
    if not is_introduction:
        reader.blocks[-1].append(block)


def _kind(found: re.Match[str]) -> ClaimType:
    return cast(ClaimType, found["kind"].lower())
