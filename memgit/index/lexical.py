"""The lexical index as retrieval sees it: a small interface, and the values that cross it.

It owns the contract that every back end keeps (`tests/index/test_lexical.py` holds them to it): scope, lifecycle and
validity are filtered before anything is ranked or cut, hits are in one order whatever order things were added in, and
the watermark is never ahead of the data. An index proposes; it never decides what qualifies.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from memgit import clock
from memgit.errors import InvalidRequest
from memgit.index.documents import Document, DocumentKind
from memgit.index.languages.folding import fold
from memgit.index.languages.stems import asked_forms
from memgit.records.ids import EntityId, RevisionId
from memgit.records.op import Scope
from memgit.records.state import Status

Order = Literal["coverage", "score"]
"""`coverage`: identifiers met, then terms met, then score: what meets more of the query comes before what meets less,
so that no cut can hide what would qualify. `score`: the score alone."""

GUESS_WEIGHT = 0.5
"""What a word is worth that the asker did not write, but may have meant, against one that was written."""

INFLECTED_WEIGHT = 0.9
"""What an inflection is worth against the same word. English is indexed by its stems alone and knows no difference."""

PASSAGES_KEPT, REVISIONS_KEPT = 2, 8
"""Hits of one revision of an artifact (and as many of what was derived from it), or of one claim (which has several
where history is searched), that are kept although they meet no further term of the query."""

_VISITED = 8192  # hits looked at before a choice ends: a bound on time, above the passages of the largest artifact


class IndexDamaged(Exception):
    """The index cannot be read, or another version wrote it. The answer is `reset` and a rebuild; nothing is lost."""


@dataclass(frozen=True, slots=True)
class Watermark:
    """What the index has observed: the commit whose state it holds, and that commit's seq."""

    commit: str
    seq: int


@dataclass(frozen=True, slots=True)
class ScopeFilter:
    """Which scopes a search may see. None admits any; a None among `tasks` admits what belongs to no task.

    Ambient: workspace, project, {None, the task}. Workspace: the workspace alone. Personal: nothing set. `pins` are
    admitted wherever they live.
    """

    workspace: str | None = None
    project: str | None = None
    tasks: frozenset[str | None] | None = None
    pins: frozenset[EntityId] = frozenset()

    def admits(self, scope: Scope, entity: EntityId) -> bool:
        """Tell whether an entity that lives in `scope` may be seen."""
        in_project = self.admits_project(scope.workspace, scope.project)
        return entity in self.pins or (in_project and self.admits_task(scope.task))

    def admits_project(self, workspace: str, project: str) -> bool:
        """Tell whether a project may be seen, pins and tasks aside."""
        return self.workspace in (None, workspace) and self.project in (None, project)

    def admits_task(self, task: str | None) -> bool:
        """Tell whether what belongs to this task, or to none, may be seen, pins aside."""
        return self.tasks is None or task in self.tasks

    def admits_words(self, document: Stored, *, in_project: bool) -> bool:
        """Tell whether a document's words are known in the scope: it may be seen, and is no derived text."""
        seen = document.entity in self.pins or (in_project and self.admits_task(document.task))
        return seen and document.projection is None


@dataclass(frozen=True, slots=True)
class IndexFilter:
    """What may be ranked at all. None admits any.

    `instant` is the moment, as `clock.now` writes it, that must lie in [valid_from, valid_until). `markers` must all be
    present; of `types` (claim types, artifact kinds) one must be. `derived`: texts that were derived from a document
    may lead to it. `latest_seq` and `latest_at`: what was written later was not known yet.
    """

    scope: ScopeFilter
    kinds: frozenset[DocumentKind] = frozenset({"claim", "artifact"})
    statuses: frozenset[Status] | None = frozenset({"active"})
    heads_only: bool = True
    instant: str | None = None
    types: frozenset[str] | None = None
    component: str | None = None
    markers: frozenset[str] = frozenset()
    derived: bool = False
    latest_seq: int | None = None
    latest_at: str | None = None

    def admits_details(self, document: Stored) -> bool:
        """Tell whether the finer conditions hold: task, type, component, markers, validity, and what is derived."""
        return (
            (self.derived or document.projection is None)
            and (self.latest_seq is None or document.seq <= self.latest_seq)
            and (self.latest_at is None or document.at <= self.latest_at)
            and (self.scope.admits_task(document.task) or document.entity in self.scope.pins)
            and (self.types is None or document.type in self.types)
            and self.component in (None, document.component)
            and self.markers.issubset(document.markers)
            and (self.instant is None or is_valid(document.valid_from, document.valid_until, self.instant))
        )


