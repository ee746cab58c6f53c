"""Whether a text is about what was asked: yes or no, why, and by which rule. Deterministic, and blind to ranking.

It compares an analysed query with the terms of one text, and knows neither index nor store. Nothing but the three tiers
qualifies: no similarity of meaning, no rank, no popularity. A wrong yes is worse than a missed one, so whatever is
missing must be ordinary words, and few.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from memgit.index.analysis import analyse
from memgit.index.documents import Matchable
from memgit.index.languages.folding import fold
from memgit.index.languages.inflection import bases, is_inflection
from memgit.index.languages.stems import forms
from memgit.index.similarity import edit_distance, likeness
from memgit.retrieval.query import Query, Unit

Way = Literal["same", "inflection", "derivation"]
"""How a text holds a word: as it was asked for, in another form of the same word, or by another word with its stem
(`author` and `authorization`), which alone answers nothing."""

Withheld = Literal["derivation", "question"]
"""What keeps a text from qualifying whose words would do. derivation: it meets every word only by other words with the
same stems. question: it only asks."""

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

SHORTEST_UNAIDED = 6
"""Letters of each word of a query that is misspelt throughout. Each must then be near exactly one word of the index."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The terms of a text that can meet a query: stems under its languages, exact names, and words as written.

    `surfaces` are its words without accents, `written` with them.
    """

    words: frozenset[str]
    names: frozenset[str]
    surfaces: frozenset[str]
    languages: tuple[str, ...]
    written: frozenset[str] = frozenset()

    def __or__(self, other: Lexicon) -> Lexicon:
        return Lexicon(
            self.words | other.words,
            self.names | other.names,
            self.surfaces | other.surfaces,
            tuple(dict.fromkeys(self.languages + other.languages)),
            self.written | other.written,
        )


@dataclass(frozen=True, slots=True)
class Match:
    """What of a query a text meets. `tier` is None where that is not enough.

    `met` and `missing` name units of the query, in its order; `guessed` pairs a met unit with the word of the text that
    it was read as, also where that is not enough. `scattered`: the words stand in different passages. `withheld`: why
    there is no tier although the words would do.
    """

    tier: Tier | None
    met: tuple[str, ...]
    missing: tuple[str, ...]
    guessed: tuple[tuple[str, str], ...] = ()
    scattered: bool = False
    withheld: Withheld | None = None

    @property
    def order(self) -> tuple[int, int]:
        """Sorts the better match first: by tier, then by how much of the query is met."""
        return (TIERS.index(self.tier) if self.tier else len(TIERS), -len(self.met))


def lexicon(text: str, names: Iterable[str] = (), languages: tuple[str, ...] | None = None) -> Lexicon:
    """Return the terms of a text and of exact names that stand beside it (which are no words).

    The text is of `languages`, or of those that it seems to be of.
    """
    terms = analyse(text, languages)
    exact = set(terms.identifiers)
    for name in names:
        exact |= {name.casefold(), *analyse(name).identifiers}
    return Lexicon(frozenset(terms.words), frozenset(exact), terms.surfaces, terms.languages, terms.written)


def description_lexicon(description: Matchable) -> Lexicon:
    """Return the terms of a claim, or of an artifact's description."""
    return lexicon(f"{description.title}\n{description.body}", description.names)


