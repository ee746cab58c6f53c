"""The bytes of the write-ahead log: a header, then frames, each of which can be judged alone.

    header   b"memgit write-ahead log 1\\n", then the generation: 16 random bytes, drawn anew for each log file
    frame    the generation, the body's length (4 bytes, big endian), 16 bytes of BLAKE3 of the body, the body

Every frame begins with the generation, so that a reader finds the next whole frame after a damaged one, and cannot take
a stale frame, or one inside somebody's artifact, for its own: nobody knows the generation in advance. It also tells a
process whether a log that it has read before is still the same file, which an inode number, soon reused, does not.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from typing import NamedTuple

from blake3 import blake3

from memgit.errors import FormatTooNew

VERSION = 1
_MAGIC = b"memgit write-ahead log %d\n" % VERSION
_OTHER_MAGIC = re.compile(rb"memgit write-ahead log ([0-9]{1,9})\n")
_GENERATION_BYTES = 16
_HEAD = struct.Struct(">I16s")
HEADER_BYTES = len(_MAGIC) + _GENERATION_BYTES


class Frame(NamedTuple):
    """A whole frame: where it ends in the file, and its body."""

    end: int
    body: bytes


def new_header() -> bytes:
    """Return the header of a new log file."""
    return _MAGIC + os.urandom(_GENERATION_BYTES)


def generation_of(data: bytes) -> bytes:
    """Return the generation that the start of a file names; nothing for a file that is too short.

    Raises FormatTooNew for the log of a later version, which must be neither read nor cut.
    """
    other = _OTHER_MAGIC.match(data)
    if other is not None and int(other[1]) > VERSION:
        raise FormatTooNew(f"the write-ahead log has version {int(other[1])}; this program reads {VERSION}")
    generation = data[len(_MAGIC) : HEADER_BYTES]
    return generation if len(generation) == _GENERATION_BYTES else b""


def encode_frame(generation: bytes, body: bytes) -> bytes:
    """Return the frame that holds `body`."""
    return generation + _HEAD.pack(len(body), blake3(body).digest(16)) + body


def scan(data: bytes, generation: bytes) -> Iterator[Frame]:
    """Yield the whole frames in `data`, passing over whatever is torn or damaged."""
    position = data.find(generation) if generation else -1
    while position >= 0:
        frame = _frame_at(data, position + len(generation))
        if frame is not None:
            yield frame
        position = data.find(generation, frame.end if frame is not None else position + 1)


def scan_file(data: bytes) -> tuple[bytes, list[Frame]]:
    """Return a file's generation and its whole frames; where the header's copy is damaged, the first frame's counts."""
    generation = generation_of(data)
    body = data[HEADER_BYTES:]
    for candidate in (generation, body[:_GENERATION_BYTES]):
        frames = [Frame(HEADER_BYTES + frame.end, frame.body) for frame in scan(body, candidate)]
        if frames:
            return candidate, frames
    return generation, []


def _frame_at(data: bytes, position: int) -> Frame | None:
    start = position + _HEAD.size
    if start > len(data):
        return None
    length, checksum = _HEAD.unpack_from(data, position)
    body = data[start : start + length]
    if len(body) != length or blake3(body).digest(16) != checksum:
        return None
    return Frame(start + length, body)