@dataclass(frozen=True, slots=True)
class QueryTerm:
    """One thing that the asker named. Its `word` (empty for none), an identifier or a guess (a word) meets it.

    Words are in lower case, with their accents; they are met in any inflection of a language that the index holds.
    `name` is how hits refer to it. A guess, a word or an identifier, counts GUESS_WEIGHT of the score. `outweighs`: in
    the order by coverage it counts more than any number of others.
    """

    name: str
    word: str = ""
    identifiers: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()
    outweighs: bool = False


# Made by the hundred for each query, and a NamedTuple takes a third of the time of a frozen dataclass.


class TermMatch(NamedTuple):
    """A query term that a document meets: in which field, with which part of the score."""

    term: str
    field: str
    weight: float


class Stored(NamedTuple):
    """What an index keeps of a document beside its terms.

    `projection`: the derived text that it is, if it is one. `at`: when its revision was written.
    """

    entity: EntityId
    kind: DocumentKind
    revision: RevisionId
    seq: int
    type: str
    task: str | None
    component: str | None
    markers: tuple[str, ...]
    valid_from: str | None
    valid_until: str | None
    start: int | None
    end: int | None
    projection: EntityId | None = None
    at: str = ""


class Hit(NamedTuple):
    """A document that meets at least one term. `score` is positive and comparable within one answer only."""

    document: Stored
    score: float
    matches: tuple[TermMatch, ...] = ()

    @property
    def terms(self) -> frozenset[str]:
        """The names of the query terms that the document meets."""
        return frozenset(match.term for match in self.matches)


class LexicalIndex(Protocol):
    """A derived index in a directory of its own, deletable at any time. Every method may raise IndexDamaged."""

    def watermark(self) -> Watermark | None:
        """Return what the index has observed, or None where it is empty."""

    def apply(
        self,
        documents: Iterable[Document],
        removed: Iterable[EntityId],
        watermark: Watermark,
        base: Watermark | None,
    ) -> bool:
        """Replace all that the index has of each document's entity, drop the removed ones, and move the watermark.

        All in one step: a reader sees the old state or the new one, whenever the process dies. All documents of an
        entity belong in one call, next to each other. Returns False, having written nothing, where the watermark is
        not `base` (any more): another process was faster; read it again. Raises IndexNotReady where another process
        keeps the writer's lock; errors of the iterables pass through and nothing is written.
        """

    def query(self, terms: tuple[QueryTerm, ...], where: IndexFilter, limit: int, order: Order) -> tuple[Hit, ...]:
        """Return up to `limit` hits of each kind, in `order`; ties by later seq, then entity, then offset."""

    def similar_words(self, word: str, scope: ScopeFilter) -> tuple[str, ...]:
        """Return the words of a scope that a folded word may stand for, by `similarity.likeness`, likeliest first.

        A word that the scope itself holds is neither a typo nor an abbreviation; a beginning of many words shortens
        none. What only texts outside the scope hold is as if it were not there. A scope that admits all costs least.
        """

    def reset(self) -> None:
        """Delete everything, waiting for a writer. The index is empty afterwards."""

    def close(self) -> None:
        """Release files. The next call opens them again."""


