"""What of a query an answer itself holds, unit by unit: by which word, and in which part of what is shown.

A document qualifies by its title and a passage; what is quoted of it is shorter. What the quote does not hold is said
apart, so that nobody looks for it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec import Struct

from memgit.index.documents import anchor_names, path_names, path_of
from memgit.index.languages.detect import languages_of
from memgit.records.op import ArtifactPayload, ClaimPayload
from memgit.retrieval.qualification import Lexicon, Match, Way, lexicon, way_of, word_of
from memgit.retrieval.query import Query, Unit

Where = Literal["statement", "value", "subject", "excerpt", "title", "component", "anchor", "path"]
By = Literal["same", "inflection", "derivation", "guess"]
_BEST_FIRST: tuple[By, ...] = ("same", "inflection", "guess", "derivation")

Parts = list[tuple[Where, Lexicon]]
"""The parts of what is shown, with their terms."""


class MetBy(Struct, frozen=True, kw_only=True):
    """How one term of the query is met: by `word`, which stands in the part `where` of what is shown.

    by: `same` the word itself, `inflection` another form of it, `guess` what it may have been meant for, `derivation`
    another word with its stem.
    """

    term: str
    by: By
    word: str
    where: Where


def claim_parts(payload: ClaimPayload) -> Parts:
    """Return the parts of a claim that can be met. All of them are shown."""
    value = payload.value.data if payload.value is not None else None
    texts: list[tuple[Where, str | None]] = [
        ("statement", payload.statement),
        ("value", value),
        ("subject", payload.subject),
        ("component", payload.component),
    ]
    return _parts(texts, anchor_names(payload))


def artifact_parts(payload: ArtifactPayload, excerpt: str | None) -> Parts:
    """Return the parts of a reference to an artifact that can be met: its excerpt, title, component, anchors, path."""
    texts: list[tuple[Where, str | None]] = [
        ("excerpt", excerpt),
        ("title", payload.title),
        ("component", payload.component),
    ]
    parts = _parts(texts, anchor_names(payload))
    path = path_of(payload)
    return [*parts, ("path", lexicon("", path_names(path)))] if path is not None else parts


def met_by(query: Query, found: Match, parts: Parts) -> tuple[MetBy, ...]:
    """Return how each unit that `found` says to be met is met by one of the parts; what no part holds is left out.

    A pair of letters between two that are met, in a script without spaces, is met with them.
    """
    guessed = dict(found.guessed)
    units = {unit.name: unit for unit in query.units if unit.name in found.met}
    told = {name: met for name, unit in units.items() if (met := _best(_ways(unit, guessed.get(name), parts)))}
    for name, unit in units.items():
        if name not in told and unit.beside and all(side in told for side in unit.beside):
            told[name] = MetBy(term=name, by="same", word=name, where=told[unit.beside[0]].where)
    return tuple(told[name] for name in units if name in told)


def _parts(texts: Iterable[tuple[Where, str | None]], names: tuple[str, ...]) -> Parts:
    """Return parts of a text, each in the languages of the whole: a part alone may be too short to tell."""
    known = [(where, text) for where, text in texts if text]
    languages = languages_of("\n".join(text for _, text in known))
    parts: Parts = [(where, lexicon(text, (), languages)) for where, text in known]
    return [*parts, ("anchor", lexicon("", names))] if names else parts


def _ways(unit: Unit, guess: str | None, parts: Parts) -> Iterator[MetBy]:
    for where, text in parts:
        way: Way | None = way_of(unit, text)
        if way is not None:
            word = unit.name if way == "same" else word_of(unit, text)
            yield MetBy(term=unit.name, by=way, word=word, where=where)
        elif guess is not None and (guess in text.surfaces or guess in text.names):
            yield MetBy(term=unit.name, by="guess", word=guess, where=where)


def _best(found: Iterable[MetBy]) -> MetBy | None:
    """Return the surest of several ways, of the first part that has it."""
    return min(found, key=lambda met: _BEST_FIRST.index(met.by), default=None)
