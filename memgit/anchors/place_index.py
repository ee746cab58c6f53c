"""Which claims and artifacts are tied to a file, or to lines of it, as it is now: derived and deletable.

It holds the live anchors of a store and, beside them (`place_cache.py`), where each is at HEAD. A new HEAD costs what
lies between the two commits: answers for files that did not change are taken over, the others go on from where they
were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from memgit.anchors.located import Located
from memgit.anchors.place_cache import PlaceCache, anchor_digest
from memgit.anchors.tracer import Tracer
from memgit.anchors.way import written_path
from memgit.records.op import Anchor

_encode = msgspec.msgpack.encode
_decoder = msgspec.msgpack.Decoder(Anchor)
_located_decoder = msgspec.msgpack.Decoder(Located)
_JOINED = """SELECT owner, position, ties.body, ties.anchor, located.body
    FROM located JOIN ties ON ties.anchor = located.anchor WHERE target = ?"""


class Tie(NamedTuple):
    """One anchor of an entity: its place among the entity's anchors, and its digest."""

    owner: str
    position: int
    anchor: Anchor
    name: str


class Tied(NamedTuple):
    """A tie and where its anchor is now."""

    tie: Tie
    located: Located


class PlaceIndex:
    """The index of one repository, on the cache of a tracer. Close the tracer to close it."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer
        self._cache = tracer.cache or PlaceCache(tracer.history.repository.cache_dir)

    @property
    def watermark(self) -> str | None:
        """What the last caller said that he had told; None where nothing was told yet."""
        row = self._cache.connection().execute("SELECT value FROM meta WHERE key = 'watermark'").fetchone()
        return str(row[0]) if row is not None else None

    def replace(self, ties: Mapping[str, Sequence[Anchor]], watermark: str) -> None:
        """Make `ties` (the anchors of each owner) all that there is."""
        connection = self._cache.connection()
        with connection:
            connection.execute("DELETE FROM ties")
            self._put(ties, watermark)

    def follow(self, ties: Mapping[str, Sequence[Anchor]], ended: Iterable[str], watermark: str) -> None:
        """Take in what changed: owners with all their present anchors, and owners that are live no more."""
        connection = self._cache.connection()
        with connection:
            gone = [(owner,) for owner in [*ended, *ties]]
            connection.executemany("DELETE FROM ties WHERE owner = ?", gone)
            self._put(ties, watermark)

    def all(self) -> list[Tie]:
        """Return every live anchor."""
        rows = self._cache.connection().execute("SELECT owner, position, body, anchor FROM ties ORDER BY 1, 2")
        return [_tie(row) for row in rows]

    def located(self, target: str | None = None) -> list[Tied]:
        """Return every live anchor with where it is. Raises NotFound for an unknown revision."""
        return self._with_places(self.all(), target)

    def at(self, path: str, start: int | None = None, end: int | None = None, target: str | None = None) -> list[Tied]:
        """Return the anchors in a file as it is now, or on its lines `start` to `end`: of the whole file first.

        `path` keeps bytes that are not UTF-8 as surrogates. Without `target` the working tree counts. Raises NotFound.
        """
        self._bring_up(target)
        commit = self._tracer.commit(target)
        is_moving = target is None and self._tracer.is_changed(path)
        name = written_path(path)[0]
        if commit is None:
            found = self._with_places(self.all(), target)
        else:
            near = self._near(path, commit) if is_moving else self._on(path, commit, start, end)
            known = {item.tie.name: item.located for item in near}
            found = self._with_places([item.tie for item in near], target, known)
        return sorted((item for item in found if _is_on(item.located, name, start, end)), key=_by_line)

    def _put(self, ties: Mapping[str, Sequence[Anchor]], watermark: str) -> None:
        rows = [
            (owner, position, anchor_digest(anchor), _encode(anchor))
            for owner, anchors in ties.items()
            for position, anchor in enumerate(anchors)
        ]
        connection = self._cache.connection()
        connection.executemany("INSERT OR REPLACE INTO ties VALUES (?, ?, ?, ?)", rows)
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('watermark', ?)", (watermark,))

    def _bring_up(self, target: str | None) -> None:
        """See to it that every live anchor has been looked for in the target's commit."""
        commit = self._tracer.commit(target)
        if commit is None:
            return
        sql = """SELECT owner, position, body, anchor FROM ties
            WHERE anchor NOT IN (SELECT anchor FROM located WHERE target = ? AND knowledge IN ('', ?))"""
        rows = self._cache.connection().execute(sql, (commit, self._tracer.knowledge))
        missing = [_tie(row) for row in rows]
        if missing:
            self._tracer.locate_named({tie.name: tie.anchor for tie in missing}, commit)

    def _on(self, path: str, commit: str, start: int | None = None, end: int | None = None) -> list[Tied]:
        sql = f"{_JOINED} AND path = ? AND (first IS NULL OR (first <= ? AND last >= ?))"
        bounds = (end or start or 1 << 53, start or 1)
        rows = self._cache.connection().execute(sql, (commit, written_path(path)[0], *bounds))
        return [_tied(row) for row in rows]

    def _near(self, path: str, commit: str) -> list[Tied]:
        """Return what is in a changed working file: what its committed form has, and what other changed files had."""
        changed = {path, *self._tracer.changed_paths(commit)}
        near = [item for name in sorted(changed) for item in self._on(name, commit)]
        # What is gone at HEAD was perhaps never committed.
        gone = self._cache.connection().execute(f"{_JOINED} AND path IS NULL", (commit,))
        near += [_tied(row) for row in gone]
        return near

    def _with_places(
        self, ties: Sequence[Tie], target: str | None, known: Mapping[str, Located] | None = None
    ) -> list[Tied]:
        found = self._tracer.locate_named({tie.name: tie.anchor for tie in ties}, target, known)
        return [Tied(tie, found[tie.name]) for tie in ties]


def _by_line(item: Tied) -> tuple[int, str, int]:
    place = item.located.place
    return (place.start_line or 0) if place is not None else 0, item.tie.owner, item.tie.position


def _tied(row: tuple[str, int, bytes, str, bytes]) -> Tied:
    return Tied(_tie(row[:4]), _located_decoder.decode(row[4]))


def _tie(row: tuple[str, int, bytes, str]) -> Tie:
    owner, position, body, name = row
    return Tie(owner, position, _decoder.decode(body), name)


def _is_on(item: Located, name: str, start: int | None, end: int | None) -> bool:
    place = item.place
    if place is None or place.path != name:
        return False
    if start is None or place.start_line is None or place.end_line is None:
        return True
    return place.start_line <= (end or start) and place.end_line >= start
