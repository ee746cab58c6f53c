"""Byte spans [start, end) of a text: whether they name bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class SpanFault:
    """Why a span names no bytes; `kind` is the protocol's word."""

    kind: Literal["invalid_range", "split_code_point"]
    reason: str


def span_fault(data: bytes, start: int, end: int, *, is_text: bool) -> SpanFault | None:
    """Return what is wrong with a span, or None. In text, both ends must be borders of UTF-8 code points."""
    if not 0 <= start < end:
        return SpanFault("invalid_range", "the span is empty or runs backwards")
    if end > len(data):
        return SpanFault("invalid_range", "the span runs past the end")
    if is_text:
        for position in (start, end):
            if position < len(data) and data[position] & 0xC0 == 0x80:
                return SpanFault("split_code_point", f"byte {position} is inside a character")
    return None
