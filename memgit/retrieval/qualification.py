"""Whether a text is about what was asked: yes or no, why, and by which rule. Deterministic, and blind to ranking.

It compares an analysed query with the terms of one text, and knows neither index nor store. Nothing but the three tiers
qualifies: no similarity of meaning, no rank, no popularity. A wrong yes is worse than a missed one, so whatever is
missing must be ordinary words, and few.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from memgit.index.analysis import analyse
from memgit.index.documents import Matchable
from memgit.index.languages.stems import forms
from memgit.index.similarity import likeness
from memgit.retrieval.query import Query, Unit

Tier = Literal["exact", "lexical", "fuzzy"]
TIERS: tuple[Tier, ...] = ("exact", "lexical", "fuzzy")
"""In order of trust. exact: an identifier of the query stands in the text. lexical: enough of its words do. fuzzy: all
do, some of them only if misspelt or shortened ones are read as the words they resemble."""

MAY_MISS = ((5, 1), (7, 2))
"""From so many words of a query that is no question on, so many may be missing. Keywords say what the text is expected
to contain, near-synonyms among them; but in a short query the missing one may be its point, so four must all be there.
"""

LONG_QUERY, LONG_QUERY_SHARE = 10, 0.6
"""From ten words on, this share is enough: seven content words of one query in one statement do not meet by chance, and
long queries, often quoted from elsewhere, carry much that a statement leaves out. Never fewer than seven."""

QUESTION_SHARE = 0.85
"""Of the words of a question. One of them is its point, and the missing one is usually that one: `is the cache
encrypted` must not be answered by what is known about the cache. So up to six words all must be there."""

SHORTEST_ALONE = 5
"""Letters of a misspelt word that only one other word stands beside."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The terms of a text that can meet a query: stems under its languages, exact names, and words as written."""

    words: frozenset[str]
    names: frozenset[str]
    surfaces: frozenset[str]
    languages: tuple[str, ...]

    def __or__(self, other: Lexicon) -> Lexicon:
        languages = tuple(dict.fromkeys(self.languages + other.languages))
        return Lexicon(self.words | other.words, self.names | other.names, self.surfaces | other.surfaces, languages)


@dataclass(frozen=True, slots=True)
class Match:
    """What of a query a text meets. `tier` is None where that is not enough.

    `met` and `missing` name units of the query, in its order; `guessed` pairs a met unit with the word of the text that
    it was read as. `scattered`: the words stand in different passages.
    """

    tier: Tier | None
    met: tuple[str, ...]
    missing: tuple[str, ...]
    guessed: tuple[tuple[str, str], ...] = ()
    scattered: bool = False

    @property
    def order(self) -> tuple[int, int]:
        """Sorts the better match first: by tier, then by how much of the query is met."""
        return (TIERS.index(self.tier) if self.tier else len(TIERS), -len(self.met))


def lexicon(text: str, names: Iterable[str] = ()) -> Lexicon:
    """Return the terms of a text and of exact names that stand beside it (which are no words)."""
    terms = analyse(text)
    exact = set(terms.identifiers)
    for name in names:
        exact |= {name.casefold(), *analyse(name).identifiers}
    return Lexicon(frozenset(terms.words), frozenset(exact), terms.surfaces, terms.languages)


def description_lexicon(description: Matchable) -> Lexicon:
    """Return the terms of a claim, or of an artifact's description."""
    return lexicon(f"{description.title}\n{description.body}", description.names)


def match(query: Query, text: Lexicon) -> Match:
    """Return whether the text with these terms qualifies for `query`, and what it meets."""
    written = _with_covered(query.units, [unit for unit in query.units if is_written(unit, text)])
    guesses = {unit.name: word for unit in query.units if unit not in written and (word := _guess(unit, text))}
    tier = _tier(query, written, guesses)
    if tier != "fuzzy":
        guesses = {}
    met = {unit.name for unit in written} | guesses.keys()
    return Match(
        tier,
        tuple(unit.name for unit in query.units if unit.name in met),
        tuple(unit.name for unit in query.units if unit.name not in met),
        tuple(guesses.items()),
    )


