"""What some formats let one verify without asking anybody: checksums, encodings, the shape of what is inside.

Each check takes the text that a rule matched and tells whether it can be a real key. Nothing here calls a service.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib

from memgit.screening.randomness import looks_random

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
_BECH32_GENERATORS = (0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)
_CRC32_DIGITS = 6  # of base 62 hold 32 bits
_CRC32_BODY = 36  # characters after the prefix, the checksum included
_JSON_BYTES = 4096  # of a JWT header; real ones have under 1 KiB


def has_crc32_base62(token: str) -> bool:
    """Tell whether a GitHub or npm token's last six digits are the CRC32 of what follows its prefix.

    Source: github.blog, "Behind GitHub's new authentication token formats", 2021-04-05; npm's tokens follow it.
    """
    body = token.partition("_")[2]
    payload, checksum = body[:-_CRC32_DIGITS], body[-_CRC32_DIGITS:]
    if len(body) != _CRC32_BODY:
        return False
    value = 0
    for digit in checksum:
        value = value * 62 + _BASE62.index(digit)
    return zlib.crc32(payload.encode()) == value


def is_bech32(text: str) -> bool:
    """Tell whether the text carries the checksum of BIP 173, as age's identities do."""
    prefix, _, data = text.lower().rpartition("1")
    if not prefix or any(letter not in _BECH32 for letter in data):
        return False
    values = [ord(letter) >> 5 for letter in prefix] + [0] + [ord(letter) & 31 for letter in prefix]
    state = 1
    for value in [*values, *(_BECH32.index(letter) for letter in data)]:
        top = state >> 25
        state = (state & 0x1FFFFFF) << 5 ^ value
        for bit, generator in enumerate(_BECH32_GENERATORS):
            state ^= generator if top >> bit & 1 else 0
    return state == 1


def decode_base64(text: str) -> bytes | None:
    """Return the bytes of a text in base 64 of either alphabet, padded or not; None where it is not base 64."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def is_jwt(text: str) -> bool:
    """Tell whether the first part decodes to a JOSE header that names an algorithm (RFC 7519, RFC 7515).

    A header that does not decode was damaged, or was never one: then the signature must look random.
    """
    data = decode_base64(text.partition(".")[0][:_JSON_BYTES])
    try:
        header = json.loads(data or b"")
    except (ValueError, RecursionError):
        return looks_random(text.rpartition(".")[2])
    return isinstance(header, dict) and isinstance(header.get("alg"), str) and header["alg"] != "none"


def is_package_index_macaroon(token: str) -> bool:
    """Tell whether a `pypi-` token holds a version 2 macaroon whose location is a package index (PyPI help)."""
    data = decode_base64(token.partition("-")[2]) or b""
    return data[:2] == b"\x02\x01" and b"pypi.org" in data[2:24] and len(data) > 40


def is_discord_token(text: str) -> bool:
    """Tell whether the first part is a user's snowflake in base 64 (Discord's developer reference: 17 to 20 digits)."""
    data = decode_base64(text.partition(".")[0]) or b""
    return 17 <= len(data) <= 20 and data.isdigit()


def basic_password(text: str) -> str | None:
    """Return the password of a Basic credential (RFC 7617: base 64 of `user:password`), or None where it is none."""
    data = decode_base64(text)
    if data is None or re.fullmatch(rb"[\x20-\x7e]{3,}", data) is None or b":" not in data:
        return None
    return data.decode().partition(":")[2]
