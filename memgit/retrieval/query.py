"""What the asker wrote, as units to match: identifiers, codes and words. Any input is text, never an expression.

Nothing in a query has a meaning of its own: no operators, wildcards, fields or quotes. Quotation marks, `AND`, `*` and
`title:` are punctuation and words like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memgit.errors import InvalidRequest
from memgit.index.analysis import Chunk, Shape, compact, is_exact_word, tokens
from memgit.index.english import FRAMING_WORDS, QUESTION_WORDS, stem
from memgit.index.lexical import LexicalIndex, QueryTerm
from memgit.index.similarity import comparable
from memgit.limits import DEFAULT

UNITS = 64  # a query of more different words asks nothing in particular; the rest is left out, with a warning


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that the asker named.

    `name` is how it was written, folded. `stem` is the word to look for, empty for what can only be met exactly.
    `names` are the exact names that it may stand for, `joined` what it forms with its neighbours (`single flight` may
    stand as `single-flight` or `singleflight`). `similar` are words of the index that it may have been meant for.
    """

    name: str
    shape: Shape
    stem: str = ""
    names: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()
    similar: tuple[str, ...] = ()


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
    units = _content(list(_units(kept)))
    if not units:
        warnings.append("the query holds no searchable words")
    if len(units) > UNITS:
        warnings.append(f"the query has {len(units)} different words; the first {UNITS} were considered")
    return Query(kept, tuple(units[:UNITS]), _is_question(kept), tuple(warnings))


def with_similar_words(query: Query, index: LexicalIndex) -> Query:
    """Return the query with the words of `index` that each of its words may stand for."""
    return replace(query, units=tuple(_with_similar(unit, index) for unit in query.units))


def _with_similar(unit: Unit, index: LexicalIndex) -> Unit:
    if unit.shape != "word" or not comparable(unit.name):
        return unit
    return replace(unit, similar=index.similar_words(unit.name))


def _term(unit: Unit) -> QueryTerm:
    guesses = dict.fromkeys(guess for guess in map(stem, unit.similar + unit.joined) if guess != unit.stem)
    return QueryTerm(unit.name, unit.stem, unit.names + unit.joined, tuple(guesses), unit.shape == "identifier")


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
    for token in tokens(text):
        for unit in _chunk_units(token.chunk):
            if before is not None:
                joined = _joined(before, unit)
                yield replace(before, joined=before.joined + joined)
                unit = replace(unit, joined=joined)
            before = unit
    if before is not None:
        yield before


def _joined(left: Unit, right: Unit) -> tuple[str, ...]:
    both_words = left.shape == right.shape == "word" and left.name.isascii() and right.name.isascii()
    return (left.name + right.name,) if both_words else ()


def _chunk_units(chunk: Chunk) -> list[Unit]:
    if chunk.shape == "identifier":
        return [Unit(chunk.whole, "identifier", names=_forms(chunk.whole))]
    if chunk.shape == "code":
        if len(chunk.surfaces) == 1:
            return [Unit(chunk.surfaces[0], "code", chunk.stems[0], _forms(chunk.whole))]
        return [Unit(chunk.whole, "code", names=_forms(chunk.whole))]
    pairs = zip(chunk.surfaces, chunk.stems, strict=True)
    return [Unit(word, "code" if _is_code(word) else "word", stem, (word,)) for word, stem in pairs]


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
    naming = [unit for unit in found if unit.name not in FRAMING_WORDS]
    return naming or found


def _merged(unit: Unit, again: Unit) -> Unit:
    names, joined = dict.fromkeys(unit.names + again.names), dict.fromkeys(unit.joined + again.joined)
    return replace(unit, names=tuple(names), joined=tuple(joined))


def _is_question(text: str) -> bool:
    words = text.split(maxsplit=1)
    return text.rstrip().endswith(("?", "？")) or (bool(words) and words[0].casefold() in QUESTION_WORDS)
