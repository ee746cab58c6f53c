"""The text of a file as anchors compare it: lines with LF ends, their digests, and how much a line says.

A checkout with CRLF is the same text. A last line is the same with and without its line end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from memgit.limits import DEFAULT
from memgit.records.codec import digest_of

SURROUNDING_LINES = 3  # on each side of an anchor; enough to tell copies apart, little enough to survive

_BINARY_LOOK = 8000  # bytes; where Git itself looks for a NUL
_SPACE = re.compile(rb"\s+")
_BARE = re.compile(rb"[\s\x80-\xff]+")
_WORD_BYTES = re.compile(rb"[A-Za-z0-9]+")
_WIDE_BYTES = re.compile(rb"[\x80-\xff]+")
SAYS_SOMETHING = 3  # word characters: a line with fewer (`}`, `*/`, a blank one) is found anywhere


class Text:
    """A file's content, immutable. Lines count from 0 and half-open ranges are used; only anchors count from 1."""

    def __init__(self, data: bytes) -> None:
        self.is_binary = b"\0" in data[:_BINARY_LOOK]
        plain = data.replace(b"\r\n", b"\n") if b"\r\n" in data else data
        self.data = plain if not plain or plain.endswith(b"\n") else plain + b"\n"

    @cached_property
    def lines(self) -> list[bytes]:
        """Each line without its end."""
        return self.data.split(b"\n")[:-1]

    @cached_property
    def keys(self) -> list[bytes]:
        """Each line without blanks: equal after a reindentation."""
        return [line_key(line) for line in self.lines]

    @cached_property
    def key_set(self) -> frozenset[bytes]:
        """The keys, to tell whether a line is there at all."""
        return frozenset(self.keys)

    @cached_property
    def is_utf_8(self) -> bool:
        """Whether the whole text is valid UTF-8; another encoding is not told apart."""
        return is_utf_8(self.data)

    def part(self, start: int, end: int) -> bytes:
        """Return lines [start, end) as bytes, each with its LF."""
        return b"".join([line + b"\n" for line in self.lines[start:end]])

    def before(self, start: int) -> str:
        """Return the digest of the lines before a range, as many as surroundings have."""
        return digest_of(self.part(max(0, start - SURROUNDING_LINES), start))

    def after(self, end: int) -> str:
        """Return the digest of the lines after a range."""
        return digest_of(self.part(end, end + SURROUNDING_LINES))


def line_key(line: bytes) -> bytes:
    """Return what of a line an indentation does not change."""
    return _SPACE.sub(b"", line)


def bare_key(line: bytes) -> bytes:
    """Return what of a line neither indentation nor an encoding changes; nothing, where that does not tell it.

    Only for two texts of which one is not UTF-8: what is equal in this way is likely at most.
    """
    key = _BARE.sub(b"", line)
    return key if says_something(key) else b""


def is_utf_8(data: bytes) -> bool:
    """Tell whether bytes are valid UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def characters(line: bytes) -> str:
    """Return a line for a comparison of characters; a byte that is not UTF-8 is a character of its own."""
    return line.decode("utf-8", "surrogateescape")


def weight(line: bytes) -> int:
    """Return how many word characters a line has; a character outside ASCII counts as about one."""
    words = sum(map(len, _WORD_BYTES.findall(line)))
    return words + sum(map(len, _WIDE_BYTES.findall(line))) // 2


def says_something(line: bytes) -> bool:
    """Tell whether a line can be recognised."""
    return weight(line) >= SAYS_SOMETHING


def telling(lines: Sequence[bytes]) -> list[int]:
    """Return the positions of the lines that can be recognised; all, where none can."""
    return [at for at, line in enumerate(lines) if says_something(line)] or list(range(len(lines)))


def bounded_copy(data: bytes) -> str:
    """Return anchored text as far as an anchor may hold it, cut at a line where it is longer."""
    text = data.decode("utf-8", "replace")
    limit = DEFAULT.anchor_text_bytes
    encoded = text.encode()
    if len(encoded) <= limit:
        return text
    cut = encoded[:limit]
    whole_lines = cut[: cut.rfind(b"\n") + 1]
    return (whole_lines or cut).decode("utf-8", "ignore")
