"""Whether a value can be a password or a key that somebody chose or drew, given that its name says so.

A name makes a short value suspicious; these tell a password from a word, a type, a version or a reference.
"""

from __future__ import annotations

from memgit.screening.patterns import compiled
from memgit.screening.placeholders import is_placeholder, is_written
from memgit.screening.randomness import STRICT_SHARE, is_hexadecimal, looks_random

_MARK_OF_NO_LANGUAGE = r"[!#$%^~]"  # inside a bare word: no expression has one there without blanks
_LETTER, _DIGIT, _DIGIT_OR_MARK = r"[A-Za-z]", r"[0-9]", r"[0-9!#$%&*+=?@^~]"
# v1.2.3, T1003.008, OAuth2Token, 12px, 3600s, 0x80, HTTP_2: names and measures with digits.
_NAME_WITH_DIGITS = (
    r"0x[0-9a-fA-F]++|[A-Za-z]{0,2}[0-9]++(?:[.,:-][0-9]++)*+[a-z%]{0,4}|"
    r"[a-z]{1,12}[-_]?[0-9]{1,4}(?:[-_.][a-z0-9]{1,8})++|[A-Z][a-z]*+(?:[A-Z]?[a-z]++[0-9]?)++|[A-Z0-9_]++"
)
_ALGORITHM = (
    r"(?i:sha|md|utf|aes|des|rsa|ecdsa|ed|curve|x|base|argon|pbkdf|bcrypt|scrypt|hmac|rc|blowfish|chacha|python|oauth|"
    r"saml|http|tls|ssl|kerberos|krb|ntlm|ldap|sql|s|ec|v|ver|version|level|type|key|field|line|step|arg|param|value|"
    r"user|iso|latin|cp|windows|int|uint|float|string|str|char|es|ipv)[-_]?[0-9]{1,5}(?:[-_][a-z0-9]{1,8})?"
)
_ALPHABETS = r"[0-9A-Za-z+/=_~-]++"  # of base 64 and its kin; a dot makes a file or a module
_CODE = r"[()\[\]{};]|->|::|\.\w{1,40}\.|=="
# SEQUENCE { SEQUENCE { OID … of EC, RSA of 1024 to 4096 bits, Ed25519; the length-prefixed "ssh-" and "ecdsa".
_PUBLIC_KEYS = tuple(
    "MFkw MHYw MIGbMB MIGfMA MIIBIjAN MIIBojAN MIICIjAN MCowBQ AAAAB3Nz AAAAC3Nz AAAAE2Vj".split()  # noqa: SIM905
)


def is_password(value: str) -> bool:
    """Tell whether a value beside a password's name is one: six characters with a digit or mark, and no name."""
    if not 6 <= len(value) <= 200 or is_placeholder(value) or compiled(_CODE).search(value):
        return False
    if is_written(value) or any(compiled(form).fullmatch(value) for form in (_NAME_WITH_DIGITS, _ALGORITHM)):
        return len(value) >= 8 and looks_random(value)
    return compiled(_LETTER).search(value) is not None and compiled(_DIGIT_OR_MARK).search(value) is not None


def is_strong_password(value: str) -> bool:
    """Tell whether a value is a password even where it stands in code, which has names and numbers of its own."""
    if not is_password(value):
        return False
    digits = len(compiled(_DIGIT).findall(value))
    has_mark = compiled(_MARK_OF_NO_LANGUAGE).search(value) is not None
    return (len(value) >= 8 and (digits >= 2 or (digits == 1 and has_mark))) or looks_random(value)


def is_key(value: str) -> bool:
    """Tell whether a value beside the name of a key or token is one: 16 characters or more, drawn by chance.

    Hexadecimal counts from 24 characters on: shorter ones number things.
    """
    if len(value) < 16 or is_placeholder(value) or (is_hexadecimal(value) and len(value) < 24):
        return False
    return looks_random(value)


def is_hinted_key(value: str, is_literal: bool) -> bool:
    """Tell whether a value beside a mere hint (`key`, `auth`) is a key: no hash, nothing public, no name in code."""
    if is_hexadecimal(value) or value.startswith(_PUBLIC_KEYS) or not compiled(_ALPHABETS).fullmatch(value):
        return False
    return is_key(value) and (is_literal or looks_random(value, STRICT_SHARE))
