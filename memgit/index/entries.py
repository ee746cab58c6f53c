"""What a lexical index keeps of a document, whatever library stores it: terms with weights, a facet, and details.

The one place where a document is analysed for indexing, so that no implementation can disagree with another about what
is found, or how much it counts. It stores nothing itself.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

from memgit.index.analysis import Terms, analyse
from memgit.index.documents import Document, DocumentKind
from memgit.index.languages.detect import languages_of
from memgit.index.lexical import IndexFilter, Order, QueryTerm, Stored

KINDS: tuple[DocumentKind, ...] = ("artifact", "claim")
FIELDS = ("identifier", "word", "title", "part")
SEPARATOR = "\x1f"

FIELD_BOOSTS = {"identifier": 2.0, "title": 1.2, "word": 1.0, "part": 0.4}
"""An exact name is worth two words; half of a name that somebody else coined is worth less than half a word."""

COVERAGE = 1000.0
"""In the order by coverage, what each term adds to a rank: above any sum of scores that words of a query reach."""

OUTWEIGHING = 65 * COVERAGE
"""What a term that outweighs all others adds; a query has at most 64 terms."""

K1, B = 0.9, 0.4
"""BM25's saturation and length norm, as tuned for short passages by Lin et al. (Anserini); design/retrieval.md measured
them on LoCoMo against the usual 1.2 and 0.75."""

PIVOT = {"claim": 16, "artifact": 8, "passage": 200, "projection": 16}
"""The length in words that is neither favoured nor punished, by kind: typical sizes of each. A constant instead of the
collection's mean, so that a term's weight is known when it is written and no score shifts when others are added."""


@dataclass(frozen=True, slots=True)
class Counted:
    """The forms of a text's words with how often each stands there, and the norm that its length gives."""

    norm: float
    counts: dict[str, int]

    def weights(self) -> list[tuple[str, float]]:
        """Return every form with its weight."""
        return [(form, bm25(count, self.norm)) for form, count in self.counts.items()]


@dataclass(frozen=True, slots=True)
class Entry:
    """An analysed document. `details` is what `stored` takes; `surfaces` are its words for the vocabulary."""

    kind: DocumentKind
    facet: str
    details: tuple[Any, ...]
    word: Counted
    title: Counted
    identifiers: frozenset[str]
    parts: frozenset[str]
    surfaces: frozenset[str]
    languages: tuple[str, ...]


def bm25(count: int, norm: float) -> float:
    """Return the weight of a form that stands `count` times, but for its rarity, which only the whole index knows.

    tf (k1 + 1) / (tf + k1 (1 - b + b length / pivot)); S. Robertson, H. Zaragoza, "The Probabilistic Relevance
    Framework", 2009. `norm` is the second term of the denominator.
    """
    return count * (K1 + 1) / (count + norm)


def entry_of(document: Document) -> Entry:
    """Return what to keep of a document.

    Words that only a derived text holds are none of the vocabulary: what a query's words may stand for decides what
    qualifies, and nothing derived does.
    """
    languages = languages_of(f"{document.title}\n{document.body}")
    body, title = analyse(document.body, languages), analyse(document.title, languages)
    named = [analyse(name, languages) for name in document.names]
    identifiers = body.identifiers.union(title.identifiers, *(terms.identifiers for terms in named))
    return Entry(
        kind=document.kind,
        facet=facet_of(document),
        details=details_of(document),
        word=_counted(body, PIVOT[_measure(document)]),
        title=_counted(title, PIVOT["artifact"]),
        identifiers=identifiers.union(name.casefold() for name in document.names),
        parts=body.parts | title.parts,
        surfaces=body.surfaces | title.surfaces if document.projection is None else frozenset(),
        languages=languages,
    )


def _measure(document: Document) -> str:
    """Return which kind of text a document's length is judged as."""
    if document.projection is not None:
        return "projection"
    return "passage" if document.start is not None else document.kind


def stored(details: tuple[Any, ...]) -> Stored:
    """Return what an entry keeps under `details`, from any sequence type that a library gives back for a tuple."""
    values = list(details)
    values[_MARKERS] = tuple(values[_MARKERS])
    return Stored(*values)


def judge_facet(facet: str, where: IndexFilter) -> tuple[bool, bool]:
    """Tell whether lifecycle and scope of a facet pass the filter; a pinned entity needs no scope."""
    status, head, workspace, project = facet.split(SEPARATOR)
    lifecycle = (where.statuses is None or status in where.statuses) and (head == "head" or not where.heads_only)
    return lifecycle, where.scope.admits_project(workspace, project)


def scope_of_facet(facet: str) -> tuple[str, str]:
    """Return the workspace and the project of a facet."""
    _, _, workspace, project = facet.split(SEPARATOR)
    return workspace, project


def rarity(total: int, frequency: int) -> float:
    """Return BM25's idf, ln(1 + (N - n + 1/2) / (n + 1/2)), for `frequency` of `total` documents."""
    return math.log(1 + max(0.5, total - frequency + 0.5) / (frequency + 0.5))


def bonus(term: QueryTerm, order: Order) -> float:
    """Return what a document gets for meeting a term at all."""
    if order == "score":
        return 0.0
    return OUTWEIGHING if term.outweighs else COVERAGE


def _counted(terms: Terms, pivot: int) -> Counted:
    return Counted(K1 * (1 - B + B * terms.length / pivot), dict(Counter(terms.words)))


def facet_of(document: Document) -> str:
    """Return what most filters look at, as one value of which an index holds few different ones."""
    head = "head" if document.head else "past"
    return SEPARATOR.join((document.status, head, document.workspace, document.project))


_MARKERS = 7  # their place among the details


def details_of(document: Document) -> tuple[Any, ...]:
    """Return what `stored` takes: a document without its terms."""
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
        document.projection,
        document.at,
    )
