"""From a quote to the exact bytes it stands for. A quote that is not there, or there twice, is no evidence."""

from __future__ import annotations

from memgit.errors import InvalidRequest


def find_quote(text: bytes, quote: bytes) -> tuple[int, int]:
    """Return the span [start, end) of the only place where `quote` stands in `text`.

    Raises InvalidRequest whose details have a `kind`: empty_quote, missing_quote, or ambiguous_quote, for which
    overlapping places count too.
    """
    if not quote:
        raise InvalidRequest("the quote is empty", details={"kind": "empty_quote"})
    start = text.find(quote)
    if start < 0:
        raise InvalidRequest(
            "the quote does not stand in the text, byte for byte",
            hint="Copy it from the text, line ends and spaces included.",
            details={"kind": "missing_quote"},
        )
    if text.find(quote, start + 1) >= 0:
        raise InvalidRequest(
            "the quote stands in the text more than once",
            hint="Quote more of its surroundings.",
            details={"kind": "ambiguous_quote"},
        )
    return start, start + len(quote)
