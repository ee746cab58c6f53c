"""From texts to segments: what of a stream of documents is new, its vectors, and which segments are rewritten.

It reads a view of the index and writes files that no manifest names yet. It takes no lock and publishes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

import numpy as np
from blake3 import blake3

from memgit.index.embedders.embedder import Embedder
from memgit.index.embedders.windows import embed_texts, utf8
from memgit.index.vector_search import LiveSegment
from memgit.index.vector_segment import Embedding, SegmentEntry, killed, write_segment

SEGMENT_ROWS = 16_384
"""A segment is closed at this size: 16 MB of 256 dimensions, written in about 20 ms, so no rewrite takes longer."""

_SMALL = 512  # rows; a segment below this is always cheaper to rewrite than to keep apart
_GROWTH = 4  # a segment is rewritten with what follows it while it is at most this much larger: log4 of n segments stay
_DEAD_SHARE = 0.3  # of a segment's documents; above, they cost more per question than one rewrite
_BATCH_DOCUMENTS, _BATCH_BYTES = (
    256,
    512 * 1024,
)  # embedded at once; the vectors of the longest artifact stay below 40 MB


@dataclass(frozen=True, slots=True)
class Item:
    """A text to index. `owner` (an entity) and `part` name it; all items of an owner come together.

    Neither name holds a NUL. `group` is what a search can admit or refuse at once: few different ones. `details` come
    with a hit as they are.
    """

    owner: str
    part: str
    text: str
    group: str = ""
    details: bytes = b""


@dataclass(slots=True)
class Build:
    """What is to be published: new documents, in memory and in files, and the names of those that they replace."""

    directory: Path
    embedder: Embedder
    fresh: list[Embedding] = field(default_factory=list)
    rows: int = 0
    written: list[SegmentEntry] = field(default_factory=list)
    gone: dict[str, set[str] | None] = field(default_factory=dict)  # parts by owner; None for all of them
    owners: set[str] = field(default_factory=set)

    def compare(self, items: Iterable[Item], live: Sequence[LiveSegment]) -> Iterator[None]:
        """Take in the items, embedding what `live` has not; yield whenever a segment's worth is in memory.

        Raises ValueError where the items of an owner do not come together; errors of the iterable and the embedder
        pass.
        """
        waiting: list[tuple[Item, bytes]] = []
        size = 0
        for owner, group in groupby(items, key=lambda item: item.owner):
            if owner in self.owners or "\0" in owner:
                raise ValueError(f"the items of {owner[:80]!r} do not come together, or its name is unusable")
            self.owners.add(owner)
            for item, digest in self._changed(owner, list(group), live):
                waiting.append((item, digest))
                size += len(item.text)
                if len(waiting) >= _BATCH_DOCUMENTS or size >= _BATCH_BYTES:
                    self._embed(waiting)
                    waiting, size = [], 0
            if self.rows >= SEGMENT_ROWS:
                self._embed(waiting)
                waiting, size = [], 0
                yield
        self._embed(waiting)

    def remove(self, owner: str) -> None:
        """Note that all documents of an owner are to go."""
        self.gone[owner] = None

    def flush(self) -> None:
        """Write what is in memory into a segment's file."""
        if self.fresh:
            self.written.append(write_segment(self.directory, self.embedder.identity, self.fresh))
            self.fresh, self.rows = [], 0

    def discard(self) -> None:
        """Delete the files that were not published."""
        for entry in self.written:
            (self.directory / entry.name).unlink(missing_ok=True)
        self.written = []

    def _changed(self, owner: str, items: list[Item], live: Sequence[LiveSegment]) -> Iterator[tuple[Item, bytes]]:
        """Yield the owner's items that need a vector, with their digests; take over the vectors of the others."""
        known = {document.part: document for document in living(live, owner)}
        gone: set[str] = set()
        for item in {item.part: item for item in items}.values():
            digest = blake3(utf8(item.text)).digest(16)
            old = known.pop(item.part, None)
            if old is None or old.digest != digest:
                yield item, digest
            elif (old.group, old.details) != (item.group, item.details):
                self._add(replace(old, group=item.group, details=item.details, vectors=old.vectors.copy()))
            else:
                continue
            if old is not None:
                gone.add(item.part)
        gone |= known.keys()
        if gone:
            self.gone[owner] = gone

    def _embed(self, waiting: list[tuple[Item, bytes]]) -> None:
        found = embed_texts(self.embedder, [item.text for item, _ in waiting])
        for (item, digest), embedded in zip(waiting, found, strict=True):
            made = Embedding(item.owner, item.part, item.group, digest, embedded.vectors, embedded.spans, item.details)
            self._add(made)

    def _add(self, document: Embedding) -> None:
        self.fresh.append(document)
        self.rows += max(1, len(document.vectors))


def living(live: Sequence[LiveSegment], owner: str) -> Iterator[Embedding]:
    """Yield the documents of an owner that are not dead."""
    for each in live:
        for number in each.segment.of_owner(owner):
            if not each.dead[number]:
                yield each.segment.document(number)


def without(live: Sequence[LiveSegment], gone: dict[str, set[str] | None]) -> list[LiveSegment]:
    """Return the segments with these documents dead."""
    result = []
    for each in live:
        dead = each.dead.copy()
        for owner, parts in gone.items():
            for number in each.segment.of_owner(owner):
                dead[number] |= parts is None or each.segment.key(number)[1] in parts
        result.append(LiveSegment(each.segment, dead))
    return result


def only(live: Sequence[LiveSegment], owners: set[str]) -> list[LiveSegment]:
    """Return the segments with the documents of all other owners dead."""
    result = []
    for each in live:
        strange = [each.segment.key(number)[0] not in owners for number in range(len(each.dead))]
        result.append(LiveSegment(each.segment, each.dead | np.array(strange, np.bool_)))
    return result


def settle(live: Sequence[LiveSegment], build: Build) -> tuple[SegmentEntry, ...]:
    """Write what is in memory, with small and half-dead segments, and return the entries of the next manifest."""
    kept: list[SegmentEntry] = []
    moved: list[Embedding] = []
    rows = build.rows
    for each in reversed(live):
        entry = killed(each.segment.entry, each.dead)
        alive = len(each.dead) - int(each.dead.sum())
        share = max(1, entry.rows) * alive // max(1, len(each.dead))
        follows = not kept and build.fresh and share <= max(_SMALL, _GROWTH * rows) and share + rows <= SEGMENT_ROWS
        if alive and not follows and len(each.dead) - alive <= _DEAD_SHARE * len(each.dead):
            kept.append(entry)
        elif alive:
            moved += (each.segment.document(int(number)) for number in np.flatnonzero(~each.dead))
            rows += share
    build.fresh = moved + build.fresh
    build.flush()
    return (*reversed(kept), *build.written)
