"""A word to the forms under which it is indexed and looked for: its stems, each in the name of its language.

`running` stands as `run` in an English text, `Schlüsseln` as `de:schlussel` in a German one. A stem means something
only within its language, so a language's own mark keeps it from meeting a word of another that happens to end alike.
Both sides, what is stored and what is asked, come through here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

from memgit.index.english import stem as english_stem
from memgit.index.languages.endings import ENDINGS, without_ending
from memgit.index.languages.folding import fold

_SNOWBALL = {
    "da": ("danish", "DanishStemmer"),
    "de": ("german", "GermanStemmer"),
    "es": ("spanish", "SpanishStemmer"),
    "fi": ("finnish", "FinnishStemmer"),
    "fr": ("french", "FrenchStemmer"),
    "hu": ("hungarian", "HungarianStemmer"),
    "it": ("italian", "ItalianStemmer"),
    "nl": ("dutch", "DutchStemmer"),
    "no": ("norwegian", "NorwegianStemmer"),
    "pt": ("portugese", "PortugueseStemmer"),
    "ro": ("romanian", "RomanianStemmer"),
    "ru": ("russian", "RussianStemmer"),
    "sv": ("swedish", "SwedishStemmer"),
}
"""The Snowball stemmers of M. F. Porter and others as Whoosh carries them: module and class."""

_DIGRAPHS = {
    "de": str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"}),
    "da": str.maketrans({"å": "aa"}),
    "no": str.maketrans({"å": "aa"}),
}
"""How people write letters that their keyboard lacks, where that is not the letter without its accent."""

_PLURALS = {"pt": (("oes", "ao"), ("aes", "ao"))}
"""Plurals that the stemmer does not bring to their singular: `cartões` and `cartão`."""

_LAST_LETTERS = {"es": {"c": "z"}, "nl": {"z": "s", "v": "f"}}
"""Letters at the end of a stem that spelling changes before an ending: `luz` and `luces`, `huis` and `huizen`."""

_SCRIPT_OF = {"ru": "cyrillic", "uk": "cyrillic", "ar": "arabic", "el": "greek", "he": "hebrew", "hi": "devanagari"}
_LONGEST = 40  # letters; longer runs are no words, and some stemmers are slow on them


@lru_cache(maxsize=131_072)
def forms(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return what `word`, lower case with its accents, is indexed as in a text of these languages; never empty.

    English stems bear no mark, as does a word of a script that none of the languages is written in, and one that holds
    a digit or a sign: those stand for themselves. Each language gives the stem of the word as written and of the word
    without accents, because an ending may only be known with them.
    """
    plain = fold(word).casefold()
    if not plain.isalpha() or len(plain) > _LONGEST:
        return (plain,)
    script = script_of(plain)
    found: dict[str, None] = {}
    for language in languages:
        if language == "en" and script == "latin":
            found[english_stem(plain)] = None
        elif language in STEMMED and _SCRIPT_OF.get(language, "latin") == script:
            found.update((f"{language}:{stem}", None) for stem in _stems(word, plain, language))
    return tuple(found) or (plain,)


def asked_forms(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return all forms under which `word` may stand in texts of any of these languages."""
    plain = fold(word).casefold()
    found = dict.fromkeys(forms(word, languages))
    script = script_of(plain)
    if not plain.isascii() or any(_SCRIPT_OF.get(language, "latin") != script for language in languages):
        found[plain] = None  # as it stands in a text of a language that is written otherwise
    return tuple(found)


def script_of(plain: str) -> str:
    """Return the script of a folded word's first letter; `other` for what no stemmer knows."""
    letter = plain[0]
    if letter < "\u0250":
        return "latin"
    for script, first, last in _RANGES:
        if first <= letter <= last:
            return script
    return "other"


def is_latin(language: str) -> bool:
    """Tell whether a language is written in Latin letters, as far as its inflections are known."""
    return language == "en" or (language in STEMMED and language not in _SCRIPT_OF)


_RANGES = (
    ("greek", "\u0370", "\u03ff"),
    ("cyrillic", "\u0400", "\u052f"),
    ("hebrew", "\u0590", "\u05ff"),
    ("arabic", "\u0600", "\u077f"),
    ("devanagari", "\u0900", "\u097f"),
)

STEMMED = frozenset(_SNOWBALL) | frozenset(ENDINGS)
"""Languages whose inflections are known, English aside."""


def _stems(word: str, plain: str, language: str) -> list[str]:
    """Return the stems of a word, and the word itself: what is left of one form may be the whole of another."""
    if language in ENDINGS:
        return [without_ending(plain, language), plain]
    stem = _stemmer(language)
    found = [stem(word), stem(plain)]
    digraphs = _DIGRAPHS.get(language)
    if digraphs and word != plain and (spelled := word.translate(digraphs)) != word:
        found.append(stem(fold(spelled).casefold()))
    for ending, singular in _PLURALS.get(language, ()):
        if plain.endswith(ending):
            found.append(stem(plain.removesuffix(ending) + singular))
    last = _LAST_LETTERS.get(language, {})
    folded = [fold(each).casefold() or plain for each in found]
    return [*(each[:-1] + last.get(each[-1], each[-1]) for each in folded), plain]


@lru_cache(maxsize=len(_SNOWBALL))
def _stemmer(language: str) -> Callable[[str], str]:
    module, name = _SNOWBALL[language]
    found: Callable[[str], str] = getattr(import_module(f"whoosh.lang.snowball.{module}"), name)().stem
    return found
