"""What names one thing although it is short: a port, a line, a time, a tag, a range, a signed number, a single letter.

`localhost:8080` is not `localhost:9090`, `5-10` is not 510, `10²` is not 102, `1,5` is neither 1 nor 5, `-5` is not
`+5`, and plan A is not plan B. Each is named as a whole. It owns how they are written alike, and refuses to say what of
a text is a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memgit.index.languages.detect import languages_of
from memgit.index.languages.folding import fold
from memgit.index.languages.function_words import function_words
from memgit.index.languages.unspaced import CHARACTERS

_SUFFIX = re.compile(r"(?::\d+(?:-\d+)?)+\Z")
_TIME = re.compile(r"0*(?=\d)(\d+(?::\d+)+)")
_SIGNED = re.compile(r"[+-]\d[\d.]*[^\W\d_]{0,3}\Z")
_DATE_OR_UUID = re.compile(r"\d{4}-\d\d-\d\d|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_GROUPED = re.compile(r"(?<![\d,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
_DECIMAL = re.compile(r"(?<![\d,])(\d+),(\d+)(?![\d,])")
_POWER = re.compile(r"(?<=\d)(?=[⁰¹²³⁴-⁹])(?<![⁰¹²³⁴-⁹])")
_FRACTION = re.compile(r"(?<=\d)(?=[¼-¾⅐-⅞])")
_SINGLE = re.compile(
    r"[A-Za-zΑ-ΩА-ЯЁ](?![A-Za-z0-9_])(?<![A-Za-z0-9_].)", re.DOTALL
)  # what may be one; ten times as fast
_HALF_DAY = re.compile(r"\d ([AaPp][Mm])(?!\w)")
_OPTION = re.compile(r"(?<![\w-])-[A-Za-z](?![\w-])")
_LETTER = re.compile(
    rf"(?:(?<![\w'’.\-@#$\\+/])|(?<=[{CHARACTERS}]))([A-Za-zΑ-ΩА-ЯЁ][+-]?)"
    rf"(?:(?![\w'’\-\\+#/])(?!\.\w)|(?=[{CHARACTERS}]))"
)
_NUMBERED = frozenset(
    {"act", "appendix", "article", "book", "chapter", "class", "grade", "level", "option", "part"}
    | {"phase", "section", "stage", "team", "tier", "type", "volume", "war"}
)
"""What is counted in Roman numerals or letters: after one of them `I` is not who speaks."""

_PRONOUNS = frozenset({"a", "i"})  # and the article

_DATED = "time"  # before a date it is a claim's own name for when it was said: see `documents.moment_names`


def compact(form: str) -> str:
    """Return an identifier without its separators, so that `UTF-8`, `utf_8` and `UTF8` meet.

    What stands between two digits stays, but in a date or a UUID: `5-10` is not 510.
    """
    if _DATE_OR_UUID.fullmatch(form):
        return form.replace("-", "")
    plain = form.replace("_", "-")
    return "".join(
        character
        for place, character in enumerate(plain)
        if character.isalnum() or (plain[place - 1 : place].isdigit() and plain[place + 1 : place + 2].isdigit())
    )


def with_suffix(name: str) -> tuple[str, str]:
    """Return a run of text without the port, line or tag at its end, and that: `tree.py`, `:12`."""
    found = _SUFFIX.search(name)
    return (name, "") if found is None else (name[: found.start()], found[0])


def place(name: str, suffix: str) -> str:
    """Return a folded name with its port, line or tag; empty where there is none, or it is no name of a place."""
    return f"{name}{suffix}" if suffix and name and name != _DATED else ""


def times(text: str) -> tuple[str, ...]:
    """Return a number with what follows its colons (`10:45`, `1:2`), of a range also both ends; no zero before it."""
    found = _TIME.findall(text)
    return tuple(dict.fromkeys(("-".join(found), *found)))


def is_signed(text: str) -> bool:
    """Tell whether a run of text is a number with a sign, and at most its unit behind it."""
    return _SIGNED.match(text) is not None


def spelled_out(text: str) -> str:
    """Return text with signs, powers and fractions of numbers as what is not ASCII alone can tell them from digits."""
    plain = re.sub(r"(?<=\d)–(?=\d)", "-", text.replace("−", "-"))
    return _FRACTION.sub("+", _POWER.sub("^", plain))


def is_power(text: str) -> bool:
    """Tell whether a run of text is a power or a fraction: none of its digits is a number by itself."""
    return "^" in text or "⁄" in text


def without_commas(text: str) -> str:
    """Return text without the commas that group digits, and with a point for one before decimals; others stay."""
    return _DECIMAL.sub(r"\1.\2", _GROUPED.sub(lambda found: found[0].replace(",", ""), text))


def letters(text: str) -> dict[int, str]:
    """Return the single letters of a text that name something, by where they stand (`plan B`, `in R`, `-x`, `10 pm`).

    Not what is a word of the language (`a plan`, `I`), nor the unit of a number. An option keeps its case.
    """
    return dict(_letters(text))


def _letters(text: str) -> Iterator[tuple[int, str]]:
    yield from ((found.start(1), found[1].lower()) for found in _HALF_DAY.finditer(text))
    words: frozenset[str] | None = None
    for single in _SINGLE.finditer(text):
        start = single.start()
        if start and (option := _OPTION.match(text, start - 1)):
            yield start - 1, option[0]
            continue
        found = _LETTER.match(text, start)
        if found is None:
            continue
        words = _words(text) if words is None else words
        if _names(text, start, found.end(), words):
            yield start, fold(found[1]).casefold()


def _words(text: str) -> frozenset[str]:
    """Return the words of a text's languages that may be a letter."""
    languages = languages_of(text)
    return function_words(languages) | _PRONOUNS | ({"y"} if "fr" in languages else set())


def _names(text: str, start: int, end: int, words: frozenset[str]) -> bool:
    """Tell whether the letter of a text at these places is a name."""
    before = text[max(0, start - 32) : start]
    if before.rstrip()[-1:].isdigit():
        return False
    letter = text[start]
    if fold(letter).casefold() not in words:
        return True
    rest = text[end : end + 8].lstrip(" ")
    if before.strip() and (not rest or rest[0] in ".,;:?!)]\n") and letter in "aA":
        return True
    if letter in "iI":
        return before.rstrip().rpartition(" ")[2].casefold() in _NUMBERED and letter == "I"
    is_first = not before.strip() or "\n" in before[len(before.rstrip()) :] or before.rstrip()[-1] in ".!?:"
    return letter.isupper() and not is_first and not rest[:1].isupper()
