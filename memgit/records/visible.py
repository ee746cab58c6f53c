"""Stored text made visible: anybody's text, shown where it could move, hide or reverse what stands around it.

There is one set of characters for all that shows text: terminals, comments of a code host, bundles for a model.
"""

from __future__ import annotations

import re

# Controls but line feed and tab; bidirectional marks; line ends of other standards; what has no width (also tags, which
# carry hidden ASCII, fillers, and selectors beyond those of emoji); lone surrogates. The two joiners that scripts and
# emoji need stay: U+200C and U+200D.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def visible(text: str) -> str:
    """Return text whose control, direction and invisible characters are escapes (`\\x1b`); line feeds and tabs stay."""
    return _UNSAFE.sub(escaped, text.replace("\r\n", "\n"))


def escaped(match: re.Match[str]) -> str:
    """Return the escape of the one character that a pattern met."""
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
