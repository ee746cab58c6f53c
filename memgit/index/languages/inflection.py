"""Whether two words with one stem are one word in two forms, or two words of which one was made from the other.

A stemmer joins `authors` and `authorization`, `universe` and `university`: enough to look for a text, too little to
say that it answers. English is judged by its few endings (number, tense, participle; after D. Harman, "How effective
is suffixing?", 1991, and its S-stemmer). Of the other languages with a Snowball stemmer, rich in endings, by the
suffixes that make words, as far as the stemmer cut one off: those of the algorithms' own step for them. Languages of
which only endings are known (`endings.py`) join nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_VOWELS = "aeiouy"
_ES_AFTER = ("s", "x", "z", "ch", "sh", "o")
_SHORTEST_BASE = 2


def is_inflection(asked: str, written: str, language: str, stem: str) -> bool:
    """Tell whether two folded words that share `stem` in `language` are forms of one word."""
    if asked == written:
        return True
    if language == "en":
        return not bases(asked).isdisjoint(bases(written))
    return _suffix(asked, language, stem) == _suffix(written, language, stem)


@lru_cache(maxsize=16_384)
def bases(word: str) -> frozenset[str]:
    """Return what a folded English word may be the plural, past, participle or third person of, and itself."""
    found = (word, *_without_s(word), *_without_ed(word), *_without_ing(word))
    return frozenset(base for base in found if _is_word(base))


def _is_word(base: str) -> bool:
    return len(base) >= _SHORTEST_BASE and any(letter in _VOWELS for letter in base)


def _without_s(word: str) -> Iterator[str]:
    if word.endswith("ies"):
        yield word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith(_ES_AFTER):
        yield from _undoubled(word[:-2])
    if word.endswith("s") and not word.endswith("ss"):
        yield word[:-1]


def _without_ed(word: str) -> Iterator[str]:
    if word.endswith("ied"):
        yield word[:-3] + "y"
    if word.endswith("ed"):
        yield word[:-1]
        yield from _undoubled(word[:-2])


def _without_ing(word: str) -> Iterator[str]:
    if word.endswith("ying"):
        yield word[:-4] + "ie"
    if word.endswith("ing"):
        yield word[:-3] + "e"
        yield from _undoubled(word[:-3])


def _undoubled(base: str) -> Iterator[str]:
    """Yield a word, and without a last consonant that its ending doubled (`stopped`, `quizzes`)."""
    yield base
    if len(base) > 2 and base[-1] == base[-2] and base[-1] not in _VOWELS:
        yield base[:-1]


_ROMANCE = {
    "es": "acion(?:es)? ucion(?:es)? ador(?:es|as?)? idad(?:es)? mente ismos? istas? anzas? ic[oa]s? ables? ibles? "
    "os[oa]s? [ai]mientos? ancias? encias? iv[oa]s? logias?",
    "fr": "ations? utions? at(?:eur|rice)s? ites? issements? e?ments? istes? ismes? iques? ances? ences? ables? "
    "eu(?:x|ses?) i(?:f|ve)s? logies?",
    "it": "azion[ei] uzion[ei] ator[ei] atric[ei] ita mente ism[oi] ist[aei] anz[ae] enz[ae] ic(?:[oai]|he) abil[ei] "
    "ibil[ei] os[oaie] [ai]ment[oi] iv[oaie] logi[ae]",
    "pt": "ac(?:ao|oes) uc(?:ao|oes) ador(?:es|as?)? idades? mente ismos? istas? ezas? ic[oa]s? avel aveis ivel iveis "
    "os[oa]s? [ai]mentos? ancias? encias? iv[oa]s? logias?",
    "ro": "ati[ei]i? atia ator(?:i|ul|ii|ilor)? itat(?:e|ea|i|ii|ilor) abil[aei]? ibil[aei]? ism(?:ul|e)? ist[aei]? "
    "iv[aei]? ic[aei]?",
}
_GERMANIC = {
    "de": "ung(?:en)? heit(?:en)? keit(?:en)? isch(?:e[mnrs]?)? lich(?:e[mnrs]?)? ig(?:e[mnrs]?)?",
    "nl": "ing(?:en)? heid heden lijke? baar bare ige?",
    "da": "lig[et]? ig[et]? els(?:en?|er)?",
    "no": "lig[et]? ig[et]? els(?:en?|er)?",
    "sv": "lig[at]? ig[at]? els(?:en?|er)?",
}
_SLAVIC = {"ru": "ост(?:ь|и|ью|ей|ям|ями|ях)"}

SUFFIXES = {
    language: tuple(re.compile(rf"(?:{suffix})\Z") for suffix in suffixes.split())
    for language, suffixes in (_ROMANCE | _GERMANIC | _SLAVIC).items()
}
"""Suffixes that make a word from another, with their own endings; the stemmers of Finnish and Hungarian cut none."""


def _suffix(word: str, language: str, stem: str) -> int:
    """Return the number of the suffix that the stemmer cut off a word, -1 for none."""
    for number, suffix in enumerate(SUFFIXES.get(language, ())):
        found = suffix.search(word)
        if found is not None and len(stem) <= found.start():
            return number
    return -1
