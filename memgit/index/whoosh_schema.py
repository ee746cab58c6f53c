"""How entries lie in a Whoosh index: the fields, in which each term has the weight that its entry gives it.

It imports Whoosh, so it is imported only where an index is opened. Whoosh's own analysis, query language and scoring
are not used: terms and weights come from `entries`, and a score is a sum of these weights (`whoosh_scan`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from whoosh.columns import RefBytesColumn
from whoosh.fields import STORED, FieldType, Schema
from whoosh.formats import Existence

from memgit.index.analysis import ANALYSIS_VERSION
from memgit.index.documents import DocumentKind
from memgit.index.entries import FIELDS, KINDS, Entry
from memgit.index.similarity import trigrams

FORMAT = (4, ANALYSIS_VERSION)
"""Stored beside the watermark; an index of another format is rebuilt."""

WORD, WATERMARK = "word", "watermark"
LANGUAGE = "language:"
"""Under `own`: the index's own entries, which are its vocabulary, what it has observed, and the languages of its texts,
each after this mark."""


class TermsField(FieldType):
    """A field whose values are ready-made (term, weight) pairs; optionally with a column of bytes for filtering."""

    def __init__(self, column: Any = None) -> None:
        self.format = Existence()
        self.column_type = column

    def index(self, value: Any, **kwargs: Any) -> Iterator[tuple[bytes, int, float, bytes]]:  # type: ignore[override]
        """Yield the postings of `value`, an iterable of (term, weight)."""
        for term, weight in value:
            yield term.encode(), 1, weight, b""

    def to_bytes(self, value: Any) -> bytes:
        """Return a term as the index stores it."""
        return value if isinstance(value, bytes) else str(value).encode()

    def from_bytes(self, bs: Any) -> str:
        """Return a stored term as text."""
        return bytes(bs).decode()

    def to_column_value(self, value: Any) -> bytes:
        """Return the column's value, which is bytes already."""
        return bytes(value)


def schema() -> Any:
    """Return the schema of an index."""
    names = ["entity", "own", "surface", "trigram", *(field_of(kind, field) for kind in KINDS for field in FIELDS)]
    return Schema(facet=TermsField(_column()), data=STORED(), **{name: TermsField() for name in names})


def field_of(kind: DocumentKind, field: str) -> str:
    """Return the field of the index that holds what `field` says of documents of this kind.

    Kinds lie apart, so that a look among a hundred artifacts does not walk through the postings of all claims.
    """
    return f"{kind}_{field}"


def _column() -> Any:
    return RefBytesColumn()  # type: ignore[no-untyped-call]  # Whoosh annotates only part of itself


def document_fields(entry: Entry) -> dict[str, Any]:
    """Return the fields of a document for Whoosh's writer."""
    fields = {
        "identifier": _certain(entry.identifiers),
        "word": entry.word.weights(),
        "title": entry.title.weights(),
        "part": _certain(entry.parts),
    }
    filled: dict[str, Any] = {field_of(entry.kind, name): found for name, found in fields.items() if found}
    filled |= {"facet": (), "_stored_facet": entry.facet.encode(), "data": entry.details}
    return filled | {"entity": _certain((str(entry.details[0]),))}


def word_fields(word: str) -> dict[str, Any]:
    """Return the fields of a vocabulary entry."""
    return {
        "own": _certain((WORD,)),
        "surface": _certain((word,)),
        "trigram": _certain(trigrams(word)),
        "data": (word,),
    }


def language_fields(language: str) -> dict[str, Any]:
    """Return the fields of the entry that says that some document is of a language."""
    return {"own": _certain((LANGUAGE + language,)), "data": (language,)}


def watermark_fields(commit: str, seq: int) -> dict[str, Any]:
    """Return the fields of the entry that says what was observed."""
    return {"own": _certain((WATERMARK,)), "data": (*FORMAT, commit, seq)}


def _certain(terms: Iterable[str]) -> list[tuple[str, float]]:
    return [(term, 1.0) for term in terms]
