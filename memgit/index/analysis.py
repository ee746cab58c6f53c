"""Text to terms: the one analysis behind every lexical index, qualification, and the search for an excerpt.

It owns what counts as a word, an identifier and the parts of one; `languages` knows how words are inflected. Both
sides, what is stored and what is asked, go through it, so that no back end can disagree with another about a match. It
refuses to judge relevance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from memgit.index import codes
from memgit.index.codes import compact
from memgit.index.english import STOP_WORDS
from memgit.index.languages import unspaced
from memgit.index.languages.detect import languages_of
from memgit.index.languages.folding import composed, fold
from memgit.index.languages.stems import forms

ANALYSIS_VERSION = 5
"""Stored with every index; a change of what this module returns needs another number, and so a rebuild."""

Shape = Literal["identifier", "code", "word"]
"""What a chunk of text looks like.

`identifier`: nobody writes it by chance (`APP-BOUNDARY-101`, `snake_case`, `path/to/file.py`, `pkg::name`, a digest).
`code`: it names something exactly but is common (`UTF-8`, `E2E`, `v2`, `1.2.3`, `node.js`, `8080`).
`word`: anything else, also words joined by a hyphen or a slash, each of which counts by itself.
"""

_BREAKS = r"\s,;(){}\[\]<>\"'`|=!?…*&^%$~\\“”‘’«»„‚‹›—–·•、。，！？；：（）「」『』【】《》〈〉・¿¡،؛؟।॥"
_ASCII_RUN = rf"[^{_BREAKS}]+"
_RUN = rf"[^{_BREAKS}{unspaced.CHARACTERS}]+"
_ASCII_CHUNK = re.compile(rf"{_ASCII_RUN}(?:(?<=\d)[,^](?=\d){_ASCII_RUN})*")
_CHUNK = re.compile(rf"[{unspaced.CHARACTERS}]+|{_RUN}(?:(?<=\d)[,^–](?=\d){_RUN})*")
"""Scripts without spaces end a chunk and begin one: `API密钥` is two. `1,5`, `10^6` and `5–10` are one."""

_SEGMENT = re.compile(r"[vV]?\d+(?:\.\d+)+|[^\W_]+")
_MARKED_SEGMENT = re.compile(r"[vV]?\d+(?:\.\d+)+|(?:[^\W_]|[\u0900-\u0dff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])+")
"""Vowels of the scripts of South and South-East Asia are marks, which Python takes for no part of a word."""

_HUMP = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_MEMBER = re.compile(r"[./:]+")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}\Z")
_FILE_NAME = re.compile(r"[\w-]{2,}\.[A-Za-z][A-Za-z0-9]{0,7}\Z")
_HEXADECIMAL = re.compile(r"(?=.*\d)(?=.*[a-f])[0-9a-f]{7,64}\Z")
_LANGUAGE_NAME = re.compile(r"[A-Za-z](?:\+\+|#)\Z")  # C++, C#, F#: the sign is the name
_ENDS = ".:/-@#+_"
_ENDS_OF_NUMBER = ".:/@#_"
_ABBREVIATIONS = frozenset({"e.g", "i.e", "n.b", "c.f", "u.s", "u.k"})
_QUOTES = re.compile(r"[`\"'“‘«]")
_QUOTED_WORD = re.compile(r"(?<!\w)[`\"'“‘«]+([A-Za-z]{2,12})(?:\s+-|[`\"'”’»](?!\w))")
_LONGEST_WORD = 64  # a SHA-256 in hexadecimal; longer runs are data, not words
_LONGEST_IDENTIFIER = 256  # the longest file name of common file systems is 255 bytes
_LONGEST_CACHED = 64


Word = tuple[str, str]
"""A word, folded and as it was written, both in lower case."""


class Chunk(NamedTuple):
    """What a run of text without breaks holds. `whole` is the run, folded and without punctuation at its ends.

    `surfaces` are its content words, folded; `written` the same words in lower case with their accents. `identifiers`
    are the forms under which it can be named exactly. `parts` are the humps of a capitalised name (`GitHub`): too weak
    to count as words, since half a name is another name. `singles` are letters that may be words by themselves, of a
    script without spaces, whose words are pairs of letters. `place` is `whole` with its port, line or tag.
    """

    shape: Shape
    whole: str
    surfaces: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    singles: tuple[str, ...] = ()
    place: str = ""


class Token(NamedTuple):
    """A chunk and where it stands: character offsets into the analysed text, end excluded."""

    start: int
    end: int
    chunk: Chunk


class Terms(NamedTuple):
    """All terms of a text of these `languages`.

    `words` are the forms of its content words in text order, with repetitions: one or more for each of `length` words.
    `written` are these words as they stand, in lower case with their accents.
    """

    words: tuple[str, ...]
    identifiers: frozenset[str]
    surfaces: frozenset[str]
    parts: frozenset[str]
    languages: tuple[str, ...]
    length: int
    written: frozenset[str] = frozenset()


def tokens(text: str) -> Iterator[Token]:
    """Yield the chunks of `text` that hold at least one term, in order, with their character offsets."""
    letters = codes.letters(text)
    for match in _chunks(text).finditer(text):
        chunk = _chunk(match[0])
        if match.start() in letters:
            letter = letters[match.start()]
            chunk = chunk._replace(shape="code", whole=letter, identifiers=(letter,))
        if chunk.surfaces or chunk.identifiers:
            yield Token(match.start(), match.end(), chunk)


def analyse(text: str, languages: tuple[str, ...] | None = None) -> Terms:
    """Return all terms of `text`, which is of `languages`, or of those that it seems to be of."""
    of = languages_of(text) if languages is None else languages
    words: list[str] = []
    identifiers: set[str] = set()
    surfaces: set[str] = set()
    parts: set[str] = set()
    known: set[str] = set()
    length = 0
    for raw in _chunks(text).findall(text):
        chunk = _chunk(raw)
        for written in chunk.written:
            words += forms(written, of)
        length += len(chunk.written)
        known.update(chunk.written)
        surfaces.update(chunk.surfaces)
        if chunk.identifiers:
            identifiers.update(chunk.identifiers)
        if chunk.parts:
            parts.update(chunk.parts)
        if chunk.singles:
            words += chunk.singles
            surfaces.update(chunk.singles)
    identifiers.update(codes.letters(text).values())
    if _QUOTES.search(text):
        identifiers.update(quoted_names(text))
    return Terms(
        tuple(words), frozenset(identifiers), frozenset(surfaces), frozenset(parts), of, length, frozenset(known)
    )


def quoted_names(text: str) -> Iterator[str]:
    """Yield the function words that a text quotes alone, or with an option: they are names (`which`, `less -R`)."""
    for match in _QUOTED_WORD.finditer(text):
        word = match[1].lower()
        if word in STOP_WORDS:
            yield word


def chunk_forms(chunk: Chunk, languages: tuple[str, ...]) -> frozenset[str]:
    """Return the forms of a chunk's words in a text of these languages."""
    return frozenset(chunk.singles).union(*(forms(written, languages) for written in chunk.written))


