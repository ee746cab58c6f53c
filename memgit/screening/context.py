"""High entropy beside a word that names a secret: the last resort, for keys of issuers that no rule knows.

A run of characters counts only where it is drawn by chance, a word for a secret stands before it on its line, and
nothing between says that it is something else: a hash, a commit, an integrity field, a public key, an address. It never
counts where it is hexadecimal, a UUID, one of memgit's ids, a path, or data in base 64.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from memgit.screening.finding import Span
from memgit.screening.names import NameKind, kind_of
from memgit.screening.patterns import compiled
from memgit.screening.placeholders import holds_identifier, is_encoded_placeholder, is_filler
from memgit.screening.randomness import STRICT_SHARE, is_hexadecimal, looks_random

_RUN = r"(?<![0-9A-Za-z_~+/.@%-])[0-9A-Za-z_~+/.-]{20,}+={0,2}"
_LONGEST = 200  # characters; longer runs are data
_BEFORE = 64  # characters in which the word must stand
_LINE = 1000  # characters; longer lines are generated
_SOMETHING_ELSE = (
    r"sha-?\d|md5|blake|hash|digest|checksum|integrity|commit|revision|fingerprint|base64,|ssh-|public|pubkey|etag|"
    r"signature|uuid|\bid\b|nonce|h1:|://|[?&]\w+=\Z|import |from |require|\0|\.(?:js|css|png|html|map)\b"
)
_PATH = r"(?:[^/]*/){3}|\.[a-z]{2,4}\Z|\.\.|--"
_PART = r"[0-9A-Za-z]{10,}"


def secrets_in_context(text: str, folded: str, names: Sequence[re.Match[str]]) -> Iterator[Span]:
    """Yield the random runs of 20 to 200 characters that stand after a word for a secret on the same line."""
    for first, last in _windows(text, names):
        for run in compiled(_RUN).finditer(text, first, last):
            start, end = run.span()
            value = run[0].rstrip(".=")
            if end - start <= _LONGEST and _is_drawn(value, run[0]) and _is_named(folded, names, start):
                yield Span(start, start + len(value), "secret-in-context")


def _windows(text: str, names: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """Yield the parts of the text, without overlaps, in which a run may begin near enough to a name."""
    done = 0
    for name in names:
        first = max(done, name.end())
        newline = text.find("\n", first, name.end() + _BEFORE)
        last = newline if newline >= 0 else name.end() + _BEFORE + _LONGEST
        if last > first:
            yield first, last
            done = last


def _is_drawn(value: str, padded: str) -> bool:
    if len(value) < 20 or is_hexadecimal(value) or holds_identifier(value) or compiled(_PATH).search(value):
        return False
    if compiled(_PART).search(value) is None or sum(letter.isdigit() for letter in value) < 2:
        return False
    return looks_random(value, STRICT_SHARE) and not is_filler(value) and not is_encoded_placeholder(padded)


def _is_named(folded: str, names: Sequence[re.Match[str]], start: int) -> bool:
    line = max(folded.rfind("\n", max(0, start - _LINE), start) + 1, start - _BEFORE)
    if compiled(_SOMETHING_ELSE).search(folded, line, start) or _is_generated(folded, start):
        return False
    nearest = bisect_left(names, start, key=lambda name: name.start())
    return any(
        kind_of(folded, name) in (NameKind.PASSWORD, NameKind.KEY)
        for name in names[max(0, nearest - 4) : nearest]
        if line <= name.start()
    )


def _is_generated(folded: str, start: int) -> bool:
    return start >= _LINE and folded.rfind("\n", start - _LINE, start) < 0