def term_forms(term: QueryTerm, languages: tuple[str, ...]) -> list[tuple[str, str, float]]:
    """Return the (field, form, factor) under which documents of an index with these languages meet a term."""
    plain = fold(term.word).casefold()
    asked = [(form, _factor(form, plain)) for form in _asked(term.word, languages)]
    forms = [(field, form, factor) for field in ("word", "title") for form, factor in asked]
    if plain:
        forms.append(("part", plain, 1.0))
    forms += [("identifier", name, 1.0) for name in term.identifiers]
    guesses = dict.fromkeys(form for guess in term.guesses for form in _asked(guess, languages))
    known = {(field, form) for field, form, _ in forms}
    guessed = [(field, form, GUESS_WEIGHT) for field in ("word", "title") for form in guesses]
    guessed += [("identifier", guess, GUESS_WEIGHT) for guess in term.guesses if not guess.isalpha()]
    return forms + [each for each in guessed if each[:2] not in known]


def _factor(form: str, plain: str) -> float:
    """Return what a form counts: less where a language marks it, and it is not the word as it was asked for."""
    _, marked, stem = form.rpartition(":")
    return INFLECTED_WEIGHT if marked and stem != plain else 1.0


def _asked(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    return asked_forms(word, languages) if word else ()


def open_index(directory: Path, implementation: str = "whoosh") -> LexicalIndex:
    """Return the index of an implementation that lives in `directory`, which is made when something is first written.

    `whoosh`, `tantivy`, or `auto`: tantivy where it is installed, which finds the same and is faster. They live in one
    directory without seeing each other. Raises InvalidRequest where tantivy is asked for and not installed.
    """
    if implementation == "tantivy" or (implementation == "auto" and find_spec("tantivy") is not None):
        return _open_tantivy(directory / "tantivy")
    from memgit.index.whoosh_index import WhooshIndex

    return WhooshIndex(directory)


def _open_tantivy(directory: Path) -> LexicalIndex:
    try:
        from memgit.index.tantivy_index import TantivyIndex
    except ImportError as error:
        raise InvalidRequest(
            "the setting lexicalIndex says tantivy, which is not installed",
            hint="Install git-memgit[fast], or set lexicalIndex to auto.",
        ) from error
    return TantivyIndex(directory)


def is_valid(valid_from: str | None, valid_until: str | None, instant: str) -> bool:
    """Tell whether `instant`, as `clock.now` writes it, lies in [valid_from, valid_until). An end that is None is open.

    An end that names no moment admits nothing: somebody meant to limit the claim.
    """
    begin = "" if valid_from is None else clock.parse_time(valid_from)
    end = "~" if valid_until is None else clock.parse_time(valid_until)
    return begin is not None and end is not None and begin <= instant < end


def choose(ranked: Iterable[tuple[float, Hit]], limit: int) -> list[Hit]:
    """Return the hits to answer with, from hits of one kind with their ranks, best first.

    Hits beyond PASSAGES_KEPT or REVISIONS_KEPT are kept only where they meet a further term, so that a long document
    crowds nobody out and its union of terms is still complete; neither do derived texts crowd out the text. Equal ranks
    are settled by later seq, entity and offset, so the cut does not depend on the order in which things were indexed.
    """
    kept: list[Hit] = []
    met: dict[object, list[Hit]] = {}
    for _, equals in groupby(islice(ranked, _VISITED), key=itemgetter(0)):
        if len(kept) >= limit:
            break
        hits = [hit for _, hit in equals]
        for hit in sorted(hits, key=_settled) if len(hits) > 1 else hits:
            group, most = _group(hit.document)
            before = met.setdefault(group, [])
            if len(before) < most or not hit.terms <= frozenset().union(*(other.terms for other in before)):
                before.append(hit)
                kept.append(hit)
    return kept[:limit]


def _group(document: Stored) -> tuple[object, int]:
    """Return what a hit competes with for being kept, and how many of these are."""
    if document.kind == "claim":
        return document.entity, REVISIONS_KEPT
    return (document.entity, document.revision, document.projection is None), PASSAGES_KEPT


def _settled(hit: Hit) -> tuple[int, EntityId, int, str]:
    document = hit.document
    return (-document.seq, document.entity, document.start or 0, document.projection or "")
