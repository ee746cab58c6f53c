"""Formats of keys and tokens that no one issuer owns: private keys and JSON web tokens.

Owns rows, no code. Each row was written from the public description that its `source` names; none was taken from
another tool.
"""

from __future__ import annotations

from memgit.screening.checksums import is_bech32, is_jwt
from memgit.screening.rule import END_OF_WORD, Rule

ARMOURED = (
    Rule(
        "private-key",
        ("-----BEGIN ",),
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[\s\"'+>|*#/]|\\{1,4}[nr]|<br ?/?>)*+"
        r"(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,80}+(?:[\s\"'+>|*#/]|\\{1,4}[nr]|<br ?/?>)++){0,6}+[0-9A-Za-z+/=]{24,80}+"
        r"(?:[^-]{0,20000}+-----END [A-Z ]{3,40}+-----)?",
        "RFC 7468; OpenSSH PROTOCOL.key; RFC 9580",
        fillers=True,
        embedded=True,
    ),
    Rule(
        "putty-private-key",
        ("PuTTY-User-Key-File-",),
        r"PuTTY-User-Key-File-[23]: [^\n]{4,40}+",
        "PuTTY manual, appendix C",
        fillers=True,
    ),
)
"""Private keys, whose first line holds blanks."""

KEYS = (
    Rule(
        "age-identity",
        ("AGE-SECRET-KEY-1",),
        r"AGE-SECRET-KEY-1[0-9A-Z]{58}" + END_OF_WORD,
        "C2SP age: X25519 identities",
        is_bech32,
    ),
    Rule(
        "jwt",
        ("eyJ",),
        r"eyJ[0-9A-Za-z_-]{8,2000}+\.eyJ[0-9A-Za-z_-]{8,4000}+\.[0-9A-Za-z_-]{20,1000}+",
        "RFC 7519",
        is_jwt,
        strict=True,
    ),
)
"""Keys and tokens that no one issuer owns."""
