"""How documents lie in a Whoosh index: the fields, and the weight that each term gets when it is written.

It imports Whoosh, so it is imported only where an index is opened. Whoosh's own analysis, query language and scoring
are not used: terms come from `analysis`, and scoring is a sum of the weights stored here (`whoosh_scan`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from whoosh.columns import RefBytesColumn
from whoosh.fields import STORED, FieldType, Schema
from whoosh.formats import Existence

from memgit.index.analysis import ANALYSIS_VERSION, Terms, analyse
from memgit.index.documents import Document, DocumentKind
from memgit.index.lexical import Stored
from memgit.index.similarity import trigrams

FORMAT = (1, ANALYSIS_VERSION)
"""Stored beside the watermark; an index of another format is rebuilt."""

KINDS: tuple[DocumentKind, ...] = ("artifact", "claim")
FIELDS = ("identifier", "word", "title", "part")
WORD, WATERMARK = "word", "watermark"  # under `own`: the index's own entries, its vocabulary and what it has observed
SEPARATOR = "\x1f"

K1, B = 0.9, 0.4
"""BM25's saturation and length norm, as tuned for short passages by Lin et al. (Anserini); design/retrieval.md measured
them on LoCoMo against the usual 1.2 and 0.75."""

PIVOT = {"claim": 16, "artifact": 8, "passage": 200}
"""The length in stems that is neither favoured nor punished, by kind: typical sizes of each. A constant instead of the
collection's mean, so that a term's weight is known when it is written and no score shifts when others are added."""


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


def document_fields(document: Document) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the fields of a document for Whoosh's writer, and the words that it adds to the vocabulary."""
    body, title = analyse(document.body), analyse(document.title)
    named = [analyse(name) for name in document.names]
    pivot = PIVOT["passage" if document.start is not None else document.kind]
    identifiers = body.identifiers.union(title.identifiers, *(terms.identifiers for terms in named))
    fields = {
        "identifier": _certain(identifiers.union(name.casefold() for name in document.names)),
        "word": weights(body, pivot),
        "title": weights(title, PIVOT["artifact"]),
        "part": _certain(body.parts | title.parts),
    }
    filled: dict[str, Any] = {field_of(document.kind, name): found for name, found in fields.items() if found}
    filled |= {"facet": (), "_stored_facet": facet(document), "data": _details(document)}
    return filled | {"entity": _certain((document.entity,))}, body.surfaces | title.surfaces


def word_fields(word: str) -> dict[str, Any]:
    """Return the fields of a vocabulary entry."""
    return {
        "own": _certain((WORD,)),
        "surface": _certain((word,)),
        "trigram": _certain(trigrams(word)),
        "data": (word,),
    }


def watermark_fields(commit: str, seq: int) -> dict[str, Any]:
    """Return the fields of the entry that says what was observed."""
    return {"own": _certain((WATERMARK,)), "data": (*FORMAT, commit, seq)}


def stored(data: tuple[Any, ...]) -> Stored:
    """Return what `document_fields` stored under `data`."""
    return Stored(*data)


def facet(document: Document) -> bytes:
    """Return what most filters look at, as one value of which an index holds few different ones."""
    head = "head" if document.head else "past"
    parts = (document.status, head, document.workspace, document.project)
    return SEPARATOR.join(parts).encode()


def weights(terms: Terms, pivot: int) -> list[tuple[str, float]]:
    """Return each stem with its BM25 weight but for the rarity of the term, which only the whole index knows.

    tf (k1 + 1) / (tf + k1 (1 - b + b length / pivot)); S. Robertson, H. Zaragoza, "The Probabilistic Relevance
    Framework", 2009.
    """
    norm = K1 * (1 - B + B * len(terms.words) / pivot)
    return [(term, count * (K1 + 1) / (count + norm)) for term, count in Counter(terms.words).items()]


def _certain(terms: Iterable[str]) -> list[tuple[str, float]]:
    return [(term, 1.0) for term in terms]


def _details(document: Document) -> tuple[Any, ...]:
    return (
        document.entity,
        document.kind,
        document.revision,
        document.seq,
        document.type,
        document.task,
        document.component,
        document.markers,
        document.valid_from,
        document.valid_until,
        document.start,
        document.end,
    )
