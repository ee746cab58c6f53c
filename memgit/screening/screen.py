"""The screening itself: text or bytes in, findings out. Pure: no file, clock, environment or network.

Nothing that a text holds makes it slow or makes it fail. The cheap question comes first: which of the rules' literals
and words occur at all; patterns are tried only around those. Where rules overlap, the more telling one is reported.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import islice

from memgit.screening.assignments import assigned_secrets
from memgit.screening.context import secrets_in_context
from memgit.screening.finding import Finding, Span
from memgit.screening.names import names_in
from memgit.screening.table import known_formats

SPANS_KEPT = 200  # of each way of looking: a text with more is refused all the same, and need not be read to its end
_SHORTEST_RUN = 8  # printable characters in binary data; shorter runs are chance
_BINARY_RUN = re.compile(rb"[\t\n\r -~]{%d,}+" % _SHORTEST_RUN)
_UTF16_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def screen_text(text: str, where: str, lead: str = "") -> tuple[Finding, ...]:
    """Return what looks like a secret in a text, in order of position; positions are in characters.

    `where` is how the caller names the text ("statement", a path): it is copied into the findings and not looked at.
    `lead` is what stands in front of the text where people read it, and so says what it is: `database password: `.
    """
    if not lead:
        return tuple(_findings(text, where, _spans(text)))
    size = len(lead)
    reaching = (span for span in _spans(lead + text) if span.end > size)
    return tuple(
        _findings(text, where, [Span(max(0, span.start - size), span.end - size, span.rule) for span in reaching])
    )


def screen_bytes(data: bytes, where: str) -> tuple[Finding, ...]:
    """Return what looks like a secret in a blob; positions are in bytes.

    Text in UTF-8, or in UTF-16 with a byte order mark, is screened as text. Of anything else only the runs of 8 or more
    printable ASCII characters are looked at.
    """
    text = _decode(data)
    if text is None:
        readable = _printable(data)
        return tuple(_findings(readable, where, _spans(readable)))
    decoded, encoding, offset = text
    return tuple(_in_bytes(finding, decoded, encoding, offset) for finding in screen_text(decoded, where))


def _spans(text: str) -> list[Span]:
    folded = fold(text)
    found = list(islice(known_formats(text, folded), SPANS_KEPT))
    names = names_in(text, folded)
    if names:
        found += islice(assigned_secrets(text, folded, names), SPANS_KEPT)
        found += islice(secrets_in_context(text, folded, names), SPANS_KEPT)
    return _without_overlaps(found)


def fold(text: str) -> str:
    """Return the text in lower case, of the same length, so that a position in one is a position in the other."""
    # U+0130 is the one character whose lower case is longer; a test goes through all of Unicode.
    return (text if text.isascii() else text.replace("\u0130", "I")).lower()


def _without_overlaps(found: Iterable[Span]) -> list[Span]:
    """Return the spans in order of position; of overlapping ones the first, since they come in order of telling."""
    kept: list[Span] = []
    for span in found:
        place = bisect_left(kept, span)
        if (place and kept[place - 1].end > span.start) or (place < len(kept) and kept[place].start < span.end):
            continue
        kept.insert(place, span)
    return kept


def _findings(text: str, where: str, spans: list[Span]) -> Iterator[Finding]:
    line, counted = 1, 0
    for span in spans:
        line += text.count("\n", counted, span.start)
        counted = span.start
        column = span.start - text.rfind("\n", 0, span.start)
        yield Finding(span.rule, where, line, column, span.start, span.end)


def _decode(data: bytes) -> tuple[str, str, int] | None:
    """Return the text, its encoding and the length of its byte order mark; None for binary data."""
    encoding = _UTF16_MARKS.get(data[:2], "utf-8")
    offset = 2 if encoding != "utf-8" else 0
    if encoding == "utf-8" and b"\0" in data:
        return None
    try:
        return data[offset:].decode(encoding), encoding, offset
    except UnicodeDecodeError:
        return None


def _printable(data: bytes) -> str:
    """Return binary data as text of the same length, in which only the longer runs of printable ASCII are left."""
    readable = bytearray(len(data))
    for run in _BINARY_RUN.finditer(data):
        readable[run.start() : run.end()] = run[0]
    return readable.decode("ascii")


def _in_bytes(finding: Finding, text: str, encoding: str, offset: int) -> Finding:
    if encoding == "utf-8" and text.isascii():
        return finding
    start = offset + len(text[: finding.start].encode(encoding))
    end = start + len(text[finding.start : finding.end].encode(encoding))
    line_start = finding.start - finding.column + 1
    column = len(text[line_start : finding.start].encode(encoding)) + 1
    return Finding(finding.rule, finding.where, finding.line, column, start, end)
