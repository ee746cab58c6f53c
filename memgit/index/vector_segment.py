"""One segment of the vector index: an immutable file with the vectors of some documents and all that describes them.

A file is written once, under a name that nobody had before, and is only ever read or deleted. It says in its header
which embedder made it, and it is named in the manifest with its digest, so that one that is damaged, cut short or of
another model is recognised before it answers anything.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from blake3 import blake3

from memgit.index.embedders.embedder import Identity, Span
from memgit.index.lexical import IndexDamaged
from memgit.index.vector_signs import Signs, signs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from memgit.index.embedders.embedder import Vectors

MAGIC = b"MGVSEG\0\2"
"""The last byte is the version of the layout."""

_ALIGNMENT = 64  # a cache line, and more than any vector instruction asks for
_SEPARATOR = "\0"


class OtherEmbedder(IndexDamaged):
    """The vectors are of another embedder, so they cannot be compared with a question's. The answer is a rebuild."""


@dataclass(frozen=True, slots=True)
class Embedding:
    """A document and its vectors, one row a window, none where there was nothing to embed.

    `owner` and `part` name it, `details` is what comes with it (see `vectors.Item`). `digest` is the first half of its
    text's BLAKE3.
    """

    owner: str
    part: str
    group: str
    digest: bytes
    vectors: Vectors
    spans: Sequence[Span]
    details: bytes = b""


class Header(msgspec.Struct, frozen=True):
    """What a file says of itself. `sections` are offsets and lengths in bytes from the end of the header."""

    name: str
    revision: str
    digest: str
    dimensions: int
    documents: int
    rows: int
    groups: tuple[str, ...]
    sections: dict[str, tuple[int, int]]


class SegmentEntry(msgspec.Struct, frozen=True):
    """A segment as the manifest names it. `dead` has a bit a document, most significant first; empty for none."""

    name: str
    digest: bytes
    size: int
    documents: int
    rows: int
    dead: bytes = b""


