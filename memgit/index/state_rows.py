"""What a row of the state cache holds, under a checksum: a changed byte must not become a false answer.

SQLite keeps no checksums of its own. The checksum is CRC-32, which finds any change of up to 32 bits in a row; it
guards against a bad disk and a slip of the hand, not against somebody who wants to be believed: he can write the cache.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from zlib import crc32

import msgspec

_BYTES = 4
_RESIDUE = 0x2144DF1C  # the CRC-32 of whatever ends with its own CRC-32
_encode = msgspec.msgpack.encode


class RowDamaged(sqlite3.DatabaseError):
    """A row is not as it was written. The answer is that of any damage to the file."""


def sealed(key: object, value: object) -> bytes:
    """Return a value as a row holds it: MessagePack, then the checksum. `key` is what the row is found by."""
    body = _encode(value)
    return body + crc32(body, _start(key)).to_bytes(_BYTES, "little")


def unsealed(rows: Iterable[tuple[object, bytes]]) -> list[memoryview]:
    """Return the MessagePack of (key, row) pairs. Raises RowDamaged."""
    found = []
    for key, row in rows:  # some 300 of a search
        if crc32(row, _start(key)) != _RESIDUE:
            raise RowDamaged(f"the entry of {key} does not match its checksum")
        found.append(memoryview(row)[:-_BYTES])
    return found


def seal_of(meta: Mapping[str, str]) -> str:
    """Return the checksum of what the cache says of itself, beside `seal`."""
    return str(crc32(_encode(sorted((key, value) for key, value in meta.items() if key != "seal"))))


def _start(key: object) -> int:
    return crc32(key.encode() if isinstance(key, str) else str(key).encode())