def may_qualify(query: Query, met: frozenset[str]) -> bool:
    """Tell whether a text can qualify of which an index says that it meets at most these units."""
    hopeful = _with_covered(query.units, [unit for unit in query.units if unit.name in met])
    identifiers = [unit for unit in query.units if unit.shape == "identifier"]
    if identifiers:
        return any(unit in hopeful for unit in identifiers)
    return len(hopeful) >= _units_needed(query)


def _units_needed(query: Query) -> int:
    """Return how many units a text must hold as written; of words that are asked by pairs of letters, all of each."""
    count = sum(not unit.beside for unit in query.units)
    return len(query.units) - count + words_needed(count, is_question=query.is_question)


def words_needed(count: int, *, is_question: bool) -> int:
    """Return how many of a query's `count` units a text must hold as written to qualify as lexical."""
    if is_question:
        return math.ceil(QUESTION_SHARE * count)
    shorter = min(count, LONG_QUERY - 1)
    least = shorter - max((missing for words, missing in MAY_MISS if shorter >= words), default=0)
    return least if count < LONG_QUERY else max(least, math.ceil(LONG_QUERY_SHARE * count))


def not_dominated(matches: Sequence[Match]) -> list[bool]:
    """Tell for each match of one kind whether it stands beside the others.

    A lexical match falls where another qualified one meets all that it meets and more: what it misses is then no
    synonym for what it has, and it answers another question.
    """
    qualified = {frozenset(match.met) for match in matches if match.tier in {"exact", "lexical"}}
    return [
        match.tier != "lexical" or not any(frozenset(match.met) < other for other in qualified) for match in matches
    ]


def is_written(unit: Unit, text: Lexicon) -> bool:
    """Tell whether the text holds the unit as it was asked for, up to inflection and separators."""
    if not text.names.isdisjoint(unit.names) or (unit.word and _is_inflected(unit, text)):
        return True
    return any(form in text.names or form in text.surfaces for form in unit.joined)


def _is_inflected(unit: Unit, text: Lexicon) -> bool:
    """Tell whether the text holds the unit's word as it stands, or in another form of a language that both may be in.

    A query that is plainly of other languages than the text meets only the same words: their inflections have nothing
    to do with each other.
    """
    if unit.name in text.surfaces:
        return True
    languages = text.languages
    if unit.languages:
        languages = tuple(language for language in languages if language in unit.languages)
    return bool(languages) and any(form in text.words for form in forms(unit.word, languages))


def _with_covered(units: tuple[Unit, ...], written: list[Unit]) -> list[Unit]:
    """Return the units that are met: those that are written, and the pairs of letters between two of them."""
    names = {unit.name for unit in written}
    return [unit for unit in units if unit.name in names or (unit.beside and names.issuperset(unit.beside))]


def _guess(unit: Unit, text: Lexicon) -> str | None:
    return next((word for word in unit.similar if word in text.surfaces), None)


def _tier(query: Query, written: list[Unit], guesses: dict[str, str]) -> Tier | None:
    units = query.units
    if not units:
        return None
    identifiers = [unit for unit in units if unit.shape == "identifier"]
    if identifiers:
        return "exact" if any(unit in written for unit in identifiers) else None
    if any(unit.shape == "code" and unit not in written for unit in units):
        return None  # a number, a version or an acronym with a digit is never nearly right
    if all(unit.shape == "code" for unit in units):
        return "exact"
    if len(written) >= _units_needed(query):
        return "lexical"
    return "fuzzy" if _is_trustworthy(units, written, guesses) else None


def _is_trustworthy(units: tuple[Unit, ...], written: list[Unit], guesses: dict[str, str]) -> bool:
    """Tell whether the guesses may stand: every unit is met, one or more as written, and the guesses are not too vague.

    A beginning fits many words, and a word of four letters is near many others: at most half of the query's words may
    be shortened, and of two words the one that was guessed must be whole and longer.
    """
    if not written or len(written) + len(guesses) < len(units):
        return False
    shortened = sum(likeness(asked, word) == "abbreviation" for asked, word in guesses.items())
    if len(units) == 2:
        return not shortened and all(len(asked) >= SHORTEST_ALONE for asked in guesses)
    return shortened <= len(units) // 2
