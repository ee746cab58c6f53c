"""Text to terms: the one analysis behind every lexical index, qualification, and the search for an excerpt.

It owns what counts as a word, an identifier and the parts of one. Both sides, what is stored and what is asked, go
through it, so that no back end can disagree with another about a match. It refuses to judge relevance.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from memgit.index.english import STOP_WORDS, stem

ANALYSIS_VERSION = 2
"""Stored with every index; a change of what this module returns needs another number, and so a rebuild."""

Shape = Literal["identifier", "code", "word"]
"""What a chunk of text looks like.

`identifier`: nobody writes it by chance (`APP-BOUNDARY-101`, `snake_case`, `path/to/file.py`, `pkg::name`, a digest).
`code`: it names something exactly but is common (`UTF-8`, `E2E`, `v2`, `1.2.3`, `node.js`, `8080`).
`word`: anything else, also words joined by a hyphen or a slash, each of which counts by itself.
"""

_BREAKS = r"\s,;(){}\[\]<>\"'`|=!?…*&^%$~\\“”‘’«»„‹›—–·•、。，！？；：（）「」『』【】《》〈〉・"
_CHUNK = re.compile(rf"\d{{1,3}}(?:,\d{{3}})+(?!\d)|[^{_BREAKS}]+")
_SEGMENT = re.compile(r"[vV]?\d+(?:\.\d+)+|[^\W_]+")
_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0002fa1f]+"
)
"""Runs of scripts that are written without spaces (Han, kana, Thai, Lao, Burmese, Khmer) or with particles (Hangul)."""

_MEMBER = re.compile(r"[./:]+")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}\Z")
_LINE_SUFFIX = re.compile(r"(?::\d+(?:-\d+)?)+\Z")
_FILE_NAME = re.compile(r"[\w-]{2,}\.[A-Za-z][A-Za-z0-9]{0,7}\Z")
_HEXADECIMAL = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}\Z")
_LANGUAGE_NAME = re.compile(r"[A-Za-z](?:\+\+|#)\Z")  # C++, C#, F#: the sign is the name
_LONGEST_WORD = 64  # a SHA-256 in hexadecimal; longer runs are data, not words
_LONGEST_IDENTIFIER = 256  # the longest file name of common file systems is 255 bytes
_LONGEST_CACHED = 64
_PLAIN_LETTERS = str.maketrans("łŁøØđĐħĦı", "lLoOdDhHi")  # Latin letters that have no decomposition


class Chunk(NamedTuple):
    """What a run of text without breaks holds. `whole` is the run, folded and without punctuation at its ends.

    `surfaces` are its content words as folded, `stems` the same words as indexed. `identifiers` are the forms under
    which it can be named exactly. `parts` are the humps of a capitalised name (`GitHub`): too weak to count as words,
    since half a name is another name.
    """

    shape: Shape
    whole: str
    surfaces: tuple[str, ...] = ()
    stems: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


class Token(NamedTuple):
    """A chunk and where it stands: character offsets into the analysed text, end excluded."""

    start: int
    end: int
    chunk: Chunk


class Terms(NamedTuple):
    """All terms of a text. `words` are stems in text order, with repetitions."""

    words: tuple[str, ...]
    identifiers: frozenset[str]
    surfaces: frozenset[str]
    parts: frozenset[str]


def tokens(text: str) -> Iterator[Token]:
    """Yield the chunks of `text` that hold at least one term, in order, with their character offsets."""
    for match in _CHUNK.finditer(text):
        raw = match[0]
        chunk = _chunk(raw)
        if chunk.surfaces or chunk.identifiers:
            yield Token(match.start(), match.end(), chunk)


def analyse(text: str) -> Terms:
    """Return all terms of `text`."""
    words: list[str] = []
    identifiers: set[str] = set()
    surfaces: set[str] = set()
    parts: set[str] = set()
    for raw in _CHUNK.findall(text):
        chunk = _chunk(raw)
        words += chunk.stems
        surfaces.update(chunk.surfaces)
        if chunk.identifiers:
            identifiers.update(chunk.identifiers)
        if chunk.parts:
            parts.update(chunk.parts)
    return Terms(tuple(words), frozenset(identifiers), frozenset(surfaces), frozenset(parts))


def compact(form: str) -> str:
    """Return an identifier without its separators, so that `UTF-8`, `utf_8` and `UTF8` meet."""
    return "".join(character for character in form if character.isalnum())


def is_exact_word(word: str) -> bool:
    """Tell whether a folded word is never approximated: it holds a digit, or a sign that is part of a name."""
    return not word.isalpha()


def is_unspaced(word: str) -> bool:
    """Tell whether a folded word is a piece of a script that is written without spaces."""
    return not word.isascii() and _UNSPACED.fullmatch(word) is not None


def _chunk(raw: str) -> Chunk:
    return _cached(raw) if len(raw) <= _LONGEST_CACHED else _dissect(raw)


def _dissect(raw: str) -> Chunk:
    plain = raw if raw.isascii() else _plain(raw)
    if _LANGUAGE_NAME.match(plain):
        name = plain.lower()
        return Chunk("code", name, (name,), (name,))
    stripped = _LINE_SUFFIX.sub("", plain.partition("://")[2] or plain).strip(".:/-@#+_")
    if not stripped or len(stripped) > _LONGEST_IDENTIFIER:
        return _make("word", "", _words(_SEGMENT.findall(stripped)))
    if stripped.isalpha() and stripped.isascii():
        return _name(stripped)
    if "," in stripped:
        stripped = stripped.replace(",", "")  # the only commas that reach here group digits
    segments = _SEGMENT.findall(stripped)
    whole = stripped.casefold()
    if _starts_with_number(stripped, segments):
        return _make("word", whole, _words(segments))
    shape = _shape(stripped, segments, rooted=plain.startswith(("/", "./", "../")) or "://" in plain)
    return _make(shape, whole, _words(segments), _identifiers(shape, whole, segments))


_cached = lru_cache(maxsize=65_536)(_dissect)  # text repeats itself: most of the chunks of a corpus are hits


def _make(shape: Shape, whole: str, surfaces: list[str], identifiers: tuple[str, ...] = ()) -> Chunk:
    return Chunk(shape, whole, tuple(surfaces), tuple(map(stem, surfaces)), identifiers)


def _name(text: str) -> Chunk:
    """Return the chunk of ASCII letters alone: a word, or a name in camel case."""
    whole = text.lower()
    humps = [whole] if text.islower() or text.isupper() or text.istitle() else _HUMP.findall(text)
    words = _words([whole])
    if len(humps) == 1:
        return _make("word", whole, words)
    shape: Shape = "identifier" if len(humps) >= 3 and len(text) >= 10 else "word"
    code_like = text[0].islower() and len(humps[0]) > 1 and humps[1][1:].islower()  # `readBlob`, not `iPhone`, `macOS`
    if shape == "word" and not code_like:
        return _make("word", whole, words)._replace(parts=tuple(hump.lower() for hump in humps))
    return _make(shape, whole, words + _words(humps), (whole,))


def _starts_with_number(text: str, segments: list[str]) -> bool:
    """Tell whether `text` is a number joined to words (`24-hour`), which count apart."""
    return "_" not in text and len(segments) > 1 and segments[0].isdecimal() and any(s.isalpha() for s in segments[1:])


def _shape(text: str, segments: list[str], *, rooted: bool) -> Shape:
    if len(segments) > 1 and _is_identifier(text, segments, rooted=rooted):
        return "identifier"
    digits = sum(character.isdecimal() for character in text)
    if len(segments) == 1 and _is_serial(text, digits):
        return "identifier"
    if digits or _FILE_NAME.fullmatch(text):
        return "code"
    return "word"


def _is_identifier(text: str, segments: list[str], *, rooted: bool) -> bool:
    if "_" in text or "::" in text:
        return True
    if "/" in text:
        return rooted or _EXTENSION.search(text) is not None
    if text.count(".") >= 2 and all(segment.isalpha() for segment in segments):
        return all(len(segment) > 1 for segment in segments)  # `package.module.name`, not `e.g.x`
    if len(segments) < 3 or text.count("-") < 2 or segments[0].isdecimal():
        return False
    return text.isupper() or any(segment.isdecimal() for segment in segments)


def _is_serial(text: str, digits: int) -> bool:
    """Tell whether letters and digits without a separator are a serial number or a digest (`ORBIT7421`)."""
    if digits in {0, len(text)}:
        return False
    return (len(text) >= 7 and digits >= 4) or _HEXADECIMAL.fullmatch(text) is not None


def _identifiers(shape: Shape, whole: str, segments: list[str]) -> tuple[str, ...]:
    """Return the forms of a chunk that can be named: whole, compact, a path's own file name, and `b_c` of `A.b_c`."""
    if len(segments) < 2 and shape != "identifier":
        return ()
    forms = [compact(whole)]
    if shape != "word":
        forms.append(whole)
        name = whole.rpartition("/")[2]
        if name != whole and _FILE_NAME.fullmatch(name):
            forms += [name, compact(name)]
        forms += [part for part in _MEMBER.split(whole) if "_" in part.strip("_") and part != whole]
    return tuple(dict.fromkeys(form for form in forms if form))


