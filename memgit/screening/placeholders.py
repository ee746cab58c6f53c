"""What stands where a secret would, and is none: fillers, examples, names of variables, paths, calls, dates.

Fillers are refused by every rule; the rest only where a rule goes by a name and not by a format.
"""

from __future__ import annotations

import re

from memgit.screening.checksums import decode_base64
from memgit.screening.patterns import compiled
from memgit.screening.randomness import is_varied, looks_random

_FILLER = r"example|placeholder|xxxx|your|redacted|\*{3}|\.{3}|…|0{8}|1234567|abcdef?gh|not[-_]?a[-_]?real|dummy|sample"
_WEAK = (
    r"pass(?:w|phrase)|secret|change|test|fake|replace|insert|todo|fixme|foo[-_.]?bar|^foo|lorem|ipsum|token|api[-_]?key|"
    r"credential|default|admin|guest|qwerty|null|none|undefined|invalid|mock|demo|hello|letmein|username|generate|"
    r"anonymous|blah"
)
_REFERENCE = (
    r"[$%{<]|--[a-z]|[\w.-]{0,40}\$[({]|\.{1,2}/|[a-z][a-z0-9+.-]{0,20}://|(?:process|import\.meta|os|self|this|args?|options?|"
    r"request|props|data|local|var|module|arn|ssm|op|enc|file|settings|config|env|environ|getenv|vault|keyring|"
    r"secretsmanager|projects)[.\[(:/]"
)
_SAMPLE = 128  # characters of a value in which a filler would say so
_PATH_OR_POINTER = tuple("/~\\*&#@")
_READABLE = re.compile(rb"[\x20-\x7e]+")

# Groups of digits and letters as in a UUID: documents make theirs up with letters that no UUID has.
_UUID = r"[0-9a-z]{6,8}(?:-[0-9a-z]{3,4}){3}-[0-9a-z]{12}"
_MEMGIT_ID = r"[a-z]{2,5}_[0-9a-hjkmnp-tv-z]{26}"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T_ ].*)?"
_WRITTEN = r"[A-Za-z]++(?:[-_.:/ ][A-Za-z]++)*+(?:[-_.][0-9]?)?"


def is_filler(text: str) -> bool:
    """Tell whether a text is what people put where a key would be: `xxxx`, `EXAMPLE`, one character over and over."""
    return _says(_FILLER, text) or not is_varied(text)


def is_placeholder(text: str) -> bool:
    """Tell whether a text names or asks for a secret, or is one that everybody knows, as `changeme` does.

    So does a text in base 64 that says so once it is decoded.
    """
    if is_reference(text) or _says(_FILLER, text) or _says(_WEAK, text):
        return True
    return is_encoded_placeholder(text)


def is_encoded_placeholder(text: str) -> bool:
    """Tell whether a text in base 64 says that it is a placeholder, once it is decoded: `not my real password`."""
    inner = _decoded(text)
    return inner is not None and (_says(_FILLER, inner) or _says(_WEAK, inner))


def is_reference(text: str) -> bool:
    """Tell whether a text says where a secret is kept: a variable, a path, an address, an entry of a vault."""
    if text[:1] in _PATH_OR_POINTER:  # unless a random key happens to begin so
        return not looks_random(text)
    return compiled(_REFERENCE, re.IGNORECASE).match(text) is not None or is_identifier(text)


def is_identifier(text: str) -> bool:
    """Tell whether a text is a UUID, a date or one of memgit's own ids, alone: these name things and open nothing."""
    return any(compiled(form, re.IGNORECASE).fullmatch(text) for form in (_UUID, _MEMGIT_ID, _DATE))


def holds_identifier(text: str) -> bool:
    """Tell whether there is a UUID in a text, as in the names of resources, or it is one of memgit's ids."""
    return compiled(_UUID, re.IGNORECASE).search(text) is not None or is_identifier(text)


def is_written(text: str) -> bool:
    """Tell whether a text is words, perhaps numbered with one digit: a name, a type, a path, a sentence."""
    return compiled(_WRITTEN).fullmatch(text) is not None


def _decoded(text: str) -> str | None:
    """Return what a text in base 64 says, where that is readable: documents encode their examples too."""
    data = decode_base64(text) if len(text) >= 12 and len(text) % 4 == 0 else None
    return data.decode() if data is not None and _READABLE.fullmatch(data) else None


def _says(words: str, text: str) -> bool:
    # Lower case, because a pattern that ignores case tries all its words at every character.
    return compiled(words).search(text[:_SAMPLE].lower()) is not None
