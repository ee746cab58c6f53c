"""The manifest of the vector index: which segments make it up, which of their documents are dead, and what it observed.

One small file that is replaced by a rename; it carries its own digest. A reader that has read one goes on with the
segments that it names, whatever becomes of the next.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from blake3 import blake3

from memgit.index.embedders.embedder import Identity
from memgit.index.lexical import IndexDamaged, Watermark
from memgit.index.vector_segment import OtherEmbedder, SegmentEntry

NAME = "manifest"
MAGIC = b"MGVMAN\0\2"
"""The last byte is the version."""

_DIGEST_BYTES = 32


class Manifest(msgspec.Struct, frozen=True):
    """What makes up the index. `commit` None: it is being built, and holds no state of any commit yet."""

    name: str
    revision: str
    digest: str
    dimensions: int
    commit: str | None = None
    seq: int = 0
    segments: tuple[SegmentEntry, ...] = ()

    @property
    def watermark(self) -> Watermark | None:
        """What was observed."""
        return None if self.commit is None else Watermark(self.commit, self.seq)

    def following(self, watermark: Watermark | None, segments: tuple[SegmentEntry, ...]) -> Manifest:
        """Return the manifest of the same embedder with other content."""
        commit, seq = (watermark.commit, watermark.seq) if watermark else (None, 0)
        return msgspec.structs.replace(self, commit=commit, seq=seq, segments=segments)


def empty(identity: Identity) -> Manifest:
    """Return the manifest of an index that holds nothing."""
    return Manifest(identity.name, identity.revision, identity.digest, identity.dimensions)


def read_bytes(directory: Path) -> bytes | None:
    """Return the manifest's file, None where there is none. OSErrors pass through."""
    try:
        return (directory / NAME).read_bytes()
    except FileNotFoundError:
        return None


def parse_manifest(data: bytes | None, identity: Identity) -> Manifest:
    """Return the manifest that a file holds; an empty one where there is no file.

    Raises OtherEmbedder, or IndexDamaged for what is not a whole manifest of this version.
    """
    if data is None:
        return empty(identity)
    found = _decoded(data)
    if Identity(found.name, found.revision, found.digest, found.dimensions) != identity:
        raise OtherEmbedder(f"the vectors are of {found.name} {found.revision}, not of {identity.name}")
    return found


def segments_in(data: bytes) -> tuple[SegmentEntry, ...]:
    """Return what a manifest names, whatever embedder it is of. Raises IndexDamaged."""
    return _decoded(data).segments


def _decoded(data: bytes) -> Manifest:
    digest, body = data[len(MAGIC) : len(MAGIC) + _DIGEST_BYTES], data[len(MAGIC) + _DIGEST_BYTES :]
    if not data.startswith(MAGIC):
        raise IndexDamaged("the vectors were written by another version")
    if blake3(body).digest() != digest:
        raise IndexDamaged("the manifest of the vectors is damaged")
    try:
        return msgspec.msgpack.decode(body, type=Manifest)
    except msgspec.DecodeError as error:
        raise IndexDamaged("the manifest of the vectors cannot be read") from error


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Replace the manifest in one step."""
    body = msgspec.msgpack.encode(manifest)
    fresh = directory / f"{NAME}.{os.urandom(6).hex()}"
    try:
        fresh.write_bytes(MAGIC + blake3(body).digest() + body)
        fresh.replace(directory / NAME)
    finally:
        fresh.unlink(missing_ok=True)
