"""Who is whose parent in a store's history, in one file: derived, deletable, and true for ever.

A long history is walked to find which commit brought an operation, or what the store was at some time. Reading each
commit costs 25 microseconds, and a file 1. What a commit id names never changes, so entries are only ever added; a file
that cannot be read is begun anew.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

import msgspec
from msgspec import Struct

from memgit.records.codec import digest_of
from memgit.store.commits import Graph, Visit
from memgit.store.database import Database
from memgit.store.objects import ObjectId

_VERSION = 1
_WORTH_KEEPING = 200  # commits that were read since; fewer are read again faster than the file is written
_READ_AFTER = 100  # commits that were read one by one: what was written lately is found without the file
_DIGEST_BYTES = 64


class _Row(Struct, frozen=True, array_like=True):
    oid: bytes
    parents: tuple[bytes, ...]
    seq: int
    seconds: int


class CommitGraph(Graph):
    """The commits of one store. The file is read when the way turns out to be long; `close` keeps what was learned."""

    def __init__(self, cache_dir: Path, database: Database) -> None:
        super().__init__(database)
        self._path = cache_dir / f"commits-{_VERSION}.{database.backend.object_format}"
        self._learned = 0
        self._is_read = False

    def close(self) -> None:
        """Write the file where enough was learned. A directory that cannot be written costs time, nothing else."""
        if self._learned < _WORTH_KEEPING:
            return
        rows = [
            _Row(bytes.fromhex(one.oid), tuple(map(bytes.fromhex, one.parents)), one.seq, one.seconds)
            for one in self.known.values()
        ]
        body = msgspec.msgpack.encode(rows)
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=self._path.parent, prefix=self._path.name, delete=False) as file:
                file.write(digest_of(body).encode() + body)
            Path(file.name).replace(self._path)
        self._learned = 0

    def _learn(self, oid: ObjectId) -> Visit | None:
        if self._learned >= _READ_AFTER and not self._is_read:
            self._is_read = True
            kept = _read(self._path)
            self._learned -= len(self.known.keys() & kept.keys())
            self.known.update(kept)
            if oid in kept:
                return kept[oid]
        self._learned += 1
        return super()._learn(oid)


def _read(path: Path) -> dict[ObjectId, Visit]:
    """Return what a file holds; nothing where it is absent or damaged."""
    try:
        data = path.read_bytes()
        if digest_of(data[_DIGEST_BYTES:]).encode() != data[:_DIGEST_BYTES]:
            return {}
        rows = msgspec.msgpack.decode(data[_DIGEST_BYTES:], type=list[_Row])
    except (OSError, msgspec.DecodeError, ValueError):
        return {}
    found: dict[ObjectId, Visit] = {}
    for row in rows:
        oid = ObjectId(row.oid.hex())
        found[oid] = Visit(oid, tuple(ObjectId(parent.hex()) for parent in row.parents), row.seq, row.seconds)
    return found
