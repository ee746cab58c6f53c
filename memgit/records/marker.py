"""The grammar of a marker: `dimension:value`, one canonical string, which is its identity.

A marker's number is a 64-bit digest of that string and private to derived indexes; whoever uses it checks the string.
Dimensions that the system derives by itself (scope, kind, status, trust, sensitivity, subject) cannot be set by hand.
"""

from __future__ import annotations

import re
import unicodedata

from blake3 import blake3

from memgit.limits import DEFAULT

SYSTEM_DIMENSIONS = frozenset({"scope", "kind", "status", "trust", "sensitivity", "subject"})
DEFAULT_DIMENSION = "tag"

_DIMENSION = re.compile(r"[a-z][a-z0-9_-]{0,31}")


def canonical_marker(text: str) -> str | None:
    """Return the canonical form of a marker that somebody wrote, or None where it is not one.

    NFC, no control characters, white space folded, the dimension in lower case; a word without a dimension gets `tag:`.
    """
    folded = " ".join(unicodedata.normalize("NFC", text).split())
    dimension, colon, value = folded.partition(":")
    if not colon:
        dimension, value = DEFAULT_DIMENSION, folded
    dimension, value = dimension.strip().lower(), value.strip()
    if not value or not _DIMENSION.fullmatch(dimension) or dimension in SYSTEM_DIMENSIONS:
        return None
    marker = f"{dimension}:{value}"
    if any(unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co") for character in marker):
        return None
    return marker if len(marker.encode()) <= DEFAULT.marker_bytes else None


def marker_number(marker: str) -> int:
    """Return the marker's 64-bit number: the first eight bytes of BLAKE3 of its UTF-8, big endian, unsigned."""
    return int.from_bytes(blake3(marker.encode()).digest(8), "big")
