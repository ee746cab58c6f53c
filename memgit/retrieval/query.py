"""What the asker wrote, as units to match: identifiers, codes and words. Any input is text, never an expression.

Nothing in a query has a meaning of its own: no operators, wildcards, fields or quotes. Quotation marks, `AND`, `*` and
`title:` are punctuation and words like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Protocol

from memgit.errors import InvalidRequest
from memgit.index.analysis import Chunk, Shape, is_exact_word, quoted_names, tokens
from memgit.index.codes import compact, place
from memgit.index.english import FRAMING_WORDS, QUESTION_WORDS, STOP_WORDS
from memgit.index.languages import unspaced
from memgit.index.languages.detect import certain_languages, languages_of
from memgit.index.languages.function_words import ASKING_WORDS, function_words
from memgit.index.languages.stems import forms, is_latin
from memgit.index.lexical import QueryTerm
from memgit.index.similarity import comparable, likeness
from memgit.limits import DEFAULT

_QUESTION_ENDS = ("?", "？", "؟", "吗", "嗎", "呢", "か", "까", "나요", "ไหม", "หรือไม่")

_LETTERS = re.compile(r"\w+")
_PARTS = re.compile(r"[^\W\d_]+|[\W\d_]+")  # of an identifier: its words, and what stands between them
_SHORTEST_PART = 4  # letters; shorter words are near too many
_READINGS, _MOST_NAMES = 2, 8  # of a word of an identifier, and of the whole

UNITS = 64  # a query of more different words asks nothing in particular; the rest is left out, with a warning


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that the asker named.

    `name` is how it was written, folded. `word` is the word to look for, with its accents, empty for what can only be
    met exactly; `stem` its form in the query's own language. `names` are the exact names that it may stand for,
    `joined` what it forms with its neighbours (`single flight` may stand as `single-flight` or `singleflight`).
    `similar` are words of the index that it may have been meant for. `languages`: the only ones whose inflections may
    meet it; all where there are none. `beside`: of a pair of letters in a script without spaces, the two pairs that
    together hold the same letters (`languages.unspaced`). `frames`: it asks, and names nothing.
    `of`: the name of the unit that this one is a place of, with its port, line or tag.
    """

    name: str
    shape: Shape
    stem: str = ""
    names: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    similar: tuple[str, ...] = ()
    word: str = ""
    languages: frozenset[str] = frozenset()
    beside: tuple[str, str] | None = None
    frames: bool = False
    of: str = ""


@dataclass(frozen=True, slots=True)
class Query:
    """An analysed query. `text` is what was considered; `warnings` say what was not. Without units it meets nothing."""

    text: str
    units: tuple[Unit, ...]
    is_question: bool
    warnings: tuple[str, ...] = ()

    @property
    def terms(self) -> tuple[QueryTerm, ...]:
        """The units as an index takes them."""
        return tuple(_term(unit) for unit in self.units)


def analyse_query(text: str) -> Query:
    """Return the query that `text` asks. Raises InvalidRequest where it is blank.

    A text beyond `limits.query_bytes` is cut at a word, and one of more than UNITS different words after these; both
    with a warning. A text of punctuation or symbols alone has no units.
    """
    if not text.strip():
        raise InvalidRequest("the query is blank", hint="Say what to look for.", details={"field": "query"})
    kept, warnings = _cut(text)
    units = _content(list(_units(kept))) or _names_alone(kept)
    if not units:
        warnings.append("the query holds no searchable words")
    if len(units) > UNITS:
        warnings.append(f"the query has {len(units)} different words; the first {UNITS} were considered")
    return Query(kept, tuple(units[:UNITS]), _is_question(kept), tuple(warnings))


class Words(Protocol):
    """The words that one who asks may see."""

    def similar_words(self, word: str) -> tuple[str, ...]:
        """Return those that a folded word may stand for, likeliest first: see `LexicalIndex.similar_words`."""


def _names_alone(text: str) -> list[Unit]:
    """Return a function word that is quoted, or all that is asked, as a name: `less` may be a program."""
    quoted = list(dict.fromkeys(quoted_names(text)))
    words = _LETTERS.findall(text)
    names = quoted or [word for word in words if len(words) == 1 and word in STOP_WORDS]
    return [Unit(name, "code", names=(name,)) for name in names]


def with_similar_words(query: Query, index: Words) -> Query:
    """Return the query with the words of `index` that each of its words may stand for."""
    return replace(query, units=tuple(_with_similar(unit, index) for unit in query.units))


def _with_similar(unit: Unit, index: Words) -> Unit:
    if unit.shape != "word" and not unit.name.isalpha():
        return replace(unit, similar=_similar_names(unit.name, index)) if unit.shape == "identifier" else unit
    return replace(unit, similar=index.similar_words(unit.name)) if comparable(unit.name) else unit


def _similar_names(name: str, index: Words) -> tuple[str, ...]:
    """Return what an identifier may have been meant for: with each misspelt word of it read as what it is near to.

    Digits are never read otherwise, and a word that the index holds is no slip.
    """
    parts = _PARTS.findall(name)
    read: list[tuple[str, ...]] = []
    for part in parts:
        similar = index.similar_words(part) if part.isalpha() and len(part) >= _SHORTEST_PART else ()
        read.append(tuple(word for word in similar if likeness(part, word) == "typo")[:_READINGS] or (part,))
    names = ("".join(chosen) for chosen in islice(product(*read), _MOST_NAMES))
    return tuple(each for each in names if each != name)


def _term(unit: Unit) -> QueryTerm:
    guesses = tuple(dict.fromkeys(unit.similar + unit.joined))
    return QueryTerm(unit.name, unit.word, unit.names + unit.joined, guesses, unit.shape == "identifier")