def is_exact_word(word: str) -> bool:
    """Tell whether a folded word is never approximated: it holds a digit, or a sign that is part of a name."""
    return not word.isalpha()


def _chunks(text: str) -> re.Pattern[str]:
    return _ASCII_CHUNK if text.isascii() else _CHUNK


def _chunk(raw: str) -> Chunk:
    return _cached(raw) if len(raw) <= _LONGEST_CACHED else _dissect(raw)


def _dissect(raw: str) -> Chunk:
    text = raw if raw.isascii() else composed(codes.spelled_out(raw))
    if unspaced.is_unspaced(text):
        found = tuple(unspaced.pairs(text))
        return Chunk("word", text, found, found, singles=tuple(unspaced.singles(text)))
    if _LANGUAGE_NAME.match(text):
        name = text.lower()
        return Chunk("code", name, (name,), (name,))
    text = codes.without_commas(text)
    if codes.is_power(text) or codes.is_signed(text):
        return _number(text.strip(_ENDS if codes.is_power(text) else _ENDS_OF_NUMBER).casefold())
    name, suffix = codes.with_suffix((text.partition("://")[2] or text).strip(_ENDS))
    stripped = name.strip(_ENDS)
    if suffix and stripped.replace(":", "").replace("-", "").isdecimal():
        found = codes.times(stripped + suffix)
        return Chunk("code", found[0], identifiers=found)
    if not stripped or len(stripped) > _LONGEST_IDENTIFIER or "," in stripped:
        return _make("word", "", _words(_segments(stripped)))
    if stripped.isalpha() and stripped.isascii():
        return _placed(_name(stripped), suffix)
    return _placed(_joined(stripped, rooted=text.startswith(("/", "./", "../")) or "://" in text), suffix)