def _words(segments: list[str]) -> list[str]:
    """Return the content words of runs of letters and digits, folded."""
    found: list[str] = []
    for segment in segments:
        folded = segment.lower() if segment.isascii() else segment.casefold()
        found += _ascii_word(folded) if folded.isascii() else _other_words(folded)
    return found


def _ascii_word(folded: str) -> list[str]:
    if folded[0] == "v" and "." in folded:
        folded = folded[1:]  # v1.2.3 is 1.2.3; a segment holds a dot only in a version
    if folded in STOP_WORDS or len(folded) > _LONGEST_WORD or (len(folded) == 1 and folded.isalpha()):
        return []
    return [folded]


def _other_words(folded: str) -> list[str]:
    """Return the words of text beyond ASCII; a script without spaces gives every pair of neighbouring characters."""
    found: list[str] = []
    position = 0
    for match in _UNSPACED.finditer(folded):
        found += _run(folded[position : match.start()])
        found += _pairs(match[0])
        position = match.end()
    return found + _run(folded[position:])


def _run(text: str) -> list[str]:
    if text.isascii():
        return _ascii_word(text) if text else []
    return [text] if len(text) <= _LONGEST_WORD else []


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _plain(text: str) -> str:
    """Return `text` in compatibility form, without accents on Latin and Greek letters and without invisible characters.

    Marks of other scripts are letters in their own right (Cyrillic й, kana with a voiced mark), so they stay.
    """
    plain: list[str] = []
    for character in unicodedata.normalize("NFKC", text):
        if character.isascii():
            plain.append(character)
        elif unicodedata.category(character) not in {"Cf", "Mn"}:
            base = unicodedata.normalize("NFD", character)[0]
            plain.append(base if base < "\u0400" else character)
    return "".join(plain).translate(_PLAIN_LETTERS)