def _cut(text: str) -> tuple[str, list[str]]:
    """Return as much of `text` as a query may have, whole words, and a warning where something is missing."""
    data = text.encode(errors="replace")
    if len(data) <= DEFAULT.query_bytes:
        return data.decode(), []
    kept = data[: DEFAULT.query_bytes].decode(errors="ignore")
    words = kept.rsplit(maxsplit=1)
    if len(words) == 2 and len(words[0]) > len(kept) // 2:
        kept = words[0]
    return kept, [f"the query has {len(data)} bytes; the first {len(kept.encode())} were considered"]


def _units(text: str) -> Iterator[Unit]:
    """Yield the units of `text` in order, repetitions included; adjacent words also know their joined form."""
    before: Unit | None = None
    tongue = _tongue(text)
    for token in tokens(text):
        for unit in _chunk_units(token.chunk, tongue):
            if before is not None:
                joined = _joined(before, unit)
                yield replace(before, joined=before.joined + joined)
                unit = replace(unit, joined=unit.joined + joined)
            before = unit
    if before is not None:
        yield before


def _joined(left: Unit, right: Unit) -> tuple[str, ...]:
    if right.name.isdecimal() and left.name[-1:].isalpha():
        suffixed = place(left.name, f":{right.name}")  # `redis 7` may stand as `redis:7`
        return (suffixed,) if suffixed else ()
    if len(left.name) == 1 and left.shape == "code" and left.name.isalpha() and right.name.isascii():
        return (left.name + right.name,) if right.shape == "word" else ()
    both_words = left.shape == right.shape == "word" and left.name.isascii() and right.name.isascii()
    return (left.name + right.name,) if both_words else ()


@dataclass(frozen=True, slots=True)
class _Tongue:
    """What a query's language is taken to be: for stems, for certain, and its words without content."""

    likely: tuple[str, ...]
    certain: frozenset[str]
    framing: frozenset[str]


def _tongue(text: str) -> _Tongue:
    likely, certain = languages_of(text), certain_languages(text)
    foreign = [language for language in likely if "en" not in likely or not is_latin(language)]
    return _Tongue(likely, certain, FRAMING_WORDS | function_words(foreign))


def _chunk_units(chunk: Chunk, tongue: _Tongue) -> list[Unit]:
    units = _named_units(chunk, tongue)
    if chunk.place:
        units.append(Unit(chunk.place, "code", names=(chunk.place,), of=chunk.whole))
    return units


def _named_units(chunk: Chunk, tongue: _Tongue) -> list[Unit]:
    if chunk.shape == "identifier":
        return [Unit(chunk.whole, "identifier", names=_forms(chunk.whole))]
    if chunk.shape == "code":
        if len(chunk.surfaces) == 1 and chunk.whole[0] != "+" and not (len(chunk.whole) == 1 and chunk.whole.isalpha()):
            return [Unit(chunk.surfaces[0], "code", chunk.surfaces[0], _forms(chunk.whole), word=chunk.written[0])]
        return [Unit(chunk.whole, "code", names=_forms(chunk.whole))]
    if unspaced.is_unspaced(chunk.whole):
        return [_letters_unit(asked) for asked in unspaced.asked(chunk.whole)]
    words = [_word_unit(*pair, tongue) for pair in zip(chunk.surfaces, chunk.written, strict=True)]
    letter = _letter_of(chunk.whole, tongue)
    if not letter:
        return words
    whole = (compact(chunk.whole),)  # `b-tree` may stand as `btree`, and is no `r-tree`
    return [Unit(letter, "code", names=(letter,), joined=whole), *(replace(word, joined=whole) for word in words)]


def _letter_of(whole: str, tongue: _Tongue) -> str:
    """Return the single letter of a name that it makes with one word: `b` of `b-tree`."""
    first, hyphen, last = whole.partition("-")
    letter, word = sorted((first, last), key=len)
    is_name = hyphen and len(letter) == 1 and letter.isascii() and letter.isalpha() and word.isalpha() and len(word) > 1
    return letter if is_name and letter not in tongue.framing else ""


def _letters_unit(asked: unspaced.Asked) -> Unit:
    name = asked.name
    return Unit(name, "word", name, joined=asked.instead, word=name, beside=asked.beside, frames=asked.frames)


def _word_unit(surface: str, written: str, tongue: _Tongue) -> Unit:
    return Unit(
        surface,
        "code" if _is_code(surface) else "word",
        forms(written, tongue.likely)[0],
        (surface,),
        word=written,
        languages=tongue.certain,
        frames=surface in tongue.framing,
    )


def _is_code(word: str) -> bool:
    return is_exact_word(word) and word.isascii()


def _forms(whole: str) -> tuple[str, ...]:
    short = compact(whole)
    return (whole, short) if len(short) > 1 and short != whole else (whole,)


def _content(units: list[Unit]) -> list[Unit]:
    """Return the units without repetitions, and without words that only frame a question unless there are no others."""
    merged: dict[tuple[Shape, str], Unit] = {}
    for unit in units:
        key = (unit.shape, unit.stem or unit.name)
        known = merged.get(key)
        merged[key] = unit if known is None else _merged(known, unit)
    found = list(merged.values())
    naming = [unit for unit in found if not unit.frames]
    return naming or found


def _merged(unit: Unit, again: Unit) -> Unit:
    names, joined = dict.fromkeys(unit.names + again.names), dict.fromkeys(unit.joined + again.joined)
    beside = unit.beside if unit.beside == again.beside else None
    return replace(unit, names=tuple(names), joined=tuple(joined), beside=beside)


def _is_question(text: str) -> bool:
    words = text.split(maxsplit=1)
    first = words[0].casefold() if words else ""
    return text.rstrip().endswith(_QUESTION_ENDS) or first in QUESTION_WORDS or first in ASKING_WORDS
