"""The vector index: the documents of a store by the nearness of their texts, derived and deletable at any time.

It owns a directory of immutable segments (`vector_segment`) and a manifest that names them (`vector_manifest`). Texts
are embedded without any lock; publishing takes one for milliseconds. A reader is never blocked and keeps what it has
mapped. An unchanged text keeps its vector, so that only what is new costs. It proposes; it never decides what
qualifies.
"""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memgit.errors import IndexNotReady, StoreReadOnly
from memgit.index.embedders.embedder import Embedder
from memgit.index.index_directory import delete
from memgit.index.lexical import IndexDamaged, Watermark
from memgit.index.vector_build import Build, Item, only, settle, without
from memgit.index.vector_manifest import Manifest, parse_manifest, read_bytes, write_manifest
from memgit.index.vector_search import Admission, DenseHit, LiveSegment, nearest
from memgit.index.vector_segment import OtherEmbedder, Segment
from memgit.limits import DEFAULT

if TYPE_CHECKING:
    from memgit.index.embedders.embedder import Vectors

__all__ = ["Admission", "DenseHit", "IndexSize", "Item", "OtherEmbedder", "VectorIndex"]

LOCK_NAME = "write.lock"
_ATTEMPTS = 5  # each means that another process replaced a segment between two looks
_ORPHAN_SECONDS = 3600  # a file that no manifest names may be of a build that still runs
_UNWRITABLE = {errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT}
_ANY = Admission()


@dataclass(frozen=True, slots=True)
class IndexSize:
    """How large an index is: living documents, rows with the dead ones, bytes of the files, segments."""

    documents: int
    rows: int
    bytes: int
    segments: int


@dataclass(frozen=True, slots=True)
class _View:
    """One state of the index, mapped."""

    manifest: Manifest
    live: tuple[LiveSegment, ...]


