"""A quote is evidence only if it stands in the text exactly once."""

from __future__ import annotations

import pytest

from memgit.errors import InvalidRequest
from memgit.retrieval.evidence_spans import find_quote

TEXT = "Größe: eins, zwei, zwei. aaa".encode()


@pytest.mark.parametrize("quote", ["Größe", "eins", "zwei.", "Größe: eins, zwei, zwei. aaa", "s, z"])
def test_the_span_is_exact(quote: str) -> None:
    """In bytes, not in characters."""
    start, end = find_quote(TEXT, quote.encode())
    assert TEXT[start:end].decode() == quote


@pytest.mark.parametrize(
    ("quote", "kind"),
    [
        ("", "empty_quote"),
        ("drei", "missing_quote"),
        ("grösse", "missing_quote"),
        ("Größe:  eins", "missing_quote"),
        ("zwei", "ambiguous_quote"),
        ("aa", "ambiguous_quote"),
    ],
)
def test_what_is_refused(quote: str, kind: str) -> None:
    """Nothing, something else, or something that stands there twice, also overlapping."""
    with pytest.raises(InvalidRequest) as caught:
        find_quote(TEXT, quote.encode())
    assert caught.value.details["kind"] == kind
