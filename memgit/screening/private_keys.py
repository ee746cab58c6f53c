"""Formats of keys and tokens that no one issuer owns: private keys and JSON web tokens.

Owns rows and their checks. Each row was written from the public description that its `source` names; none was taken
from another tool.
"""

from __future__ import annotations

from memgit.screening.checksums import decode_base64, is_bech32, is_jwt
from memgit.screening.patterns import compiled
from memgit.screening.placeholders import is_placeholder
from memgit.screening.randomness import looks_drawn, looks_random
from memgit.screening.rule import END_OF_WORD, Rule

_NO_BODY = r"-----[A-Z0-9 ]{3,60}-----|\\{1,4}[nr]"
_FIRST_LINE = r"[0-9A-Za-z+/=]{8,80}+"
_DER_SEQUENCE = ("MI", "MH", "MF", "MC")  # in base 64: how a key in DER begins, and no word
_LEAST_BODY = 12
_WHOLE_LINE = 24  # characters of base 64 from which on nobody makes up the body


def _has_body(block: str) -> bool:
    """Tell whether the armour holds the beginning of a key: short ones are words or fillers more often."""
    body = compiled(_NO_BODY).sub(" ", block)
    runs: list[str] = compiled(_FIRST_LINE).findall(body)
    if any(len(run) >= _WHOLE_LINE for run in runs):
        return True
    whole = "".join(runs)
    if len(whole) < _LEAST_BODY or "..." in body or is_placeholder(whole):
        return False
    return whole.startswith(_DER_SEQUENCE) or looks_random(whole)


def _holds_private_key(encoded: str) -> bool:
    return b"PRIVATE KEY" in (decode_base64(encoded[:64]) or b"")


ARMOURED = (
    Rule(
        "private-key",
        ("-----BEGIN ",),
        r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----(?:[\s\"'+>|*#/]|\\{1,4}[nr]|<br ?/?>)*+"
        r"(?:[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,80}+(?:[\s\"'+>|*#/]|\\{1,4}[nr]|<br ?/?>)++){0,6}+[0-9A-Za-z+/=]{8,80}+"
        r"(?:[^-]{0,20000}+-----END [A-Z ]{3,40}+-----)?",
        "RFC 7468; OpenSSH PROTOCOL.key; RFC 9580",
        _has_body,
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
        ("AGE-SECRET-KEY-",),
        r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{48,64}" + END_OF_WORD,
        "C2SP age: X25519 identities",
        looks_drawn,
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
    Rule(
        "encoded-private-key",
        ("LS0tLS1CRUdJTi",),
        r"LS0tLS1CRUdJTi[0-9A-Za-z+/]{50,80000}+={0,2}",
        "Kubernetes: client-key-data of kubeconfig",
        _holds_private_key,
        fillers=True,
    ),
)
"""Keys and tokens that no one issuer owns."""