class VectorIndex:
    """An index in a directory of its own, for one embedder. One object may be used from several threads; they take
    turns.

    Every method may raise IndexDamaged, and OtherEmbedder where the files are of another model: the answer to both is
    `reset` and `apply` without a base. Nothing is lost but time.
    """

    def __init__(self, directory: Path, embedder: Embedder) -> None:
        self._directory = directory
        self._embedder = embedder
        self._identity = embedder.identity
        self._turn = threading.RLock()
        self._bytes: bytes | None = None
        self._view: _View | None = None

    def watermark(self) -> Watermark | None:
        """Return what the index has observed; None where it is empty, or a build has not come to its end."""
        with self._turn:
            return self._current().manifest.watermark

    def apply(
        self, items: Iterable[Item], removed: Iterable[str], watermark: Watermark, base: Watermark | None
    ) -> bool:
        """Replace all that the index has of each item's owner, drop the removed owners, and move the watermark.

        In one step: a reader sees the old state or the new one, whenever the process dies. Without a base the items are
        everything there is: whatever is not among them goes, and what is done so far is kept now and then, so that a
        build that was interrupted goes on where it was. Returns False, having changed nothing, where the watermark is
        not `base` (any more): another process was faster; read it again.

        Raises IndexNotReady where another process keeps the lock, StoreReadOnly where nothing can be written. Errors of
        the iterables and of the embedder pass through.
        """
        with self._turn:
            view = self._current()
            if view.manifest.watermark != base:
                return False
            with _writing():
                self._directory.mkdir(parents=True, exist_ok=True)
            build = Build(self._directory, self._embedder)
            try:
                for owner in removed:
                    build.remove(owner)
                for _ in build.compare(items, view.live):
                    with _writing():
                        build.flush()
                    if base is None:
                        done = self._publish(build, None, view)
                        if done is None:
                            return False
                        view = done
                return self._publish(build, watermark, view) is not None
            finally:
                build.discard()

    def search(self, query: Vectors, limit: int, where: Admission = _ANY) -> tuple[DenseHit, ...]:
        """Return the `limit` documents nearest to a vector of `embed_query`, best first: filtered, then ranked."""
        if query.shape != (self._identity.dimensions,):
            raise ValueError(f"a question has {self._identity.dimensions} dimensions, not {query.shape}")
        with self._turn:
            return nearest(self._current().live, query, limit, where)

    def size(self) -> IndexSize:
        """Return how large the index is."""
        with self._turn:
            live = self._current().live
            entries = [each.segment.entry for each in live]
            return IndexSize(
                sum(len(each.dead) - int(each.dead.sum()) for each in live),
                sum(entry.rows for entry in entries),
                sum(entry.size for entry in entries),
                len(entries),
            )

    def reset(self) -> None:
        """Delete everything, waiting for a writer. The index is empty afterwards."""
        with self._turn, self._lock(), _writing():
            self.close()
            for path in sorted(self._directory.iterdir()):  # the manifest goes before the segments
                if path.name != LOCK_NAME:
                    delete(path)

    def close(self) -> None:
        """Release files. The next call opens them again."""
        with self._turn:
            self._bytes = self._view = None

    def _publish(self, build: Build, watermark: Watermark | None, seen: _View) -> _View | None:
        """Make what was built on `seen` the state of the index and return it; None where another process was faster."""
        with self._lock():
            view = self._current()
            if view.manifest != seen.manifest:
                return None
            live = without(view.live, build.gone)
            if view.manifest.watermark is None and watermark is not None:
                live = only(live, build.owners)
            with _writing():
                segments = settle(live, build)
                write_manifest(self._directory, view.manifest.following(watermark, segments))
            build.written, build.gone = [], {}
            self._sweep({entry.name for entry in segments}, {each.segment.entry.name for each in view.live})
            return self._current()

    def _sweep(self, named: set[str], before: set[str]) -> None:
        """Delete what the new manifest does not name any more, and what a dead process left."""
        old = time.time() - _ORPHAN_SECONDS
        with suppress(OSError):
            for path in self._directory.iterdir():
                if path.name.startswith("manifest.") or path.suffix == ".vectors":
                    with suppress(OSError):  # in use, on some systems; the next sweep finds it
                        if path.name not in named and (path.name in before or path.stat().st_mtime < old):
                            path.unlink()

    def _current(self) -> _View:
        """Return the newest state. What is mapped already stays mapped."""
        for _ in range(_ATTEMPTS):
            data = _reading(self._directory)
            if self._view is None or data != self._bytes:
                manifest = parse_manifest(data, self._identity)
                try:
                    self._view = _View(manifest, self._opened(manifest))
                except FileNotFoundError:
                    continue  # the manifest was replaced, and the file deleted, since it was read
                except OSError as error:
                    raise IndexDamaged(f"the vectors cannot be read: {error.strerror}") from error
                self._bytes = data
            if not all(each.segment.is_whole() for each in self._view.live):
                self.close()
                raise IndexDamaged("a file of the vectors was cut short")
            return self._view
        raise IndexDamaged("a file of the vectors is missing")

    def _opened(self, manifest: Manifest) -> tuple[LiveSegment, ...]:
        mapped = {each.segment.entry.name: each.segment for each in self._view.live} if self._view else {}
        segments = [mapped.get(e.name) or Segment(self._directory, e, self._identity) for e in manifest.segments]
        return tuple(
            LiveSegment(segment, segment.dead(entry))
            for segment, entry in zip(segments, manifest.segments, strict=True)
        )

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Hold the writer's lock. Raises IndexNotReady where another process keeps it for too long."""
        from filelock import FileLock, Timeout

        with _writing():
            self._directory.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self._directory / LOCK_NAME, timeout=DEFAULT.lock_wait_ms / 1000)
            try:
                lock.acquire()
            except Timeout:
                raise IndexNotReady(f"another process is writing the vectors in {self._directory}") from None
        try:
            yield
        finally:
            lock.release()


def _reading(directory: Path) -> bytes | None:
    try:
        return read_bytes(directory)
    except OSError as error:
        raise IndexDamaged(f"the vectors cannot be read: {error.strerror}") from error


@contextmanager
def _writing() -> Iterator[None]:
    """Give what keeps files from being written its proper name."""
    try:
        yield
    except OSError as error:
        if error.errno in _UNWRITABLE:
            raise StoreReadOnly(f"the vectors cannot be written: {error.strerror}") from error
        raise IndexDamaged(f"the vectors cannot be written: {error.strerror}") from error
