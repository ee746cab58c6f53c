"""Text without what people leave out when they type: accents, and what Unicode writes in several ways."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_PLAIN_LETTERS = {
    ord(letter): plain
    for letter, plain in zip(
        "łŁøØđĐħĦıæÆœŒþÞёЁẞ",
        ["l", "L", "o", "O", "d", "D", "h", "H", "i", "ae", "AE", "oe", "OE", "th", "TH", "е", "Е", "SS"],
        strict=True,
    )
}
"""Letters that have no decomposition, or one that readers do not take for another letter: Russian ё is written е."""

_ARABIC = str.maketrans("أإآٱىةؤئ", "اااايهوي", "\u0640")
"""Arabic letters that are typed for one another, as in L. S. Larkey et al., "Light Stemming for Arabic", 2007; and the
stretching stroke, which is none."""

_CHARACTERS = 16_384  # remembered; more than any language writes with
_LAST_ACCENTED = "\u0400"  # Latin and Greek; in later scripts marks make other letters: Cyrillic й, voiced kana
_DROPPED_MARKS = ((0x0300, 0x036F), (0x0591, 0x05C7), (0x064B, 0x065F), (0x0670, 0x0670), (0x06D6, 0x06ED))
"""Combining accents, Hebrew points and Arabic vowels. The marks of other scripts (Thai, Devanagari) are vowels."""


def composed(text: str) -> str:
    """Return `text` in compatibility form, without invisible characters and vowel points; accents stay."""
    if text.isascii():
        return text
    return "".join(map(_kept, unicodedata.normalize("NFKC", text)))


def fold(text: str) -> str:
    """Return composed text without accents on Latin and Greek letters, in one spelling of each letter."""
    if text.isascii():
        return text
    return "".join(map(_plain, text)).translate(_PLAIN_LETTERS).translate(_ARABIC)


# A text has few different characters; looking each up once makes an 8 MiB text of Chinese a third cheaper to analyse.


@lru_cache(maxsize=_CHARACTERS)
def _kept(character: str) -> str:
    """Return a character, or nothing for one that is left out."""
    code = ord(character)
    if character.isascii():
        return character
    dropped = unicodedata.category(character) == "Cf" or any(first <= code <= last for first, last in _DROPPED_MARKS)
    return "" if dropped else character


@lru_cache(maxsize=_CHARACTERS)
def _plain(character: str) -> str:
    """Return a character that is kept without its accent, where it is Latin or Greek."""
    if character.isascii() or not _kept(character):
        return _kept(character)
    base = unicodedata.normalize("NFD", character)[0]
    return base if base < _LAST_ACCENTED else character
