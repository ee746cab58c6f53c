"""Whether a value can be a password or a key that somebody chose or drew, given that its name says so.

A name makes a short value suspicious; these tell a password from a word, a type, a version or a reference.
"""

from __future__ import annotations

import re

from memgit.screening.placeholders import is_placeholder, is_written
from memgit.screening.randomness import is_hexadecimal, looks_random

_LETTERS = re.compile(r"[A-Za-z]")
_DIGITS = re.compile(r"[0-9]")
_MARKS = re.compile(r"[!#$%&*+=?@^~]")
# sha256, utf-8, v1.2.3, OAuth2Token, es2015, 12px, 3600s: names and measures with digits.
_NAME_WITH_DIGITS = re.compile(
    r"0x[0-9a-fA-F]+|[a-z]{1,12}[-_]?[0-9]{1,4}(?:[-_.][a-z0-9]{1,8})*|[A-Za-z]{0,2}[0-9]+(?:[.,:-][0-9]+)*[a-z%]{0,4}|(?:[A-Z]?[a-z]+[0-9]?)+|[A-Z0-9_]+",
)
# SEQUENCE { SEQUENCE { OID … of EC, RSA of 1024 to 4096 bits, Ed25519; then the length-prefixed "ssh-" and "ecdsa".
_PUBLIC_KEYS = ("MFkw", "MHYw", "MIGbMB", "MIGfMA", "MIIBIjAN", "MIIBojAN", "MIICIjAN", "MCowBQ", "AAAAB3Nz", "AAAAC3Nz", "AAAAE2Vj")
_CODE = re.compile(r"[()\[\]{};]|->|::|\.\w+\.|==")


def is_password(value: str) -> bool:
    """Tell whether a value beside a password's name is one: six characters with a digit or mark, and no name."""
    if len(value) < 6 or len(value) > 200 or is_placeholder(value) or _CODE.search(value):
        return False
    if is_written(value) or _NAME_WITH_DIGITS.fullmatch(value):
        return len(value) >= 10 and looks_random(value)
    return _LETTERS.search(value) is not None and (_DIGITS.search(value) or _MARKS.search(value)) is not None


def is_strong_password(value: str) -> bool:
    """Tell whether a value is a password even where the name beside it is a weak hint or it stands in code."""
    if not is_password(value):
        return False
    digits = len(_DIGITS.findall(value))
    return (digits >= 2 and len(value) >= 8) or looks_random(value)


def is_key(value: str) -> bool:
    """Tell whether a value beside the name of a key or token is one: 16 characters or more drawn by chance.

    Hexadecimal counts from 24 characters on: shorter ones number things. Length is in characters.
    """
    if len(value) < 16 or is_placeholder(value):
        return False
    if is_hexadecimal(value) and len(value) < 24:
        return False
    return looks_random(value)


def is_public_key(value: str) -> bool:
    """Tell whether a value is the base 64 of a SubjectPublicKeyInfo (RFC 5280) or an SSH public key (RFC 4253)."""
    return value.startswith(_PUBLIC_KEYS)