def write_segment(directory: Path, identity: Identity, documents: Sequence[Embedding]) -> SegmentEntry:
    """Write documents into a new file of `directory` and return its entry. The documents of a group lie together.

    Not flushed to the disk: what a power loss tears does not match its digest, and is made again.
    """
    documents = sorted(documents, key=lambda document: document.group)
    sections, groups = _sections(identity, documents)
    rows = sum(len(document.vectors) for document in documents)
    places, offset = {}, 0
    for name, content in sections.items():
        places[name] = (offset, len(content))
        offset += -(-len(content) // _ALIGNMENT) * _ALIGNMENT
    header = msgspec.msgpack.encode(
        Header(
            identity.name,
            identity.revision,
            identity.digest,
            identity.dimensions,
            len(documents),
            rows,
            groups,
            places,
        )
    )
    preamble = MAGIC + len(header).to_bytes(8, "little") + header
    chunks = [_padded(preamble), *(_padded(content) for content in sections.values())]
    digest = blake3()
    path = directory / f"{os.urandom(12).hex()}.vectors"
    with path.open("xb") as file:
        for chunk in chunks:
            digest.update(chunk)
            file.write(chunk)
    return SegmentEntry(path.name, digest.digest(), sum(map(len, chunks)), len(documents), rows)


class Segment:
    """A segment's file, mapped. Its arrays are views of the mapping, which lives as long as one of them does.

    `vectors` (rows, dimensions); `signs` of them; `spans` (rows, 2); `firsts` the first row of each document and, last,
    the number of rows; `filled` whether it has any; `single` whether each has exactly one; `groups` each document's
    number in `group_names`; `bounds` the first document of each group and, last, the number of documents.
    """

    def __init__(self, directory: Path, entry: SegmentEntry, identity: Identity) -> None:
        """Map the file and compare its digest: 0.25 ms a megabyte.

        Raises FileNotFoundError where it is gone, OtherEmbedder where another model made it, IndexDamaged for all else.
        """
        self.entry = entry
        with (directory / entry.name).open("rb") as file:
            if os.fstat(file.fileno()).st_size != entry.size:
                raise IndexDamaged(f"{entry.name} has not the {entry.size} bytes that the manifest says")
            self._mapping = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if blake3(self._mapping).digest() != entry.digest:
            raise IndexDamaged(f"{entry.name} is damaged")
        header, begin = self._header()
        made_by = Identity(header.name, header.revision, header.digest, header.dimensions)
        if made_by != identity:
            raise OtherEmbedder(f"the vectors are of {made_by.name} {made_by.revision}, not of {identity.name}")
        self._begin = begin
        self._sections = header.sections
        self.group_names = header.groups
        self.vectors: Vectors = self._array("vectors", np.float32).reshape(header.rows, header.dimensions)
        self.signs = Signs(
            self._array("center", np.float32),
            self._array("bits", np.uint64).reshape(-1, header.rows) if header.rows else np.zeros((0, 0), np.uint64),
            self._array("lengths", np.float32),
        )
        self.spans = self._array("spans", np.uint32).reshape(header.rows, 2)
        self.firsts = self._array("firsts", np.uint32).astype(np.intp)
        self.filled: NDArray[np.bool_] = self.firsts[1:] > self.firsts[:-1]
        self.single = header.rows == header.documents and bool(self.filled.all())
        self.groups = self._array("groups", np.uint32)
        self.bounds = np.searchsorted(self.groups, np.arange(len(header.groups) + 1, dtype=np.uint32))
        self._digests = self._array("digests", np.uint8).reshape(header.documents, 16)
        self._owners = self._array("owners", np.uint64)  # hashes of the owners, sorted
        self._order = self._array("order", np.uint32)  # the document of each of them
        self._key_ends = self._array("key_ends", np.uint32)
        self._keys = self._array("keys", np.uint8)
        self._detail_ends = self._array("detail_ends", np.uint32)
        self._details = self._array("details", np.uint8)

    def is_whole(self) -> bool:
        """Tell whether the file still has what is mapped: touching a page beyond its end would end the process."""
        return self._mapping.size() >= self.entry.size

    def key(self, document: int) -> tuple[str, str]:
        """Return the owner and the part that name a document."""
        owner, _, part = _piece(self._keys, self._key_ends, document).decode().partition(_SEPARATOR)
        return owner, part

    def details(self, document: int) -> bytes:
        """Return what comes with a document."""
        return _piece(self._details, self._detail_ends, document)

    def of_owner(self, owner: str) -> Iterator[int]:
        """Yield the documents of an owner."""
        wanted = np.uint64(_hash(owner))
        first = int(np.searchsorted(self._owners, wanted, "left"))
        last = int(np.searchsorted(self._owners, wanted, "right"))
        for document in map(int, self._order[first:last]):
            if self.key(document)[0] == owner:
                yield document

    def document(self, number: int) -> Embedding:
        """Return a document with its vectors, which are a view."""
        first, end = int(self.firsts[number]), int(self.firsts[number + 1])
        owner, part = self.key(number)
        spans = [Span(int(start), int(stop)) for start, stop in self.spans[first:end]]
        return Embedding(
            owner,
            part,
            self.group_names[int(self.groups[number])],
            self._digests[number].tobytes(),
            self.vectors[first:end],
            spans,
            self.details(number),
        )

    def dead(self, entry: SegmentEntry) -> NDArray[np.bool_]:
        """Return which documents are dead by an entry of this segment, one flag each."""
        if not entry.dead:
            return np.zeros(entry.documents, np.bool_)
        bits = np.unpackbits(np.frombuffer(entry.dead, np.uint8), count=entry.documents)
        return bits.astype(np.bool_)

    def _header(self) -> tuple[Header, int]:
        if self._mapping[: len(MAGIC)] != MAGIC:
            raise IndexDamaged(f"{self.entry.name} has another layout")
        length = int.from_bytes(self._mapping[len(MAGIC) : len(MAGIC) + 8], "little")
        end = len(MAGIC) + 8 + length
        try:
            header = msgspec.msgpack.decode(self._mapping[len(MAGIC) + 8 : end], type=Header)
        except msgspec.DecodeError as error:
            raise IndexDamaged(f"{self.entry.name} has a damaged header") from error
        return header, -(-end // _ALIGNMENT) * _ALIGNMENT

    def _array(self, name: str, kind: type[np.generic]) -> NDArray[Any]:
        offset, length = self._sections[name]
        count = length // np.dtype(kind).itemsize
        return np.frombuffer(self._mapping, kind, count, self._begin + offset)


def killed(entry: SegmentEntry, dead: NDArray[np.bool_]) -> SegmentEntry:
    """Return the entry with these documents dead."""
    return msgspec.structs.replace(entry, dead=np.packbits(dead).tobytes() if dead.any() else b"")


def _sections(identity: Identity, documents: Sequence[Embedding]) -> tuple[dict[str, bytes], tuple[str, ...]]:
    groups = {name: number for number, name in enumerate(dict.fromkeys(d.group for d in documents))}
    counts = [len(document.vectors) for document in documents]
    keys = [f"{document.owner}{_SEPARATOR}{document.part}".encode() for document in documents]
    hashes = np.array([_hash(document.owner) for document in documents], np.uint64)
    order = np.argsort(hashes, kind="stable")
    vectors = [np.zeros((0, identity.dimensions), np.float32), *(document.vectors for document in documents)]
    spans = [span for document in documents for span in document.spans]
    rows = np.concatenate(vectors).astype(np.float32, copy=False)
    center, bits, lengths = signs_of(rows)
    arrays: dict[str, NDArray[Any]] = {
        "vectors": rows,
        "center": center,
        "bits": bits,
        "lengths": lengths,
        "spans": np.array(spans, np.uint32),
        "firsts": np.cumsum([0, *counts], dtype=np.uint32),
        "groups": np.array([groups[document.group] for document in documents], np.uint32),
        "digests": np.frombuffer(b"".join(document.digest for document in documents), np.uint8),
        "owners": hashes[order],
        "order": order.astype(np.uint32),
        "key_ends": np.cumsum([len(key) for key in keys], dtype=np.uint32),
        "keys": np.frombuffer(b"".join(keys), np.uint8),
        "detail_ends": np.cumsum([len(document.details) for document in documents], dtype=np.uint32),
        "details": np.frombuffer(b"".join(document.details for document in documents), np.uint8),
    }
    return {name: array.tobytes() for name, array in arrays.items()}, tuple(groups)


def _piece(data: NDArray[np.uint8], ends: NDArray[np.uint32], number: int) -> bytes:
    """Return one of the pieces that lie in `data` one after the other."""
    start = int(ends[number - 1]) if number else 0
    return data[start : int(ends[number])].tobytes()


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % _ALIGNMENT)


def _hash(owner: str) -> int:
    return int.from_bytes(blake2b(owner.encode(), digest_size=8).digest(), "little")