def match(query: Query, text: Lexicon) -> Match:
    """Return whether the text with these terms qualifies for `query`, and what it meets."""
    ways = {unit.name: way for unit in query.units if (way := way_of(unit, text))}
    written = _with_covered(query.units, [unit for unit in query.units if unit.name in ways])
    firm = [unit for unit in written if ways.get(unit.name) != "derivation"]
    guesses = {unit.name: word for unit in query.units if unit not in written and (word := _guess(unit, text))}
    misspelt = [unit for unit in written if unit not in firm and _is_misspelt(unit, query, text)]
    tier, withheld = _tier(query, written, firm, misspelt, guesses)
    if tier in {"exact", "lexical"}:
        guesses = {}
    met = {unit.name for unit in written} | guesses.keys()
    return Match(
        tier,
        tuple(unit.name for unit in query.units if unit.name in met),
        tuple(unit.name for unit in query.units if unit.name not in met),
        tuple(guesses.items()),
        withheld=withheld,
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
    """Tell whether the text holds the unit as it was asked for, or by a word with its stem."""
    return way_of(unit, text) is not None


def way_of(unit: Unit, text: Lexicon) -> Way | None:
    """Return how the text holds a unit, the best way first; None where it does not."""
    if not text.names.isdisjoint(unit.names) or (unit.word and unit.name in text.surfaces):
        return "same"
    if any(form in text.names or form in text.surfaces for form in unit.joined):
        return "same"
    return _stemmed_way(unit, text) if unit.word else None


def word_of(unit: Unit, text: Lexicon) -> str:
    """Return a word of a text that meets a unit, as it stands there without accents; what was asked for otherwise."""
    asked = fold(unit.word).casefold()
    met: dict[Way | None, str] = {}
    for language in _shared_languages(unit, text):
        for form in forms(unit.word, (language,)):
            for way, word in _forms_met(asked, form, language, text):
                met.setdefault(way, word)
    return met.get("inflection") or met.get("derivation") or unit.name


def _stemmed_way(unit: Unit, text: Lexicon) -> Way | None:
    """Return whether the text holds the unit's word in another form of a language that both may be in, or its stem.

    A query that is plainly of other languages than the text meets only the same words: their inflections have nothing
    to do with each other.
    """
    asked = fold(unit.word).casefold()
    found: Way | None = None
    for language in _shared_languages(unit, text):
        for form in forms(unit.word, (language,)):
            if form not in text.words:
                continue
            ways = {way for way, _ in _forms_met(asked, form, language, text)}
            if ways != {"derivation"}:  # nobody knows by which word: the index says that one is there
                return "inflection"
            found = "derivation"
    return found


def _shared_languages(unit: Unit, text: Lexicon) -> tuple[str, ...]:
    if not unit.languages:
        return text.languages
    return tuple(language for language in text.languages if language in unit.languages)


def _forms_met(asked: str, form: str, language: str, text: Lexicon) -> Iterator[tuple[Way, str]]:
    """Yield the words of a text that have `form` in a language, and how they are related to the word asked for."""
    stem = form.rpartition(":")[2]
    for word in sorted(text.written):
        plain = fold(word).casefold()
        if plain[:1] == fold(stem[:1]) and form in forms(word, (language,)):
            yield ("inflection" if is_inflection(asked, plain, language, stem) else "derivation"), plain


def _with_covered(units: tuple[Unit, ...], written: list[Unit]) -> list[Unit]:
    """Return the units that are met: those that are written, and the pairs of letters between two of them."""
    names = {unit.name for unit in written}
    return [unit for unit in units if unit.name in names or (unit.beside and names.issuperset(unit.beside))]


def _guess(unit: Unit, text: Lexicon) -> str | None:
    return next((word for word in unit.similar if word in text.surfaces or word in text.names), None)


def _is_misspelt(unit: Unit, query: Query, text: Lexicon) -> bool:
    """Tell whether a word that a text meets by its stem alone is a slip of one of several (`runtim` for `runtime`)."""
    word = _guess(unit, text)
    return word is not None and len(query.units) > 2 and likeness(unit.name, word) == "typo"


def _tier(
    query: Query, written: list[Unit], firm: list[Unit], misspelt: list[Unit], guesses: dict[str, str]
) -> tuple[Tier | None, Withheld | None]:
    """Return the tier, and what keeps back a text whose words would do.

    Of the units that are `written`, `firm` are met by the same word, and `misspelt` by one that they were meant for.
    """
    units = query.units
    if not units:
        return None, None
    identifiers = [unit for unit in units if unit.shape == "identifier"]
    if identifiers:
        elsewhere = {unit.of for unit in units if unit not in written}  # another line of the file, another port
        return ("exact" if any(unit in written and unit.name not in elsewhere for unit in identifiers) else None), None
    if any(unit.shape == "code" and unit not in written for unit in units):
        return None, None  # a number, a version or an acronym with a digit is never nearly right
    if all(unit.shape == "code" for unit in units):
        return "exact", None
    if len(written) >= _units_needed(query):
        return ("lexical", None) if firm else (None, "derivation")
    if written and not firm and not misspelt:
        return None, None
    return ("fuzzy" if _is_trustworthy(units, written, guesses) else None), None


def _is_trustworthy(units: tuple[Unit, ...], written: list[Unit], guesses: dict[str, str]) -> bool:
    """Tell whether the guesses may stand: every unit is met, one or more as written, and the guesses are not too vague.

    Where none is written, each of several must be a long word that only one word of the index is near to.
    A beginning fits many words, and a word of four letters is near many others: at most half of the query's words may
    be shortened, and of two words the one that was guessed must be whole and longer.
    """
    if len(written) + len(guesses) < len(units):
        return False
    if not written:
        return len(units) > 1 and all(_is_certain(unit, guesses[unit.name]) for unit in units)
    shortened = sum(likeness(asked, word) == "abbreviation" for asked, word in guesses.items())
    if len(units) == 2:
        return not shortened and all(_is_plain(asked, word) for asked, word in guesses.items())
    return shortened <= len(units) // 2


def _is_plain(asked: str, word: str) -> bool:
    """Tell whether one of two words may be misspelt: long enough, and not of the same letters in another order, which
    are often two words (`causal`, `casual`)."""
    return len(asked) >= SHORTEST_ALONE and sorted(asked) != sorted(word)


def _is_certain(unit: Unit, guess: str) -> bool:
    """Tell whether a misspelt word can only have been meant for one word, in any of its forms: the only one an edit
    away, or the only one that is near at all."""
    if len(unit.name) < SHORTEST_UNAIDED:
        return False
    close = [word for word in unit.similar if edit_distance(unit.name, word, 1) == 1] or list(unit.similar)
    first = bases(guess)
    return guess in close and all(
        likeness(unit.name, word) == "typo" and not first.isdisjoint(bases(word)) for word in close
    )