def _number(text: str) -> Chunk:
    """Return the chunk of a number with a sign, or of a power; what it is without them it is only after a `+`."""
    plain = text[1:] if text[0] == "+" and not codes.is_power(text) else ""
    words = _words(_segments(plain))
    return _make("code", text, words, (text,))


def _placed(chunk: Chunk, suffix: str) -> Chunk:
    """Return a chunk that also names the port, line or tag behind it; of a path also its own file name with that."""
    place = codes.place(chunk.whole, suffix)
    if not place:
        return chunk
    names = dict.fromkeys((*chunk.identifiers, place, codes.place(chunk.whole.rpartition("/")[2], suffix)))
    return chunk._replace(identifiers=tuple(name for name in names if name), place=place)


_cached = lru_cache(maxsize=65_536)(_dissect)  # text repeats itself: most of the chunks of a corpus are hits


def _joined(stripped: str, *, rooted: bool) -> Chunk:
    """Return the chunk of what is more than ASCII letters."""
    plain = fold(stripped)
    written, segments = _segments(stripped), _segments(plain)
    whole = plain.casefold()
    if len(segments) > 1 and whole not in _ABBREVIATIONS and all(len(s) == 1 and s.isalpha() for s in segments):
        return _make("code", whole, _words(written), tuple(dict.fromkeys((whole, compact(whole)))))  # `x.y`, `a/b`
    if _starts_with_number(plain, segments):
        return _make("word", whole, _words(written))
    shape = _shape(plain, segments, rooted=rooted)
    return _make(shape, whole, _words(written), _identifiers(shape, whole, segments))


def _segments(text: str) -> list[str]:
    return (_SEGMENT if text.isascii() else _MARKED_SEGMENT).findall(text)


def _make(shape: Shape, whole: str, words: list[Word], identifiers: tuple[str, ...] = ()) -> Chunk:
    surfaces = tuple(surface for surface, _ in words)
    return Chunk(shape, whole, surfaces, tuple(written for _, written in words), identifiers)


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


def _words(segments: list[str]) -> list[Word]:
    """Return the content words of runs of letters and digits."""
    found: list[Word] = []
    for segment in segments:
        found += _ascii_word(segment.lower()) if segment.isascii() else _other_words(segment)
    return found


def _ascii_word(folded: str) -> list[Word]:
    if folded[0] == "v" and "." in folded:
        folded = folded[1:]  # v1.2.3 is 1.2.3; a segment holds a dot only in a version
    if folded in STOP_WORDS or len(folded) > _LONGEST_WORD or (len(folded) == 1 and folded.isalpha()):
        return []
    return [(folded, folded)]


def _other_words(segment: str) -> list[Word]:
    """Return the words of text beyond ASCII; a script without spaces gives pairs of neighbouring letters."""
    found: list[Word] = []
    for part, runs_on in unspaced.split(segment):
        if runs_on:
            found += [(pair, pair) for pair in unspaced.pairs(part)]
        elif part.isascii():
            found += _ascii_word(part.lower())
        elif len(part) <= _LONGEST_WORD:
            folded = fold(part).casefold()
            if len(folded) > 1 or not folded.isascii():
                found.append((folded, part.lower()))
    return found
